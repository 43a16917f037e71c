"""Clauses: a verb complex and what belongs to it, which in Hindi stands mostly before it."""

from __future__ import annotations

from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.hindi.complexes import Complex, complexes
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.words import SENTENCE_END

if TYPE_CHECKING:
    from epicene.languages.rewriting.hindi.words import Stretch

# Said after the verb: क्या करता मैं?
_POSTPOSED = frozenset("मैं मै तू तुम आप वह वो वे हम यह ये".split())
# They begin a clause though no verb stands before them: मैं, जो …
_CUTS = frozenset(
    "कि जब जो क्योंकि चूंकि अगर यदि हालांकि यद्यपि जबकि ताकि जहां मानो जिसने जिन्होंने जिसे जिन्हें "
    "जिसका जिसके जिसकी जिनका जिनके जिनकी जिसमें जिनमें जिससे जिनसे".split()
)


_OPENERS = _CUTS | frozenset("और लेकिन मगर पर तो इसलिए".split())

RELATIVE = frozenset({"जो"})
# They begin a new thought after a comma, though no verb stands before them.
_TURNS = frozenset("पर लेकिन मगर परंतु किंतु फिर इसलिए बल्कि".split())


class Clause(NamedTuple):
    """Words `first` to `last`; `verb` is None for what an inserted clause cut off (मैं, जो …)."""

    first: int
    last: int
    verb: Complex | None
    opener: str  # the conjunction or relative it begins with, or ""
    sentence: int

    @property
    def field(self) -> range:
        """The words before the verb."""
        end = self.last + 1 if self.verb is None else self.verb.first
        return range(self.first, end)


def clauses(stretch: Stretch) -> list[Clause]:
    """The clauses, in order; together they are the stretch."""
    found: list[Clause] = []
    start, sentence = 0, 0
    verbs = complexes(stretch)
    for verb, following in zip_longest(verbs, verbs[1:]):
        last = _end(stretch, verb, following.first if following else len(stretch))
        cuts = _cuts(stretch, start, verb.first)
        first = cuts[-1]
        for cut, following in pairwise(cuts):
            found.append(_clause(stretch, cut, following - 1, None, sentence))
            sentence += _ends_sentence(stretch, cut, following)
        found.append(_clause(stretch, first, last, verb, sentence))
        start = last + 1
        while stretch.is_mark(start) and start < len(stretch):
            sentence += stretch[start] in SENTENCE_END
            start += 1
    if start < len(stretch):
        found.append(_clause(stretch, start, len(stretch) - 1, None, sentence))
    return found


def _end(stretch: Stretch, verb: Complex, next_verb: int) -> int:
    """The last word of the clause: the verb, or a pronoun set after it."""
    after = verb.last + 1
    while stretch[after] in {"न", "ना", "नहीं", "ही", "भी"}:
        after += 1
    if stretch[after] not in _POSTPOSED:
        return verb.last
    end = after + 1
    while not stretch.is_mark(end) and stretch[end] not in _OPENERS:
        end += 1
    return end - 1 if end <= next_verb else verb.last


def _cuts(stretch: Stretch, start: int, end: int) -> list[int]:
    """Where clauses begin between the verb before and this one."""
    cuts = [start]
    for at in range(start + 1, end + 1):
        opens = stretch[at] in _CUTS or (stretch[at] in _TURNS and stretch[at - 1] == ",")
        ended = stretch[at - 1] in SENTENCE_END and not _abbreviated(stretch, at - 1)
        if ended or (opens and _has_words(stretch, cuts[-1], at)):
            cuts.append(at)
    return cuts


def _has_words(stretch: Stretch, first: int, end: int) -> bool:
    """Whether more than marks and conjunctions stand there: कि अगर begins one clause."""
    words = function_words()
    return any(
        not stretch.is_mark(at)
        and stretch[at] not in words.subordinators
        and stretch[at] not in words.coordinators
        for at in range(first, end)
    )


def _abbreviated(stretch: Stretch, at: int) -> bool:
    """Whether the full stop there belongs to डॉ. or to initials."""
    return stretch[at] == "." and len(stretch[at - 1]) <= 4 and not stretch.is_mark(at - 1)


def _ends_sentence(stretch: Stretch, first: int, following: int) -> bool:
    return any(stretch[at] in SENTENCE_END for at in range(first, following))


def _clause(stretch: Stretch, first: int, last: int, verb: Complex | None, sentence: int) -> Clause:
    while first <= last and stretch.is_mark(first):
        first += 1
    words = function_words()
    opener = stretch[first]
    if opener in words.subordinators | words.coordinators and stretch[first + 1] in _CUTS:
        opener = stretch[first + 1]
    if opener not in words.subordinators and opener not in words.coordinators:
        opener = ""
    return Clause(first, last, verb, opener, sentence)
