"""How often: the Wilson interval, and the same where rows come in groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from epicene.errors import InputError
from epicene.records import Estimate
from epicene.stats.checks import critical, numbers, same_length, unseen
from epicene.stats.grouping import Classes, Groups, collapse, encode, group_sums

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# Below this, a sum of squared differences between groups is rounding.
_ROUNDING = 1e-12


def wilson(successes: float, n: float, *, level: float = 0.95) -> Estimate:
    """A share of `n` independent trials; a tie may count half a success."""
    z = critical(level)
    if not 0 <= successes <= n:
        raise InputError(f"There cannot be {successes} successes in {n} trials.")
    if n == 0:
        return Estimate(value=None, why="there are no items")
    low, high = _wilson_ends(successes / n, n, z)
    return Estimate(value=successes / n, low=low, high=high, n=math.ceil(n))


def _wilson_ends(share: float, n: float, z: float) -> tuple[float, float]:
    z2 = z * z
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # At 0 and 1 the end is exact; the subtraction would miss it by a rounding.
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return low, high


def proportion(
    right: ArrayLike, n: ArrayLike | None = None, groups: Groups = None, *, level: float = 0.95
) -> Estimate:
    """The share of right answers among rows that come in groups.

    `right` of each row lies between 0 and that row's `n` (1 unless given). The interval is
    Wilson's on the effective number of items: as many independent ones as would vary as much as
    the groups do, and never more than there are. Where the groups do not differ at all (e.g.
    all is right), their number alone decides the width.
    """
    z = critical(level)
    above = numbers(right, "right answers")
    below = np.ones_like(above) if n is None else numbers(n, "numbers of items")
    same_length(right=above, n=below, groups=groups)
    if above.size and ((above < 0) | (above > below)).any():
        place = int(np.flatnonzero((above < 0) | (above > below))[0])
        raise InputError(
            f"There cannot be {above[place]} right answers of {below[place]} at place {place}."
        )
    total = float(below.sum())
    if total == 0:
        return Estimate(value=None, why="there are no items")
    sums = group_sums(np.column_stack([above, below]), encode(groups, len(above)))
    classes = collapse(sums[sums[:, 1] > 0])
    share = float(classes.totals[0]) / total
    low, high = _grouped_ends(classes, share, z, level)
    return Estimate(value=share, low=low, high=high, n=math.ceil(total))


def _grouped_ends(classes: Classes, share: float, z: float, level: float) -> tuple[float, float]:
    groups, total = classes.groups, float(classes.totals[1])
    if classes.values[:, 1].max() <= 1:
        return _wilson_ends(share, total, z)
    squares = float(classes.counts @ (classes.values @ (1.0, -share)) ** 2)
    if groups == 1 or squares <= _ROUNDING:
        hidden = unseen(groups, level)
        return share - hidden * share, share + hidden * (1 - share)
    # The variance between few groups is itself uncertain: Student's t instead of the normal.
    from scipy.special import stdtrit

    t = float(stdtrit(groups - 1, (1 + level) / 2))
    variance = squares / total**2 * groups / (groups - 1) * (t / z) ** 2
    return _wilson_ends(share, min(total, share * (1 - share) / variance), z)
