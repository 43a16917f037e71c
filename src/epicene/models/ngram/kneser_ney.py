"""N-gram counts with folds that can be left out, and interpolated modified Kneser–Ney smoothing.

Smoothing follows Chen and Goodman (1999). Level k holds what followed each context of k symbols.
The highest level counts occurrences; a lower one counts the different symbols to the left of an
n-gram (occurrences at the start of a sequence). Each level discounts its counts and gives the mass
to the level below; the lowest gives it to a base distribution, so that probabilities sum to one.
Without a fold, the counts are the whole less what that fold alone contributed, which is the same as
counting without it.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

# Marks of a sequence's two ends, which no word and no character can be mistaken for.
START = " start"
END = " end"

Context: TypeAlias = tuple[str, ...]
Followers: TypeAlias = dict[str, int]
Level: TypeAlias = dict[Context, Followers]

NO_FOLLOWERS: Followers = {}


class NgramCounts:
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
        self._only_in = {fold: _lost_without(occurrences, part) for fold, part in by_fold.items()}
        self._spectra = [Counter(_all_counts(level)) for level in self.levels]

    def only_in(self, fold: int | None) -> list[Level]:
        """By how much each count falls when the fold is left out."""
        return self._only_in.get(fold, [{}] * self.order) if fold is not None else [{}] * self.order

    def count_of_counts(self, level: int, without: int | None) -> Counter[int]:
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


def _lost_without(occurrences: list[Level], part: list[Level]) -> list[Level]:
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


def _all_counts(level: Level) -> Iterable[int]:
    return (count for followers in level.values() for count in followers.values())


# What is taken from a count of one, of two, and of three or more.
Discounts: TypeAlias = tuple[float, float, float]

# Taken where a level has too few grams to estimate its own from.
FALLBACK: Discounts = (0.5, 1.0, 1.5)


def estimate_discounts(spectrum: Mapping[int, int]) -> Discounts:
    """The discounts that the numbers of grams seen once, twice, three and four times call for."""
    one, two, three, four = (spectrum.get(times, 0) for times in (1, 2, 3, 4))
    if not (one and two and three and four):
        return FALLBACK
    y = one / (one + 2 * two)
    found = (1 - 2 * y * two / one, 2 - 3 * y * three / two, 3 - 4 * y * four / three)
    fits = all(0 < taken < times for times, taken in enumerate(found, start=1))
    return found if fits else FALLBACK


class _SeenContext(NamedTuple):
    """A context that was seen: what followed it, less what is left out."""

    followers: Followers
    lost: Followers
    total: int
    left: float  # the share that goes to the level below
    taken: Discounts

    def share(self, symbol: str) -> float:
        """What this level itself gives the symbol."""
        count = self.followers.get(symbol, 0) - self.lost.get(symbol, 0)
        return (count - self.taken[min(count, 3) - 1]) / self.total if count else 0.0

    def symbols(self) -> Iterator[str]:
        """What followed, where it was not left out."""
        lost = self.lost
        return (s for s, count in self.followers.items() if count > lost.get(s, 0))


class KneserNey:
    """The conditional probabilities of symbols, with one fold of the counts left out."""

    def __init__(
        self, counts: NgramCounts, base: Callable[[str], float], without: int | None = None
    ) -> None:
        """`base` gives the log-probability of a symbol before anything was seen."""
        self._base = base
        self._reach = counts.order - 1
        self._levels = counts.levels
        self._lost = counts.only_in(without)
        self._taken = [
            estimate_discounts(counts.count_of_counts(level, without))
            for level in range(counts.order)
        ]
        self._memory: dict[Context, _SeenContext] = {}

    def logprob(self, symbol: str, history: Sequence[str]) -> float:
        """The log-probability of a symbol after a history of any length."""
        known, left = 0.0, 1.0
        for seen in self.seen(history):
            known = seen.share(symbol) + seen.left * known
            left *= seen.left
        # The base may be too small for a float, but its logarithm is not.
        base = self._base(symbol)
        return math.log(known + left * math.exp(base)) if known else math.log(left) + base

    def vocabulary(self) -> set[str]:
        """All symbols that were seen."""
        lowest = self._context(())
        return set(lowest.symbols()) if lowest else set()

    def seen(self, history: Sequence[str]) -> Iterator[_SeenContext]:
        """The contexts of a history that were seen, the shortest first.

        Where a context was not seen no longer one was, so these are all.
        """
        size = len(history)
        for length in range(min(size, self._reach) + 1):
            seen = self._context(tuple(history[size - length :]))
            if seen is None:
                return
            yield seen

    def _context(self, context: Context) -> _SeenContext | None:
        found = self._memory.get(context) or self._look_up(context)
        if found:
            self._memory[context] = found
        return found

    def _look_up(self, context: Context) -> _SeenContext | None:
        level = len(context)
        followers = self._levels[level].get(context)
        if followers is None:
            return None
        lost = self._lost[level].get(context, NO_FOLLOWERS)
        taken = self._taken[level]
        total, given_away = 0, 0.0
        for symbol, count in followers.items():
            if count := count - lost.get(symbol, 0):
                total += count
                given_away += taken[min(count, 3) - 1]
        return _SeenContext(followers, lost, total, given_away / total, taken) if total else None
