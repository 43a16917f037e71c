"""Agreement of raters or measures: raw, Matthews, Cohen's κ, Fleiss' κ, Krippendorff's α.

Intervals are over groups; without `groups`, each item is its own group. With `textbook`, the
intervals of two raters are those that papers print: the non-null standard error of Cohen's κ,
Fisher's z for Matthews. Their coverage is poor if a label is rare. If there are no disagreements,
the interval extends to the agreement that unseen disagreements could give.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from epicene.core.errors import InputError, unknown
from epicene.core.records import Estimate
from epicene.stats.arrays import (
    Groups,
    critical_value,
    encode_groups,
    max_unseen_share,
    safe_ratio,
    same_length,
)
from epicene.stats.intervals import SumStatistic, proportion, statistic_of_sums

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from epicene.stats.arrays import Floats, Ints

ONE_LABEL = "only one label was ever given"

# Of every coefficient of agreement but the raw one.
_BOUNDS = (-1.0, 1.0)

Labels: TypeAlias = "Collection[Hashable] | NDArray[Any]"


def raw_agreement(
    first: Labels,
    second: Labels,
    groups: Groups = None,
    *,
    level: float = 0.95,
    textbook: bool = False,
) -> Estimate:
    """The share of items with equal labels; `textbook` uses Wilson's interval over items."""
    pair = _RaterPair.of(first, second)
    return proportion(pair.first == pair.second, None, None if textbook else groups, level=level)


def matthews(
    first: Labels,
    second: Labels,
    groups: Groups = None,
    *,
    level: float = 0.95,
    textbook: bool = False,
) -> Estimate:
    """Matthews correlation of binary labels; `textbook` uses Fisher's z over items."""
    pair = _RaterPair.of(first, second)
    if not pair.n:
        return Estimate(value=None, why="there are no items")
    if pair.labels > 2:
        why = f"it is for two labels, and there are {pair.labels}"
        return Estimate(value=None, n=pair.n, why=why)
    if pair.constant:
        return Estimate(value=None, n=pair.n, why=pair.constant)
    if not pair.disagreements:
        return _perfect_agreement(pair.chance, pair.n, groups, level)
    if not pair.agreements:  # perfect the other way round, where chance is what is left of it
        high = -lowest_agreement(1 - pair.chance, pair.n, groups, level)
        return Estimate(value=-1.0, low=-1.0, high=high, n=pair.n, groups=_count(pair.n, groups))
    x, y = pair.first.astype(np.float64), pair.second.astype(np.float64)
    columns = np.column_stack([np.ones(pair.n), x, y, x * y])
    if textbook:
        value = float(_correlation(columns.sum(axis=0)[None])[0])
        return fisher_interval(value, pair.n, level=level)
    return statistic_of_sums(columns, _correlation, groups, level=level, bounds=_BOUNDS)


def fisher_interval(correlation: float, n: int, *, level: float = 0.95) -> Estimate:
    """A correlation of `n` independent pairs, with an interval from Fisher's z."""
    if not -1 <= correlation <= 1:
        raise InputError(f"A correlation must be between −1 and 1; it was {correlation}.")
    z = critical_value(level)
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
    textbook: bool = False,
) -> Estimate:
    """Cohen's κ over the union of both raters' labels.

    `textbook` uses the non-null standard error of Fleiss, Cohen and Everitt (1969) over items, with
    an interval that is not clipped at 1: papers print it as ± half its width.
    """
    pair = _RaterPair.of(first, second)
    if not pair.n:
        return Estimate(value=None, why="there are no items")
    if pair.labels == 1:
        return Estimate(value=None, n=pair.n, why=ONE_LABEL)
    if pair.constant:
        why = f"no interval: {pair.constant}, so κ is 0 whatever the other said"
        return Estimate(value=0.0, n=pair.n, why=why)
    if not pair.disagreements:
        return _perfect_agreement(pair.chance, pair.n, groups, level)
    if textbook:
        value, error = _cohen_with_error(pair.table / pair.n, pair.n)
        half = critical_value(level) * error
        return Estimate(value=value, low=value - half, high=value + half, n=pair.n)
    columns = np.column_stack(
        [
            pair.first == pair.second,
            one_hot(pair.first, pair.labels),
            one_hot(pair.second, pair.labels),
        ]
    ).astype(np.float64)
    return statistic_of_sums(
        columns,
        _cohen_of_sums,
        groups,
        undefined=ONE_LABEL,
        level=level,
        bounds=_BOUNDS,
    )


