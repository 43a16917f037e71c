"""The words that Hindi is read with: the lists beside this file, by the names they have there.

All are kept by their `key`, so that every spelling finds them.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from epicene.languages.rewriting.hindi.spelling import key

Keys = frozenset[str]


class FunctionWords(NamedTuple):
    """The lists of `words.toml`."""

    postpositions: Keys
    clitics: Keys
    subordinators: Keys
    coordinators: Keys
    particles: Keys
    negations: Keys
    intensifiers: Keys
    agreeing_intensifiers: Keys
    determiners: Keys
    adverbs: Keys
    variable_adjectives: Keys
    invariable_adjectives: Keys
    depictives: Keys
    verbal_nominals: Keys
    possessives: Keys
    object_complement_verbs: Keys
    speech_verbs: Keys
    role_markers: Keys


class Verbs(NamedTuple):
    """The lists of `verbs.toml`: stems."""

    transitive: Keys
    labile: Keys
    intransitive: Keys
    copular: Keys

    def has(self, stem: str) -> bool:
        """Whether it is the stem of a known verb."""
        return stem in self.transitive or stem in self.intransitive or stem in self.labile


def read(name: str) -> dict[str, list[str]]:
    """The lists of a file, each cut at white space, in the order written."""
    text = files(__package__).joinpath(f"{name}.toml").read_text("utf-8")
    return {title: words.split() for title, words in tomllib.loads(text).items()}


def _keys(name: str) -> dict[str, Keys]:
    return {title: frozenset(map(key, words)) for title, words in read(name).items()}


@cache
def function_words() -> FunctionWords:
    """The words that hold a sentence together, and adjectives."""
    return FunctionWords(**_keys("words"))


@cache
def verbs() -> Verbs:
    """Verb stems."""
    return Verbs(**_keys("verbs"))
