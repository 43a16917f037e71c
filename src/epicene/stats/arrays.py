"""Checked NumPy arrays, and rows summed by cluster.

A statistic of sums depends on a group only through the group's sums. A million groups of one right
or wrong answer therefore form two classes, and the effect of leaving out a group is computed only
twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence, Sized

    from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Ints: TypeAlias = "NDArray[np.int64]"

NORMAL = NormalDist()


def critical_value(level: float) -> float:
    """How many standard errors a two-sided interval of that level reaches to either side."""
    if not 0 < level < 1:
        raise InputError(f"A confidence level must be between 0 and 1, e.g. 0.95; it was {level}.")
    return NORMAL.inv_cdf((1 + level) / 2)


def finite_floats(values: ArrayLike, what: str) -> Floats:
    """One-dimensional finite floats."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(
            f"The {what} have {array.ndim} dimensions; give a one-dimensional sequence."
        )
    finite = np.isfinite(array)
    if not finite.all():
        bad = int(finite.argmin())
        raise InputError(
            f"The {what} have {array[bad]} at index {bad}; leave out values that are not finite "
            "numbers."
        )
    return array


def same_length(**named: Sized | None) -> int:
    """The common length of the given sequences."""
    lengths = {name: len(values) for name, values in named.items() if values is not None}
    first, *others = lengths.values()
    if any(other != first for other in others):
        raise InputError(
            "These must have the same length: "
            + ", ".join(f"{name} ({length})" for name, length in lengths.items())
            + "."
        )
    return first


def max_unseen_share(n: float, level: float) -> float:
    """The largest share that is still plausible if none was seen among `n`.

    This is the upper Wilson limit of 0 in `n`. If nothing varies, a standard error of 0 would claim
    certainty from any amount of data; this share shrinks only as `n` grows.
    """
    z2 = critical_value(level) ** 2
    return z2 / (n + z2)


def safe_ratio(above: Floats, below: Floats) -> Floats:
    """The ratio of two arrays; NaN where the denominator is 0."""
    result = np.full(above.shape, np.nan)
    np.divide(above, below, out=result, where=below != 0)
    return result


def finite_or_none(value: Any) -> float | None:
    """The value as a float, or None if it is not finite."""
    number = float(value)
    return number if np.isfinite(number) else None


# A label per row (text or whole numbers); None makes each row its own group.
Groups: TypeAlias = "Collection[Hashable] | NDArray[Any] | None"


def encode_groups(groups: Groups, rows: int) -> Ints:
    """The labels as numbers 0, 1, …"""
    if groups is None:
        return np.arange(rows, dtype=np.int64)
    same_length(rows=range(rows), groups=groups)
    if isinstance(groups, np.ndarray):
        if groups.dtype.kind in "biu":
            return _ranks(groups)
        groups = groups.tolist()
    seen: dict[Hashable, int] = {}
    return np.fromiter((seen.setdefault(label, len(seen)) for label in groups), np.int64, rows)


def _ranks(numbers: NDArray[Any]) -> Ints:
    """Each number's rank among those that occur; found by counting if they are few, otherwise by
    sorting."""
    if numbers.dtype.kind == "i" and numbers.size and numbers.min() >= 0:
        highest = int(numbers.max())
        if highest <= _DENSE * numbers.size:
            occurs = np.zeros(highest + 1, dtype=np.int64)
            occurs[numbers] = 1
            ranks: Ints = np.cumsum(occurs) - 1
            return ranks.take(numbers)
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


# Numbers up to this many times the number of rows are counted rather than sorted.
_DENSE = 16


@dataclass(frozen=True)
class GroupClasses:
    """Groups with equal sums merged into classes: the sums (class × column) and the number of
    groups in each."""

    values: Floats
    counts: Ints

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.counts.sum())

    @property
    def totals(self) -> Floats:
        """The sums over all rows."""
        totals: Floats = self.counts @ self.values
        return totals


def group_sums(columns: Floats, codes: Ints) -> Floats:
    """Each column (row × column) summed within each group (group × column)."""
    groups = int(codes.max()) + 1 if codes.size else 0
    sums = np.empty((groups, columns.shape[1]))
    for number, column in enumerate(columns.T):
        sums[:, number] = _sums(column, codes, groups)
    return sums


def _sums(column: Floats, codes: Ints, groups: int) -> Floats:
    if not (column == np.rint(column)).all():
        # Fractions are added in one order whatever the order of the rows, so that the same data
        # give the same bits.
        order = np.lexsort((column, codes))
        column, codes = column[order], codes[order]
    sums: Floats = np.bincount(codes, weights=column, minlength=groups).astype(np.float64)
    return sums


def collapse_groups(columns: Floats, codes: Ints, sizes: Sequence[int]) -> list[GroupClasses]:
    """The groups (by their codes) of consecutive parts of some rows (row × column), in classes.

    The classes of a part are in the order of their values.
    """
    part = np.repeat(np.arange(len(sizes)), sizes)
    codes = encode_groups(part * (codes.max(initial=0) + 1) + codes, len(codes))
    sums = group_sums(columns, codes)
    owners = np.empty(len(sums), dtype=np.int64)
    owners[codes] = part
    order = np.lexsort((*sums.T[::-1], owners))
    sums, owners = sums[order], owners[order]
    begins = np.ones(len(sums), dtype=bool)
    begins[1:] = (sums[1:] != sums[:-1]).any(axis=1) | (owners[1:] != owners[:-1])
    counts, values = np.bincount(begins.cumsum() - 1), sums[begins]
    ends = np.searchsorted(owners[begins], np.arange(len(sizes)), side="right").tolist()
    return [
        GroupClasses(values=values[start:end].copy(), counts=counts[start:end].copy())
        for start, end in pairwise([0, *ends])
    ]
