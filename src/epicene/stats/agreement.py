"""Do two raters, or two ways of measuring, say the same of the same items.

Without `groups` the intervals are the textbook's, for independent items; with them, groups are
resampled. Two that never disagree would get an interval without width from either, however few
the items; theirs reaches down to what disagreements not yet seen could make of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from epicene.errors import InputError
from epicene.records import Estimate
from epicene.stats.bootstrap import of_sums
from epicene.stats.checks import critical, numbers, ratio, same_length, unseen
from epicene.stats.grouping import Groups, encode
from epicene.stats.proportions import proportion

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from epicene.stats.checks import Floats, Ints

ONE_LABEL = "only one label was ever given"

Labels: TypeAlias = "Collection[Hashable] | NDArray[Any]"


def raw_agreement(
    first: Labels, second: Labels, groups: Groups = None, *, level: float = 0.95
) -> Estimate:
    """The share of items on which the two say the same."""
    same_length(first=first, second=second)
    same = [a == b for a, b in zip(first, second, strict=True)]
    return proportion(same, None, groups, level=level)


def standard_error(values: ArrayLike) -> Estimate:
    """The standard error of a mean of independent values (n − 1 below)."""
    array = numbers(values, "values")
    if len(array) < 2:
        return Estimate(value=None, n=len(array), why="there are fewer than two values")
    return Estimate(value=float(array.std(ddof=1)) / math.sqrt(len(array)), n=len(array))


def matthews(
    first: Labels,
    second: Labels,
    groups: Groups = None,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Matthews correlation of two-valued labels, with Fisher's interval unless grouped."""
    pair = _Pair.of(first, second)
    if not pair.n:
        return Estimate(value=None, why="there are no items")
    if pair.labels > 2:
        why = f"it is for two labels, and there are {pair.labels}"
        return Estimate(value=None, n=pair.n, why=why)
    if pair.constant:
        return Estimate(value=None, n=pair.n, why=pair.constant)
    x, y = pair.first.astype(np.float64), pair.second.astype(np.float64)
    columns = np.column_stack([np.ones(pair.n), x, y, x * y])
    if not pair.disagreements:
        return Estimate(
            value=1.0, low=lowest(pair.chance, pair.n, groups, level), high=1.0, n=pair.n
        )
    if not pair.agreements:  # perfect the other way round, where chance is what is left of it
        high = -lowest(1 - pair.chance, pair.n, groups, level)
        return Estimate(value=-1.0, low=-1.0, high=high, n=pair.n)
    if groups is None:
        value = float(_correlation(columns.sum(axis=0)[None])[0])
        return fisher(value, pair.n, level=level)
    return of_sums(columns, _correlation, groups, level=level, resamples=resamples, seed=seed)


def fisher(correlation: float, n: int, *, level: float = 0.95) -> Estimate:
    """A correlation of `n` independent pairs with the interval of Fisher's z."""
    if not -1 <= correlation <= 1:
        raise InputError(f"A correlation lies between −1 and 1; it was {correlation}.")
    z = critical(level)
    if n <= 3:
        return Estimate(value=correlation, n=n, why="no interval: it needs more than three pairs")
    if abs(correlation) == 1:
        return Estimate(value=correlation, n=n, why="no interval: the correlation is perfect")
    centre, half = math.atanh(correlation), z / math.sqrt(n - 3)
    low, high = math.tanh(centre - half), math.tanh(centre + half)
    return Estimate(value=correlation, low=low, high=high, n=n)


