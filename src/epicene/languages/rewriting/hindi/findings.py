"""A word that agrees with a person, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.languages.rewriting import Change
from epicene.languages.rewriting.hindi import nouns
from epicene.languages.rewriting.hindi.inflection import Cell, Inflected, gender_of, inflected

if TYPE_CHECKING:
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.hindi.spelling import Style
    from epicene.languages.rewriting.hindi.words import Word
    from epicene.languages.rewriting.people import Gender, Person

What: TypeAlias = Literal["verb", "adjective", "noun"]


SEVERAL = "nouns of people"


class Finding(NamedTuple):
    """A word, whose it is, and what decides its form."""

    at: int
    what: What
    who: Person
    rule: str
    sure: Sureness
    plural: bool = False  # the person is spoken of in the plural, out of respect
    oblique: bool = False
    final: bool = False  # the last of its verb, where the feminine plural shows


def change(word: Word, finding: Finding, gender: Gender, style: Style) -> Change | None:
    """The change that gives the word that gender, None if it has it or has none."""
    if finding.what == "noun":
        after = _noun(word, finding, gender, style)
    else:
        after = _agreeing(word, finding, gender, style)
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


def _agreeing(word: Word, finding: Finding, gender: Gender, style: Style) -> str | None:
    parts = inflected(word.text, verb=finding.what == "verb")
    if parts is None or gender_of(parts.cell) == gender:
        return None
    return parts.form(_cell(parts, finding, gender), style)


def _cell(parts: Inflected, finding: Finding, gender: Gender) -> Cell:
    if gender == "masculine":
        return "mp" if finding.plural or finding.oblique or parts.cell == "fp" else "ms"
    return "fp" if finding.final and parts.cell == "mp" else "fs"


def _noun(word: Word, finding: Finding, gender: Gender, style: Style) -> str | None:
    reading = nouns.person(word.key)
    if reading is None:
        return None
    return nouns.turn(word.text, reading, gender, case_of(reading, finding), style)


def case_of(reading: nouns.Reading, finding: Finding) -> nouns.Case:
    """The case in which the noun stands, as far as its form and its place say."""
    if reading.plural_only:
        return "oblique plural" if "oblique plural" in reading.cases else "direct plural"
    if finding.oblique:
        return "oblique"
    if finding.rule == SEVERAL or (finding.plural and reading.gender == "feminine"):
        return "direct plural"  # उनकी बेटी हैं → उनके बेटे हैं
    return "direct"
