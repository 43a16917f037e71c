"""The figures of a suite that are read first, and by which models are set side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from epicene.suites.tabulate import accuracy

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars

    from epicene.records import Estimate
    from epicene.suites import Results, Suite


Unit: TypeAlias = Literal["share", "number"]


class Headline(NamedTuple):
    """A figure of one run, as `estimate` makes it of the run's results.

    `figures` gives the judgements it is the mean of, each with a `figure` between 0 and 1, so that
    models can be compared item by item; None where no value is better than another.
    """

    name: str
    estimate: Callable[[Results[Any]], Estimate]
    figures: Callable[[Results[Any]], polars.DataFrame] | None = None
    unit: Unit = "share"
    by_language: bool = True


def share_right(name: str, of: Callable[[Results[Any]], polars.DataFrame]) -> Headline:
    """The share of right outcomes among some judgements."""
    return Headline(
        name=name,
        estimate=lambda results: accuracy(of(results)),
        figures=lambda results: with_figures(of(results)),
    )


def with_figures(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements that have an outcome: 1 where right, 0 where not, the credit where given."""
    import polars as pl

    judged = frame.filter(pl.col("outcome").is_not_null())
    right = (pl.col("outcome").cast(pl.String) == "right").cast(pl.Float64)
    if "credit" in frame.columns:
        right = pl.col("credit").fill_null(right)
    return judged.with_columns(right.alias("figure"))


def headlines_of(suite: Suite[Any, Any]) -> tuple[Headline, ...]:
    """What is read first of a suite: all outcomes, where it names nothing."""
    return suite.headlines or (share_right("right", everything),)


def everything(results: Results[Any]) -> polars.DataFrame:
    """All judgements."""
    return results.frame
