"""The gender that a word shows out of context, by the word lists of its language.

A word whose readings differ in gender, or that has one form for both genders, shows none.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from epicene.rewriting.persons import Gender
    from epicene.rewriting.romance.lexicon import Form, Lexicon


class _Lookups(NamedTuple):
    """The genders of all readings of a word: as a noun for people, and as a word that agrees."""

    noun: Callable[[str], Iterable[Gender | None]]
    agreeing: Callable[[str], Iterable[Gender | None]]


@lru_cache(maxsize=2**14)
def noun_gender(word: str, language: str) -> Gender | None:
    """The gender of a noun for people that has another form for the other gender."""
    lookups = _lookups(language)
    return _one(lookups.noun(word)) if lookups else None


@lru_cache(maxsize=2**14)
def agreeing_gender(word: str, language: str) -> Gender | None:
    """The gender of an adjective, a participle, or a verb form that shows it."""
    lookups = _lookups(language)
    return _one(lookups.agreeing(word)) if lookups else None


def has_lookups(language: str) -> bool:
    """Whether the words of the language can be looked up."""
    return _lookups(language) is not None


def _one(genders: Iterable[Gender | None]) -> Gender | None:
    found = set(genders)
    return found.pop() if len(found) == 1 else None


@cache
def _lookups(language: str) -> _Lookups | None:
    made = _LANGUAGES.get(language)
    return made() if made else None


def _french() -> _Lookups:
    from epicene.rewriting.french.inflection import is_plural, shown_gender, shown_noun_gender
    from epicene.rewriting.french.line import is_adjective, is_person

    def noun(word: str) -> Iterator[Gender | None]:
        if is_person(word.lower()):
            yield shown_noun_gender(word.lower(), plural=is_plural(word.lower()))

    def agreeing(word: str) -> Iterator[Gender | None]:
        if is_adjective(word.lower()):
            yield shown_gender(word.lower(), plural=is_plural(word.lower()))

    return _Lookups(noun, agreeing)


def _hindi() -> _Lookups:
    from epicene.rewriting.hindi.inflection import (
        cell_gender,
        ending_cell,
        is_participle,
        person_noun,
    )
    from epicene.rewriting.hindi.spelling import key

    def noun(word: str) -> Iterator[Gender | None]:
        reading = person_noun(key(word))
        if reading is not None and reading.noun.masculine and reading.noun.feminine:
            yield reading.gender

    def agreeing(word: str) -> Iterator[Gender | None]:
        # An adjective stands before its noun, so at the start it says nothing about anybody.
        if is_participle(key(word)):
            cell = ending_cell(word)
            yield cell and cell_gender(cell)

    return _Lookups(noun, agreeing)


def _arabic() -> _Lookups:
    from epicene.rewriting.arabic.analysis import NounParse, VerbParse
    from epicene.rewriting.arabic.morphology import analyse

    def noun(word: str) -> Iterator[Gender | None]:
        readings = analyse(word)
        if readings and isinstance(readings[0], NounParse):
            lemma = readings[0].lemma
            if lemma.known and lemma.person and not lemma.is_invariable:
                yield readings[0].form.gender

    def agreeing(word: str) -> Iterator[Gender | None]:
        readings = analyse(word)
        first = readings[0] if readings else None
        if isinstance(first, NounParse) and first.lemma.known and not first.lemma.is_invariable:
            yield first.form.gender if first.lemma.adjective else None
        elif isinstance(first, VerbParse) and first.cell.tense == "imperative":
            yield first.cell.gender if first.cell.number == "singular" else None

    return _Lookups(noun, agreeing)


def _german() -> _Lookups:
    from epicene.rewriting.german.inflection import noun_readings

    def noun(word: str) -> Iterator[Gender | None]:
        if word[:1].isupper():
            for reading in noun_readings(word):
                if reading.noun is not None and not reading.ranked:
                    yield reading.gender

    # Before a noun an adjective shows the noun's gender, and a predicate shows none.
    return _Lookups(noun, lambda _: ())


def _romance(language: str) -> Callable[[], _Lookups]:
    def make() -> _Lookups:
        from importlib import import_module

        from epicene.rewriting.romance.lexicon import Lexicon

        package = f"epicene.rewriting.{language}"
        lexicon: Lexicon = Lexicon(package, import_module(f"{package}.inflection").INFLECTION)

        def gender(form: Form | None) -> Iterator[Gender | None]:
            if form is not None:
                yield form.gender

        def agreeing(word: str) -> Iterator[Gender | None]:
            key = word.lower()
            return gender(lexicon.adjective(key) if _is_listed(lexicon, key) else None)

        return _Lookups(lambda word: gender(lexicon.noun(word.lower())), agreeing)

    return make


def _is_listed(lexicon: Lexicon, word: str) -> bool:
    verb = lexicon.verbs.get(word)
    return lexicon.is_listed(word) or (verb is not None and verb.mood == "participle")


def _russian() -> _Lookups:
    from epicene.rewriting.russian.conjugation import past_form, short_form
    from epicene.rewriting.russian.declension import noun_readings
    from epicene.rewriting.russian.line import key

    def noun(word: str) -> Iterator[Gender | None]:
        for reading in noun_readings(key(word)):
            yield reading.gender if reading.kind in {"gendered", "roles"} else None

    def agreeing(word: str) -> Iterator[Gender | None]:
        form = short_form(key(word)) or past_form(key(word))
        if form is not None and form.listed:
            yield form.gender

    return _Lookups(noun, agreeing)


_LANGUAGES: dict[str, Callable[[], _Lookups]] = {
    "ar": _arabic,
    "de": _german,
    "es": _romance("spanish"),
    "fr": _french,
    "hi": _hindi,
    "it": _romance("italian"),
    "pt": _romance("portuguese"),
    "ru": _russian,
}
