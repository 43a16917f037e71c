"""French nouns for people and adjectives out of context: their readings, and the form of a reading
in either gender.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.french import inflection
from epicene.rewriting.french.line import is_adjective, is_person
from epicene.rewriting.text import match_case

if TYPE_CHECKING:
    from epicene.rewriting.french.inflection import WordClass
    from epicene.rewriting.persons import Gender


class Reading(NamedTuple):
    """A reading as a noun for people or as an adjective, including participles."""

    word: str
    kind: WordClass
    plural: bool


def analyse(word: str) -> tuple[Reading, ...]:
    """All readings of a word that can show gender: as a person, as an adjective."""
    key = word.lower()
    kinds: dict[WordClass, bool] = {"noun": is_person(key), "adjective": is_adjective(key)}
    plural = inflection.is_plural(key)
    return tuple(Reading(word, kind, plural) for kind, fits in kinds.items() if fits)


def inflect(reading: Reading, gender: Gender) -> str | None:
    """The word in that gender; None where it does not change."""
    key = reading.word.lower()
    form = inflection.inflect(key, gender, reading.kind, plural=reading.plural)
    return None if form == key else match_case(reading.word, form)
