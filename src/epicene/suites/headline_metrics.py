"""Headline metrics: the few key numbers of a suite by which models are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from epicene.stats.tabulate import accuracy

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars

    from epicene.core.records import Estimate
    from epicene.stats.intervals import SumStatistic
    from epicene.suites import Results, RunInfo, Suite

MetricUnit: TypeAlias = Literal["share", "number"]


class HeadlineMetric(NamedTuple):
    """A key number of one run, which `estimate` computes from the run's results.

    `item_scores` returns the judgements it is the mean of, each with a `score` between 0 and 1, so
    that models can be compared item by item; None if no value is better than another. `chance` is
    the value expected by chance, if it is defined; `chance_request` names the request for scores
    whose number of candidates defines it. `contrasts` are the facets within which the report
    compares it: masculine with feminine, one pronoun with another.
    """

    name: str
    estimate: Callable[[Results[Any]], Estimate]
    item_scores: Callable[[Results[Any]], polars.DataFrame] | None = None
    unit: MetricUnit = "share"
    by_language: bool = True
    chance: float | None = None
    chance_request: str = ""
    contrasts: tuple[str, ...] = ()


class FormatPairs(NamedTuple):
    """Two formats that measure the same instances, such as probability and generation.

    `pairs` returns one row per instance scored in both formats, with its `model` and `group`: `a`
    is 1 if it is right in the `first` format, `b` in the `second`. `table` is the name of the table
    on their agreement.
    """

    first: str
    second: str
    table: str
    pairs: Callable[[Results[Any]], polars.DataFrame]


class SumScore(NamedTuple):
    """A score of summed counts, such as BLEU, by which `compare` pairs two runs.

    `judgements` returns those whose `counts` (columns) are summed; `statistic` is the score of each
    row of sums, between `bounds`.
    """

    name: str
    judgements: Callable[[Results[Any]], polars.DataFrame]
    counts: tuple[str, ...]
    statistic: SumStatistic
    bounds: tuple[float, float]


def accuracy_metric(
    name: str,
    of: Callable[[Results[Any]], polars.DataFrame],
    *,
    chance: float | None = None,
    chance_request: str = "",
    contrasts: tuple[str, ...] = (),
) -> HeadlineMetric:
    """The share of right outcomes among some judgements."""
    return HeadlineMetric(
        name=name,
        estimate=lambda results: accuracy(of(results)),
        item_scores=lambda results: with_item_scores(of(results)),
        chance=chance,
        chance_request=chance_request,
        contrasts=contrasts,
    )


def with_item_scores(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements that have an outcome, with a `score`: their `credit` if any, otherwise 1 if
    right."""
    import polars as pl

    judged = frame.filter(pl.col("outcome").is_not_null())
    right = (pl.col("outcome").cast(pl.String) == "right").cast(pl.Float64)
    if "credit" in frame.columns:
        right = pl.col("credit").fill_null(right)
    return judged.with_columns(right.alias("score"))


def headline_metrics_of(
    suite: Suite[Any, Any], results: Results[Any]
) -> tuple[HeadlineMetric, ...]:
    """The suite's headline metrics; if it defines none, the share of all right outcomes."""
    named = suite.headline_metrics
    found = named(results) if callable(named) else named
    return found or (accuracy_metric("right", all_judgements),)


def planted_value(suite: Suite[Any, Any], headline: str, run: RunInfo) -> float | None:
    """The true value of a headline of a run, if its models have a known one."""
    if suite.planted is not None:
        return suite.planted(run.identities).get(headline) if run.identities else None
    rates = [
        each.about["rate"]
        for models in run.identities.values()
        for each in models
        if each.kind == "planted"
    ]
    return float(rates[0] or 0) if len(rates) == 1 else None


def all_judgements(results: Results[Any]) -> polars.DataFrame:
    """All judgements."""
    return results.frame
