"""Agreement of paired judgements of the same items: raw agreement, Cohen's κ, Matthews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.core.records import Estimate
from epicene.stats.tabulate import group_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars

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
    """One row per pair of judgements of the same thing: `a` and `b` are 1 where right.

    Everything else is the first judgement's, but for `label_b`, the second's label.
    """
    import polars as pl

    def right(frame: polars.DataFrame, name: str) -> polars.DataFrame:
        outcome = pl.col("outcome").cast(pl.String)
        counted = frame.filter(pl.col("outcome").is_not_null())
        if undetected == "left out":
            counted = counted.filter(outcome != "undetected")
        return counted.with_columns((outcome != "wrong").cast(pl.Int8).alias(name))

    other = right(second, "b").select(*on, "b", pl.col("label").alias("label_b"))
    return right(first, "a").join(other, on=list(on), how="inner", maintain_order="left")


def mcc(pairs: polars.DataFrame, *, clustered: bool) -> Estimate:
    """Matthews correlation; by the textbook's interval, or resampling groups."""
    from epicene.stats.agreement import matthews

    return _agreement(matthews, pairs, clustered=clustered)


def kappa(pairs: polars.DataFrame, *, clustered: bool) -> Estimate:
    """Cohen's κ."""
    from epicene.stats.agreement import cohen

    return _agreement(cohen, pairs, clustered=clustered)


def raw(pairs: polars.DataFrame, *, clustered: bool) -> Estimate:
    """The share of pairs with one outcome."""
    from epicene.stats.agreement import raw_agreement

    return _agreement(raw_agreement, pairs, clustered=clustered)


def _agreement(
    statistic: Callable[..., Estimate], pairs: polars.DataFrame, *, clustered: bool
) -> Estimate:
    if not len(pairs):
        return Estimate(value=None, why="no item was judged both ways")
    groups = group_codes(pairs) if clustered else None
    return statistic(pairs["a"].to_numpy(), pairs["b"].to_numpy(), groups)