def lowest_agreement(chance: float, n: int, groups: Groups, level: float) -> float:
    """How low agreement could be if none of `n` items shows a disagreement.

    It is corrected for `chance`, the agreement expected by chance, as if a share of the items (or
    groups) not yet seen had disagreed.
    """
    return max(-1.0, 1 - max_unseen_share(_count(n, groups), level) / (1 - chance))


def _perfect_agreement(chance: float, n: int, groups: Groups, level: float) -> Estimate:
    low = lowest_agreement(chance, n, groups, level)
    return Estimate(value=1.0, low=low, high=1.0, n=n, groups=_count(n, groups))


def _count(n: int, groups: Groups) -> float:
    """The number of groups; of items if there are none."""
    return float(n if groups is None else encode_groups(groups, n).max() + 1)


def number_labels(labels: Iterable[Hashable]) -> dict[Hashable, int]:
    """One number per distinct label, whatever order the labels come in."""
    return {label: number for number, label in enumerate(sorted(set(labels), key=repr))}


def one_hot(codes: Ints, labels: int) -> Floats:
    """Row × label: 1 if the row has the label."""
    hot: Floats = np.eye(labels)[codes]
    return hot


@dataclass(frozen=True)
class _RaterPair:
    """Two raters' labels as numbers of one list."""

    first: Ints
    second: Ints
    labels: int

    @classmethod
    def of(cls, first: Labels, second: Labels) -> _RaterPair:
        same_length(first=first, second=second)
        both: Any
        if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
            both = np.concatenate([first, second])
        else:
            both = [*first, *second]
        if isinstance(both, np.ndarray) and both.dtype.kind in "biu":
            codes = encode_groups(both, len(both))
        else:
            numbered = number_labels(both)
            codes = np.fromiter((numbered[label] for label in both), np.int64, len(both))
        half = len(codes) // 2
        return cls(codes[:half], codes[half:], int(codes.max(initial=-1)) + 1)

    @property
    def n(self) -> int:
        return len(self.first)

    @property
    def agreements(self) -> int:
        return int(np.trace(self.table))

    @property
    def disagreements(self) -> int:
        return self.n - self.agreements

    @property
    def constant(self) -> str:
        """Which rater gave only one label, in words; "" if neither."""
        sides = zip(("the first", "the second"), (self.table, self.table.T), strict=True)
        who = [name for name, table in sides if np.count_nonzero(table.any(axis=1)) == 1]
        return f"{' and '.join(who)} always said the same" if who else ""

    @cached_property
    def table(self) -> Ints:
        """How often the first rater gave the row's label and the second the column's."""
        cells = np.bincount(self.first * self.labels + self.second, minlength=self.labels**2)
        return cells.reshape(self.labels, self.labels)

    @property
    def chance(self) -> float:
        """The agreement expected by chance from how often each rater gives each label."""
        shares = self.table / self.n
        return float(shares.sum(axis=1) @ shares.sum(axis=0))


