"""The words that Arabic is read with: the lists beside this file, and every form of them.

Forms are found by their `folded` letters, so that every spelling finds them.
"""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.arabic import conjugation, declension
from epicene.languages.rewriting.arabic.conjugation import Cell, Verb, imperfect_of, shape_of
from epicene.languages.rewriting.arabic.declension import Ending, Form, Lemma, feminine_of
from epicene.languages.rewriting.arabic.letters import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

Keys = frozenset[str]


def read(name: str) -> dict[str, list[str]]:
    """The lists of a file, each cut at white space, in the order written."""
    text = files(__package__).joinpath(f"{name}.toml").read_text("utf-8")
    return {title: words.split() for title, words in tomllib.loads(text).items()}


@cache
def function_words() -> dict[str, Keys]:
    """The lists of `function_words.toml`, by their names, folded."""
    return {
        title: frozenset(folded(word.replace("_", " ")) for word in words)
        for title, words in read("function_words").items()
    }


class Things(NamedTuple):
    """Nouns that are not people."""

    masculine: Keys
    feminine: Keys
    plural: Keys
    names: Keys


@cache
def things() -> Things:
    """The lists of `things.toml`, folded."""
    return Things(
        **{title: frozenset(map(folded, words)) for title, words in read("things").items()}
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
    shape = shape_of(perfect, imperfect, doubled=perfect in doubled)
    return Verb(perfect, imperfect, shape, simple)


class VerbReading(NamedTuple):
    """A form of a verb, as it is spelled."""

    verb: Verb
    cell: Cell
    letters: str


@cache
def verbs() -> dict[str, list[VerbReading]]:
    """Every form of every verb, by its letters."""
    found: dict[str, list[VerbReading]] = {}
    for verb in dict.fromkeys((*conjugation.IRREGULAR, *_verbs(read("verbs")))):
        for letters, cell in conjugation.forms(verb):
            found.setdefault(folded(letters), []).append(VerbReading(verb, cell, letters))
    return found


@lru_cache(maxsize=2**10)
def _forms_of(verb: Verb) -> dict[Cell, str]:
    forms: dict[Cell, str] = {}
    for letters, cell in conjugation.forms(verb):
        forms.setdefault(cell, letters)
    return forms


def form_of(verb: Verb, cell: Cell) -> str | None:
    """A verb's form for a cell; the perfect of the second person has one for both genders."""
    forms = _forms_of(verb)
    return forms.get(cell) or forms.get(cell._replace(gender=None))


@cache
def verb_list(title: str) -> Keys:
    """One of the lists of perfects that say what a verb does."""
    return frozenset(read("verbs")[title])


# --- words for people ----------------------------------------------------------------------


class NounReading(NamedTuple):
    """A form of a word for people, as it is spelled."""

    lemma: Lemma
    form: Form
    letters: str


# Each has a list of its own name.
_LISTED: tuple[Ending, ...] = ("regular", "defective", "maqsura")


def _lemmas() -> Iterator[Lemma]:
    for name in ("people", "adjectives"):
        lists = read(name)
        person, adjective = name == "people", name == "adjectives"
        for ending in _LISTED:
            for entry in lists.get(ending, []):
                word, _, plural = entry.partition(":")
                yield Lemma(
                    word, feminine_of(word), ending, plural, person=person, adjective=adjective
                )
        for title in ("pairs", "colours", "fa3lan"):
            for entry in lists.get(title, []):
                yield _pair(entry, person=person)
        for entry in lists["invariable"]:
            word, _, plural = entry.partition(":")
            yield Lemma(word, word, "regular", plural, plural, person, adjective)


def _pair(entry: str, *, person: bool) -> Lemma:
    words, *plurals = entry.split(":")
    masculine, feminine = words.split("/")
    first = plurals[0] if plurals else ""
    second = plurals[1] if len(plurals) > 1 else "" if person or not first else first
    ending: Ending = "regular" if person else "diptote"
    if masculine.endswith("ى"):
        ending = "maqsura"
    return Lemma(masculine, feminine, ending, first, second, person=person, adjective=not person)


@cache
def _merged() -> tuple[Lemma, ...]:
    """Each word once, with what every list says of it."""
    found: dict[tuple[str, str, str], Lemma] = {}
    for lemma in _lemmas():
        key = (lemma.masculine, lemma.feminine, lemma.masculine_plural)
        known = found.get(key, lemma)
        found[key] = known._replace(
            person=known.person or lemma.person, adjective=known.adjective or lemma.adjective
        )
    governing = frozenset(read("adjectives")["governing"])
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


class Declined(NamedTuple):
    """Every form of every word for people, by its letters: alone, and before a suffix."""

    alone: dict[str, list[NounReading]]
    suffixed: dict[str, list[NounReading]]


@cache
def people() -> Declined:
    """All words for people, declined."""
    alone: dict[str, list[NounReading]] = {}
    suffixed: dict[str, list[NounReading]] = {}
    for lemma in _merged():
        for letters, form in declension.forms(lemma):
            alone.setdefault(folded(letters), []).append(NounReading(lemma, form, letters))
            if form.bound is False:
                continue
            bound = form._replace(bound=True)
            for spelling in declension.with_clitic(letters):
                reading = NounReading(lemma, bound, spelling)
                suffixed.setdefault(folded(spelling), []).append(reading)
    return Declined(alone, suffixed)
