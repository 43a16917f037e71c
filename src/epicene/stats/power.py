"""How many groups a difference needs, and which difference so many groups detect.

The normal approximation, n · d² = (z₁₋α/₂ + z_power)² · s², with the variance s² of a pilot. A
pilot knows its variance only roughly, so plans use the upper 80 % limit of it (Browne 1995), and
the interval of a plan is what the 95 % limits of the variance allow. A difference
d adds a variance of its own, d · c − d², if groups differ by c where they do.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.stats.arrays import NORMAL

if TYPE_CHECKING:
    from epicene.stats.paired_spread import PairedSpread

ALPHA = 0.05
POWER = 0.8
LEAST_GROUPS = 10  # of a pilot, and of a plan
_LOW, _PLANNED, _HIGH = 0.025, 0.8, 0.975  # one-sided levels of the limits of the variance


def groups_needed(
    spread: PairedSpread, difference: float, *, alpha: float = ALPHA, power: float = POWER
) -> Estimate:
    """How many groups detect a difference, two-sided, with that power."""
    check_pilot(spread)
    reach, size = _reach(alpha, power), abs(difference)

    def needed(level: float) -> int:
        variance = _variance_limit(spread, level) + max(0.0, size * spread.change - size**2)
        return max(LEAST_GROUPS, math.ceil(reach**2 * variance / size**2))

    return Estimate(value=needed(_PLANNED), low=needed(_LOW), high=needed(_HIGH), n=spread.groups)


def detectable_difference(
    spread: PairedSpread, groups: float, *, alpha: float = ALPHA, power: float = POWER
) -> Estimate:
    """The smallest difference that so many groups detect, two-sided, with that power."""
    check_pilot(spread)
    squared = _reach(alpha, power) ** 2
    half = squared * spread.change / 2

    def detected(level: float) -> float:
        """The d for which (groups + reach²) · d² − reach² · c · d − reach² · s² is 0."""
        rest = squared * (groups + squared) * _variance_limit(spread, level)
        return (half + math.sqrt(half**2 + rest)) / (groups + squared)

    value = detected(_PLANNED)
    if value >= 1:
        why = f"{groups:.0f} groups cannot detect any difference, however large"
        return Estimate(value=None, n=spread.groups, why=why)
    return Estimate(
        value=value, low=detected(_LOW), high=min(1.0, detected(_HIGH)), n=spread.groups
    )


def check_pilot(spread: PairedSpread) -> None:
    """Raise if a pilot has too few groups to say how much they vary."""
    if spread.groups < LEAST_GROUPS:
        raise InputError(
            f"{spread.groups} groups of items say too little about how much answers vary; a plan "
            f"needs a pilot with at least {LEAST_GROUPS}."
        )


def check_share(name: str, value: float) -> None:
    """Raise unless 0 < value < 1."""
    if not 0 < value < 1:
        hint = f"; write {value / 100:g} for {value:g} %" if 1 < value < 100 else ""
        raise InputError(f"{name} must be between 0 and 1, not {value:g}{hint}.")


def _reach(alpha: float, power: float) -> float:
    """How many standard errors away a difference must be."""
    return NORMAL.inv_cdf(1 - alpha / 2) + NORMAL.inv_cdf(power)


def _variance_limit(spread: PairedSpread, level: float) -> float:
    """The upper limit of the variance at a one-sided level (chi-square)."""
    from scipy.special import chdtri

    freedom = max(1.0, spread.effective - 1)
    return spread.variance * freedom / float(chdtri(freedom, level))
