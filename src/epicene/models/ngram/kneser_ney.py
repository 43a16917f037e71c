"""Interpolated modified Kneser–Ney smoothing (Chen and Goodman 1999) over any symbols.

Each level takes a discount from what it has seen and gives the discounted mass to the level
below; what is left after the lowest goes to a base distribution, so that every symbol has a
probability and all probabilities together are one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.models.ngram.counts import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from epicene.models.ngram.counts import Context, Counts, Followers

# What is taken from a count of one, of two, and of three or more.
Discounts: TypeAlias = tuple[float, float, float]

# Taken where a level has too few grams to estimate its own from.
FALLBACK: Discounts = (0.5, 1.0, 1.5)


def discounts(spectrum: Mapping[int, int]) -> Discounts:
    """The discounts that the numbers of grams seen once, twice, three and four times call for."""
    one, two, three, four = (spectrum.get(times, 0) for times in (1, 2, 3, 4))
    if not (one and two and three and four):
        return FALLBACK
    y = one / (one + 2 * two)
    found = (1 - 2 * y * two / one, 2 - 3 * y * three / two, 3 - 4 * y * four / three)
    fits = all(0 < taken < times for times, taken in enumerate(found, start=1))
    return found if fits else FALLBACK


class _Seen(NamedTuple):
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
        self, counts: Counts, base: Callable[[str], float], without: int | None = None
    ) -> None:
        """`base` gives the log-probability of a symbol before anything was seen."""
        self._base = base
        self._reach = counts.order - 1
        self._levels = counts.levels
        self._lost = counts.only_in(without)
        self._taken = [discounts(counts.spectrum(level, without)) for level in range(counts.order)]
        self._memory: dict[Context, _Seen] = {}

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

    def seen(self, history: Sequence[str]) -> Iterator[_Seen]:
        """The contexts of a history that were seen, the shortest first.

        Where a context was not seen no longer one was, so these are all.
        """
        size = len(history)
        for length in range(min(size, self._reach) + 1):
            seen = self._context(tuple(history[size - length :]))
            if seen is None:
                return
            yield seen

    def _context(self, context: Context) -> _Seen | None:
        found = self._memory.get(context) or self._look_up(context)
        if found:
            self._memory[context] = found
        return found

    def _look_up(self, context: Context) -> _Seen | None:
        level = len(context)
        followers = self._levels[level].get(context)
        if followers is None:
            return None
        lost = self._lost[level].get(context, NOTHING)
        taken = self._taken[level]
        total, given_away = 0, 0.0
        for symbol, count in followers.items():
            if count := count - lost.get(symbol, 0):
                total += count
                given_away += taken[min(count, 3) - 1]
        return _Seen(followers, lost, total, given_away / total, taken) if total else None
