"""The word lists of `constructions.toml`."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from epicene.rewriting.word_lists import WordSet, read_word_lists


class Constructions(NamedTuple):
    """The lists, by title."""

    attitudes: WordSet
    perceptions: WordSet
    participial_adjectives: WordSet
    compound_heads: WordSet
    bare_objects: WordSet
    body_parts: WordSet
    more_givers: WordSet
    makers: WordSet
    more_gifts: WordSet
    core_givers: WordSet
    belongings: WordSet
    done_to: WordSet
    parentheticals: WordSet
    fronted: WordSet
    adjunct_heads: WordSet
    dwelling: WordSet
    asked_verbs: WordSet
    not_passive: WordSet
    friends: WordSet
    offices: WordSet
    characters: WordSet
    plurals: WordSet
    no_plurals: WordSet
    someone: WordSet
    people: WordSet
    person_endings: WordSet
    no_names: WordSet
    askers: WordSet


@cache
def constructions() -> Constructions:
    """The lists, read once."""
    lists = read_word_lists("epicene.rewriting.english", "constructions")
    return Constructions(**{title: frozenset(words) for title, words in lists.items()})
