"""The words that agree with somebody, and the change that each of them needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.rewriting import Change
from epicene.rewriting.arabic import lexicon
from epicene.rewriting.arabic.inflection import NounContext, inflect_noun
from epicene.rewriting.arabic.lexicon import conjugate
from epicene.rewriting.arabic.spelling import (
    FATHA,
    KASRA,
    Suffix,
    attached_to_verb,
    inflect_suffix,
    keep_hamza_habits,
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


class _NewLetters(NamedTuple):
    letters: str
    nunated: bool = False


def word_change(
    word: Word, findings: list[Site], wanted: TargetGenders, nunation: Nunation
) -> Change | None:
    """The change of one word for the genders wanted, None if it stays."""
    new = _NewLetters(word.letters)
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


def _inflect_target(letters: str, finding: Site, gender: Gender) -> _NewLetters | None:
    what = finding.what
    if isinstance(what, Suffix):
        suffix = inflect_suffix(what, gender)
        return (suffix and _NewLetters(letters[: -len(what.letters)] + suffix)) or None
    if isinstance(what, FixedTarget):
        word = lexicon.inflect_fixed(what.sort, what.word, gender)
        return (word and _NewLetters(what.prefix + keep_hamza_habits(what.word, word))) or None
    if isinstance(what, VerbTarget):
        return _inflect_verb(what, gender)
    return _inflect_noun_target(what, gender) if isinstance(what, NounTarget) else None


def _inflect_verb(what: VerbTarget, gender: Gender) -> _NewLetters | None:
    parse, cell = what
    if cell.gender is None or cell.gender == gender:
        return None
    form = conjugate(parse.verb, cell._replace(gender=gender))
    if form is None:
        return None
    suffix = parse.suffix.letters if parse.suffix else ""
    return _NewLetters(
        parse.prefix + attached_to_verb(keep_hamza_habits(parse.written, form), suffix)
    )


def _inflect_noun_target(what: NounTarget, gender: Gender) -> _NewLetters | None:
    parse = what.parse
    lemma, form = parse.lemma, parse.form
    if form.gender == gender or lemma.is_invariable:
        return None
    number = what.number or form.number
    place = NounContext(
        case=what.case if what.case in form.cases else min(form.cases),
        definite=parse.definite,
        bound=what.bound or parse.suffix is not None,
        suffix=parse.suffix.letters if parse.suffix else "",
    )
    word = inflect_noun(lemma, gender, number, place)
    suffix = parse.suffix.letters if parse.suffix else ""
    free = not (place.definite or place.bound)
    nunated = free and place.case == "accusative" and word.endswith("ا")
    return _NewLetters(parse.prefix.letters + keep_hamza_habits(parse.stem, word) + suffix, nunated)
