"""The words that agree with somebody, and the change that each of them needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.rewriting import Change
from epicene.rewriting.arabic.morphology import (
    InflectedWord,
    inflect_fixed,
    inflect_noun_parse,
    inflect_verb_parse,
)
from epicene.rewriting.arabic.spelling import (
    FATHA,
    KASRA,
    Suffix,
    inflect_suffix,
    spell_like,
    with_final_mark,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting import Confidence
    from epicene.rewriting.arabic.analysis import NounParse, VerbParse
    from epicene.rewriting.arabic.conjugation import Cell, Number
    from epicene.rewriting.arabic.inflection import Case
    from epicene.rewriting.arabic.line import Word
    from epicene.rewriting.arabic.spelling import Nunation
    from epicene.rewriting.persons import Gender, Person, TargetGenders


class NounTarget(NamedTuple):
    """A noun or an adjective, and where it stands."""

    parse: NounParse
    case: Case
    bound: bool = False  # a possessor follows
    number: Number | None = None  # where the place says more than the form


class VerbTarget(NamedTuple):
    """A verb, and the cell that is its own here."""

    parse: VerbParse
    cell: Cell


class FixedTarget(NamedTuple):
    """A word of one of the lists of `fixed.toml`, with what is joined to its front."""

    prefix: str
    sort: str
    word: str


class VowelTarget(NamedTuple):
    """The second person in a last vowel that is written: أنتَ, أنتِ, كتبتَ, لكِ."""


Target: TypeAlias = NounTarget | VerbTarget | FixedTarget | Suffix | VowelTarget


class Site(NamedTuple):
    """One word that agrees, in itself or in the pronoun at its end, with whom, and why."""

    at: int
    who: Person
    what: Target
    rule: str
    sure: Confidence


class Sites:
    """What was found so far; of two for the same part of a word the first is kept."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, bool], Site] = {}

    def add(self, finding: Site) -> None:
        """Keep it, unless that part of the word has been claimed."""
        last = isinstance(finding.what, Suffix | VowelTarget)
        self._found.setdefault((finding.at, last), finding)

    def drop(self, places: range) -> None:
        """Forget the words at these places."""
        for at in places:
            self._found.pop((at, False), None)

    def __contains__(self, at: object) -> bool:
        return (at, False) in self._found

    def __iter__(self) -> Iterator[Site]:
        return iter(self._found.values())

    def by_word(self) -> Iterator[tuple[int, list[Site]]]:
        """The findings of each word, that of its stem first."""
        for at in sorted({place for place, _ in self._found}):
            both = (self._found.get((at, False)), self._found.get((at, True)))
            yield at, [finding for finding in both if finding is not None]


def word_change(
    word: Word, findings: list[Site], wanted: TargetGenders, nunation: Nunation
) -> Change | None:
    """The change of one word for the genders wanted, None if it stays."""
    new = InflectedWord(word.letters)
    asked = None
    vowel = ""
    for finding in findings:
        if finding.who not in wanted:
            continue
        gender = wanted[finding.who]
        if isinstance(finding.what, VowelTarget):
            vowel = KASRA if gender == "feminine" else FATHA
            asked = asked or finding
            continue
        after = _inflect_target(new.letters, finding, gender)
        if after is not None and after.letters != new.letters:
            new, asked = after, asked or finding
    if asked is None:
        return None
    text = spell_like(word, new.letters, nunated=new.nunated, nunation=nunation)
    return Change(
        start=word.start,
        end=word.end,
        before=word.text,
        after=with_final_mark(text, vowel) if vowel else text,
        rule=asked.rule,
        sure=asked.sure,
    )


def _inflect_target(letters: str, finding: Site, gender: Gender) -> InflectedWord | None:
    what = finding.what
    if isinstance(what, NounTarget):
        return inflect_noun_parse(
            what.parse, gender, what.case, bound=what.bound, number=what.number
        )
    word = None
    if isinstance(what, Suffix):
        suffix = inflect_suffix(what, gender)
        word = suffix and letters[: -len(what.letters)] + suffix
    elif isinstance(what, FixedTarget):
        word = inflect_fixed(what.prefix, what.sort, what.word, gender)
    elif isinstance(what, VerbTarget):
        word = inflect_verb_parse(what.parse, what.cell, gender)
    return None if word is None else InflectedWord(word)
