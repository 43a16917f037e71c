"""Which gender a text gives a person, found with the language's own rewriter.

Rewriting for a woman changes the words that are masculine, rewriting for a man those that are
feminine. What neither changes shows no gender.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.languages.rewriting import find_rewriter, rewritable
from epicene.records import Record

if TYPE_CHECKING:
    from epicene.languages.rewriting import Rewrite
    from epicene.languages.rewriting.people import Gender, Person

# unknown: the language has no rewriter, so nothing can be said.
Assumed: TypeAlias = Literal["masculine", "feminine", "mixed", "undetected", "unknown"]


class Assumption(Record, frozen=True, kw_only=True):
    """The gender that a text gives a person, and the words that show it."""

    gender: Assumed
    words: tuple[str, ...] = ()


def assumed_gender(text: str, language: str, person: Person = "speaker") -> Assumption:
    """The gender that the text gives that person."""
    if language not in rewritable() or person not in find_rewriter(language).takes:
        return Assumption(gender="unknown")
    masculine = _changed(text, language, person, "feminine")
    feminine = _changed(text, language, person, "masculine")
    gender: Assumed = "masculine" if masculine else "feminine" if feminine else "undetected"
    if masculine and feminine:
        gender = "mixed"
    return Assumption(gender=gender, words=(*masculine, *feminine))


def _changed(text: str, language: str, person: Person, gender: Gender) -> tuple[str, ...]:
    (rewriting,) = _opened(language, person, gender)([text])
    return tuple(change.before for change in rewriting.changes)


@cache
def _opened(language: str, person: Person, gender: Gender) -> Rewrite:
    return find_rewriter(language).open({person: gender})
