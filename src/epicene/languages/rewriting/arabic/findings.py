"""The words that agree with somebody, as they are found, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.languages.rewriting import Change
from epicene.languages.rewriting.arabic import fixed
from epicene.languages.rewriting.arabic.clitics import Suffix, attached_to_verb, turned
from epicene.languages.rewriting.arabic.declension import Place, inflected
from epicene.languages.rewriting.arabic.letters import FATHA, KASRA, with_final
from epicene.languages.rewriting.arabic.lexicon import form_of
from epicene.languages.rewriting.arabic.spelling import kept, spelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.arabic.conjugation import Cell, Number
    from epicene.languages.rewriting.arabic.declension import Case
    from epicene.languages.rewriting.arabic.noun_parsing import NounParse
    from epicene.languages.rewriting.arabic.spelling import Nunation
    from epicene.languages.rewriting.arabic.verb_parsing import VerbParse
    from epicene.languages.rewriting.arabic.words import Word
    from epicene.languages.rewriting.people import Gender, Person, Wanted


class Noun(NamedTuple):
    """A noun or an adjective, and where it stands."""

    parse: NounParse
    case: Case
    bound: bool = False  # a possessor follows
    number: Number | None = None  # where the place says more than the form


class VerbForm(NamedTuple):
    """A verb, and the cell that is its own here."""

    parse: VerbParse
    cell: Cell


class Fixed(NamedTuple):
    """A word of one of the lists of `fixed.toml`, with what is joined to its front."""

    prefix: str
    sort: str
    word: str


class Vowel(NamedTuple):
    """The second person in a last vowel that is written: أنتَ, أنتِ, كتبتَ, لكِ."""


What: TypeAlias = Noun | VerbForm | Fixed | Suffix | Vowel


class Finding(NamedTuple):
    """One word that agrees, in itself or in the pronoun at its end, with whom, and why."""

    at: int
    who: Person
    what: What
    rule: str
    sure: Sureness


class Findings:
    """What was found so far; of two for the same part of a word the first is kept."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, bool], Finding] = {}

    def add(self, finding: Finding) -> None:
        """Keep it, unless that part of the word has been claimed."""
        last = isinstance(finding.what, Suffix | Vowel)
        self._found.setdefault((finding.at, last), finding)

    def drop(self, places: range) -> None:
        """Forget the words at these places."""
        for at in places:
            self._found.pop((at, False), None)

    def __contains__(self, at: object) -> bool:
        return (at, False) in self._found

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found.values())

    def by_word(self) -> Iterator[tuple[int, list[Finding]]]:
        """The findings of each word, that of its stem first."""
        for at in sorted({place for place, _ in self._found}):
            both = (self._found.get((at, False)), self._found.get((at, True)))
            yield at, [finding for finding in both if finding is not None]


class _New(NamedTuple):
    letters: str
    nunated: bool = False


def change(
    word: Word, findings: list[Finding], wanted: Wanted, nunation: Nunation
) -> Change | None:
    """The change of one word for the genders wanted, None if it stays."""
    new = _New(word.letters)
    asked = None
    vowel = ""
    for finding in findings:
        if finding.who not in wanted:
            continue
        gender = wanted[finding.who]
        if isinstance(finding.what, Vowel):
            vowel = KASRA if gender == "feminine" else FATHA
            asked = asked or finding
            continue
        after = _turned(new.letters, finding, gender)
        if after is not None and after.letters != new.letters:
            new, asked = after, asked or finding
    if asked is None:
        return None
    text = spelled(word, new.letters, nunated=new.nunated, nunation=nunation)
    return Change(
        start=word.start,
        end=word.end,
        before=word.text,
        after=with_final(text, vowel) if vowel else text,
        rule=asked.rule,
        sure=asked.sure,
    )


def _turned(letters: str, finding: Finding, gender: Gender) -> _New | None:
    what = finding.what
    if isinstance(what, Suffix):
        suffix = turned(what, gender)
        return (suffix and _New(letters[: -len(what.letters)] + suffix)) or None
    if isinstance(what, Fixed):
        word = fixed.turned(what.sort, what.word, gender)
        return (word and _New(what.prefix + kept(what.word, word))) or None
    if isinstance(what, VerbForm):
        return _verb(what, gender)
    return _noun(what, gender) if isinstance(what, Noun) else None


def _verb(what: VerbForm, gender: Gender) -> _New | None:
    parse, cell = what
    if cell.gender is None or cell.gender == gender:
        return None
    form = form_of(parse.verb, cell._replace(gender=gender))
    if form is None:
        return None
    suffix = parse.suffix.letters if parse.suffix else ""
    return _New(parse.prefix + attached_to_verb(kept(parse.written, form), suffix))


def _noun(what: Noun, gender: Gender) -> _New | None:
    parse = what.parse
    lemma, form = parse.lemma, parse.form
    if form.gender == gender or lemma.is_invariable:
        return None
    number = what.number or form.number
    place = Place(
        case=what.case if what.case in form.cases else min(form.cases),
        definite=parse.definite,
        bound=what.bound or parse.suffix is not None,
        suffix=parse.suffix.letters if parse.suffix else "",
    )
    word = inflected(lemma, gender, number, place)
    suffix = parse.suffix.letters if parse.suffix else ""
    free = not (place.definite or place.bound)
    nunated = free and place.case == "accusative" and word.endswith("ا")
    return _New(parse.prefix.letters + kept(parse.stem, word) + suffix, nunated)
