"""What can be said of a person, by the word alone."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.inflection import adjectives, inflect, people
from epicene.languages.rewriting.french.lexicon import Words, read, verbs, words
from epicene.languages.rewriting.french.line import Line, is_adjective, is_person

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.sites import Bond

# Nouns for people that are verbs wherever nothing says otherwise.
_NO_NOUNS = frozenset({"garde", "guide", "juge", "pilote", "critique", "aide", "cadre", "arbitre"})
# What follows a present participle and no adjective in -ant.
_OBJECTS = frozenset("le la les l' un une des que qu' mon ma mes son sa ses ce cette".split())


@cache
def adverbial() -> Words:
    """Adjectives whose masculine may be an adverb."""
    return words(read("adjectives")["as_adverbs"])


@cache
def states() -> Words:
    """What people are for a while."""
    return words(read("adjectives")["states"])


def is_strong(line: Line, at: int, bond: Bond) -> bool:
    """Whether a known adjective, participle or noun stands there in the number that is sought."""
    word = line[at]
    if not line.is_open(at) or not is_known(word):
        return False
    if word in verbs().gerunds and (line[at + 1] in _OBJECTS or line[at - 1] == "en"):
        return False
    if not bond.plural and word.endswith(("s", "x")) and not _is_singular(word):
        return False
    return is_adjective(word) or not verbs().forms(word) or line[at] not in _NO_NOUNS


def is_known(word: str) -> bool:
    """Whether our lists have it for an adjective, a participle or a noun for people."""
    return is_adjective(word) or is_person(word)


def _is_singular(word: str) -> bool:
    """Whether a word in -s or -x is a singular: français, heureux, fils."""
    if word in people().feminine or word in adjectives().feminine:
        return True
    feminine = inflect(word, "feminine")
    return inflect(feminine, "masculine") == word and not feminine.endswith(("s", "x"))