def cohen(
    first: Labels,
    second: Labels,
    groups: Groups = None,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Cohen's κ over the union of both raters' labels.

    The interval is by the non-null standard error of Fleiss, Cohen and Everitt (1969) unless
    grouped, and not cut at 1: papers print it as ± half its width.
    """
    pair = _Pair.of(first, second)
    if not pair.n:
        return Estimate(value=None, why="there are no items")
    if pair.labels == 1:
        return Estimate(value=None, n=pair.n, why=ONE_LABEL)
    if pair.constant:
        why = f"{pair.constant}, so κ is 0 whatever the other said"
        return Estimate(value=0.0, low=0.0, high=0.0, n=pair.n, why=why)
    if not pair.disagreements:
        return Estimate(
            value=1.0, low=lowest(pair.chance, pair.n, groups, level), high=1.0, n=pair.n
        )
    if groups is None:
        value, error = _cohen_with_error(pair.table / pair.n, pair.n)
        half = critical(level) * error
        return Estimate(value=value, low=value - half, high=value + half, n=pair.n)
    columns = np.column_stack(
        [
            pair.first == pair.second,
            one_hot(pair.first, pair.labels),
            one_hot(pair.second, pair.labels),
        ]
    ).astype(np.float64)
    return of_sums(
        columns,
        _cohen_of_sums,
        groups,
        undefined=ONE_LABEL,
        level=level,
        resamples=resamples,
        seed=seed,
    )


def lowest(chance: float, n: int, groups: Groups, level: float) -> float:
    """How low agreement may be where none of `n` items shows a disagreement.

    Corrected for `chance`, the agreement expected by chance, as if a share of the items, or of
    their groups, not yet seen had disagreed.
    """
    count = n if groups is None else int(encode(groups, n).max()) + 1
    return max(-1.0, 1 - unseen(count, level) / (1 - chance))


def number_labels(labels: Iterable[Hashable]) -> dict[Hashable, int]:
    """A number per distinct label, the same whatever the order they come in."""
    return {label: place for place, label in enumerate(sorted(set(labels), key=repr))}


def one_hot(codes: Ints, labels: int) -> Floats:
    """Row × label: 1 where the row has it."""
    hot: Floats = np.eye(labels)[codes]
    return hot


@dataclass(frozen=True)
class _Pair:
    """Two raters' labels as numbers of one list."""

    first: Ints
    second: Ints
    labels: int

    @classmethod
    def of(cls, first: Labels, second: Labels) -> _Pair:
        same_length(first=first, second=second)
        numbered = number_labels([*first, *second])
        codes = [
            np.fromiter((numbered[label] for label in side), np.int64, len(side))
            for side in (first, second)
        ]
        return cls(first=codes[0], second=codes[1], labels=len(numbered))

    @property
    def n(self) -> int:
        return len(self.first)

    @property
    def agreements(self) -> int:
        return int(np.count_nonzero(self.first == self.second))

    @property
    def disagreements(self) -> int:
        return self.n - self.agreements

    @property
    def constant(self) -> str:
        """Who says always the same, in words."""
        who = [
            name
            for name, side in (("the first", self.first), ("the second", self.second))
            if np.ptp(side) == 0
        ]
        return f"{' and '.join(who)} always said the same" if who else ""

    @property
    def table(self) -> Ints:
        """How often the first said the row's label and the second the column's."""
        cells = np.bincount(self.first * self.labels + self.second, minlength=self.labels**2)
        return cells.reshape(self.labels, self.labels)

    @property
    def chance(self) -> float:
        """The agreement expected by chance from how often each says what."""
        shares = self.table / self.n
        return float(shares.sum(axis=1) @ shares.sum(axis=0))


def _correlation(sums: Floats) -> Floats:
    """From sums of 1, x, y and xy."""
    n, x, y, xy = sums.T
    return ratio(n * xy - x * y, np.sqrt((n * x - x * x) * (n * y - y * y)))


def _cohen_with_error(shares: Floats, n: int) -> tuple[float, float]:
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, chance = float(np.trace(shares)), float(rows @ columns)
    kappa = (observed - chance) / (1 - chance)
    # Each cell's share times the squared slope of κ in it, less the squared mean slope.
    slopes = (1 - kappa) * (rows[None, :] + columns[:, None])
    squares = (np.eye(len(shares)) - slopes) ** 2
    variance = float((shares * squares).sum()) - (kappa - chance * (1 - kappa)) ** 2
    return kappa, math.sqrt(max(variance, 0.0) / n) / (1 - chance)


def _cohen_of_sums(sums: Floats) -> Floats:
    """From sums of agreements, of the first's labels and of the second's."""
    labels = (sums.shape[1] - 1) // 2
    first, second = sums[:, 1 : labels + 1], sums[:, labels + 1 :]
    n = first.sum(axis=1)
    observed, chance = sums[:, 0] / n, (first * second).sum(axis=1) / n**2
    return ratio(observed - chance, 1 - chance)
