"""Fit a beta distribution to shares by the method of moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epicene.core.errors import InputError
from epicene.core.records import Record
from epicene.stats.arrays import finite_floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class BetaFit(Record, frozen=True, kw_only=True):
    """The two shape parameters; if undefined, None with the reason in `why`."""

    alpha: float | None
    beta: float | None
    n: int = 0
    why: str = ""


def beta_by_moments(shares: ArrayLike) -> BetaFit:
    """Fit the mean and variance (denominator n − 1) of values between 0 and 1."""
    values = finite_floats(shares, "shares")
    n = len(values)
    if n and (values.min() < 0 or values.max() > 1):
        raise InputError("A beta distribution needs values between 0 and 1.")
    if n < 2:
        return BetaFit(alpha=None, beta=None, n=n, why="there are fewer than two values")
    mean, variance = float(values.mean()), float(values.var(ddof=1))
    if np.ptp(values) == 0:
        return BetaFit(alpha=None, beta=None, n=n, why="all values are equal")
    largest = mean * (1 - mean)
    if variance >= largest:
        why = "the values vary more than any beta distribution with their mean"
        return BetaFit(alpha=None, beta=None, n=n, why=why)
    size = largest / variance - 1
    return BetaFit(alpha=mean * size, beta=(1 - mean) * size, n=n)
