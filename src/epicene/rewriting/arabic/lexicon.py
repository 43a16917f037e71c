"""The word lists of Arabic (the TOML files in this folder) and the tables of all their forms.

Forms are looked up by their folded letters, so that every spelling finds them.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.arabic import conjugation, inflection
from epicene.rewriting.arabic.conjugation import Cell, Verb, imperfect_of, verb_class
from epicene.rewriting.arabic.inflection import Ending, Lemma, NounFeatures, feminine_of
from epicene.rewriting.arabic.spelling import fold_letters
from epicene.rewriting.morphology import FormTable
from epicene.rewriting.word_lists import WordSet, read_word_lists

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.rewriting.persons import Gender

# Marks the key of a form before a suffix.
_JOINED = "+"

read_lists = partial(read_word_lists, "epicene.rewriting.arabic")


@cache
def function_words() -> dict[str, WordSet]:
    """The lists of `function_words.toml` by title, folded."""
    return {
        title: frozenset(fold_letters(word.replace("_", " ")) for word in words)
        for title, words in read_lists("function_words").items()
    }


class Things(NamedTuple):
    """Nouns for things."""

    masculine: WordSet
    feminine: WordSet
    plural: WordSet
    names: WordSet
    organisations: WordSet
    devices: WordSet
    family_names: WordSet


@cache
def things() -> Things:
    """The lists of `things.toml`, folded."""
    return Things(
        **{
            title: frozenset(fold_letters(" ".join(words)).split(" "))
            for title, words in read_lists("things").items()
        }
    )


# --- verbs ---------------------------------------------------------------------------------


def all_verbs() -> Iterable[Verb]:
    """Each verb once, the irregular ones first."""
    return dict.fromkeys((*conjugation.IRREGULAR, *_listed_verbs()))


def _listed_verbs() -> Iterator[Verb]:
    lists = read_lists("verbs")
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
    """A form of a verb and its spelling."""

    verb: Verb
    cell: Cell
    letters: str


# Letters that come and go between the forms of a word: weak ones, hamzas, prefixes and endings.
_VERB_AFFIXES = str.maketrans("", "", "اأإآٱءئؤوىيتنم")
_NOUN_AFFIXES = str.maketrans("", "", "اأإآٱءئؤوىيتنة" + _JOINED)
_REPEATED = re.compile(r"(.)(?=\1)")


def _verb_consonants(letters: str) -> str:
    """The letters that all forms of a perfect or an imperfect share: ظل has those of ظللت."""
    return _REPEATED.sub("", letters.translate(_VERB_AFFIXES))


@cache
def verb_table() -> FormTable[Verb, VerbForm]:
    """The forms of all verbs, by their folded letters."""
    return FormTable(all_verbs(), bucket=_verb_consonants, bases=_verb_bases, forms=_verb_forms)


def _verb_bases(verb: Verb) -> Iterable[str]:
    if verb in conjugation.IRREGULAR:
        return [letters for letters, _ in conjugation.IRREGULAR[verb]]
    if verb.perfect == verb.imperfect:
        return (verb.perfect,)
    return verb.perfect, verb.imperfect


def _verb_forms(verb: Verb) -> list[tuple[str, VerbForm]]:
    return [
        (fold_letters(letters), VerbForm(verb, cell, letters))
        for letters, cell in conjugation.verb_forms(verb)
    ]


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
    """One of the lists of perfects that classify verbs."""
    return frozenset(read_lists("verbs")[title])


# --- words for people ----------------------------------------------------------------------


class NounForm(NamedTuple):
    """A form of a word for people and its spelling."""

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
        for word in lists.get("nisba", []):
            yield Lemma(word, feminine_of(word), adjective=True)
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


def all_lemmas() -> Iterator[Lemma]:
    """Each word once, with its features from all lists."""
    listed = list(_lemmas())
    persons = {lemma.masculine for lemma in listed if lemma.person}
    adjectives = {lemma.masculine for lemma in listed if lemma.adjective}
    governing = frozenset(read_lists("adjectives")["governing"])
    found: dict[tuple[str, str, str], Lemma] = {}
    for lemma in listed:
        found.setdefault((lemma.masculine, lemma.feminine, lemma.masculine_plural), lemma)
    for lemma in found.values():
        word = lemma.masculine
        features = (word in persons, word in adjectives, word in governing)
        if features == (lemma.person, lemma.adjective, lemma.governing):
            yield lemma
            continue
        person, adjective, governs = features
        yield lemma._replace(person=person, adjective=adjective, governing=governs)


@cache
def animals() -> WordSet:
    """The words for people that mean animals first: كلب."""
    return frozenset(read_lists("people")["animals"])


@cache
def _first_names() -> dict[str, Gender]:
    lists = read_lists("people")
    men, women = (fold_letters(" ".join(lists[title])).split() for title in ("men", "women"))
    return {**dict.fromkeys(men, "masculine"), **dict.fromkeys(women, "feminine")}


def name_gender(letters: str) -> Gender | None:
    """The gender of a first name, None if the word is none: محمود, زينب."""
    return _first_names().get(fold_letters(letters))


@cache
def fields_of_work() -> WordSet:
    """The adjectives of a field: قانوني, نفسي."""
    return frozenset(read_lists("adjectives")["nisba"])


def before_suffix(letters: str) -> str:
    """The key of a form before a suffix in the table of nouns."""
    return fold_letters(letters) + _JOINED


def _noun_consonants(letters: str) -> str:
    """The letters that all forms of a masculine or a feminine, singular or plural, share."""
    return _REPEATED.sub("", letters.translate(_NOUN_AFFIXES))


@cache
def noun_table() -> FormTable[Lemma, NounForm]:
    """The forms of all words for people, by their folded letters or by `before_suffix`."""
    return FormTable(all_lemmas(), bucket=_noun_consonants, bases=_noun_bases, forms=_noun_forms)


def _noun_bases(lemma: Lemma) -> Iterable[str]:
    plurals = filter(None, (lemma.masculine_plural, lemma.feminine_plural))
    return lemma.masculine, lemma.feminine, *plurals


def _noun_forms(lemma: Lemma) -> Iterator[tuple[str, NounForm]]:
    for letters, form in inflection.noun_forms(lemma):
        yield fold_letters(letters), NounForm(lemma, form, letters)
        if form.bound is False:
            continue
        bound = form._replace(bound=True)
        for spelling in inflection.with_clitic(letters):
            yield before_suffix(spelling), NounForm(lemma, bound, spelling)


@cache
def _fixed_pairs() -> dict[str, dict[str, tuple[str, str]]]:
    """By the list's title, the two forms of each word; a word's first pair is kept."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for title, entries in read_lists("fixed").items():
        rows = found.setdefault(title, {})
        for entry in entries:
            masculine, feminine = entry.split("/")
            for word in (masculine, feminine):
                rows.setdefault(fold_letters(word), (masculine, feminine))
    return found


