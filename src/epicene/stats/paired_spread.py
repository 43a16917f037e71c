"""How precisely a paired difference of shares is known: its interval, its test, its variance.

The interval is that of Bonett and Price (2012) for two paired proportions, carried over to groups:
one group gained and one group lost are added to those observed, so that few or no differences are
not taken for certainty. The test and the number of groups that a difference needs
(`epicene.stats.power`) come from the same standard error.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.stats import SignificanceResult
from epicene.stats.arrays import encode_groups, finite_floats, group_sums, same_length

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from epicene.stats.arrays import Groups

_TAIL = 0.975  # the level of either end of a 95 % interval
_ONE_GROUP = "there is only one group"


class PairedSpread(NamedTuple):
    """A paired difference with its standard error between groups."""

    difference: float
    rows: int
    groups: int
    effective: float  # groups of equal size that would say as much (Kish)
    centre: float  # the difference with the two groups that are added
    error: float
    change: float  # the part of a group that differs, where one does (root mean square)
    variance: float  # of the mean of one group, as observed

    @property
    def freedom(self) -> float:
        """Degrees of freedom of Student's t; two groups are added to those observed."""
        return self.effective + 1

    def estimate(self) -> Estimate:
        """The difference with its 95 % interval."""
        from scipy.special import stdtrit

        if self.groups < 2:
            return Estimate(
                value=self.difference, n=self.rows, why=f"no interval: {_ONE_GROUP}", groups=1.0
            )
        reach = float(stdtrit(self.freedom, _TAIL)) * self.error
        return Estimate(
            value=self.difference,
            low=min(self.difference, max(-1.0, self.centre - reach)),
            high=max(self.difference, min(1.0, self.centre + reach)),
            n=self.rows,
            groups=round(self.effective, 2),
        )

    def test(self) -> SignificanceResult:
        """Whether the difference is zero, two-sided: p is below 5 % if the interval excludes 0."""
        from scipy.special import stdtr

        if self.groups < 2:
            return SignificanceResult(statistic=None, p=None, n=self.groups, why=_ONE_GROUP)
        t = self.centre / self.error
        p = 2 * float(stdtr(self.freedom, -abs(t)))
        return SignificanceResult(statistic=t, p=p, n=self.groups)


def paired_spread(first: ArrayLike, second: ArrayLike, groups: Groups = None) -> PairedSpread:
    """The spread of first minus second (each between 0 and 1), over rows that both have."""
    gaps = finite_floats(first, "first values") - finite_floats(second, "second values")
    same_length(first=gaps, groups=groups)
    if not len(gaps):
        raise InputError("There are no pairs, so there is no difference.")
    columns = np.column_stack([gaps, np.ones_like(gaps)])
    sums = group_sums(columns, encode_groups(groups, len(gaps)))
    # Sorted, so that the same rows in another order give the same bits.
    gained, sizes = sums[np.lexsort(sums.T)].T
    rows = float(sizes.sum())
    # What is added is as large as the group of a row drawn at random: with groups of unequal size,
    # larger than their mean.
    size = float((sizes**2).sum()) / rows
    effective = rows / size
    # Where nothing differs a whole group might; each one that does says how much of it.
    parts = gained / sizes
    change = math.sqrt((float((parts**2).sum()) + 1) / (np.count_nonzero(gained) + 1))
    difference = float(gained.sum()) / rows
    observed = float(((gained - difference * sizes) ** 2).sum())
    total = rows + 2 * size
    centre = float(gained.sum()) / total
    squares = float(((gained - centre * sizes) ** 2).sum()) + 2 * size**2 * (change**2 + centre**2)
    return PairedSpread(
        difference=difference,
        rows=len(gaps),
        groups=len(sizes),
        effective=effective,
        centre=centre,
        error=math.sqrt(squares * (effective + 2) / (effective + 1)) / total,
        change=change,
        variance=observed / max(1, len(sizes) - 1) / (rows / len(sizes)) ** 2,
    )
