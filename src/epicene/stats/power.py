"""How much data it takes to find a difference, by simulating or resampling groups and testing them.

A design is a pool of groups, each with its sum of paired differences and its number of judgements.
Experiments draw from the pool with replacement and are tested in the same way as runs are compared.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.core.errors import InputError
from epicene.stats.arrays import NORMAL
from epicene.stats.paired_spread import ALPHA, POWER, check_share, smallest_significant

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from epicene.stats.arrays import Floats, Ints

_EXPERIMENTS = 4000
_DRAWS_IN_MEMORY = 2**23
_POOL_ITEMS = 2_000_000  # simulated items, in a pool of this many groups
_POOL_GROUPS = 10_000, 100_000
_LEAST_REPEATS = 20  # of a pilot's groups in a pool, so that a mean is met closely
# Sums of more groups than this are normal, so that the closed form holds and nothing is simulated.
_NORMAL_GROUPS = 20_000
MOST_GROUPS = 1_000_000

# Scores of judgements are simulated in quarters, so that differences are on a lattice.
_SCORES = np.linspace(0, 1, 5)
_STEP = 0.25


class GroupPool(NamedTuple):
    """Groups to draw experiments from: sums of differences, and numbers of judgements."""

    sums: Floats
    sizes: Floats

    @property
    def lattice(self) -> float:
        """The number that all sums are multiples of; 0 if there is none."""
        for step in (1.0, _STEP):
            if np.allclose(self.sums / step, np.rint(self.sums / step), atol=1e-9):
                return step
        return 0.0

    @property
    def variance(self) -> float:
        """The variance of the mean difference, times the number of groups."""
        residuals = self.sums - self.sums.sum() / self.sizes.sum() * self.sizes
        return float(np.mean(residuals**2) / self.sizes.mean() ** 2)


class Clustering(NamedTuple):
    """How judgements are correlated: two of the same group, and two of the same item.

    `per_item` judgements of one item are samples of a model or labels of annotators.
    """

    items: Ints  # by group
    per_item: int = 1
    icc: float = 0.0
    agreement: float = 1.0  # of two judgements of one item; at least `icc`


def score_shares(scores: Floats) -> Floats:
    """The shares of 0, 0.25, … 1 if scores are rounded to them with the mean unchanged."""
    below = np.clip(np.floor(scores / _STEP), 0, len(_SCORES) - 2).astype(np.int64)
    part = scores / _STEP - below
    counts = np.bincount(below, weights=1 - part, minlength=len(_SCORES))
    counts[1:] += np.bincount(below, weights=part, minlength=len(_SCORES) - 1)
    shares: Floats = counts / counts.sum()
    return shares


def rate_shares(rate: float) -> Floats:
    """Right and wrong only."""
    shares = np.zeros(len(_SCORES))
    shares[0], shares[-1] = 1 - rate, rate
    return shares


def difference_shares(scores: Floats, difference: float, correlation: float) -> Floats:
    """How often a judgement of the second model differs by −1, −0.75, … 1 from the first's.

    A share of the judgements that could get worse (or better) do. Each of the others is the first
    model's own score with probability `correlation`, and otherwise a new draw.
    """
    rate = float(scores @ _SCORES)
    room = rate if difference < 0 else 1 - rate
    if abs(difference) > room:
        raise InputError(
            f"A rate of {rate:.3g} cannot change by {difference:+.3g}; set another --difference."
        )
    moved = abs(difference) / room if room else 0.0
    target = 0 if difference < 0 else len(_SCORES) - 1
    count = len(_SCORES)
    joint = np.zeros((count, count))  # first × second
    joint += correlation * (1 - moved) * np.diag(scores)
    joint += (1 - correlation) * (1 - moved) * np.outer(scores, scores)
    joint[:, target] += moved * scores
    shares = np.zeros(2 * count - 1)
    for first in range(count):
        for second in range(count):
            shares[second - first + count - 1] += joint[first, second]
    return shares


def simulate_pool(
    shares: Floats, clustering: Clustering, *, groups: int | None = None, seed: int = 0
) -> GroupPool:
    """Groups whose judgements are correlated as the clustering says.

    An item takes its group's draw with one chance and a judgement its item's with another; so
    the correlations of judgements are exactly those given. Without a number of `groups` it is a
    pool to draw from, whose mean is that of `shares`.
    """
    icc, agreement = clustering.icc, clustering.agreement
    if clustering.per_item == 1:
        agreement = max(agreement, icc)
    if not 0 <= icc <= agreement <= 1:
        raise InputError(
            f"The correlation within groups ({icc:g}) must be between 0 and the agreement of one "
            f"item's judgements ({agreement:g})."
        )
    rng = np.random.default_rng(seed)
    steps = _STEP * np.arange(-(len(shares) // 2), len(shares) // 2 + 1)
    pool = groups is None
    if groups is None:
        groups = int(np.clip(_POOL_ITEMS / clustering.items.mean(), *_POOL_GROUPS))
    items = rng.choice(clustering.items, size=groups)
    owner = np.repeat(np.arange(groups), items)
    single = clustering.per_item == 1
    to_item = 1.0 if single else math.sqrt(agreement)
    to_group = math.sqrt(icc) / to_item if to_item else 0.0

    def draw(size: int) -> Floats:
        return rng.choice(steps, size=size, p=shares)

    values = np.where(rng.random(len(owner)) < to_group, draw(groups)[owner], draw(len(owner)))
    if not single:
        same = rng.binomial(clustering.per_item, to_item, size=len(owner))
        others = rng.multinomial(clustering.per_item - same, shares) @ steps
        values = same * values + others
    sums = np.bincount(owner, weights=values, minlength=groups).astype(np.float64)
    sizes = (items * clustering.per_item).astype(np.float64)
    if pool:
        _set_mean(sums, sizes, float(shares @ steps), rng)
    return GroupPool(sums, sizes)


def _set_mean(sums: Floats, sizes: Floats, mean: float, rng: np.random.Generator) -> None:
    """Change a few judgements by one, so that chance in the pool does not bias the experiments."""
    excess = round(float(sums.sum() - mean * sizes.sum()))
    room = np.flatnonzero(sums > -sizes + 1 if excess > 0 else sums < sizes - 1)
    chosen = rng.choice(room, size=min(abs(excess), len(room)), replace=False)
    sums[chosen] -= np.sign(excess)


def shifted_pool(sums: Floats, sizes: Floats, difference: float) -> GroupPool:
    """The groups of a pilot, changed to have another mean difference.

    If they differ too rarely for it, those that differ do so in its direction, and as many more are
    added as it takes.
    """
    differs = sums != 0
    changed = float(np.abs(sums).sum())
    if 0 < changed < abs(difference) * sizes.sum():
        sums = np.copysign(np.abs(sums), difference)
        room = changed - abs(difference) * float(sizes[differs].sum())
        if room > 0:
            times = max(_LEAST_REPEATS, math.ceil(_POOL_GROUPS[1] / len(sums)))
            more = round(times * abs(difference) * float(sizes[~differs].sum()) / room)
            repeats = np.where(differs, more, times)
            return GroupPool(np.repeat(sums, repeats), np.repeat(sizes, repeats))
        sums, sizes = sums[differs], sizes[differs]
    return GroupPool(sums + (difference - sums.sum() / sizes.sum()) * sizes, sizes)


def rejected(sums: Floats, alpha: float, lattice: float = 0.0) -> NDArray[np.bool_]:
    """Whether the permutation test of each experiment (row) rejects at `alpha`, two-sided.

    It uses the normal approximation to all sign flips, which needs no sampling; on a lattice, half
    a step is subtracted, as for a binomial.
    """
    reached = np.abs(sums.sum(axis=-1)) - lattice
    spread = np.sqrt((sums**2).sum(axis=-1))
    found: NDArray[np.bool_] = (reached >= -NORMAL.inv_cdf(alpha / 2) * spread) & (spread > 0)
    return found


def simulated_power(
    pool: GroupPool,
    groups: int,
    *,
    alpha: float = ALPHA,
    experiments: int = _EXPERIMENTS,
    seed: int = 0,
) -> float:
    """The share of experiments with this many groups that find a difference."""
    rng = np.random.default_rng(seed)
    chunk = max(1, _DRAWS_IN_MEMORY // groups)
    lattice, found = pool.lattice, 0
    for start in range(0, experiments, chunk):
        drawn = rng.integers(len(pool.sums), size=(min(chunk, experiments - start), groups))
        found += int(np.count_nonzero(rejected(pool.sums[drawn], alpha, lattice)))
    return found / experiments


class PlannedGroups(NamedTuple):
    """The number of groups that find a difference, and its simulated power."""

    groups: int
    power: float


def plan_groups(
    pool: GroupPool, *, alpha: float = ALPHA, power: float = POWER, seed: int = 0
) -> PlannedGroups:
    """The smallest number of groups from the pool that find its difference with that power."""
    check_share("alpha", alpha)
    check_share("power", power)
    difference = abs(float(pool.sums.sum() / pool.sizes.sum()))
    if difference == 0:
        raise InputError("A difference of 0 cannot be found; set --difference.")
    reach = NORMAL.inv_cdf(1 - alpha / 2) + NORMAL.inv_cdf(power)
    start = reach**2 * pool.variance / difference**2
    if start > MOST_GROUPS:
        raise InputError(
            f"A difference of {difference:.3g} needs more than a million groups; set a larger "
            "--difference."
        )
    if start > _NORMAL_GROUPS:
        return PlannedGroups(math.ceil(start), power)

    least = smallest_significant(alpha)

    def at(scale: float) -> float:
        groups = max(least, round(start * scale**2))
        return simulated_power(pool, groups, alpha=alpha, seed=seed)

    scale = _probit_root(at, power)
    groups = max(least, math.ceil(start * scale**2))
    return PlannedGroups(groups, simulated_power(pool, groups, alpha=alpha, seed=seed + 1))


def detectable_difference(
    pool_at: Callable[[float], GroupPool],
    groups: int,
    most: float,
    *,
    alpha: float = ALPHA,
    power: float = POWER,
    seed: int = 0,
) -> float | None:
    """The smallest difference that this many groups find with that power; None if it exceeds
    `most`. `pool_at` gives the groups with a difference."""
    check_share("alpha", alpha)
    check_share("power", power)
    if groups < smallest_significant(alpha):
        return None
    reach = NORMAL.inv_cdf(1 - alpha / 2) + NORMAL.inv_cdf(power)
    start = min(most, reach * math.sqrt(pool_at(min(0.01, most)).variance / groups))
    start = min(most, reach * math.sqrt(pool_at(start).variance / groups))
    if groups > _NORMAL_GROUPS and start < most:
        return start

    def at(scale: float) -> float:
        pool = pool_at(min(most, start * scale))
        return simulated_power(pool, groups, alpha=alpha, seed=seed)

    found = start * _probit_root(at, power)
    if found >= most and simulated_power(pool_at(most), groups, alpha=alpha, seed=seed) < power:
        return None
    return min(found, most)


def _probit_root(power_at: Callable[[float], float], power: float) -> float:
    """The scale at which a power is reached: it is near 1, and the probit of power is nearly
    linear in it. Twice, as the second time is nearer."""
    scale = 1.0
    for width in (0.25, 0.1):
        scales = scale * np.linspace(1 - width, 1 + width, 5)
        powers = np.clip([power_at(float(each)) for each in scales], 1e-4, 1 - 1e-4)
        probits = np.array([NORMAL.inv_cdf(float(each)) for each in powers])
        slope, intercept = np.polyfit(scales, probits, 1)
        if slope <= 0:  # no power to speak of at any of them
            scale *= 2
            continue
        scale = float(np.clip((NORMAL.inv_cdf(power) - intercept) / slope, scale / 3, scale * 3))
    return scale
