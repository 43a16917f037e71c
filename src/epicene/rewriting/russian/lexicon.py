"""The word lists of Russian, keyed without ё."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from epicene.rewriting.russian.line import key
from epicene.rewriting.word_lists import WordSet, read_toml, word_set

_PACKAGE = "epicene.rewriting.russian"


def pairs(text: str) -> list[tuple[str, str]]:
    """The masculine and the feminine of each word of a list, as written there."""
    return [(one, other) for one, _, other in (word.partition("/") for word in text.split())]


def key_set(text: str) -> WordSet:
    """The words of a list, without ё."""
    return frozenset(map(key, text.split()))


class FunctionWords(NamedTuple):
    """Words that are neither nouns nor adjectives nor verbs of a person."""

    governs: dict[str, frozenset[str]]  # a preposition and the cases after it
    conjunctions: WordSet
    adverbs: WordSet
    times: WordSet
    asides: WordSet
    saying: tuple[str, ...]


@cache
def function_words() -> FunctionWords:
    """The closed classes."""
    lists = read_toml(_PACKAGE, "function_words")
    governs: dict[str, set[str]] = {}
    for case in ("genitive", "dative", "instrumental", "prepositional", "accusative"):
        for word in word_set(lists[f"prepositions_{case}"]):
            governs.setdefault(word, set()).add(case)
    return FunctionWords(
        {word: frozenset(cases) for word, cases in governs.items()},
        key_set(lists["conjunctions"]),
        key_set(lists["adverbs"]),
        key_set(lists["time_words"]),
        key_set(lists["asides"]),
        tuple(map(key, lists["saying"].split())),
    )


def listed(name: str, title: str) -> str:
    """One list of a file."""
    return str(read_toml(_PACKAGE, name)[title])


def odd_forms(title: str) -> dict[str, str]:
    """Forms of nouns that no rule gives, by the noun."""
    found: dict[str, str] = read_toml(_PACKAGE, "people")[title]
    return found


@cache
def keys_of(name: str, title: str) -> WordSet:
    """One list as a set of keys."""
    return key_set(listed(name, title))
