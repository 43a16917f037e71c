"""Confidence intervals by group: Wilson for proportions, bootstrap for everything else.

Variants of one sentence are not independent, so the group is the unit that is resampled. Every
function takes a `seed` and gives the same bits for the same rows in any order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict, Unpack, get_args

import numpy as np

from epicene.core.errors import InputError, unknown
from epicene.core.records import Estimate
from epicene.stats.arrays import (
    NORMAL,
    GroupClasses,
    Groups,
    collapse_groups,
    critical_value,
    encode_groups,
    finite_floats,
    finite_or_none,
    group_sums,
    max_unseen_share,
    safe_ratio,
    same_length,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike

    from epicene.stats.arrays import Floats, Ints

# Below this, a sum of squared differences between groups is rounding.
_SQUARES_ROUNDING = 1e-12


def wilson(successes: float, n: float, *, level: float = 0.95) -> Estimate:
    """A share of `n` independent trials; a tie may count half a success."""
    z = critical_value(level)
    if not 0 <= successes <= n:
        raise InputError(f"There cannot be {successes} successes in {n} trials.")
    if n == 0:
        return Estimate(value=None, why="there are no items")
    low, high = _wilson_ends(successes / n, n, z)
    return Estimate(value=successes / n, low=low, high=high, n=math.ceil(n))


def _wilson_ends(share: float, n: float, z: float) -> tuple[float, float]:
    z2 = z * z
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # At 0 and 1 the end is exact; the subtraction would miss it by a rounding.
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return low, high


def proportion(
    right: ArrayLike, n: ArrayLike | None = None, groups: Groups = None, *, level: float = 0.95
) -> Estimate:
    """The share of right answers among rows that come in groups.

    `right` of each row is between 0 and that row's `n` (default: 1). The interval is
    Wilson's on the effective number of items: as many independent ones as would vary as much as
    the groups do, and never more than there are. Where the groups do not differ at all (e.g.
    all is right), their number alone decides the width.
    """
    z = critical_value(level)
    above = finite_floats(right, "right answers")
    below = np.ones_like(above) if n is None else finite_floats(n, "numbers of items")
    same_length(right=above, n=below, groups=groups)
    wrong = (above < 0) | (above > below)
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"There cannot be {above[row]} right answers of {below[row]} at place {row}."
        )
    total = float(below.sum())
    if total == 0:
        return Estimate(value=None, why="there are no items")
    sums = group_sums(np.column_stack([above, below]), encode_groups(groups, len(above)))
    classes = collapse_groups(sums[sums[:, 1] > 0])
    share = float(classes.totals[0]) / total
    low, high = _grouped_ends(classes, share, z, level)
    return Estimate(value=share, low=low, high=high, n=math.ceil(total))


def standard_error(values: ArrayLike) -> Estimate:
    """The standard error of a mean of independent values (n − 1 below)."""
    array = finite_floats(values, "values")
    if len(array) < 2:
        return Estimate(value=None, n=len(array), why="there are fewer than two values")
    return Estimate(value=float(array.std(ddof=1)) / math.sqrt(len(array)), n=len(array))


def _grouped_ends(
    classes: GroupClasses, share: float, z: float, level: float
) -> tuple[float, float]:
    groups, total = classes.groups, float(classes.totals[1])
    if classes.values[:, 1].max() <= 1:
        return _wilson_ends(share, total, z)
    squares = float(classes.counts @ (classes.values @ (1.0, -share)) ** 2)
    if groups == 1 or squares <= _SQUARES_ROUNDING:
        hidden = max_unseen_share(groups, level)
        return share - hidden * share, share + hidden * (1 - share)
    # The variance between few groups is itself uncertain: Student's t instead of the normal.
    from scipy.special import stdtrit

    t = float(stdtrit(groups - 1, (1 + level) / 2))
    variance = squares / total**2 * groups / (groups - 1) * (t / z) ** 2
    return _wilson_ends(share, min(total, share * (1 - share) / variance), z)


Method: TypeAlias = Literal["percentile", "bca"]
Bounds: TypeAlias = tuple[float, float]

# Sums (resample × column) → the statistic of each resample, NaN where it is undefined.
SumStatistic: TypeAlias = "Callable[[Floats], Floats]"

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


class BootstrapOptions(TypedDict, total=False):
    """The options of `bootstrap_sums`."""

    level: float
    resamples: int
    seed: int
    method: Method
    bounds: Bounds | None


def clustered_mean(
    numerators: ArrayLike,
    denominators: ArrayLike | None = None,
    groups: Groups = None,
    **options: Unpack[BootstrapOptions],
) -> Estimate:
    """A ratio of sums, by default a mean, with an interval over groups.

    Where all groups are alike there is nothing to resample; with `bounds`, the range the
    statistic can take, the interval then covers what unseen groups could make it.
    """
    columns = _ratio_columns(numerators, denominators)
    return bootstrap_sums(
        columns,
        lambda sums: safe_ratio(sums[:, 0], sums[:, 1]),
        groups,
        n=int(np.count_nonzero(columns[:, 1])),
        undefined="the denominators sum to zero",
        **options,
    )


def clustered_difference(
    first: ArrayLike,
    second: ArrayLike,
    groups: Groups = None,
    *,
    first_denominators: ArrayLike | None = None,
    second_denominators: ArrayLike | None = None,
    **options: Unpack[BootstrapOptions],
) -> Estimate:
    """First minus second: two means or ratios of sums over the same rows, resampled together.

    A row that one system lacks has numerator and denominator 0 there.
    """
    same_length(first=np.asarray(first), second=np.asarray(second))
    columns = np.hstack(
        [_ratio_columns(first, first_denominators), _ratio_columns(second, second_denominators)]
    )
    return bootstrap_sums(
        columns,
        lambda sums: safe_ratio(sums[:, 0], sums[:, 1]) - safe_ratio(sums[:, 2], sums[:, 3]),
        groups,
        n=int(np.count_nonzero(columns[:, 1] + columns[:, 3])),
        undefined="the denominators of one side sum to zero",
        **options,
    )


def bootstrap_sums(
    columns: Floats,
    statistic: SumStatistic,
    groups: Groups = None,
    *,
    n: int | None = None,
    undefined: str = "it is undefined for these data",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    method: Method = "percentile",
    bounds: Bounds | None = None,
) -> Estimate:
    """A function of column sums (row × column), with an interval over groups.

    This is the fast way: correlations, agreement coefficients and F-scores are functions of
    sums too.
    """
    _check_bootstrap(level, resamples, method)
    n = len(columns) if n is None else n
    if not len(columns):
        return Estimate(value=None, why="there are no rows")
    classes = collapse_groups(group_sums(columns, encode_groups(groups, len(columns))))
    value = finite_or_none(statistic(classes.totals[None])[0])
    if value is None:
        return Estimate(value=None, n=n, why=undefined)
    if classes.groups == 1:  # every resample is the group itself
        return _alike(value, 1, n, level, bounds)
    resampled = _BootstrapDistribution(
        value=value,
        groups=classes.groups,
        draws=statistic(_drawn_sums(classes, resamples, seed)),
        left_out=lambda: (statistic(classes.totals - classes.values), classes.counts),
    )
    return resampled.estimate(n, level, method, bounds)


def bootstrap(
    statistic: Callable[[Ints], float | None],
    groups: Groups,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    method: Method = "percentile",
) -> Estimate:
    """Any function of rows, given as their numbers, with an interval over groups.

    `groups` holds a label per row. Slower than `bootstrap_sums`: the function is called once per
    resample, and for BCa once per group.
    """
    _check_bootstrap(level, resamples, method)
    if groups is None or not len(groups):
        return Estimate(value=None, why="there are no rows")
    n = len(groups)
    members = _GroupRows(encode_groups(groups, n))

    def of(rows: Ints) -> float:
        result = statistic(rows)
        return np.nan if result is None else float(result)

    value = finite_or_none(of(np.arange(n)))
    if value is None:
        return Estimate(value=None, n=n, why="it is undefined for these data")
    rng = np.random.default_rng(seed)
    drawn = (rng.integers(members.count, size=members.count) for _ in range(resamples))
    every = np.arange(members.count)

    def left_out() -> tuple[Floats, Ints]:
        jackknife = [of(members.rows(np.delete(every, group))) for group in every]
        return np.array(jackknife), np.ones_like(every)

    resampled = _BootstrapDistribution(
        value=value,
        groups=members.count,
        draws=np.array([of(members.rows(groups)) for groups in drawn]),
        left_out=left_out,
    )
    return resampled.estimate(n, level, method, None)


class _GroupRows:
    """Which rows each group has."""

    def __init__(self, codes: Ints) -> None:
        self.count = int(codes.max()) + 1
        self._order = np.argsort(codes, kind="stable")
        self._sizes = np.bincount(codes, minlength=self.count)
        self._starts = np.cumsum(self._sizes) - self._sizes

    def rows(self, groups: Ints) -> Ints:
        """The rows of those groups, a group drawn twice twice."""
        sizes = self._sizes[groups]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows: Ints = self._order[np.repeat(self._starts[groups], sizes) + within]
        return rows


def _check_bootstrap(level: float, resamples: int, method: str) -> None:
    critical_value(level)
    if resamples < 1:
        raise InputError(f"A bootstrap needs at least one resample; it was {resamples}.")
    if method not in get_args(Method):
        raise unknown("bootstrap method", method, get_args(Method))


def _ratio_columns(numerators: ArrayLike, denominators: ArrayLike | None) -> Floats:
    above = finite_floats(numerators, "numerators")
    below = (
        np.ones_like(above) if denominators is None else finite_floats(denominators, "denominators")
    )
    same_length(numerators=above, denominators=below)
    if below.size and below.min() < 0:
        raise InputError("A denominator is negative; a ratio of sums needs counts or weights.")
    return np.column_stack([above, below])


def _drawn_sums(classes: GroupClasses, resamples: int, seed: int) -> Floats:
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
class _BootstrapDistribution:
    """A statistic of the data, of each resample, and of the data without each group (weighted)."""

    value: float
    groups: int
    draws: Floats
    left_out: Callable[[], tuple[Floats, Ints]]

    def estimate(self, n: int, level: float, method: Method, bounds: Bounds | None) -> Estimate:
        finite = np.isfinite(self.draws)
        defined = self.draws if finite.all() else self.draws[finite]
        missing = 1 - len(defined) / len(self.draws)
        # Undefined resamples have no place in the order; more of them than the interval leaves
        # out would decide its ends.
        if missing > 1 - level:
            return _without(self.value, n, f"it is undefined in {missing:.0%} of the resamples")
        if np.ptp(defined) <= _ROUNDING * np.abs(defined).max():
            return _alike(self.value, self.groups, n, level, bounds)
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


def _alike(value: float, groups: int, n: int, level: float, bounds: Bounds | None) -> Estimate:
    """What to say where resampling does not move the value."""
    if bounds is None:
        alike = f"the {groups} groups are all alike"
        return _without(value, n, "there is one group only" if groups == 1 else alike)
    share = max_unseen_share(groups, level)
    low, high = (float(value + share * (bound - value)) for bound in bounds)
    return Estimate(value=value, low=low, high=high, n=n)
