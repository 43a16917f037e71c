"""Paired tests of two systems on the same items, and corrections for multiple tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from epicene.core.errors import InputError, unknown
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


McNemar: TypeAlias = Literal["exact", "chi-square", "chi-square-corrected"]

# Up to this many units that differ, all sign flips are tried: a million sums.
MAX_EXACT_UNITS = 20
_FLIPS_IN_MEMORY = 2**22

# Drawing one binomial number costs about as much as this many single flips.
_UNITS_PER_VALUE = 8

# Sums that differ by less than this share of the largest are equal but for rounding.
_ROUNDING = 1e-9


def permutation_test(
    first: ArrayLike,
    second: ArrayLike,
    groups: Groups = None,
    *,
    resamples: int = 10_000,
    seed: int = 0,
) -> SignificanceResult:
    """The paired permutation test of the mean difference, two-sided, by flipping signs.

    The null hypothesis is that each group's difference is equally likely with either sign, as it is
    when the two systems are the same. It may also be rejected if means are equal but differences
    are skewed: `studentised_test` tests the means.

    With `groups`, all rows of a group flip together. All flips are tried if at most
    `MAX_EXACT_UNITS` units differ; otherwise `resamples` random ones, and the data count as one
    more, so that no p is 0.
    """
    if resamples < 1:
        raise InputError(f"A permutation test needs at least one resample; it was {resamples}.")
    gaps = _paired_differences(first, second)
    if not len(gaps):
        return SignificanceResult(statistic=None, p=None, why="there are no pairs")
    # Sorted, so that the same rows in another order give the same bits.
    units = np.sort(group_sums(gaps[:, None], encode_groups(groups, len(gaps)))[:, 0])
    # A unit without a difference is the same flipped: it changes no sum.
    sizes = np.sort(np.abs(units[units != 0]))
    total = float(units.sum())
    reached = abs(total) - _ROUNDING * float(sizes.sum())
    if len(sizes) <= MAX_EXACT_UNITS:
        p = float(np.mean(np.abs(_all_flips(sizes)) >= reached))
    else:
        flips = _random_flips(sizes, resamples, np.random.default_rng(seed))
        p = (1 + int(np.count_nonzero(np.abs(flips) >= reached))) / (1 + resamples)
    return SignificanceResult(statistic=total / len(gaps), p=p, n=len(units))


def _all_flips(sizes: Floats) -> Floats:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _random_flips(sizes: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Signed sums; of units equally large, only how many are positive need be drawn."""
    values, counts = np.unique(sizes, return_counts=True)
    few = len(values) * _UNITS_PER_VALUE <= len(sizes)
    chunk = max(1, _FLIPS_IN_MEMORY // (len(values) if few else len(sizes)))
    positive = []
    for start in range(0, resamples, chunk):
        rows = min(chunk, resamples - start)
        if few:
            positive.append(rng.binomial(counts, 0.5, size=(rows, len(values))) @ values)
        else:
            positive.append(rng.integers(2, size=(rows, len(sizes)), dtype=np.bool_) @ sizes)
    flips: Floats = 2 * np.concatenate(positive) - sizes.sum()
    return flips


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
    first: ArrayLike, second: ArrayLike, groups: Groups = None
) -> SignificanceResult:
    """Whether the mean difference over rows is zero, two-sided: Student's t over groups.

    It uses the standard error and the degrees of freedom of the interval (see
    `epicene.stats.jackknife`). Unlike `permutation_test`, it does not assume that each group's
    difference is equally likely with either sign.
    """
    gaps = _paired_differences(first, second)
    columns = np.column_stack([gaps, np.ones_like(gaps)])
    return studentised_test_of_sums(columns, lambda sums: sums[:, 0] / sums[:, 1], groups)


def studentised_test_of_sums(
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


def mcnemar_test(
    first: ArrayLike, second: ArrayLike, *, method: McNemar = "exact"
) -> SignificanceResult:
    """McNemar's test of two systems' right (1) and wrong (0) answers to independent items.

    The statistic is the smaller count of the two kinds of disagreement (exact) or chi-square. If
    items come in groups, use `permutation_test` with `groups` instead.
    """
    if method not in get_args(McNemar):
        raise unknown("form of McNemar's test", method, get_args(McNemar))
    a, b = finite_floats(first, "first outcomes"), finite_floats(second, "second outcomes")
    same_length(first=a, second=b)
    if not np.isin(np.concatenate([a, b]), (0, 1)).all():
        raise InputError("McNemar's test takes only outcomes 0 and 1.")
    only_first, only_second = int(np.sum(a > b)), int(np.sum(a < b))
    disagreements = only_first + only_second
    if not disagreements:
        return SignificanceResult(statistic=None, p=None, n=len(a), why="the two never disagree")
    from scipy.special import bdtr, chdtrc

    if method == "exact":
        fewer = min(only_first, only_second)
        p = min(1.0, 2 * float(bdtr(fewer, disagreements, 0.5)))
        return SignificanceResult(statistic=float(fewer), p=p, n=len(a))
    gap = abs(only_first - only_second) - (1 if method == "chi-square-corrected" else 0)
    statistic = max(gap, 0) ** 2 / disagreements
    return SignificanceResult(statistic=statistic, p=float(chdtrc(1, statistic)), n=len(a))


def _paired_differences(first: ArrayLike, second: ArrayLike) -> Floats:
    a, b = finite_floats(first, "first values"), finite_floats(second, "second values")
    same_length(first=a, second=b)
    return a - b
