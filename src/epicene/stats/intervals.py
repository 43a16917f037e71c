"""Confidence intervals by group: Wilson's for shares, Student's for differences.

Variants of one sentence are not independent, so the unit is the group: how uncertain a number is
follows from how much it moves when each group is left out (`epicene.stats.jackknife`). The same
rows in any order give bit-identical results.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias, TypedDict, Unpack

import numpy as np

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.stats import jackknife
from epicene.stats.arrays import (
    GroupClasses,
    Groups,
    collapse_groups,
    critical_value,
    encode_groups,
    finite_floats,
    finite_or_none,
    safe_ratio,
    same_length,
)
from epicene.stats.jackknife import (
    Bounds,
    Scale,
    hidden_ends,
    share_ends,
    spread,
    wilson_ends,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from epicene.stats.arrays import Floats, Ints


def wilson(successes: float, n: float, *, level: float = 0.95) -> Estimate:
    """A share of `n` independent trials; a tie may count as half a success."""
    critical_value(level)
    if not 0 <= successes <= n:
        raise InputError(f"There cannot be {successes} successes in {n} trials.")
    if n == 0:
        return Estimate(value=None, why="there are no items")
    low, high = wilson_ends(successes / n, n, level)
    return Estimate(value=successes / n, low=low, high=high, n=math.ceil(n), groups=n)


def proportion(
    right: ArrayLike, n: ArrayLike | None = None, groups: Groups = None, *, level: float = 0.95
) -> Estimate:
    """The share of right answers among rows that come in groups.

    `right` of each row is between 0 and that row's `n` (default: 1). The interval is Wilson's on
    the effective number of items: the number of independent items that would vary as much as the
    groups do, at least one per group and never more than there are. If the groups do not differ at
    all (e.g. everything is right), their number alone decides the width.
    """
    above = finite_floats(right, "right answers")
    below = np.ones_like(above) if n is None else finite_floats(n, "numbers of items")
    same_length(right=above, n=below, groups=groups)
    _check_counts(above, below)
    codes = encode_groups(groups, len(above))
    columns = np.column_stack([above, below])
    if n is not None:  # a group without an item is none
        columns, codes = columns[below > 0], codes[below > 0]
    (classes,) = collapse_groups(columns, codes, [len(columns)])
    return _proportion(classes, level)


def proportions(
    right: ArrayLike, groups: Ints, sizes: Sequence[int], *, level: float = 0.95
) -> list[Estimate]:
    """`proportion` for consecutive parts with these numbers of rows, faster than one by one."""
    above = finite_floats(right, "right answers")
    below = np.ones_like(above)
    _check_counts(above, below)
    parts = collapse_groups(np.column_stack([above, below]), groups, sizes)
    return [_proportion(classes, level) for classes in parts]


def _check_counts(above: Floats, below: Floats) -> None:
    wrong = (above < 0) | (above > below)
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"There cannot be {above[row]} right answers out of {below[row]} at index {row}."
        )


def _proportion(classes: GroupClasses, level: float) -> Estimate:
    right, total = classes.totals.tolist()
    if total == 0:
        return Estimate(value=None, why="there are no items")
    share, n = right / total, math.ceil(total)
    if classes.values[:, 1].max() <= 1:  # every item is a group: nothing needs to be estimated
        low, high = wilson_ends(share, total, level)
        return Estimate(value=share, low=low, high=high, n=n, groups=total)
    return _share_of_groups(classes, share, n, level, at_most=total)


def _share_of_groups(
    classes: GroupClasses, share: float, n: int, level: float, *, at_most: float = math.inf
) -> Estimate:
    """A ratio of sums between 0 and 1 whose groups all have a denominator."""
    numerators, denominators = classes.values.T
    total = float(classes.counts @ denominators)
    # A group's weight is its denominator, so unequal groups count as fewer (Kish).
    groups = total**2 / float(classes.counts @ denominators**2)
    left_out = safe_ratio(share * total - numerators, total - denominators)
    found = spread(left_out if classes.groups > 1 else np.array([share]), classes.counts)
    found = found._replace(groups=groups)
    # Not even groups that are right or wrong as a whole vary more than `groups` items do.
    unseen = hidden_ends(share, groups, level)
    low, high = share_ends(share, found, level, unseen=unseen, at_least=groups, at_most=at_most)
    return Estimate(value=share, low=low, high=high, n=n, groups=found.effective)


def standard_error(values: ArrayLike) -> Estimate:
    """The standard error of a mean of independent values (denominator n − 1)."""
    array = finite_floats(values, "values")
    if len(array) < 2:
        return Estimate(value=None, n=len(array), why="there are fewer than two values")
    return Estimate(value=float(array.std(ddof=1)) / math.sqrt(len(array)), n=len(array))


# Sums (row of sums × column) → the statistic of each row, NaN where it is undefined.
SumStatistic: TypeAlias = "Callable[[Floats], Floats]"


class IntervalOptions(TypedDict, total=False):
    """The options of every interval: its level, and the range of the statistic."""

    level: float
    bounds: Bounds | None


def clustered_mean(
    numerators: ArrayLike,
    denominators: ArrayLike | None = None,
    groups: Groups = None,
    **options: Unpack[IntervalOptions],
) -> Estimate:
    """A ratio of sums, by default a mean, with an interval over groups.

    With `bounds` (the range of each row's own ratio), the interval stays within them, and if all
    groups are alike it covers what unseen groups could change.
    """
    columns = _ratio_columns(numerators, denominators)
    codes = encode_groups(groups, len(columns))
    if denominators is not None:  # a group without a denominator is none
        columns, codes = columns[columns[:, 1] > 0], codes[columns[:, 1] > 0]
    (classes,) = collapse_groups(columns, codes, [len(columns)])
    return _mean_of_classes(classes, len(columns), **options)


def clustered_means(
    values: ArrayLike, groups: Ints, sizes: Sequence[int], **options: Unpack[IntervalOptions]
) -> list[Estimate]:
    """`clustered_mean` for consecutive parts with these numbers of rows, faster than one by one."""
    parts = collapse_groups(_ratio_columns(values, None), groups, sizes)
    return [
        _mean_of_classes(classes, size, **options)
        for classes, size in zip(parts, sizes, strict=True)
    ]


def _mean_of_classes(
    classes: GroupClasses, n: int, *, level: float = 0.95, bounds: Bounds | None = None
) -> Estimate:
    critical_value(level)
    if not len(classes.counts):
        return Estimate(value=None, why="there are no rows")
    if bounds is None:
        return _estimate_of_classes(classes, _ratio, n, level=level)
    least, width = float(bounds[0]), float(bounds[1] - bounds[0])
    values = np.column_stack(
        [(classes.values[:, 0] - least * classes.values[:, 1]) / width, classes.values[:, 1]]
    )
    total, below = (classes.counts @ values).tolist()
    scaled = GroupClasses(values=values, counts=classes.counts)
    found = _share_of_groups(scaled, total / below, n, level)
    numbers = (found.value, found.low, found.high)
    value, low, high = (None if x is None else least + width * x for x in numbers)
    return Estimate(value=value, low=low, high=high, n=n, groups=found.groups)


def _ratio(sums: Floats) -> Floats:
    return safe_ratio(sums[:, 0], sums[:, 1])


def _ratio_difference(sums: Floats) -> Floats:
    return _ratio(sums[:, :2]) - _ratio(sums[:, 2:])


def clustered_difference(
    first: ArrayLike,
    second: ArrayLike,
    groups: Groups = None,
    *,
    first_denominators: ArrayLike | None = None,
    second_denominators: ArrayLike | None = None,
    **options: Unpack[IntervalOptions],
) -> Estimate:
    """First minus second: two means or ratios of sums over the same groups.

    A row that one system lacks has numerator and denominator 0 there.
    """
    same_length(first=np.asarray(first), second=np.asarray(second))
    columns = np.hstack(
        [_ratio_columns(first, first_denominators), _ratio_columns(second, second_denominators)]
    )
    return statistic_of_sums(
        columns,
        _ratio_difference,
        groups,
        n=int(np.count_nonzero(columns[:, 1] + columns[:, 3])),
        undefined="the denominators of one side sum to zero",
        scale="difference",
        **options,
    )


def statistic_of_sums(
    columns: Floats,
    statistic: SumStatistic,
    groups: Groups = None,
    *,
    n: int | None = None,
    undefined: str = "it is undefined for these data",
    scale: Scale = "share",
    **options: Unpack[IntervalOptions],
) -> Estimate:
    """A function of column sums (row × column), with an interval over groups.

    Use this one if you can, as it is fast: correlations, agreement coefficients and F-scores are
    functions of sums too.
    """
    codes = encode_groups(groups, len(columns))
    (classes,) = collapse_groups(columns, codes, [len(columns)])
    n = len(columns) if n is None else n
    return _estimate_of_classes(classes, statistic, n, undefined=undefined, scale=scale, **options)


def _estimate_of_classes(
    classes: GroupClasses,
    statistic: SumStatistic,
    n: int,
    *,
    undefined: str = "the denominators sum to zero",
    scale: Scale = "share",
    level: float = 0.95,
    bounds: Bounds | None = None,
) -> Estimate:
    critical_value(level)
    if not len(classes.counts):
        return Estimate(value=None, why="there are no rows")
    value = finite_or_none(statistic(classes.totals[None])[0])
    if value is None:
        return Estimate(value=None, n=n, why=undefined)
    if classes.groups == 1:
        left_out = np.array([value])
    else:
        left_out = statistic(classes.totals - classes.values)
    return jackknife.estimate(
        value, left_out, classes.counts, n=n, level=level, bounds=bounds, scale=scale
    )


def statistic_of_rows(
    statistic: Callable[[Ints], float | None],
    groups: Groups,
    *,
    level: float = 0.95,
    bounds: Bounds | None = None,
    scale: Scale = "share",
) -> Estimate:
    """Any function of rows (given as row numbers), with an interval over groups.

    `groups` has one label per row. This is slower than `statistic_of_sums`: the function is called
    once per group or, with more than `MAX_BLOCKS` groups, once per block of groups.
    """
    critical_value(level)
    if groups is None or not len(groups):
        return Estimate(value=None, why="there are no rows")
    n = len(groups)
    codes = encode_groups(groups, n) % MAX_BLOCKS
    blocks = int(codes.max()) + 1

    def of(rows: Ints) -> float:
        result = statistic(rows)
        return np.nan if result is None else float(result)

    value = finite_or_none(of(np.arange(n)))
    if value is None:
        return Estimate(value=None, n=n, why="it is undefined for these data")
    if blocks == 1:
        left_out = np.array([value])
    else:
        left_out = np.array([of(np.flatnonzero(codes != block)) for block in range(blocks)])
    counts = np.ones(blocks, dtype=np.int64)
    return jackknife.estimate(value, left_out, counts, n=n, level=level, bounds=bounds, scale=scale)


# A function of rows is called at most this often.
MAX_BLOCKS = 500


def _ratio_columns(numerators: ArrayLike, denominators: ArrayLike | None) -> Floats:
    above = finite_floats(numerators, "numerators")
    below = (
        np.ones_like(above) if denominators is None else finite_floats(denominators, "denominators")
    )
    same_length(numerators=above, denominators=below)
    if below.size and below.min() < 0:
        raise InputError("A denominator is negative; a ratio of sums needs counts or weights.")
    return np.column_stack([above, below])