@lru_cache(maxsize=2**14)
def fixed_pair(kind: str, word: str) -> tuple[str, str] | None:
    """The masculine and the feminine of a word of one of the lists of `fixed.toml`."""
    return _fixed_pairs()[kind].get(fold_letters(word))


# Nobody in particular, and everybody.
_ALL_OF_THEM = frozenset("كلنا كلكم كلهم كلهن جميعنا".split())
_ANYBODY = frozenset("أحد أحدا الجميع الناس كل الكل المرء".split())


def is_anybody(letters: str) -> bool:
    """Whether the word means people of no particular gender: أحد, الجميع, الناس."""
    return letters in _ANYBODY


@lru_cache(maxsize=2**14)
def group_member(letters: str) -> tuple[str, str] | None:
    """The conjunction, if any, and the word, if it means members of a group: كلانا, أحدنا."""
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
    """Whether the word means people of no particular gender or members of a group."""
    return is_anybody(letters) or letters in _ALL_OF_THEM or group_member(letters) is not None


def fixed_gender(kind: str, word: str) -> Gender | None:
    """The gender of a word of one of the lists, None if it is not there."""
    found = fixed_pair(kind, word)
    if found is None:
        return None
    return "masculine" if fold_letters(found[0]) == fold_letters(word) else "feminine"