def _correlation(sums: Floats) -> Floats:
    """From sums of 1, x, y and xy."""
    n, x, y, xy = sums.T
    return safe_ratio(n * xy - x * y, np.sqrt((n * x - x * x) * (n * y - y * y)))


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
    """From sums of agreements, of the first rater's labels and of the second's."""
    labels = (sums.shape[1] - 1) // 2
    first, second = sums[:, 1 : labels + 1], sums[:, labels + 1 :]
    n = first.sum(axis=1)
    observed, chance = sums[:, 0] / n, (first * second).sum(axis=1) / n**2
    return safe_ratio(observed - chance, 1 - chance)


DistanceMetric: TypeAlias = Literal["nominal", "ordinal", "interval"]

# What the raters said of each item; None where one said nothing.
Ratings: TypeAlias = Sequence[Sequence[Hashable | None]]
PresentRatings: TypeAlias = Sequence[Sequence[Hashable]]

_TOO_FEW = "no item has two ratings"


def fleiss(
    ratings: Ratings,
    groups: Groups = None,
    *,
    level: float = 0.95,
) -> Estimate:
    """Fleiss' κ of items that all have the same number of ratings, whoever gave them."""
    same_length(ratings=ratings, groups=groups)
    given = _present_ratings(ratings)
    sizes = {len(item) for item in given}
    if max(sizes, default=0) < 2:
        return Estimate(value=None, n=len(given), why=_TOO_FEW)
    if len(sizes) > 1:
        why = (
            f"the items have {min(sizes)} to {max(sizes)} ratings where Fleiss' κ needs equally "
            "many (Krippendorff's α does not)"
        )
        return Estimate(value=None, n=len(given), why=why)
    (raters,) = sizes
    if _never_disagree(given):
        shares = _totals(given) / (raters * len(given))
        return _perfect_agreement(float(shares @ shares), len(given), groups, level)
    counts = _counts(given, number_labels(label for item in given for label in item))

    def kappa(sums: Floats) -> Floats:
        squares, totals = sums[:, 0], sums[:, 1:]
        n = totals.sum(axis=1)
        observed = (squares - n) / (n * (raters - 1))
        chance = (totals**2).sum(axis=1) / n**2
        return safe_ratio(observed - chance, 1 - chance)

    columns = np.column_stack([(counts**2).sum(axis=1), counts])
    return statistic_of_sums(
        columns, kappa, groups, undefined=ONE_LABEL, level=level, bounds=_BOUNDS
    )


def krippendorff(
    ratings: Ratings,
    groups: Groups = None,
    *,
    metric: DistanceMetric = "nominal",
    order: Sequence[Hashable] = (),
    level: float = 0.95,
) -> Estimate:
    """Krippendorff's α; items with fewer than two ratings carry no information and are left out.

    `ordinal` ranks the labels as `order` lists them, or numbers by size; `interval` needs
    numbers.
    """
    if metric not in get_args(DistanceMetric):
        raise unknown("metric", metric, get_args(DistanceMetric))
    same_length(ratings=ratings, groups=groups)
    given = _present_ratings(ratings)
    kept = [len(item) >= 2 for item in given]
    if groups is not None:
        groups = [label for label, keep in zip(groups, kept, strict=True) if keep]
    given = [item for item, keep in zip(given, kept, strict=True) if keep]
    if not given:
        return Estimate(value=None, why=_TOO_FEW)
    columns, alpha = _alpha_of_sums(given, metric, order)
    if _never_disagree(given):
        totals = _totals(given)
        chance = float((totals * (totals - 1)).sum() / (totals.sum() * (totals.sum() - 1)))
        return _perfect_agreement(chance, len(given), groups, level)
    return statistic_of_sums(
        columns, alpha, groups, undefined=ONE_LABEL, level=level, bounds=_BOUNDS
    )


def _present_ratings(ratings: Ratings) -> PresentRatings:
    return [[label for label in item if label is not None] for item in ratings]


def _never_disagree(given: PresentRatings) -> bool:
    """Whether each item has a single label, and not all items the same one."""
    return all(len(set(item)) == 1 for item in given) and len({item[0] for item in given}) > 1


