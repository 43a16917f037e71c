"""Nouns of people who are only spoken about, with the words before them that agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.hindi import nouns
from epicene.languages.rewriting.hindi.adjectives import cell_of
from epicene.languages.rewriting.hindi.phrases import phrase
from epicene.languages.rewriting.hindi.predicates import findings_of
from epicene.languages.rewriting.hindi.subjects import Subject

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from epicene.languages.rewriting.hindi.findings import Finding
    from epicene.languages.rewriting.hindi.words import Stretch
    from epicene.languages.rewriting.people import Gender

_JOINS = frozenset("और या व एवं तथा अथवा".split()) | {",", "-", "/"}
_MOST_WORDS = 8  # of a list whose last member shows the case of all


def others(
    stretch: Stretch, gender: Gender, taken: Collection[int], plural: Mapping[int, bool]
) -> Iterator[Finding]:
    """Every noun of people that nobody else has taken.

    `plural` says of subjects whether their verb is in the plural.
    """
    for at in range(len(stretch)):
        reading = nouns.person(stretch[at])
        if reading is None or at in taken or stretch.is_mark(at):
            continue
        if _is_group(reading, gender) or _is_couple(stretch, at, reading):
            continue
        found = phrase(stretch, at, 0, reading.gender)
        agreeing = tuple(place for place in found.agreeing if place not in taken)
        oblique = (
            reading.plural_only
            or is_oblique(stretch, at)
            or any(cell_of(stretch.words[place].text) == "mp" for place in agreeing)
        )
        person = Subject("others", at, plural.get(at, False), "likely")
        yield from findings_of(
            stretch, found._replace(agreeing=agreeing), person, "noun of a person", oblique=oblique
        )


def _is_group(reading: nouns.Reading, gender: Gender) -> bool:
    """The masculine plural of a role names women too: छात्रों stays."""
    if not reading.plural_only:
        return False
    return reading.gender is None or (reading.noun.kind != "gendered" and gender == "feminine")


def _is_couple(stretch: Stretch, at: int, reading: nouns.Reading) -> bool:
    """पति और पत्नी, लड़के या लड़कियाँ: both genders are named."""
    for step in (-1, 1):
        place = at + step
        while stretch[place] in _JOINS:
            place += step
        beside = nouns.person(stretch[place])
        if beside and beside.noun == reading.noun and beside.gender != reading.gender:
            return True
    return False


def is_oblique(stretch: Stretch, at: int) -> bool:
    """Whether a postposition follows, right after it or after a list that it is part of."""
    if stretch.oblique(at):
        return True
    if stretch[at + 1] not in _JOINS:
        return False
    for place in range(at + 2, min(at + _MOST_WORDS, len(stretch))):
        if nouns.person(stretch[place]):
            return stretch.oblique(place)
    return False
