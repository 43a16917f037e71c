"""Resample groups with replacement, and intervals from what a statistic is in each resample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from epicene.core.records import Estimate
from epicene.stats.arrays import NORMAL, critical_value, max_unseen_share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.stats.arrays import Floats, GroupClasses, Ints

Method: TypeAlias = Literal["percentile", "bca"]
Bounds: TypeAlias = tuple[float, float]

# Drawing the count of one class costs about as much as drawing this many groups one by one.
_GROUPS_PER_CLASS = 8
_DRAWS_IN_MEMORY = 2**20
# Draws of up to so many groups in all are kept for the next figure, of so many numbers of groups.
_DRAWS_REMEMBERED = 2**21
_REMEMBERED = 4

# Of more columns than this, sums of whole numbers are made faster by a matrix product.
_FEW_COLUMNS = 4

# Below this, differences between resamples are rounding.
_ROUNDING = 1e-12


def drawn_sums(classes: GroupClasses, resamples: int, seed: int) -> Floats:
    """The column sums of each resample (resample × column), in bounded memory."""
    groups, kinds = classes.groups, len(classes.counts)
    if kinds * _GROUPS_PER_CLASS <= groups:
        rng, shares = np.random.default_rng(seed), classes.counts / groups
        sizes = _chunks(resamples, kinds)
        return np.vstack([rng.multinomial(groups, shares, size) @ classes.values for size in sizes])
    values = np.repeat(classes.values, classes.counts, axis=0)
    small = groups * resamples <= _DRAWS_REMEMBERED
    whole = bool(np.all(values == np.rint(values)))
    if whole and (small or values.shape[1] > _FEW_COLUMNS):
        count = _cached_counts if small else _draw_counts
        return np.vstack([times @ values for times in count(groups, resamples, seed)])
    # A matrix product may add fractions in another order each time, and so give other bits.
    columns = values.T.copy()
    draw = _cached_draws if small else _draw_groups
    return np.vstack([_sums_at(each, columns, groups) for each in draw(groups, resamples, seed)])


def _sums_at(drawn: Ints, columns: Floats, groups: int) -> Floats:
    """The sums of each column (column × group) over the groups that each resample draws."""
    sums = np.empty((len(drawn), len(columns)))
    for number, column in enumerate(columns):
        # A whole number that every group has, as the 1 under a mean, need not be looked up.
        same = column[0] == np.rint(column[0]) and not np.ptp(column)
        sums[:, number] = column[0] * groups if same else column.take(drawn).sum(axis=1)
    return sums


@lru_cache(maxsize=_REMEMBERED)
def _cached_draws(groups: int, resamples: int, seed: int) -> list[Ints]:
    """The draws, cached: a table has many figures of equally many groups."""
    return list(_draw_groups(groups, resamples, seed))


@lru_cache(maxsize=_REMEMBERED)
def _cached_counts(groups: int, resamples: int, seed: int) -> list[Floats]:
    return list(_draw_counts(groups, resamples, seed))


def _draw_groups(groups: int, resamples: int, seed: int) -> Iterator[Ints]:
    rng = np.random.default_rng(seed)
    for size in _chunks(resamples, groups):
        yield rng.integers(groups, size=(size, groups))


def _draw_counts(groups: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each resample (row) draws each group."""
    for drawn in _draw_groups(groups, resamples, seed):
        apart = drawn + groups * np.arange(len(drawn))[:, None]
        counts = np.bincount(apart.ravel(), minlength=drawn.size)
        yield counts.reshape(drawn.shape).astype(float)


def _chunks(resamples: int, width: int) -> Iterator[int]:
    """How many resamples to draw at a time."""
    chunk = max(1, _DRAWS_IN_MEMORY // width)
    return (min(chunk, resamples - start) for start in range(0, resamples, chunk))


@dataclass(frozen=True)
class BootstrapDistribution:
    """A statistic of the data, of each resample, and of the data without each group (weighted)."""

    value: float
    groups: int
    draws: Floats
    left_out: Callable[[], tuple[Floats, Ints]]

    def estimate(self, n: int, level: float, method: Method, bounds: Bounds | None) -> Estimate:
        """The value with its interval, or why it has none."""
        finite = np.isfinite(self.draws)
        defined = self.draws if finite.all() else self.draws[finite]
        missing = 1 - len(defined) / len(self.draws)
        # Undefined resamples have no place in the order; more of them than the interval leaves
        # out would decide its ends.
        if missing > 1 - level:
            return _without(self.value, n, f"it is undefined in {missing:.0%} of the resamples")
        if np.ptp(defined) <= _ROUNDING * np.abs(defined).max():
            return without_spread(self.value, self.groups, n, level, bounds)
        ends: Bounds | str = ((1 - level) / 2, (1 + level) / 2)
        if method == "bca":
            ends = self._bca_ends(defined, level)
        if isinstance(ends, str):
            return _without(self.value, n, ends)
        low, high = np.quantile(defined, ends)
        return Estimate(value=self.value, low=float(low), high=float(high), n=n)

    def _bca_ends(self, draws: Floats, level: float) -> Bounds | str:
        """Which quantiles of the resamples BCa takes (Efron 1987), or why it takes none."""
        below = np.count_nonzero(draws < self.value) + np.count_nonzero(draws <= self.value)
        if not 0 < below < 2 * len(draws):
            return "every resample is on one side of the value"
        jackknife, counts = self.left_out()
        if not np.isfinite(jackknife).all():
            return "it is undefined without one of the groups"
        gaps = np.average(jackknife, weights=counts) - jackknife
        widest = np.abs(gaps).max()
        if widest == 0:
            return "leaving out a group does not move it"
        gaps /= widest  # the acceleration has no unit; the powers of tiny numbers would vanish
        acceleration = float(counts @ gaps**3) / (6 * float(counts @ gaps**2) ** 1.5)
        bias, z = NORMAL.inv_cdf(below / (2 * len(draws))), critical_value(level)

        def end(z: float) -> float:
            return NORMAL.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))

        return end(-z), end(z)


def _without(value: float, n: int, why: str) -> Estimate:
    return Estimate(value=value, n=n, why=f"no interval: {why}")


def without_spread(
    value: float, groups: int, n: int, level: float, bounds: Bounds | None
) -> Estimate:
    """What to say where resampling does not move the value."""
    if bounds is None:
        alike = f"the {groups} groups are all alike"
        return _without(value, n, "there is one group only" if groups == 1 else alike)
    share = max_unseen_share(groups, level)
    low, high = (float(value + share * (bound - value)) for bound in bounds)
    return Estimate(value=value, low=low, high=high, n=n)
