"""How many labels a corrected rate needs to reach a precision, and how to allocate them to
cells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from epicene.stats.corrected import unseen_variance

if TYPE_CHECKING:
    from epicene.stats.arrays import Floats, Ints


def labels_needed(
    sizes: Floats, deviations: Floats, variance: float, *, design_effect: float = 1.0
) -> int | None:
    """The smallest number of labels, spread as `allocate` does, that estimates a mean over cells
    with this variance; None if labels of everything are not enough.

    `deviations` are the standard deviations, within each cell, of what labels correct.
    `design_effect` is how many times more labels of shared groups vary than independent ones.
    """
    whole = int(sizes.sum())
    spread = float(sizes @ deviations) / whole

    def reached(number: int) -> bool:
        found = design_effect * spread**2 / number + unseen_variance(number)
        return found <= variance

    if not reached(whole):
        return None
    low, high = 1, whole  # bisection: more labels are never worse
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low


def allocate(sizes: Floats, deviations: Floats, total: int, *, at_least: int = 2) -> Ints:
    """Labels for each cell in proportion to its size times its standard deviation (Neyman).

    Each cell gets at least `at_least` labels, or all that it has, or one if the total is too small
    for that. The numbers sum to the total, except where cells have too few or where one per cell
    exceeds it; an empty cell gets none.
    """
    there = sizes > 0
    if not there.all():
        found = np.zeros(len(sizes), dtype=np.int64)
        if there.any():
            found[there] = allocate(sizes[there], deviations[there], total, at_least=at_least)
        return found
    least = np.minimum(at_least if total >= at_least * len(sizes) else 1, sizes)
    wanted = sizes * np.maximum(deviations, 1e-9)
    low, high = 0.0, float((sizes / wanted).max())
    for _ in range(100):  # bisection on how many labels a unit of size times deviation gets
        middle = (low + high) / 2
        reached = np.clip(middle * wanted, least, sizes).sum() >= total
        low, high = (low, middle) if reached else (middle, high)
    given = np.clip(high * wanted, least, sizes)
    found = np.floor(given + 1e-9).astype(np.int64)
    most_left = np.argsort(found - given, kind="stable")  # the largest remainders first
    left_over = max(0, round(min(total, float(sizes.sum()))) - int(found.sum()))
    found[most_left[found[most_left] < sizes[most_left]][:left_over]] += 1
    return found


def smoothed_deviations(
    values: Floats, cells: Ints, number: int, *, strength: float = 5.0
) -> Floats:
    """The standard deviation in each cell, shrunk towards the one within all cells.

    `strength` is how many labels the common deviation counts for.
    """
    counts = np.bincount(cells, minlength=number).astype(np.float64)
    means = np.bincount(cells, weights=values, minlength=number) / np.maximum(counts, 1)
    squares = np.bincount(cells, weights=(values - means[cells]) ** 2, minlength=number)
    used = int((counts > 0).sum())
    common = float(squares.sum()) / max(len(values) - used, 1)
    # As if one more label of either kind had been seen: a pilot without an error is no proof.
    common = max(common, 1 / (len(values) + 2))
    return np.sqrt((squares + strength * common) / (np.maximum(counts - 1, 0) + strength))


def variance_of(half_width: float, critical: float) -> float:
    """The variance of an estimate whose interval has this half-width."""
    return math.pow(half_width / critical, 2)
