"""Means of crossed designs: groups (templates) times another factor (names).

Rows vary by template and by name, so leaving out templates alone ignores what rows with the same
name share. The variance is the variance over groups plus that over the other factor minus that over
their cells, which both include (Cameron, Gelbach and Miller 2011), and never less than either. Its
degrees of freedom are Satterthwaite's for the two, so that few names count as few.
`benchmarks/crossed.py` measures the coverage of these intervals.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from epicene.core.records import Estimate
from epicene.stats import SignificanceResult
from epicene.stats.arrays import encode_groups, finite_floats, group_sums, same_length
from epicene.stats.intervals import clustered_difference, clustered_mean
from epicene.stats.jackknife import Spread, estimate_of_spread, spread

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from numpy.typing import ArrayLike, NDArray

    from epicene.stats.arrays import Floats, Ints
    from epicene.stats.jackknife import Bounds, Scale

    Labels = Collection[Hashable] | NDArray[np.int64]


class CrossedSpread(NamedTuple):
    """How a mean of rows varies over two crossed factors, and the components of that variance."""

    both: Spread
    groups: Spread
    crossed: Spread
    cells: Spread


def crossed_spread(values: Floats, groups: Labels, crossed: Labels) -> CrossedSpread:
    """The spread of a mean when groups, and when values of the crossed factor, are left out."""
    rows = len(values)
    first, second = encode_groups(groups, rows), encode_groups(crossed, rows)
    cells = encode_groups(first * (int(second.max()) + 1) + second, rows)
    of_groups, of_crossed, of_cells = (_left_out(values, each) for each in (first, second, cells))
    return CrossedSpread(
        _combined(of_groups, of_crossed, of_cells), of_groups, of_crossed, of_cells
    )


def _left_out(values: Floats, codes: Ints) -> Spread:
    sums = group_sums(np.column_stack([values, np.ones_like(values)]), codes)
    if len(sums) < 2:
        return Spread(len(sums), 0.0, 0.0)
    # Sorted, so that the same rows in another order give the same bits.
    sums = sums[np.lexsort(sums.T)]
    rest = sums.sum(axis=0) - sums
    return spread(rest[:, 0] / rest[:, 1], np.ones(len(sums), dtype=np.int64))


def _combined(groups: Spread, crossed: Spread, cells: Spread) -> Spread:
    one, other = groups.variance, crossed.variance
    variance = max(one + other - cells.variance, one, other)
    most = max(groups.groups, crossed.groups)
    if not variance:
        return Spread(most, 0.0, 0.0)
    parts = sum(each.variance**2 / each.freedom for each in (groups, crossed) if each.variance)
    freedom = min(variance**2 / parts, max(groups.freedom, crossed.freedom))
    return Spread(most, variance, max(freedom, 1.0))


def crossed_mean(
    values: ArrayLike,
    groups: Labels,
    crossed: Labels,
    *,
    level: float = 0.95,
    bounds: Bounds | None = (0.0, 1.0),
    scale: Scale = "share",
) -> Estimate:
    """A mean of rows with an interval over groups and over values of the crossed factor.

    For a paired difference give the rows' differences, `bounds` of −1 and 1 and the scale
    `difference`.
    """
    rows = finite_floats(values, "values")
    same_length(values=rows, groups=groups, crossed=crossed)
    if not len(rows):
        return Estimate(value=None, why="there are no rows")
    one = _over_groups(rows, groups, level, bounds, scale)
    found = crossed_spread(rows, groups, crossed).both
    value = float(np.sort(rows).mean())
    both = estimate_of_spread(value, found, n=len(rows), level=level, bounds=bounds, scale=scale)
    if both.low is None or both.high is None or one.low is None or one.high is None:
        return both if one.low is None else one
    # A second factor never makes an interval narrower, however few the groups.
    return msgspec.structs.replace(
        both,
        low=min(both.low, one.low),
        high=max(both.high, one.high),
        groups=min(found.effective, one.groups or found.effective),
    )


def _over_groups(
    rows: Floats, groups: Labels, level: float, bounds: Bounds | None, scale: Scale
) -> Estimate:
    if scale == "share":
        return clustered_mean(rows, None, groups, level=level, bounds=bounds)
    zeros = np.zeros_like(rows)
    return clustered_difference(rows, zeros, groups, level=level, bounds=bounds)


def crossed_test(
    first: ArrayLike, second: ArrayLike, groups: Labels, crossed: Labels
) -> SignificanceResult:
    """Whether the mean difference of paired rows is zero, over groups and a crossed factor:
    Student's t, two-sided."""
    a, b = finite_floats(first, "first values"), finite_floats(second, "second values")
    same_length(first=a, second=b, groups=groups, crossed=crossed)
    if not len(a):
        return SignificanceResult(statistic=None, p=None, why="there are no pairs")
    spreads = crossed_spread(a - b, groups, crossed)
    found, n = spreads.both, int(spreads.groups.groups)
    if not found.variance:
        return SignificanceResult(statistic=None, p=None, n=n, why="all differences are equal")
    from scipy.special import stdtr

    t = float(np.sort(a - b).mean()) / math.sqrt(found.variance)
    return SignificanceResult(statistic=t, p=2 * float(stdtr(found.freedom, -abs(t))), n=n)
