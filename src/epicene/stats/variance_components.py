"""How far judgements of one item, one group or one wording are alike: components of variance.

By moments: the mean product of two judgements' deviations, over pairs that share the item, the
group but not the item, or the wording but not the group. This takes no distribution, and holds for
unequal sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.stats.arrays import encode_groups

if TYPE_CHECKING:
    from epicene.stats.arrays import Floats, Groups, Ints


class VarianceComponents(NamedTuple):
    """Parts of the variance of one judgement; what there is nothing of in the data is None."""

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
        """The correlation of two judgements of one item; 1 where each has one."""
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
