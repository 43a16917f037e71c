"""The words that agree with somebody, and the change that each of them needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.rewriting import sites
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
    nunation_of,
    spell_like,
    with_final_mark,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.rewriting import Change
    from epicene.rewriting.arabic.analysis import NounParse, VerbParse
    from epicene.rewriting.arabic.conjugation import Cell, Number
    from epicene.rewriting.arabic.inflection import Case
    from epicene.rewriting.arabic.line import Line, Token
    from epicene.rewriting.arabic.spelling import Nunation
    from epicene.rewriting.persons import Gender, TargetGenders


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


Site: TypeAlias = sites.Site[Target]
Sites: TypeAlias = sites.Sites[Target]


class _NewLetters(NamedTuple):
    letters: str
    nunated: bool = False


def make_changes(line: Line, found: Sites, wanted: TargetGenders) -> Iterator[Change]:
    """A change for every word of the people named whose form is another."""
    nunation = nunation_of(line.text)
    for at, parts in found.by_word():
        change = _word_change(line.tokens[at], parts, wanted, nunation)
        if change is not None:
            yield change


def _word_change(
    word: Token, parts: Sequence[Site], wanted: TargetGenders, nunation: Nunation
) -> Change | None:
    """The change of one word for the genders wanted, None if it stays."""
    new = _NewLetters(word.letters)
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
    text = spell_like(word, new.letters, nunated=new.nunated, nunation=nunation)
    return asked.change(word, with_final_mark(text, vowel) if vowel else text)


def _inflect_target(letters: str, what: Target, gender: Gender) -> _NewLetters | None:
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
