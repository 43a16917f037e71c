"""Agreement coefficients of a frame of pairs, one row per pair of labels `a` and `b`.

The pairs are two judgements of one item (`paired_outcomes`) or the labels of annotators
(`epicene.stats.annotator_agreement`), which have the columns `person` and `person_b`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from epicene.core.records import Estimate
from epicene.stats.tabulate import estimate_all, group_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars

    from epicene.stats.arrays import Ints
    from epicene.stats.tabulate import PartEstimator

# What an undetected outcome counts as: neither (the pair is left out), or right, as where a paper
# takes a text without a pronoun for one without misgendering.
Undetected: TypeAlias = Literal["left out", "right"]


def paired_outcomes(
    first: polars.DataFrame,
    second: polars.DataFrame,
    on: Sequence[str] = ("model", "item"),
    *,
    undetected: Undetected = "left out",
) -> polars.DataFrame:
    """One row per pair of judgements of the same thing: `a` and `b` are 1 if right.

    All other columns are the first judgement's, except `label_b`, the second's label.
    """
    import polars as pl

    def right(frame: polars.DataFrame, name: str) -> polars.DataFrame:
        outcome = pl.col("outcome")
        # A comparison with null is null, and such rows are left out.
        counted = outcome != "undetected" if undetected == "left out" else outcome.is_not_null()
        return frame.filter(counted).with_columns((outcome != "wrong").cast(pl.Int8).alias(name))

    other = right(second, "b").select(*on, "b", pl.col("label").alias("label_b"))
    return right(first, "a").join(other, on=list(on), how="inner", maintain_order="left")


_NO_PAIRS = "no item was judged both ways"


def raw(pairs: polars.DataFrame, *, clustered: bool) -> Estimate:
    """The share of pairs with equal labels."""
    return estimate_all(raw_of_parts(pairs, clustered=clustered), pairs)


def raw_of_parts(pairs: polars.DataFrame, *, clustered: bool) -> PartEstimator:
    """Like `raw`, for parts of the pairs."""
    from epicene.stats.agreement import raw_agreement

    return _agreement_of_parts(raw_agreement, pairs, clustered=clustered)


def standard_error(pairs: polars.DataFrame) -> Estimate:
    """The standard error of the raw agreement, as if the pairs were independent."""
    from epicene.stats.intervals import standard_error as error_of

    if not len(pairs):
        return Estimate(value=None, why=_NO_PAIRS)
    # Sorted, as the order of pairs depends on names and changes the last bit.
    return error_of((pairs["a"] == pairs["b"]).sort().to_numpy())


def kappa(pairs: polars.DataFrame, *, clustered: bool) -> Estimate:
    """Cohen's κ; with three or more annotators, every pair counts in both orders."""
    return _order_independent(kappa_of_parts, pairs, clustered=clustered)


def kappa_of_parts(pairs: polars.DataFrame, *, clustered: bool) -> PartEstimator:
    """Cohen's κ for parts of pairs whose sides each have their own role."""
    from epicene.stats.agreement import cohen

    return _agreement_of_parts(cohen, pairs, clustered=clustered)


def mcc(pairs: polars.DataFrame, *, clustered: bool) -> Estimate:
    """Matthews correlation; with three or more annotators, every pair counts in both orders."""
    return _order_independent(mcc_of_parts, pairs, clustered=clustered)


def mcc_of_parts(pairs: polars.DataFrame, *, clustered: bool) -> PartEstimator:
    """Matthews correlation for parts of pairs whose sides each have their own role."""
    from epicene.stats.agreement import matthews

    return _agreement_of_parts(matthews, pairs, clustered=clustered)


def alpha(pairs: polars.DataFrame, *, clustered: bool) -> Estimate:
    """Krippendorff's α of all raters in the pairs."""
    import polars as pl

    from epicene.stats.agreement import krippendorff

    if not len(pairs):
        return Estimate(value=None, why=_NO_PAIRS)
    if "person_b" in pairs.columns:
        raters = pl.concat(
            [
                pairs.select("item", "group", "person", pl.col("a").alias("label")),
                pairs.select(
                    "item", "group", pl.col("person_b").alias("person"), pl.col("b").alias("label")
                ),
            ]
        ).unique(["item", "person"], maintain_order=True)
    else:
        raters = pl.concat(
            [pairs.select("item", "group", pl.col(side).alias("label")) for side in ("a", "b")]
        )
    items = raters.group_by("item", maintain_order=True).agg("label", pl.col("group").first())
    groups = group_codes(items) if clustered else None
    return krippendorff(items["label"].to_list(), groups)


def _order_independent(
    statistic: Callable[..., PartEstimator], pairs: polars.DataFrame, *, clustered: bool
) -> Estimate:
    """A statistic of two raters that does not depend on the order of a pair.

    With two people the order is fixed by their labels. With more, no order is fixed, so
    each pair counts in both orders with half its weight.
    """
    import polars as pl

    if "person_b" not in pairs.columns:  # each side has its own role
        return estimate_all(statistic(pairs, clustered=clustered), pairs)
    pairs = pairs.sort("item", "name")
    turned = pairs.rename({"a": "b", "b": "a"}).select(pairs.columns)
    if pl.concat([pairs["person"], pairs["person_b"]]).n_unique() <= 2:
        # The last bits depend on the table, which must not depend on the names.
        first = min(pairs, turned, key=lambda each: each["a"].to_list())
        return estimate_all(statistic(first, clustered=clustered), first)
    both = pl.concat([pairs, turned])
    if not clustered:  # the two orders of a pair are not independent, nor are an item's pairs
        both = both.with_columns(pl.col("item").alias("group"))
    estimate = estimate_all(statistic(both, clustered=True), both)
    return msgspec.structs.replace(estimate, n=len(pairs))


def _agreement_of_parts(
    statistic: Callable[..., Estimate], pairs: polars.DataFrame, *, clustered: bool
) -> PartEstimator:
    """A statistic of two raters for parts, over groups of items or as in textbooks."""
    first, second = pairs["a"].to_numpy(), pairs["b"].to_numpy()
    groups = group_codes(pairs)

    def estimate(rows: Ints) -> Estimate:
        if not len(rows):
            return Estimate(value=None, why=_NO_PAIRS)
        if clustered:
            return statistic(first[rows], second[rows], groups[rows])
        return statistic(first[rows], second[rows], textbook=True)

    return lambda parts: [estimate(rows) for rows in parts]
