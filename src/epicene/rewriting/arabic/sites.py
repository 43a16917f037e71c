"""Sites of Arabic words, and the change that each needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.rewriting import sites
from epicene.rewriting.arabic.lexicon import things
from epicene.rewriting.arabic.morphology import (
    InflectedWord,
    inflect_fixed,
    inflect_noun_parse,
    inflect_verb_parse,
    mark_of_weak_verb,
)
from epicene.rewriting.arabic.spelling import (
    DAMMA,
    FATHA,
    KASRA,
    SHADDA,
    TANWIN_FATH,
    TANWIN_KASR,
    Suffix,
    inflect_suffix,
    nunation_of,
    spell_like,
    with_final_mark,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.rewriting import Change
    from epicene.rewriting.arabic.analysis import FunctionParse, NounParse, VerbParse
    from epicene.rewriting.arabic.conjugation import Cell, Number
    from epicene.rewriting.arabic.inflection import Case
    from epicene.rewriting.arabic.line import Line, Token
    from epicene.rewriting.arabic.spelling import Nunation
    from epicene.rewriting.persons import Gender, TargetGenders


class NounTarget(NamedTuple):
    """A noun or an adjective, and its case and construct state in context."""

    parse: NounParse
    case: Case
    bound: bool = False  # a possessor follows
    number: Number | None = None  # where the context shows more than the form


class VerbTarget(NamedTuple):
    """A verb, and its features in context."""

    parse: VerbParse
    cell: Cell


class FixedTarget(NamedTuple):
    """A word in one of the lists of `fixed.toml`, with its proclitics."""

    prefix: str
    kind: str
    word: str

    @classmethod
    def of(cls, function: FunctionParse, kind: str) -> FixedTarget:
        """The target of a function word that is in one of the lists."""
        return cls(function.prefix, kind, function.written)


class VowelTarget(NamedTuple):
    """The second person in a written final vowel: أنتَ, أنتِ, كتبتَ, لكِ."""


Target: TypeAlias = NounTarget | VerbTarget | FixedTarget | Suffix | VowelTarget


Site: TypeAlias = sites.Site[Target]
Sites: TypeAlias = sites.Sites[Target]


def make_changes(line: Line, found: Sites, wanted: TargetGenders) -> Iterator[Change]:
    """The changes of all words whose form differs in the gender wanted for their person."""
    nunation = "none" if _drops_nunation(line) else nunation_of(line.text)
    marks = _marks_written(line.text)
    for at, parts in found.by_word():
        change = _word_change(line.tokens[at], parts, wanted, nunation, marks=marks)
        if change is not None:
            yield change


def _marks_written(text: str) -> str:
    """The marks that this writer puts in place of a letter left out."""
    if not any(mark in text for mark in (SHADDA, FATHA, DAMMA, KASRA)):
        return TANWIN_KASR if TANWIN_FATH in text else ""
    return TANWIN_KASR + FATHA + DAMMA + KASRA


def _drops_nunation(line: Line) -> bool:
    """Whether a noun in the accusative shows that the line writes no nunation: اتفاقا."""
    if TANWIN_FATH in line.text:
        return False
    return any(
        len(word.key) > 4
        and word.key.endswith("ا")
        and word.key[:-1] in things().masculine
        and word.key not in things().feminine
        for word in line.tokens
    )


def _word_change(
    word: Token, parts: Sequence[Site], wanted: TargetGenders, nunation: Nunation, *, marks: str
) -> Change | None:
    """The change of one word for the genders wanted, None if it does not change.

    `marks` are those that stand for a letter left out: راضٍ, لا تنسَ.
    """
    new = InflectedWord(word.letters)
    asked = None
    vowel = ""
    for site in parts:
        if site.who not in wanted:
            continue
        gender = wanted[site.who]
        if isinstance(site.target, VowelTarget):
            vowel = KASRA if gender == "feminine" else FATHA
            asked = asked or site
            continue
        after = _inflect_target(new.letters, site.target, gender)
        if after is not None and after.letters != new.letters:
            new, asked = after, asked or site
    if asked is None:
        return None
    mark = new.mark if new.mark in marks else ""
    text = spell_like(word, new.letters, nunated=new.nunated, nunation=nunation, mark=mark)
    return asked.change(word, with_final_mark(text, vowel) if vowel else text)


def _inflect_target(letters: str, target: Target, gender: Gender) -> InflectedWord | None:
    """The word with its target inflected, None if it does not change."""
    if isinstance(target, NounTarget):
        return inflect_noun_parse(
            target.parse, gender, target.case, bound=target.bound, number=target.number
        )
    word = None
    if isinstance(target, Suffix):
        suffix = inflect_suffix(target, gender)
        word = suffix and letters[: -len(target.letters)] + suffix
    elif isinstance(target, FixedTarget):
        word = inflect_fixed(target.prefix, target.kind, target.word, gender)
    elif isinstance(target, VerbTarget):
        word = inflect_verb_parse(target.parse, target.cell, gender)
        if word is not None:
            return InflectedWord(word, mark=mark_of_weak_verb(target.parse, word))
    return None if word is None else InflectedWord(word)
