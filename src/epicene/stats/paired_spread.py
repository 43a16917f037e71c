"""How precisely a paired difference is known: its standard error between groups, its bounds at any
level, and the smallest difference that could have been found.

The bounds are those of Bonett and Price (2012) for two paired proportions, carried over to groups:
one group gained and one group lost are added to those observed, so that few or no differences are
not taken for certainty.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.stats.arrays import NORMAL, encode_groups, finite_floats, group_sums, same_length

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from epicene.stats.arrays import Floats, Groups, Ints

ALPHA = 0.05
POWER = 0.8


class PairedSpread(NamedTuple):
    """A paired difference with its standard error; or many of them, as arrays of one shape."""

    difference: Floats
    centre: Floats  # the difference with the two groups that are added
    error: Floats
    freedom: Floats  # degrees of freedom
    groups: int
    change: Floats  # the part of a group that differs, where one does (root mean square)
    variance: Floats  # of the groups that were seen, per group of mean size
    differing: Floats  # how many groups differ

    def low(self, level: float) -> Floats:
        """The lower bound of the difference at this one-sided level (e.g. 0.975)."""
        return self.centre - self._reach(level)

    def high(self, level: float) -> Floats:
        """The upper bound of the difference at this one-sided level."""
        return self.centre + self._reach(level)

    def _reach(self, level: float) -> Floats:
        from scipy.special import stdtrit

        reach: Floats = stdtrit(self.freedom, level) * self.error
        return reach


def spread_of_rows(first: ArrayLike, second: ArrayLike, groups: Groups = None) -> PairedSpread:
    """The spread of first minus second, over rows that both have."""
    gaps = finite_floats(first, "first values") - finite_floats(second, "second values")
    same_length(first=gaps, groups=groups)
    if not len(gaps):
        raise InputError("There are no pairs, so there is no difference.")
    columns = np.column_stack([gaps, np.ones_like(gaps)])
    sums = group_sums(columns, encode_groups(groups, len(gaps)))
    # Sorted, so that the same rows in another order give the same bits.
    sums = sums[np.lexsort(sums.T)]
    return paired_spread(sums[:, 0], sums[:, 1])


def paired_spread(sums: Floats, sizes: Floats | Ints) -> PairedSpread:
    """The spread from each group's sum of differences (between −1 and 1 per row) and number of
    rows.

    The last axis is that of groups; the others are data sets side by side.
    """
    sizes = np.broadcast_to(np.asarray(sizes, dtype=np.float64), sums.shape)
    groups, rows = sums.shape[-1], sizes.sum(axis=-1)
    # What is added is as large as the group of a row drawn at random: with groups of unequal size,
    # larger than their mean. So many of that size would be known as well (Kish).
    size = (sizes**2).sum(axis=-1) / rows
    effective = rows / size + 2
    # Where nothing differs a whole group might; each one that does says how much of it.
    differing = np.count_nonzero(sums, axis=-1) + 0.0
    change = np.sqrt((((sums / sizes) ** 2).sum(axis=-1) + 1) / (differing + 1))
    total = rows + 2 * size
    centre = sums.sum(axis=-1) / total
    squares = ((sums - centre[..., None] * sizes) ** 2).sum(axis=-1)
    variance = squares / (groups * (rows / groups) ** 2)
    squares = squares + 2 * size**2 * (change**2 + centre**2)
    error = np.sqrt(squares * effective / (effective - 1)) / total
    return PairedSpread(
        difference=sums.sum(axis=-1) / rows,
        centre=centre,
        error=error,
        freedom=effective - 1,
        groups=groups,
        change=change,
        variance=variance,
        differing=differing,
    )


def minimum_detectable_difference(
    spread: PairedSpread, *, alpha: float = ALPHA, power: float = POWER
) -> Estimate:
    """The smallest true difference that a two-sided paired test finds with that power.

    It is that of a t-test with the spread's standard error. If few groups differ, it is at least
    what a permutation test needs: enough differing groups that flipping all of them is rarer than
    `alpha`.
    """
    from scipy.special import betaincinv, nctdtrinc, stdtrit

    check_share("alpha", alpha)
    check_share("power", power)
    needed = smallest_significant(alpha)
    if spread.groups < needed:
        return Estimate(
            value=None,
            n=spread.groups,
            why=f"with {spread.groups} groups no difference can be significant (p is never below "
            f"{2.0 ** (1 - spread.groups):.2g})",
        )
    critical = stdtrit(spread.freedom, 1 - alpha / 2)
    by_error = float(nctdtrinc(spread.freedom, 1 - power, critical) * spread.error)
    share = float(betaincinv(needed, spread.groups - needed + 1, power))
    few = float(spread.differing) < share * spread.groups
    value = max(by_error, share * float(spread.change)) if few else by_error
    if value > 1:
        return Estimate(
            value=None, n=spread.groups, why="not even a difference of 100 % would be enough"
        )
    return Estimate(value=value, n=spread.groups)


def smallest_significant(alpha: float) -> int:
    """How many groups must differ, all in one direction, for a permutation test to reject."""
    return int(np.ceil(1 - np.log2(alpha)))


def groups_needed(spread: PairedSpread, distance: float, *, alpha: float, power: float) -> int:
    """How many groups like these would distinguish the difference from one at that distance.

    The bound of one-sided level 1 − alpha then reaches it with a chance of `power`: the error of
    n groups, √(variance · n + 2 (r · change)²)/(n + 2r), is small enough, where r is the size of
    the groups that are added by the mean size.
    """
    reach = NORMAL.inv_cdf(1 - alpha) + NORMAL.inv_cdf(power)
    scale = (reach / distance) ** 2
    added = spread.groups / (float(spread.freedom) - 1)
    half = scale * float(spread.variance) / 2 - 2 * added
    rest = added**2 * (4 - 2 * scale * float(spread.change) ** 2)
    return math.ceil(half + math.sqrt(max(0.0, half**2 - rest)))


def check_share(name: str, value: float) -> None:
    """Raise unless 0 < value < 1."""
    if not 0 < value < 1:
        hint = f"; write {value / 100:g} for {value:g} %" if 1 < value < 100 else ""
        raise InputError(f"{name} must be between 0 and 1, not {value:g}{hint}.")
