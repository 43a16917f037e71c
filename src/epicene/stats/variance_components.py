"""Variance components: how similar judgements of one item, one group or one wording are.

They are estimated by moments: the mean product of two judgements' deviations, over pairs that share
the item, the group but not the item, or the wording but not the group. This assumes no distribution
and holds for unequal sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.stats.arrays import encode_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from epicene.stats.arrays import Floats, Groups, Ints


class VarianceComponents(NamedTuple):
    """Components of the variance of one judgement; None for those the data cannot show."""

    total: float
    group: float  # shared by items of one group
    item: float | None  # beyond that, shared by judgements of one item
    rest: float  # of a judgement's own: the sample, or the annotator
    wording: float | None = None  # shared by judgements of one wording in different groups

    @property
    def icc(self) -> float:
        """The correlation of two items' judgements in one group."""
        return self.group / self.total if self.total else 0.0

    @property
    def agreement(self) -> float:
        """The correlation of two judgements of one item; 1 if each item has one."""
        if self.item is None:
            return 1.0
        return (self.group + self.item) / self.total if self.total else 0.0


def variance_components(
    values: Floats, groups: Groups, items: Groups, wordings: Groups = None
) -> VarianceComponents:
    """The components of values with a label each for group, item and perhaps wording.

    Negative estimates are taken as 0.
    """
    n = len(values)
    group, item = encode_groups(groups, n), encode_groups(items, n)
    deviations = values - values.mean()
    of_groups, of_items = np.bincount(group, deviations), np.bincount(item, deviations)
    # The mean is estimated from the same data, so that every product is too small by its variance.
    bias = float(np.sum(of_groups**2)) / n**2
    squares = float(np.sum(deviations**2))
    total = squares / n + bias
    within_items = _pairs(item) - n
    same_item = (
        (float(np.sum(of_items**2)) - squares) / within_items + bias if within_items else None
    )
    within_groups = _pairs(group) - _pairs(item)
    same_group = 0.0
    if within_groups:
        products = float(np.sum(of_groups**2) - np.sum(of_items**2))
        same_group = float(np.clip(products / within_groups + bias, 0, total))
    between_items = None
    if same_item is not None:
        between_items = max(0.0, min(same_item, total) - same_group)
    wording = None
    if wordings is not None:
        wording = _same_wording(deviations, group, encode_groups(wordings, n), bias)
    return VarianceComponents(
        total=total,
        group=same_group,
        item=between_items,
        rest=max(0.0, total - same_group - (between_items or 0.0)),
        wording=wording,
    )


def _pairs(codes: Ints) -> int:
    """Ordered pairs of rows with one code, each row with itself too."""
    counts = np.bincount(codes)
    return int(np.sum(counts**2))


def _same_wording(deviations: Floats, group: Ints, wording: Ints, bias: float) -> float | None:
    cells = encode_groups(group * (int(wording.max()) + 1) + wording, len(group))
    pairs = _pairs(wording) - _pairs(cells)
    if not pairs or wording.max() == 0:
        return None
    products = np.sum(np.bincount(wording, deviations) ** 2)
    products -= np.sum(np.bincount(cells, deviations) ** 2)
    return max(0.0, float(products) / pairs + bias)


class CrossedComponents(NamedTuple):
    """Parts of the variance of one judgement where every item is asked in every wording."""

    item: float  # shared by an item's judgements in all wordings, with what its group shares
    wording: float  # shared by all items in one wording
    interaction: float  # an item's own difference between wordings; where there is one sample, too
    sample: float | None  # None if an item has one judgement in each wording
    items: int  # that have judgements in every wording

    @property
    def total(self) -> float:
        """The variance of a judgement of any item in any wording."""
        return self.item + self.wording + self.interaction + (self.sample or 0.0)


def crossed_components(
    values: Floats, items: Groups, wordings: Groups, groups: Groups = None
) -> CrossedComponents | None:
    """Components of a two-way design with random items and wordings, by the analysis of variance.

    Items that lack a wording are left out; None if fewer than two items or wordings remain. The
    variance between wordings is the variance of their means minus the part due to chance, which is
    estimated over groups of items: without groups, it is the mean square of the interaction divided
    by the number of items. Negative estimates are taken as 0.
    """
    n = len(values)
    item, wording = encode_groups(items, n), encode_groups(wordings, n)
    if not n or not wording.max():
        return None
    shape = (int(item.max()) + 1, int(wording.max()) + 1)
    cell = item * shape[1] + wording
    counts = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    whole = counts.min(axis=1) > 0
    if whole.sum() < 2:
        return None
    sums = np.bincount(cell, values, minlength=shape[0] * shape[1]).reshape(shape)
    counts = counts[whole]
    means = sums[whole] / counts
    number, ways = means.shape
    rows, columns = means.mean(axis=1), means.mean(axis=0)
    residuals = means - rows[:, None] - columns + means.mean()
    between_items = ways * float(rows.var(ddof=1))
    crossed = float(np.sum(residuals**2)) / ((number - 1) * (ways - 1))
    group = encode_groups(groups, n) if groups is not None else item
    of_item = np.zeros(shape[0], dtype=np.int64)
    of_item[item] = group
    chance = _chance_between_columns(residuals, encode_groups(of_item[whole], number))
    within = _within_cells(values, cell, whole[item])
    per_cell = 1 / float(np.mean(1 / counts))
    return CrossedComponents(
        item=max(0.0, (between_items - crossed) / ways),
        wording=max(0.0, float(columns.var(ddof=1)) - chance),
        interaction=max(0.0, crossed - (within or 0.0) / per_cell),
        sample=within,
        items=number,
    )


def _chance_between_columns(residuals: Floats, groups: Ints) -> float:
    """The variance between the means of columns that chance alone gives, over groups of rows."""
    number, ways = (int(size) for size in residuals.shape)
    sums = np.column_stack([np.bincount(groups, column) for column in residuals.T])
    count = len(sums)
    if count < 2:
        return 0.0
    return float(np.sum(sums**2)) / float(number**2) * count / ((count - 1) * (ways - 1))


def _within_cells(values: Floats, cell: Ints, kept: NDArray[np.bool_]) -> float | None:
    """The variance of judgements of one item in one wording; None if there is one of each."""
    codes = encode_groups(cell[kept], int(kept.sum()))
    counts = np.bincount(codes)
    freedom = len(codes) - len(counts)
    if not freedom:
        return None
    means = np.bincount(codes, values[kept]) / counts
    return float(np.sum((values[kept] - means[codes]) ** 2)) / freedom
