"""Nouns of people who are only spoken about, with the words before them that agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.hindi import nouns
from epicene.languages.rewriting.hindi.findings import SEVERAL
from epicene.languages.rewriting.hindi.phrases import is_oblique, phrase
from epicene.languages.rewriting.hindi.predicates import findings_of
from epicene.languages.rewriting.hindi.subjects import Subject

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from epicene.languages.rewriting.hindi.findings import Finding
    from epicene.languages.rewriting.hindi.words import Stretch
    from epicene.languages.rewriting.people import Gender

_JOINS = frozenset("और या व एवं तथा अथवा".split()) | {",", "-", "/"}
_QUANTITIES = frozenset(
    "दो तीन चार पांच छह सात आठ नौ दस कई अनेक बहुत सभी सब ज्यादातर अधिकांश अधिकतर कुछ दोनों तीनों चारों "
    "2 3 4 5 6 7 8 9 10".split()
)


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
        if stretch[at] == "सर" and stretch.oblique(at):  # the head, not the gentleman
            continue
        if _is_group(stretch, at, reading, gender) or _is_couple(stretch, at, reading):
            continue
        found = phrase(stretch, at, 0, reading.gender)
        agreeing = tuple(place for place in found.agreeing if place not in taken)
        several = reading.plural_only or _several(stretch, at, found.first, reading)
        person = Subject("others", at, plural.get(at, False) or several, "likely")
        yield from findings_of(
            stretch,
            found._replace(agreeing=agreeing),
            person,
            SEVERAL if several else "noun of a person",
            oblique=is_oblique(stretch, at),
            any_number=True,
        )


def _several(stretch: Stretch, at: int, first: int, reading: nouns.Reading) -> bool:
    """Whether a form that may be singular or plural names more than one."""
    if is_oblique(stretch, at) or "direct plural" not in reading.cases:
        return False
    if "direct" not in reading.cases:  # बेटे
        return True
    return stretch[first - 1] in _QUANTITIES or stretch[at - 1] in _QUANTITIES


def _is_group(stretch: Stretch, at: int, reading: nouns.Reading, gender: Gender) -> bool:
    """The masculine plural of a role names women too: छात्रों, बच्चे stay."""
    several = reading.plural_only or _several(stretch, at, at, reading)
    if not several:
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
