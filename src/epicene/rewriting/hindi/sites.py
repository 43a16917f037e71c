"""The words that agree with somebody, and the change that each of them needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting import Change
from epicene.rewriting.hindi import inflection
from epicene.rewriting.hindi.inflection import (
    AgreeingForm,
    Cell,
    analyse_agreeing_form,
    cell_gender,
)

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.hindi.line import Word
    from epicene.rewriting.hindi.spelling import Style
    from epicene.rewriting.persons import Gender, Person

TargetKind: TypeAlias = Literal["verb", "adjective", "noun"]


SEVERAL_PEOPLE = "nouns of people"


class Site(NamedTuple):
    """A word, whose it is, and what decides its form."""

    at: int
    what: TargetKind
    who: Person
    rule: str
    sure: Confidence
    plural: bool = False  # the person is spoken of in the plural, out of respect
    oblique: bool = False
    final: bool = False  # the last of its verb, where the feminine plural shows


def word_change(word: Word, finding: Site, gender: Gender, style: Style) -> Change | None:
    """The change that gives the word that gender, None if it has it or has none."""
    if finding.what == "noun":
        after = _noun_form(word, finding, gender, style)
    else:
        after = _agreeing_form(word, finding, gender, style)
    if after is None or after == word.text:
        return None
    return Change(
        start=word.start,
        end=word.end,
        before=word.text,
        after=after,
        rule=finding.rule,
        sure=finding.sure,
    )


def _agreeing_form(word: Word, finding: Site, gender: Gender, style: Style) -> str | None:
    parts = analyse_agreeing_form(word.text, verb=finding.what == "verb")
    if parts is None or cell_gender(parts.cell) == gender:
        return None
    return parts.form(_target_cell(parts, finding, gender), style)


def _target_cell(parts: AgreeingForm, finding: Site, gender: Gender) -> Cell:
    if gender == "masculine":
        return "mp" if finding.plural or finding.oblique or parts.cell == "fp" else "ms"
    return "fp" if finding.final and parts.cell == "mp" else "fs"


def _noun_form(word: Word, finding: Site, gender: Gender, style: Style) -> str | None:
    reading = inflection.person_noun(word.key)
    if reading is None:
        return None
    return inflection.inflect_noun(word.text, reading, gender, noun_case(reading, finding), style)


def noun_case(reading: inflection.NounReading, finding: Site) -> inflection.Case:
    """The case in which the noun stands, as far as its form and its place say."""
    if reading.plural_only:
        return "oblique plural" if "oblique plural" in reading.cases else "direct plural"
    if finding.oblique:
        return "oblique"
    if finding.rule == SEVERAL_PEOPLE or (finding.plural and reading.gender == "feminine"):
        return "direct plural"  # उनकी बेटी हैं → उनके बेटे हैं
    return "direct"
