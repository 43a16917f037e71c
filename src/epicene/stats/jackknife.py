"""Intervals from how much a statistic moves when each group is left out.

The variance is the jackknife's over groups. How well it is known depends on how many groups
contribute to it: if a few dominate (large groups, rare errors), Student's t has few degrees of
freedom, namely 2G/(kurtosis − 1) of the groups' influences, which is G for normal ones and 2 for a
single group that differs (the Satterthwaite approximation). If they are few, the interval is also
extended part of the way to the one that the number of groups alone would give, so that it is never
narrower with one error than with none. `benchmarks/coverage.py` measures how often such intervals
cover.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from epicene.core.records import ENOUGH_GROUPS, Estimate
from epicene.stats.arrays import critical_value, max_unseen_share

if TYPE_CHECKING:
    from epicene.stats.arrays import Floats, Ints

Bounds: TypeAlias = tuple[float, float]
# A share lies between its bounds as a share of items does, and takes Wilson's interval; a
# difference takes Student's, cut at its bounds.
Scale: TypeAlias = Literal["share", "difference"]

# Below this, differences between values are rounding.
_ROUNDING = 1e-12


class Spread(NamedTuple):
    """How a statistic varies between groups."""

    groups: float
    variance: float  # 0 where all groups are alike
    freedom: float  # degrees of freedom of the variance

    @property
    def effective(self) -> float:
        """The effective number of groups behind the interval, rounded so that 20 equal ones are
        20."""
        return round(min(self.groups, self.freedom + 1) if self.variance else self.groups, 2)


def spread(left_out: Floats, counts: Ints) -> Spread:
    """The jackknife variance of a statistic, from its values without each of so many groups."""
    groups = int(counts.sum())
    moves = left_out - np.average(left_out, weights=counts)
    widest = float(np.abs(moves).max())
    if groups < 2 or widest <= _ROUNDING * max(1.0, float(np.abs(left_out).max())):
        return Spread(groups, 0.0, 0.0)
    scaled = moves / widest  # the powers of tiny numbers would vanish
    squares, fourths = float(counts @ scaled**2), float(counts @ scaled**4)
    variance = (groups - 1) / groups * squares * widest**2
    kurtosis = fourths * groups / squares**2
    freedom = 2 * groups / (kurtosis - 1) if kurtosis > 1 else math.inf
    return Spread(groups, variance, min(max(freedom, 1.0), groups - 1))


def wilson_ends(share: float, n: float, level: float) -> Bounds:
    """Wilson's interval of a share of `n` independent items."""
    z = critical_value(level)
    z2 = z * z
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # At 0 and 1 the end is exact; the subtraction would miss it by a rounding.
    low = 0.0 if share <= 0 else max(0.0, centre - half)
    high = 1.0 if share >= 1 else min(1.0, centre + half)
    return low, high


def hidden_ends(value: float, groups: float, level: float, bounds: Bounds = (0.0, 1.0)) -> Bounds:
    """How far unseen groups may move a mean towards its bounds if all seen groups are alike."""
    hidden = max_unseen_share(groups, level)
    low, high = (value + hidden * (bound - value) for bound in bounds)
    return low, high


def share_ends(
    share: float,
    found: Spread,
    level: float,
    *,
    unseen: Bounds,
    at_least: float = 0.0,
    at_most: float = math.inf,
) -> Bounds:
    """Wilson's interval on the number of independent items that would vary as much as the groups
    do.

    `unseen` is the interval where all groups are alike; `at_least` and `at_most` limit the number
    of items where more is known of it.
    """
    if not found.variance or not 0 < share < 1:
        return unseen
    t = _student(found.freedom, level) / critical_value(level)
    items = share * (1 - share) / (found.variance * t**2)
    ends = wilson_ends(share, min(max(items, at_least), at_most), level)
    return _cautious(share, ends, unseen, found)


def difference_ends(value: float, found: Spread, level: float, bounds: Bounds) -> Bounds:
    """Student's interval of a value between bounds, e.g. of a difference of shares."""
    unseen = hidden_ends(value, found.groups, level, bounds)
    if not found.variance:
        return unseen
    half = _student(found.freedom, level) * math.sqrt(found.variance)
    low, high = _cautious(value, (value - half, value + half), unseen, found)
    return max(low, bounds[0]), min(high, bounds[1])


def _student(freedom: float, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def _cautious(value: float, ends: Bounds, unseen: Bounds, found: Spread) -> Bounds:
    """The ends, moved out towards `unseen`: all the way if one group makes up the variance, not at
    all with `ENOUGH_GROUPS` or more."""
    share = min(1.0, max(0.0, (ENOUGH_GROUPS - found.effective) / (ENOUGH_GROUPS - 3)))
    return (
        min(ends[0], value + share * (unseen[0] - value)),
        max(ends[1], value + share * (unseen[1] - value)),
    )


def estimate(
    value: float,
    left_out: Floats,
    counts: Ints,
    *,
    n: int,
    level: float,
    bounds: Bounds | None,
    scale: Scale,
) -> Estimate:
    """A statistic with its interval over groups, or why it has none."""
    if not np.isfinite(left_out).all():
        return _without(value, n, "it is undefined without one of the groups")
    return estimate_of_spread(
        value, spread(left_out, counts), n=n, level=level, bounds=bounds, scale=scale
    )


def estimate_of_spread(
    value: float, found: Spread, *, n: int, level: float, bounds: Bounds | None, scale: Scale
) -> Estimate:
    """A statistic with the interval that its spread gives it, or why it has none."""
    if bounds is None:
        if not found.variance:
            alike = f"the {found.groups} groups are all alike"
            return _without(value, n, "there is one group only" if found.groups == 1 else alike)
        half = _student(found.freedom, level) * math.sqrt(found.variance)
        low, high = value - half, value + half
    elif scale == "difference":
        least, most = map(float, bounds)
        low, high = difference_ends(value, found, level, (least, most))
    else:
        least, width = float(bounds[0]), float(bounds[1] - bounds[0])
        share = min(max((value - least) / width, 0.0), 1.0)
        unit = Spread(found.groups, found.variance / width**2, found.freedom)
        unseen = wilson_ends(share, found.groups, level)
        ends = share_ends(share, unit, level, unseen=unseen)
        low, high = (least + width * end for end in ends)
    return Estimate(value=value, low=low, high=high, n=n, groups=found.effective)


def _without(value: float, n: int, why: str) -> Estimate:
    return Estimate(value=value, n=n, why=f"no interval: {why}")
