"""The difference of two independent estimates, from the interval of each.

The method of variance estimates recovery (Newcombe 1998, method 10; Zou and Donner 2008): each end
takes its width from the ends of the two intervals that matter for it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from epicene.stats.arrays import NORMAL

if TYPE_CHECKING:
    from epicene.core.records import Estimate

_LEVEL = 0.975  # of either end of the intervals of estimates


class IndependentDifference(NamedTuple):
    """Second minus first, with how far it may be lower or higher (two-sided 95 %)."""

    difference: float
    below: float
    above: float

    def low(self, level: float) -> float:
        """The lower bound of the difference at this one-sided level (e.g. 0.975)."""
        return self.difference - self.below * _scale(level)

    def high(self, level: float) -> float:
        """The upper bound of the difference at this one-sided level."""
        return self.difference + self.above * _scale(level)

    def times_needed(
        self, distance: float, *, alpha: float, power: float, below: bool = False
    ) -> float:
        """How many times as much data would show the difference to be above one at that distance,
        or below it.

        The bound of one-sided level 1 − alpha then reaches it with a chance of `power`.
        """
        error = (self.above if below else self.below) / NORMAL.inv_cdf(_LEVEL)
        reach = NORMAL.inv_cdf(1 - alpha) + NORMAL.inv_cdf(power)
        return (reach * error / distance) ** 2


def _scale(level: float) -> float:
    return NORMAL.inv_cdf(level) / NORMAL.inv_cdf(_LEVEL)


def independent_difference(first: Estimate, second: Estimate) -> IndependentDifference | None:
    """Second minus first; None unless both have an interval."""
    if first.value is None or second.value is None:
        return None
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return None
    return IndependentDifference(
        second.value - first.value,
        math.hypot(second.value - second.low, first.high - first.value),
        math.hypot(second.high - second.value, first.value - first.low),
    )
