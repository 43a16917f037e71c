"""Rows into groups, and groups into classes of equal sums.

A statistic of sums sees of a group only the group's own sums. A million groups of one right or
wrong answer are therefore two classes, and drawing how often each class comes up is exactly
drawing groups with replacement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from epicene.stats.checks import same_length

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from numpy.typing import NDArray

    from epicene.stats.checks import Floats, Ints

# A label per row (text or whole numbers); None makes each row its own group.
Groups: TypeAlias = "Collection[Hashable] | NDArray[Any] | None"


def encode(groups: Groups, rows: int) -> Ints:
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
    """Each number's place among those that occur; counted where they are few, else sorted."""
    if numbers.dtype.kind == "i" and numbers.size and numbers.min() >= 0:
        highest = int(numbers.max())
        if highest <= _DENSE * numbers.size:
            occurs = np.zeros(highest + 1, dtype=np.int64)
            occurs[numbers] = 1
            ranks: Ints = np.cumsum(occurs) - 1
            return ranks.take(numbers)
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


# Up to so many times as large as there are rows, numbers are counted rather than sorted.
_DENSE = 16


@dataclass(frozen=True)
class Classes:
    """Groups of equal sums put together: the sums (class × column) and how many groups each."""

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
    return np.stack([_sums(column, codes, groups) for column in columns.T], axis=1)


def _sums(column: Floats, codes: Ints, groups: int) -> Floats:
    whole = bool(np.all(column == np.rint(column)))
    # Fractions are added in one order whatever the order of the rows, so that the same data
    # give the same bits.
    order = slice(None) if whole else np.lexsort((column, codes))
    return np.bincount(codes[order], weights=column[order], minlength=groups).astype(np.float64)


def collapse(sums: Floats) -> Classes:
    """Groups (group × column) into classes, in the order of their values."""
    codes = np.zeros(len(sums), dtype=np.int64)
    for column in sums.T:
        if len(column) and not np.ptp(column):  # it tells no groups apart
            continue
        levels, inverse = np.unique(column, return_inverse=True)
        if codes.any():
            codes = np.unique(codes * len(levels) + inverse, return_inverse=True)[1]
        else:
            codes = inverse
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    return Classes(values=sums[first], counts=counts.astype(np.int64))
