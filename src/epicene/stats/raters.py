"""Do many raters agree: Fleiss' κ and Krippendorff's α, with items resampled for the interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from epicene.errors import InputError, unknown
from epicene.records import Estimate
from epicene.stats.agreement import ONE_LABEL, lowest, number_labels
from epicene.stats.bootstrap import OfSums, of_sums
from epicene.stats.checks import ratio, same_length

if TYPE_CHECKING:
    from epicene.stats.checks import Floats
    from epicene.stats.grouping import Groups

Metric: TypeAlias = Literal["nominal", "ordinal", "interval"]

# What the raters said of each item; None where one said nothing.
Ratings: TypeAlias = Sequence[Sequence[Hashable | None]]
Given: TypeAlias = Sequence[Sequence[Hashable]]

_TOO_FEW = "no item has two ratings"


def fleiss(
    ratings: Ratings,
    groups: Groups = None,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Fleiss' κ of items that each have equally many ratings, by whomever."""
    same_length(ratings=ratings, groups=groups)
    given = _given(ratings)
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
        low = lowest(float(shares @ shares), len(given), groups, level)
        return Estimate(value=1.0, low=low, high=1.0, n=len(given))
    counts = _counts(given, number_labels(label for item in given for label in item))

    def kappa(sums: Floats) -> Floats:
        squares, totals = sums[:, 0], sums[:, 1:]
        n = totals.sum(axis=1)
        observed = (squares - n) / (n * (raters - 1))
        chance = (totals**2).sum(axis=1) / n**2
        return ratio(observed - chance, 1 - chance)

    columns = np.column_stack([(counts**2).sum(axis=1), counts])
    return of_sums(
        columns, kappa, groups, undefined=ONE_LABEL, level=level, resamples=resamples, seed=seed
    )


def krippendorff(
    ratings: Ratings,
    groups: Groups = None,
    *,
    metric: Metric = "nominal",
    order: Sequence[Hashable] = (),
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Krippendorff's α; an item with fewer than two ratings says nothing and is left out.

    `ordinal` ranks the labels as `order` lists them, or numbers by size; `interval` needs
    numbers.
    """
    if metric not in get_args(Metric):
        raise unknown("metric", metric, get_args(Metric))
    same_length(ratings=ratings, groups=groups)
    given = _given(ratings)
    kept = [len(item) >= 2 for item in given]
    if groups is not None:
        groups = [label for label, keep in zip(groups, kept, strict=True) if keep]
    given = [item for item, keep in zip(given, kept, strict=True) if keep]
    if not given:
        return Estimate(value=None, why=_TOO_FEW)
    columns, alpha = _form(given, metric, order)
    if _never_disagree(given):
        totals = _totals(given)
        chance = float((totals * (totals - 1)).sum() / (totals.sum() * (totals.sum() - 1)))
        low = lowest(chance, len(given), groups, level)
        return Estimate(value=1.0, low=low, high=1.0, n=len(given))
    return of_sums(
        columns, alpha, groups, undefined=ONE_LABEL, level=level, resamples=resamples, seed=seed
    )


def _given(ratings: Ratings) -> Given:
    return [[label for label in item if label is not None] for item in ratings]


def _never_disagree(given: Given) -> bool:
    """Each item has one label, and not all the same one."""
    return all(len(set(item)) == 1 for item in given) and len({item[0] for item in given}) > 1


def _totals(given: Given) -> Floats:
    return np.array([*Counter(label for item in given for label in item).values()], np.float64)


def _counts(given: Given, numbered: Mapping[Hashable, int]) -> Floats:
    """How many raters gave each item each label (item × label)."""
    codes = np.fromiter((numbered[label] for item in given for label in item), np.int64)
    rows = np.repeat(np.arange(len(given)), [len(item) for item in given])
    cells = np.bincount(rows * len(numbered) + codes, minlength=len(given) * len(numbered))
    return cells.reshape(len(given), len(numbered)).astype(np.float64)


# --- Krippendorff's α as a function of sums over items ----------------------------------------


def _form(given: Given, metric: Metric, order: Sequence[Hashable]) -> tuple[Floats, OfSums]:
    """What to add up over the items, and α of those sums."""
    if metric == "interval":
        return _interval(given)
    if metric == "ordinal":
        return _ordinal(_counts(given, _ranks(given, order)))
    return _nominal(_counts(given, number_labels(label for item in given for label in item)))


def _alpha(n: Floats, observed: Floats, expected: Floats) -> Floats:
    """1 − observed ÷ expected, given twice the disagreement of pairs within and across items."""
    return 1 - ratio((n - 1) * observed, expected)


def _nominal(counts: Floats) -> tuple[Floats, OfSums]:
    sizes = counts.sum(axis=1)
    within = (sizes**2 - (counts**2).sum(axis=1)) / (sizes - 1)

    def alpha(sums: Floats) -> Floats:
        totals = sums[:, 1:]
        n = totals.sum(axis=1)
        return _alpha(n, sums[:, 0], n**2 - (totals**2).sum(axis=1))

    return np.column_stack([within, counts]), alpha


def _ordinal(counts: Floats) -> tuple[Floats, OfSums]:
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


def _interval(given: Given) -> tuple[Floats, OfSums]:
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


def _ranks(given: Given, order: Sequence[Hashable]) -> dict[Hashable, int]:
    labels = {label for item in given for label in item}
    if not order:
        order = sorted(labels, key=_number)
    missing = sorted(map(str, labels.difference(order)))
    if missing:
        raise InputError(f"The order of the labels lacks {missing[0]!r}; list every label in it.")
    return {label: rank for rank, label in enumerate(order)}


def _number(label: Hashable) -> float:
    if isinstance(label, int | float | np.number):
        return float(label)
    raise InputError(
        f"The label {label!r} is not a number; give the labels' order with metric ordinal, or "
        "take metric nominal."
    )
