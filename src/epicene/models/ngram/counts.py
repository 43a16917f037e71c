"""Counts of n-grams as Kneser–Ney smoothing wants them, with parts that can be left out.

A level k holds what followed each context of k symbols. The highest level counts occurrences. A
lower one counts in how many different symbols' company a gram was seen to the left, because a
lower level is only asked when the higher one knows nothing; a gram at the start of a sequence
has nothing to its left, and counts by occurrence.

Sequences come in folds. A model that must not know a fold takes the whole counts less what the
fold alone brought, which is exactly what counting without the fold would have given.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Marks of a sequence's two ends, which no word and no character can be mistaken for.
START = " start"
END = " end"

Context: TypeAlias = tuple[str, ...]
Followers: TypeAlias = dict[str, int]
Level: TypeAlias = dict[Context, Followers]

NOTHING: Followers = {}


class Counts:
    """The n-grams of some sequences, each in a fold; one of fold None is never left out."""

    def __init__(self, sequences: Iterable[tuple[int | None, Sequence[str]]], order: int) -> None:
        self.order = order
        occurrences: list[Level] = [{} for _ in range(order)]
        by_fold: dict[int, list[Level]] = {}
        for fold, sequence in sequences:
            _add(occurrences, sequence)
            if fold is not None:
                _add(by_fold.setdefault(fold, [{} for _ in range(order)]), sequence)
        self.levels = _adjusted(occurrences)
        self._only_in = {fold: _lost(occurrences, part) for fold, part in by_fold.items()}
        self._spectra = [Counter(_values(level)) for level in self.levels]

    def only_in(self, fold: int | None) -> list[Level]:
        """By how much each count falls when the fold is left out."""
        return self._only_in.get(fold, [{}] * self.order) if fold is not None else [{}] * self.order

    def spectrum(self, level: int, without: int | None) -> Counter[int]:
        """How many grams of a level have each count, when a fold is left out."""
        spectrum = Counter(self._spectra[level])
        whole = self.levels[level]
        for context, lost in self.only_in(without)[level].items():
            for symbol, by in lost.items():
                count = whole[context][symbol]
                spectrum[count] -= 1
                spectrum[count - by] += 1
        return spectrum


def _add(levels: list[Level], sequence: Sequence[str]) -> None:
    padded = (START, *sequence, END)
    for place in range(1, len(padded)):
        symbol = padded[place]
        for length in range(min(place, len(levels) - 1) + 1):
            followers = levels[length].setdefault(padded[place - length : place], {})
            followers[symbol] = followers.get(symbol, 0) + 1


def _adjusted(occurrences: list[Level]) -> list[Level]:
    """The counts of each level, from the occurrences at it and at the next higher one."""
    levels: list[Level] = []
    for low, high in pairwise(occurrences):
        level = {context: low[context] for context in low if _at_start(context)}
        for context, followers in high.items():
            company = level.setdefault(context[1:], {})
            for symbol in followers:
                company[symbol] = company.get(symbol, 0) + 1
        levels.append(level)
    return [*levels, occurrences[-1]]


def _lost(occurrences: list[Level], part: list[Level]) -> list[Level]:
    """What each level's counts lose when the part of the occurrences is taken away."""
    levels: list[Level] = []
    for low, whole_high, high in zip(part, occurrences[1:], part[1:], strict=False):
        level = {context: low[context] for context in low if _at_start(context)}
        for context, followers in high.items():
            whole = whole_high[context]
            for symbol, count in followers.items():
                if count == whole[symbol]:
                    lost = level.setdefault(context[1:], {})
                    lost[symbol] = lost.get(symbol, 0) + 1
        levels.append(level)
    return [*levels, part[-1]]


def _at_start(context: Context) -> bool:
    return context[:1] == (START,)


def _values(level: Level) -> Iterable[int]:
    return (count for followers in level.values() for count in followers.values())
