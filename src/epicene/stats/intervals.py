"""Confidence intervals by group: Wilson for proportions, bootstrap for everything else.

Variants of one sentence are not independent, so the group is the unit that is resampled. Every
function takes a `seed` and gives the same bits for the same rows in any order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias, TypedDict, Unpack, get_args

import numpy as np

from epicene.core.errors import InputError, unknown
from epicene.core.records import Estimate
from epicene.stats.arrays import (
    GroupClasses,
    Groups,
    collapse_groups,
    critical_value,
    encode_groups,
    finite_floats,
    finite_or_none,
    max_unseen_share,
    safe_ratio,
    same_length,
)
from epicene.stats.resampling import (
    BootstrapDistribution,
    Bounds,
    Method,
    drawn_sums,
    without_spread,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    above = finite_floats(right, "right answers")
    below = np.ones_like(above) if n is None else finite_floats(n, "numbers of items")
    same_length(right=above, n=below, groups=groups)
    _check_counts(above, below)
    codes = encode_groups(groups, len(above))
    columns = np.column_stack([above, below])
    if n is not None:  # a group without an item is none
        columns, codes = columns[below > 0], codes[below > 0]
    (classes,) = collapse_groups(columns, codes, [len(columns)])
    return _proportion(classes, level)


def proportions(
    right: ArrayLike, groups: Ints, sizes: Sequence[int], *, level: float = 0.95
) -> list[Estimate]:
    """`proportion` of consecutive parts of so many rows each, faster than one by one."""
    above = finite_floats(right, "right answers")
    below = np.ones_like(above)
    _check_counts(above, below)
    parts = collapse_groups(np.column_stack([above, below]), groups, sizes)
    return [_proportion(classes, level) for classes in parts]


def _check_counts(above: Floats, below: Floats) -> None:
    wrong = (above < 0) | (above > below)
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"There cannot be {above[row]} right answers of {below[row]} at place {row}."
        )


def _proportion(classes: GroupClasses, level: float) -> Estimate:
    z = critical_value(level)
    right, total = classes.totals.tolist()
    if total == 0:
        return Estimate(value=None, why="there are no items")
    share = right / total
    low, high = _grouped_ends(classes, share, total, z, level)
    return Estimate(value=share, low=low, high=high, n=math.ceil(total))


def standard_error(values: ArrayLike) -> Estimate:
    """The standard error of a mean of independent values (n − 1 below)."""
    array = finite_floats(values, "values")
    if len(array) < 2:
        return Estimate(value=None, n=len(array), why="there are fewer than two values")
    return Estimate(value=float(array.std(ddof=1)) / math.sqrt(len(array)), n=len(array))


def _grouped_ends(
    classes: GroupClasses, share: float, total: float, z: float, level: float
) -> tuple[float, float]:
    groups = classes.groups
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


# Sums (resample × column) → the statistic of each resample, NaN where it is undefined.
SumStatistic: TypeAlias = "Callable[[Floats], Floats]"


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
        _ratio,
        groups,
        n=int(np.count_nonzero(columns[:, 1])),
        undefined=_ZERO_DENOMINATORS,
        **options,
    )


def clustered_means(
    values: ArrayLike, groups: Ints, sizes: Sequence[int], **options: Unpack[BootstrapOptions]
) -> list[Estimate]:
    """`clustered_mean` of consecutive parts of so many rows each, faster than one by one."""
    parts = collapse_groups(_ratio_columns(values, None), groups, sizes)
    return [
        _bootstrap_classes(classes, _ratio, size, _ZERO_DENOMINATORS, **options)
        for classes, size in zip(parts, sizes, strict=True)
    ]


def _ratio(sums: Floats) -> Floats:
    return safe_ratio(sums[:, 0], sums[:, 1])


def _ratio_difference(sums: Floats) -> Floats:
    return _ratio(sums[:, :2]) - _ratio(sums[:, 2:])


_ZERO_DENOMINATORS = "the denominators sum to zero"


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
        _ratio_difference,
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
    **options: Unpack[BootstrapOptions],
) -> Estimate:
    """A function of column sums (row × column), with an interval over groups.

    This is the fast way: correlations, agreement coefficients and F-scores are functions of
    sums too.
    """
    codes = encode_groups(groups, len(columns))
    (classes,) = collapse_groups(columns, codes, [len(columns)])
    n = len(columns) if n is None else n
    return _bootstrap_classes(classes, statistic, n, undefined, **options)


def _bootstrap_classes(
    classes: GroupClasses,
    statistic: SumStatistic,
    n: int,
    undefined: str,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    method: Method = "percentile",
    bounds: Bounds | None = None,
) -> Estimate:
    _check_bootstrap(level, resamples, method)
    if not len(classes.counts):
        return Estimate(value=None, why="there are no rows")
    value = finite_or_none(statistic(classes.totals[None])[0])
    if value is None:
        return Estimate(value=None, n=n, why=undefined)
    if classes.groups == 1:  # every resample is the group itself
        return without_spread(value, 1, n, level, bounds)
    key = (statistic, classes.digest, n, level, resamples, seed, method, bounds)
    if key not in _estimates:
        if len(_estimates) >= _ESTIMATES_REMEMBERED:
            _estimates.clear()
        resampled = BootstrapDistribution(
            value=value,
            groups=classes.groups,
            draws=statistic(drawn_sums(classes, resamples, seed)),
            left_out=lambda: (statistic(classes.totals - classes.values), classes.counts),
        )
        _estimates[key] = resampled.estimate(n, level, method, bounds)
    return _estimates[key]


# Metrics, tables and charts have many numbers in common.
_estimates: dict[tuple[object, ...], Estimate] = {}
_ESTIMATES_REMEMBERED = 2**14


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

    resampled = BootstrapDistribution(
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
