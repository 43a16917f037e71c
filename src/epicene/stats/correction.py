"""Adjusted p-values over a family of tests. A test without a p stays without, and counts not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from epicene.errors import InputError

if TYPE_CHECKING:
    from epicene.stats.checks import Floats

PValues = Sequence[float | None]


def holm(p_values: PValues) -> tuple[float | None, ...]:
    """Holm's step-down: the chance of any false alarm stays below the level."""

    def adjust(p: Floats) -> Floats:
        order = np.argsort(p, kind="stable")
        raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
        adjusted = np.empty_like(p)
        adjusted[order] = np.minimum(raised, 1.0)
        return adjusted

    return _where_defined(p_values, adjust)


def benjamini_hochberg(p_values: PValues) -> tuple[float | None, ...]:
    """Benjamini and Hochberg's step-up: the expected share of false alarms stays below it."""

    def adjust(p: Floats) -> Floats:
        from scipy.stats import false_discovery_control

        adjusted: Floats = false_discovery_control(p, method="bh")
        return adjusted

    return _where_defined(p_values, adjust)


def _where_defined(
    p_values: PValues, adjust: Callable[[Floats], Floats]
) -> tuple[float | None, ...]:
    defined = np.array([p for p in p_values if p is not None], dtype=np.float64)
    if not ((defined >= 0) & (defined <= 1)).all():
        raise InputError("A p-value lies between 0 and 1.")
    adjusted = iter(adjust(defined).tolist() if len(defined) else ())
    return tuple(None if p is None else next(adjusted) for p in p_values)
