"""A mean over repeated draws of the same prompts: how far further draws of these may move it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epicene.core.records import Estimate
from epicene.stats.arrays import encode_groups, finite_floats, group_sums, same_length
from epicene.stats.jackknife import Spread, estimate_of_spread

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from numpy.typing import ArrayLike


def mean_over_draws(
    values: ArrayLike, prompts: Collection[Hashable], *, level: float = 0.95
) -> Estimate:
    """The mean of values between 0 and 1 with an interval over draws, the prompts being fixed.

    The variance is that of each prompt's own draws (n − 1 below), with Satterthwaite's degrees of
    freedom. Where no prompt changes, the interval covers the share of prompts that may hide where
    none was seen to.
    """
    rows = finite_floats(values, "values")
    same_length(values=rows, prompts=prompts)
    if not len(rows):
        return Estimate(value=None, why="there are no rows")
    codes = encode_groups(prompts, len(rows))
    sums, squares, counts = group_sums(
        np.column_stack([rows, rows**2, np.ones_like(rows)]), codes
    ).T
    value = float(np.sort(rows).mean())
    if counts.min() < 2:
        return Estimate(value=value, n=len(rows), why="no interval: a prompt was drawn once")
    within = np.clip(squares - sums**2 / counts, 0, None) / (counts - 1)
    parts = np.sort(counts * within) / len(rows) ** 2
    variance = float(parts.sum())
    freedom = 0.0
    if variance:
        order = np.argsort(counts * within, kind="stable")
        freedom = variance**2 / float(np.sum(parts**2 / (counts[order] - 1)))
    found = Spread(len(sums), variance, freedom)
    return estimate_of_spread(
        value, found, n=len(rows), level=level, bounds=(0.0, 1.0), scale="difference"
    )
