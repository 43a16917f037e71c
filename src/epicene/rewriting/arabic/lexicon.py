"""The word lists of Arabic (the TOML files in this folder) and the tables of all their forms.

Forms are found by their folded letters, so that every spelling finds them.
"""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.arabic import conjugation, inflection
from epicene.rewriting.arabic.conjugation import Cell, Verb, imperfect_of, verb_class
from epicene.rewriting.arabic.inflection import Ending, Lemma, NounFeatures, feminine_of
from epicene.rewriting.arabic.spelling import fold_letters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.persons import Gender

WordSet = frozenset[str]


def read_lists(name: str) -> dict[str, list[str]]:
    """The lists of a file, each cut at white space, in the order written."""
    text = files(__package__).joinpath(f"{name}.toml").read_text("utf-8")
    return {title: words.split() for title, words in tomllib.loads(text).items()}


@cache
def function_words() -> dict[str, WordSet]:
    """The lists of `function_words.toml`, by their names, folded."""
    return {
        title: frozenset(fold_letters(word.replace("_", " ")) for word in words)
        for title, words in read_lists("function_words").items()
    }


class Things(NamedTuple):
    """Nouns that are not people."""

    masculine: WordSet
    feminine: WordSet
    plural: WordSet
    names: WordSet


@cache
def things() -> Things:
    """The lists of `things.toml`, folded."""
    return Things(
        **{
            title: frozenset(map(fold_letters, words))
            for title, words in read_lists("things").items()
        }
    )


# --- verbs ---------------------------------------------------------------------------------


def _verbs(lists: dict[str, list[str]]) -> Iterator[Verb]:
    doubled = frozenset(lists["doubled"])
    for title in ("form1", "form1_listed", "form2", "augmented", "doubled", "passive"):
        simple = title.startswith("form1")
        for entry in lists[title]:
            yield _verb(entry, simple=simple, doubled=frozenset() if simple else doubled)


def _verb(entry: str, *, simple: bool, doubled: frozenset[str]) -> Verb:
    perfect, _, listed = entry.partition("/")
    imperfect = listed or (perfect if simple else imperfect_of(perfect))
    shape = verb_class(perfect, imperfect, doubled=perfect in doubled)
    return Verb(perfect, imperfect, shape, simple)


class VerbForm(NamedTuple):
    """A form of a verb, as it is spelled."""

    verb: Verb
    cell: Cell
    letters: str


@cache
def verb_table() -> dict[str, list[VerbForm]]:
    """Every form of every verb, by its letters."""
    found: dict[str, list[VerbForm]] = {}
    for verb in dict.fromkeys((*conjugation.IRREGULAR, *_verbs(read_lists("verbs")))):
        for letters, cell in conjugation.verb_forms(verb):
            found.setdefault(fold_letters(letters), []).append(VerbForm(verb, cell, letters))
    return found


@lru_cache(maxsize=2**10)
def _forms_of(verb: Verb) -> dict[Cell, str]:
    forms: dict[Cell, str] = {}
    for letters, cell in conjugation.verb_forms(verb):
        forms.setdefault(cell, letters)
    return forms


def conjugate(verb: Verb, cell: Cell) -> str | None:
    """A verb's form for a cell; the perfect of the second person has one for both genders."""
    forms = _forms_of(verb)
    return forms.get(cell) or forms.get(cell._replace(gender=None))


@cache
def verb_list(title: str) -> WordSet:
    """One of the lists of perfects that say what a verb does."""
    return frozenset(read_lists("verbs")[title])


# --- words for people ----------------------------------------------------------------------


class NounForm(NamedTuple):
    """A form of a word for people, as it is spelled."""

    lemma: Lemma
    form: NounFeatures
    letters: str


# Each has a list of its own name.
_LISTED_ENDINGS: tuple[Ending, ...] = ("regular", "defective", "maqsura")


def _lemmas() -> Iterator[Lemma]:
    for name in ("people", "adjectives"):
        lists = read_lists(name)
        person, adjective = name == "people", name == "adjectives"
        for ending in _LISTED_ENDINGS:
            for entry in lists.get(ending, []):
                word, _, plural = entry.partition(":")
                yield Lemma(
                    word, feminine_of(word), ending, plural, person=person, adjective=adjective
                )
        for title in ("pairs", "colours", "fa3lan"):
            for entry in lists.get(title, []):
                yield _paired_lemma(entry, person=person)
        for entry in lists["invariable"]:
            word, _, plural = entry.partition(":")
            yield Lemma(word, word, "regular", plural, plural, person, adjective)


