"""Sites of Hindi words, and the change that each needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting import sites
from epicene.rewriting.hindi import inflection
from epicene.rewriting.hindi.address import CLOSING_ADJECTIVES, HONORIFICS
from epicene.rewriting.hindi.inflection import (
    AgreeingForm,
    Cell,
    analyse_agreeing_form,
    cell_gender,
)
from epicene.rewriting.hindi.phrases import may_be_name
from epicene.rewriting.hindi.spelling import style_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.rewriting import Change
    from epicene.rewriting.hindi.line import Line
    from epicene.rewriting.hindi.spelling import Style
    from epicene.rewriting.persons import Gender, TargetGenders
    from epicene.rewriting.text import Token

TargetKind: TypeAlias = Literal["verb", "adjective", "noun"]


SEVERAL_PEOPLE = "nouns of people"


class Target(NamedTuple):
    """What decides the form of a word."""

    kind: TargetKind
    plural: bool = False  # the person is spoken of in the plural, out of respect
    oblique: bool = False
    final: bool = False  # the last of its verb, where the feminine plural shows


Site: TypeAlias = sites.Site[Target]


def make_changes(line: Line, found: Iterable[Site], wanted: TargetGenders) -> Iterable[Change]:
    """The changes of the sites' words; of two for one word the first is used."""
    style = style_of(line.text)
    changes: dict[int, Change] = {}
    for site in found:
        word = line.tokens[site.at]
        after = _form(line, site, wanted[site.who], style)
        if after not in {None, word.text} and not _stands_beside_another(line.text, word):
            changes.setdefault(word.start, site.change(word, after))
    return changes.values()


def _stands_beside_another(text: str, word: Token) -> bool:
    """Whether the word is one of two forms with a slash: था/थी."""
    return "/" in {text[word.end : word.end + 1], text[max(0, word.start - 1) : word.start]}


def _form(line: Line, site: Site, gender: Gender, style: Style) -> str | None:
    """The word in that gender, None if it has it already or shows none."""
    word = line.tokens[site.at]
    if site.target.kind == "noun":
        if word.key in _SANSKRIT_FEMININES or word.key in _SANSKRIT_MASCULINES:
            other = _SANSKRIT_FEMININES if gender == "feminine" else _SANSKRIT_MASCULINES
            return other.get(word.key)
        if word.key == "महारानी" and site.rule == "addressed" and gender == "masculine":
            return "महाराज"
        title = _title(line, site.at, gender)
        if title:
            return title
        return _noun_form(word, site, gender, style)
    return _agreeing_form(word, site.target, gender, style)


def _title(line: Line, at: int, gender: Gender) -> str:
    """The title, where the words around it decide: सर रिचर्ड, श्रीमती बंसल, भाई साहब."""
    word, named = line[at], may_be_name(line[at + 1])
    if gender == "masculine":
        if word in {"श्रीमती", "सुश्री"} and named:
            return "श्रीमान" if "जी" in {line[at + 2], line[at + 3]} else "श्री"
        return "साहब" if word == "जी" else ""
    if word == "पिता" and (line[at + 1] in {"समान", "तुल्य"} or line[at + 2] == "नाम"):
        return "माता"
    if word == "सर" and named:
        return "डेम"
    if word == "साहब" and line[at - 1] == "भाई":
        return "जी"  # बहन जी
    alone = at == 0 or not (inflection.person_noun(line[at - 1]) or may_be_name(line[at - 1]))
    return "मेमसाहब" if word == "साहब" and alone else ""


# They agree in a few places only, where they have a site.
_SANSKRIT_FEMININES = HONORIFICS | CLOSING_ADJECTIVES
_SANSKRIT_MASCULINES = {feminine: masculine for masculine, feminine in _SANSKRIT_FEMININES.items()}


def _agreeing_form(word: Token, target: Target, gender: Gender, style: Style) -> str | None:
    parts = analyse_agreeing_form(word.text, verb=target.kind == "verb")
    if parts is None or cell_gender(parts.cell) == gender:
        return None
    if word.key.endswith("वाले"):  # has no plural of its own at the end of a verb
        target = target._replace(final=False)
    return parts.form(_target_cell(parts, target, gender), style)


def _target_cell(parts: AgreeingForm, target: Target, gender: Gender) -> Cell:
    if gender == "masculine":
        return "mp" if target.plural or target.oblique or parts.cell == "fp" else "ms"
    return "fp" if target.final and parts.cell == "mp" else "fs"


def _noun_form(word: Token, site: Site, gender: Gender, style: Style) -> str | None:
    reading = inflection.person_noun(word.key)
    if reading is None:
        return None
    return inflection.inflect_noun(word.text, reading, gender, noun_case(reading, site), style)


def noun_case(reading: inflection.NounReading, site: Site) -> inflection.Case:
    """The case of the noun, as far as its form and its context show."""
    if reading.plural_only:
        return "oblique plural" if "oblique plural" in reading.cases else "direct plural"
    if site.target.oblique:
        return "oblique"
    if site.rule == SEVERAL_PEOPLE or (site.target.plural and reading.gender == "feminine"):
        return "direct plural"  # उनकी बेटी हैं → उनके बेटे हैं
    return "direct"
