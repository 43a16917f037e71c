"""Paired tests of two systems on the same items, and corrections for multiple tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from epicene.core.errors import InputError
from epicene.stats import SignificanceResult
from epicene.stats.arrays import (
    Groups,
    collapse_groups,
    encode_groups,
    finite_floats,
    group_sums,
    same_length,
)
from epicene.stats.jackknife import spread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from epicene.stats.arrays import Floats
    from epicene.stats.intervals import SumStatistic

PValues = Sequence[float | None]


def holm(p_values: PValues) -> tuple[float | None, ...]:
    """Holm's step-down correction: the chance of any false positive stays below the level."""

    def adjust(p: Floats) -> Floats:
        order = np.argsort(p, kind="stable")
        raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
        adjusted = np.empty_like(p)
        adjusted[order] = np.minimum(raised, 1.0)
        return adjusted

    return _adjust_defined(p_values, adjust)


def benjamini_hochberg(p_values: PValues) -> tuple[float | None, ...]:
    """Benjamini and Hochberg's step-up correction: the expected share of false positives stays
    below the level."""

    def adjust(p: Floats) -> Floats:
        from scipy.stats import false_discovery_control

        adjusted: Floats = false_discovery_control(p, method="bh")
        return adjusted

    return _adjust_defined(p_values, adjust)


def _adjust_defined(
    p_values: PValues, adjust: Callable[[Floats], Floats]
) -> tuple[float | None, ...]:
    defined = np.array([p for p in p_values if p is not None], dtype=np.float64)
    if not ((defined >= 0) & (defined <= 1)).all():
        raise InputError("A p-value must be between 0 and 1.")
    adjusted = iter(adjust(defined).tolist() if len(defined) else ())
    return tuple(None if p is None else next(adjusted) for p in p_values)


# Sums that differ by less than this share of the largest are equal but for rounding.
_ROUNDING = 1e-9


def paired_t_test(first: ArrayLike, second: ArrayLike, groups: Groups = None) -> SignificanceResult:
    """Student's paired t-test, two-sided; with `groups`, over the groups' mean differences."""
    gaps = _paired_differences(first, second)
    if not len(gaps):
        return SignificanceResult(statistic=None, p=None, why="there are no pairs")
    sums = group_sums(np.column_stack([gaps, np.ones_like(gaps)]), encode_groups(groups, len(gaps)))
    means = np.sort(sums[:, 0] / sums[:, 1])
    if len(means) < 2:
        return SignificanceResult(
            statistic=None, p=None, n=len(means), why="there is only one pair or group"
        )
    if np.ptp(means) <= _ROUNDING * np.abs(means).max():
        return SignificanceResult(
            statistic=None, p=None, n=len(means), why="all differences are equal"
        )
    # As scipy.stats.ttest_1samp has it, whose checks of its input take longer than the test.
    from scipy.special import stdtr

    statistic = float(means.mean() / (means.std(ddof=1) / np.sqrt(len(means))))
    p = 2 * float(stdtr(len(means) - 1, -abs(statistic)))
    return SignificanceResult(statistic=statistic, p=p, n=len(means))


def studentised_test(
    columns: Floats, statistic: SumStatistic, groups: Groups = None
) -> SignificanceResult:
    """Whether a function of column sums (row × column), such as a difference of two scores, is
    zero: Student's t over groups, two-sided."""
    if not len(columns):
        return SignificanceResult(statistic=None, p=None, why="there are no pairs")
    (classes,) = collapse_groups(columns, encode_groups(groups, len(columns)), [len(columns)])
    if classes.groups < 2:
        return SignificanceResult(statistic=None, p=None, n=1, why="there is one group only")
    left_out = statistic(classes.totals - classes.values)
    value = float(statistic(classes.totals[None])[0])
    if not np.isfinite([value, *left_out]).all():
        why = "it is undefined without one of the groups"
        return SignificanceResult(statistic=None, p=None, n=classes.groups, why=why)
    found = spread(left_out, classes.counts)
    if not found.variance:
        why = "all differences are equal"
        return SignificanceResult(statistic=None, p=None, n=classes.groups, why=why)
    from scipy.special import stdtr

    t = value / math.sqrt(found.variance)
    p = 2 * float(stdtr(found.freedom, -abs(t)))
    return SignificanceResult(statistic=t, p=p, n=classes.groups)


def _paired_differences(first: ArrayLike, second: ArrayLike) -> Floats:
    a, b = finite_floats(first, "first values"), finite_floats(second, "second values")
    same_length(first=a, second=b)
    return a - b