def _paired_lemma(entry: str, *, person: bool) -> Lemma:
    words, *plurals = entry.split(":")
    masculine, feminine = words.split("/")
    first = plurals[0] if plurals else ""
    second = plurals[1] if len(plurals) > 1 else "" if person or not first else first
    ending: Ending = "regular" if person else "diptote"
    if masculine.endswith("ى"):
        ending = "maqsura"
    return Lemma(masculine, feminine, ending, first, second, person=person, adjective=not person)


@cache
def _merged_lemmas() -> tuple[Lemma, ...]:
    """Each word once, with what every list says of it."""
    found: dict[tuple[str, str, str], Lemma] = {}
    for lemma in _lemmas():
        key = (lemma.masculine, lemma.feminine, lemma.masculine_plural)
        known = found.get(key, lemma)
        found[key] = known._replace(
            person=known.person or lemma.person, adjective=known.adjective or lemma.adjective
        )
    governing = frozenset(read_lists("adjectives")["governing"])
    both = {lemma.masculine for lemma in found.values() if lemma.adjective}
    roles = {lemma.masculine for lemma in found.values() if lemma.person}
    return tuple(
        lemma._replace(
            adjective=lemma.masculine in both,
            person=lemma.masculine in roles,
            governing=lemma.masculine in governing,
        )
        for lemma in found.values()
    )


class NounTable(NamedTuple):
    """Every form of every word for people, by its letters: alone, and before a suffix."""

    alone: dict[str, list[NounForm]]
    suffixed: dict[str, list[NounForm]]


@cache
def noun_table() -> NounTable:
    """All words for people, declined."""
    alone: dict[str, list[NounForm]] = {}
    suffixed: dict[str, list[NounForm]] = {}
    for lemma in _merged_lemmas():
        for letters, form in inflection.noun_forms(lemma):
            alone.setdefault(fold_letters(letters), []).append(NounForm(lemma, form, letters))
            if form.bound is False:
                continue
            bound = form._replace(bound=True)
            for spelling in inflection.with_clitic(letters):
                reading = NounForm(lemma, bound, spelling)
                suffixed.setdefault(fold_letters(spelling), []).append(reading)
    return NounTable(alone, suffixed)


@cache
def _fixed_pairs() -> dict[str, dict[str, tuple[str, str]]]:
    """By the list's name, the two forms that a word belongs to; the first pair of a word counts."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for title, entries in read_lists("fixed").items():
        rows = found.setdefault(title, {})
        for entry in entries:
            masculine, feminine = entry.split("/")
            for word in (masculine, feminine):
                rows.setdefault(fold_letters(word), (masculine, feminine))
    return found


def fixed_pair(sort: str, word: str) -> tuple[str, str] | None:
    """The masculine and the feminine of a word of one of the lists of `fixed.toml`."""
    return _fixed_pairs()[sort].get(fold_letters(word))


# Nobody in particular, and everybody.
_ALL_OF_THEM = frozenset("كلنا كلكم كلهم كلهن جميعنا".split())
_ANYBODY = frozenset("أحد أحدا الجميع الناس كل الكل المرء".split())


def is_anybody(letters: str) -> bool:
    """أحد, الجميع, الناس: people whose gender nobody asks about."""
    return letters in _ANYBODY


def group_member(letters: str) -> tuple[str, str] | None:
    """كلانا, أحدنا and their kin, with a conjunction before them or not: that, and the word."""
    for prefix in ("", "و", "ف"):
        word = letters[len(prefix) :]
        if (
            letters.startswith(prefix)
            and fixed_pair("members", word)
            and not (prefix and word[0] == "ا")
        ):
            return prefix, word
    return None


def is_somebody(letters: str) -> bool:
    """Whether it is one of these, though it may look like a verb."""
    return is_anybody(letters) or letters in _ALL_OF_THEM or group_member(letters) is not None


def fixed_gender(sort: str, word: str) -> Gender | None:
    """The gender of a word of one of the lists, None if it is not there."""
    found = fixed_pair(sort, word)
    if found is None:
        return None
    return "masculine" if fold_letters(found[0]) == fold_letters(word) else "feminine"


def inflect_fixed(sort: str, word: str, gender: Gender) -> str | None:
    """The word's form for a gender, None if it is not in the list."""
    found = fixed_pair(sort, word)
    return found and found[gender == "feminine"]