def _totals(given: PresentRatings) -> Floats:
    return np.array([*Counter(label for item in given for label in item).values()], np.float64)


def _counts(given: PresentRatings, numbered: Mapping[Hashable, int]) -> Floats:
    """How many raters gave each item each label (item × label)."""
    codes = np.fromiter((numbered[label] for item in given for label in item), np.int64)
    rows = np.repeat(np.arange(len(given)), [len(item) for item in given])
    cells = np.bincount(rows * len(numbered) + codes, minlength=len(given) * len(numbered))
    return cells.reshape(len(given), len(numbered)).astype(np.float64)


# --- Krippendorff's α as a function of sums over items ----------------------------------------


def _alpha_of_sums(
    given: PresentRatings, metric: DistanceMetric, order: Sequence[Hashable]
) -> tuple[Floats, SumStatistic]:
    """What to sum over the items, and the function that gives α from these sums."""
    if metric == "interval":
        return _interval(given)
    if metric == "ordinal":
        return _ordinal(_counts(given, _ranks(given, order)))
    return _nominal(_counts(given, number_labels(label for item in given for label in item)))


def _alpha(n: Floats, observed: Floats, expected: Floats) -> Floats:
    """1 − observed ÷ expected, given twice the disagreement of pairs within and across items."""
    return 1 - safe_ratio((n - 1) * observed, expected)


def _nominal(counts: Floats) -> tuple[Floats, SumStatistic]:
    sizes = counts.sum(axis=1)
    within = (sizes**2 - (counts**2).sum(axis=1)) / (sizes - 1)

    def alpha(sums: Floats) -> Floats:
        totals = sums[:, 1:]
        n = totals.sum(axis=1)
        return _alpha(n, sums[:, 0], n**2 - (totals**2).sum(axis=1))

    return np.column_stack([within, counts]), alpha


def _ordinal(counts: Floats) -> tuple[Floats, SumStatistic]:
    labels = counts.shape[1]
    lower, upper = np.triu_indices(labels, k=1)
    sizes = counts.sum(axis=1, keepdims=True)
    pairs = counts[:, lower] * counts[:, upper] / (sizes - 1)

    def alpha(sums: Floats) -> Floats:
        totals, observed = sums[:, :labels], sums[:, labels:]
        # The distance of two ranks is how many ratings lie between their middles.
        middles = np.cumsum(totals, axis=1) - totals / 2
        squared = (middles[:, upper] - middles[:, lower]) ** 2
        expected = totals[:, lower] * totals[:, upper] * squared
        return _alpha(totals.sum(axis=1), (observed * squared).sum(axis=1), expected.sum(axis=1))

    return np.column_stack([counts, pairs]), alpha


def _interval(given: PresentRatings) -> tuple[Floats, SumStatistic]:
    items = [np.array([_number(label) for label in item]) for item in given]
    centre = np.concatenate(items).mean()  # nearer 0, the squares below lose fewer digits
    columns = np.array(
        [
            [len(x), (x - centre).sum(), ((x - centre) ** 2).sum(), x.var(ddof=1) * len(x)]
            for x in items
        ]
    )

    def alpha(sums: Floats) -> Floats:
        n, total, squares, within = sums.T
        return _alpha(n, within, n * squares - total**2)

    return columns, alpha


def _ranks(given: PresentRatings, order: Sequence[Hashable]) -> dict[Hashable, int]:
    labels = {label for item in given for label in item}
    if not order:
        order = sorted(labels, key=_number)
    missing = sorted(map(str, labels.difference(order)))
    if missing:
        raise InputError(f"The order of the labels lacks {missing[0]!r}; list every label.")
    return {label: rank for rank, label in enumerate(order)}


def _number(label: Hashable) -> float:
    if isinstance(label, int | float | np.number):
        return float(label)
    raise InputError(
        f"The label {label!r} is not a number; give the order of the labels with metric "
        "ordinal, or use metric nominal."
    )
