"""Arabic words out of context: their readings, and the form of a reading in either gender."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.rewriting.arabic.analysis import (
    FunctionParse,
    NounParse,
    Thing,
    VerbParse,
    analyse_function_word,
    analyse_noun,
    analyse_thing,
    analyse_verb,
)
from epicene.rewriting.arabic.inflection import NounContext, inflect_noun
from epicene.rewriting.arabic.lexicon import conjugate, fixed_pair
from epicene.rewriting.arabic.spelling import (
    DAMMA,
    FATHA,
    KASRA,
    TANWIN_KASR,
    attached_to_verb,
    inflect_suffix,
    keep_hamza_habits,
    strip_marks,
)

if TYPE_CHECKING:
    from epicene.rewriting.arabic.conjugation import Cell, Number
    from epicene.rewriting.arabic.inflection import Case
    from epicene.rewriting.persons import Gender

Reading: TypeAlias = FunctionParse | VerbParse | NounParse | Thing

# The lists of `fixed.toml` that have the function words of a kind in both genders.
_FIXED_LISTS = {
    "vocatives": "vocatives",
    "demonstratives": "demonstratives",
    "relatives": "relatives",
    "he": "pronouns",
    "they": "pronouns",
    "you all": "pronouns",
}


def analyse(word: str) -> tuple[Reading, ...]:
    """All readings: as a function word, a thing, a person, a verb; guessed nouns last."""
    letters = strip_marks(word)
    nouns = analyse_noun(letters)
    found = (
        analyse_function_word(letters),
        analyse_thing(letters),
        *(parse for parse in nouns if parse.lemma.known),
        *analyse_verb(letters),
        *(parse for parse in nouns if not parse.lemma.known),
    )
    return tuple(reading for reading in found if reading is not None)


def inflect(reading: Reading, gender: Gender) -> str | None:
    """The letters of the reading in that gender; None where they do not change."""
    if isinstance(reading, VerbParse):
        return inflect_verb_parse(reading, reading.cell, gender)
    if isinstance(reading, NounParse):
        case: Case = "genitive" if reading.prefix.preposition else "nominative"
        noun = inflect_noun_parse(reading, gender, case, bound=reading.form.bound is True)
        return noun and noun.letters
    if isinstance(reading, FunctionParse):
        return _inflect_function_word(reading, gender)
    return None


def _inflect_function_word(parse: FunctionParse, gender: Gender) -> str | None:
    if parse.suffix is not None:
        suffix = inflect_suffix(parse.suffix, gender)
        return suffix and parse.prefix + parse.written[: -len(parse.suffix.letters)] + suffix
    if parse.kind not in _FIXED_LISTS:
        return None
    word = inflect_fixed(parse.prefix, _FIXED_LISTS[parse.kind], parse.written, gender)
    return None if word == parse.prefix + parse.written else word


def inflect_fixed(prefix: str, kind: str, word: str, gender: Gender) -> str | None:
    """A word of one of the lists of `fixed.toml` in that gender, with its proclitics."""
    pair = fixed_pair(kind, word)
    return pair and prefix + keep_hamza_habits(word, pair[gender == "feminine"])


_VOWELS = {"و": DAMMA, "ي": KASRA, "ى": FATHA}


def mark_of_weak_verb(parse: VerbParse, letters: str) -> str:
    """The vowel at the end of a verb that has lost its last letter: لا تنسَ, ادعُ."""
    last = parse.verb.imperfect[-1:]
    whole = parse.suffix is None and parse.verb.shape == "final" and letters[-1:] not in "ويىانت"
    return _VOWELS.get(last, "") if whole else ""


def inflect_verb_parse(parse: VerbParse, cell: Cell, gender: Gender) -> str | None:
    """A verb with those features in that gender, with its clitics; None if it does not change."""
    if cell.gender is None or cell.gender == gender:
        return None
    form = conjugate(parse.verb, cell._replace(gender=gender))
    if form is None:
        return None
    suffix = parse.suffix.letters if parse.suffix else ""
    return parse.prefix + attached_to_verb(keep_hamza_habits(parse.written, form), suffix)


class InflectedWord(NamedTuple):
    """The letters of a word.

    `nunated` if they end in the alif of the indefinite accusative. For a letter left out at the end
    some write a mark: راضٍ, لا تنسَ.
    """

    letters: str
    nunated: bool = False
    mark: str = ""


def inflect_noun_parse(
    parse: NounParse, gender: Gender, case: Case, *, bound: bool, number: Number | None = None
) -> InflectedWord | None:
    """A noun with its clitics; None if it has that gender, or one form for both.

    Its case is the one given if the form can have it. `bound`: a possessor follows. `number` is
    given where the context shows more than the form.
    """
    lemma, form = parse.lemma, parse.form
    if form.gender == gender or lemma.is_invariable:
        return None
    suffix = parse.suffix.letters if parse.suffix else ""
    context = NounContext(
        case=case if case in form.cases else min(form.cases),
        definite=parse.definite,
        bound=bound or bool(suffix),
        suffix=suffix,
    )
    word = inflect_noun(lemma, gender, number or form.number, context)
    free = not (context.definite or context.bound)
    return InflectedWord(
        parse.prefix.letters + keep_hamza_habits(parse.stem, word) + suffix,
        nunated=free and context.case == "accusative" and word.endswith("ا"),
        mark=TANWIN_KASR if free and word + "ي" == lemma.masculine else "",
    )
