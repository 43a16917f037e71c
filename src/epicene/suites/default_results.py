"""Metrics, tables and figures for suites that define none: shares and means, by facet.

A measure is what `judge` returned under one name. Outcomes give the share of right ones and of
undetected ones, values their mean, and labels without an outcome the share of each.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.records import Column, Estimate, Row, Table
from epicene.show import charts
from epicene.stats.tabulate import accuracy, distinct_values, mean, share, undetected_share
from epicene.suites import FRAME_COLUMNS
from epicene.suites.definition_functions import MEASURE
from epicene.suites.headline_metrics import HeadlineMetric, with_item_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars

    from epicene.core.records import Figure, Item
    from epicene.suites import Protocol, Results
    from epicene.suites.headline_metrics import MetricUnit

OVERALL = "overall"
UNDETECTED = "undetected"


class Statistic(NamedTuple):
    """A number that is computed from some judgements."""

    name: str
    unit: MetricUnit
    of: Callable[[polars.DataFrame], Estimate]


def _label_share(label: str, frame: polars.DataFrame) -> Estimate:
    import polars as pl

    found = frame.filter(pl.col("label").is_not_null() | (pl.col("outcome") == "undetected"))
    return share(found, (pl.col("label").cast(pl.String) == label).fill_null(value=False))


def statistics_of(frame: polars.DataFrame) -> list[Statistic]:
    """The statistics that there are of these judgements."""
    found: list[Statistic] = []
    outcomes = set(distinct_values(frame, "outcome"))
    if outcomes & {"right", "wrong"} or (outcomes and not distinct_values(frame, "label")):
        found.append(Statistic("accuracy", "share", accuracy))
        found.append(Statistic(UNDETECTED, "share", undetected_share))
    if frame["value"].null_count() < len(frame):
        found.append(Statistic("mean", "number", mean))
    if not found:
        found += [
            Statistic(f"share_{label}", "share", partial(_label_share, label))
            for label in distinct_values(frame, "label")
        ]
    return found


def measures(frame: polars.DataFrame) -> Iterator[tuple[str, polars.DataFrame]]:
    """The judgements of each measure in the order of the judge; all, if there are no measures."""
    import polars as pl

    if MEASURE not in frame.columns:
        yield "", frame
        return
    for name in frame[MEASURE].drop_nulls().unique(maintain_order=True).cast(pl.String):
        yield name, frame.filter(pl.col(MEASURE) == name)
    if len(rest := frame.filter(pl.col(MEASURE).is_null())):
        yield "", rest


def default_metrics(results: Results[Any]) -> dict[str, Estimate]:
    """Each statistic of each measure, except the undetected share, which is always present."""
    return {
        _metric_name(statistic.name, measure): statistic.of(part)
        for measure, part in measures(results.frame)
        for statistic in statistics_of(part)
        if statistic.name != UNDETECTED
    }


def _metric_name(statistic: str, measure: str) -> str:
    return f"{statistic}_{measure}" if measure else statistic


def default_headlines(results: Results[Any]) -> tuple[HeadlineMetric, ...]:
    """Each metric."""
    return tuple(
        HeadlineMetric(
            name=_metric_name(statistic.name, measure),
            estimate=partial(_estimate, statistic, measure),
            item_scores=partial(_item_scores, measure) if statistic.name == "accuracy" else None,
            unit=statistic.unit,
        )
        for measure, part in measures(results.frame)
        for statistic in statistics_of(part)
        if statistic.name != UNDETECTED
    )


def _estimate(statistic: Statistic, measure: str, results: Results[Any]) -> Estimate:
    return statistic.of(_of_measure(measure, results))


def _item_scores(measure: str, results: Results[Any]) -> polars.DataFrame:
    return with_item_scores(_of_measure(measure, results))


def _of_measure(measure: str, results: Results[Any]) -> polars.DataFrame:
    return dict(measures(results.frame)).get(measure, results.frame.clear())


# --- tables and figures --------------------------------------------------------------------


def table_names(facets: Sequence[str]) -> tuple[str, ...]:
    """The names of all tables."""
    return (OVERALL, *(f"by_{facet}" for facet in facets))


def _facets(frame: polars.DataFrame, first: Sequence[str]) -> list[str]:
    """The facets of these judgements: those of the suite, then those added by its judge."""
    import polars as pl

    added = sorted(
        name
        for name, kind in frame.schema.items()
        if kind == pl.Categorical and name not in (*FRAME_COLUMNS, MEASURE)
    )
    return list(dict.fromkeys([name for name in first if name in frame.columns] + added))


def default_tables(title: str, facets: Sequence[str], results: Results[Any]) -> Iterator[Table]:
    """All judgements of each model, then by each facet."""
    yield _table(results.frame, OVERALL, title, ("model",))
    for facet in _facets(results.frame, facets):
        yield _table(results.frame, f"by_{facet}", f"{title}, by {facet}", ("model", facet))


def _table(frame: polars.DataFrame, name: str, title: str, keys: Sequence[str]) -> Table:
    import polars as pl

    levels = [*keys, MEASURE] if MEASURE in frame.columns else list(keys)
    statistics = statistics_of(frame)
    grouped = frame.group_by([pl.col(level).cast(pl.String).fill_null("") for level in levels])
    return Table(
        name=name,
        title=title,
        levels=tuple(levels),
        columns=tuple(
            Column(name=each.name, unit=each.unit, decimals=1 if each.unit == "share" else 3)
            for each in statistics
        ),
        rows=tuple(
            Row(keys=tuple(map(str, key)), cells=tuple(each.of(part) for each in statistics))
            for key, part in sorted(grouped, key=lambda pair: pair[0])
        ),
    )


def default_figures(title: str, facets: Sequence[str], results: Results[Any]) -> Iterator[Figure]:
    """The first statistic of each measure, by model and by the first facet."""
    import polars as pl

    frame = results.frame
    facet = next(iter(_facets(frame, facets)), None)
    keys = ["model", *([facet] if facet else ())]
    for measure, part in measures(frame):
        statistic = statistics_of(part)[0]
        rows: list[dict[str, str | Estimate]] = [
            {**dict(zip(keys, map(str, key), strict=True)), statistic.name: statistic.of(group)}
            for key, group in sorted(
                part.group_by([pl.col(key).cast(pl.String).fill_null("") for key in keys]),
                key=lambda pair: pair[0],
            )
        ]
        yield charts.points_with_intervals(
            _metric_name(OVERALL, measure),
            f"{title}: {measure}" if measure else title,
            rows,
            x="model",
            y=statistic.name,
            color=facet,
            unit=statistic.unit,
        )


def default_statistics(
    facets: Sequence[str], items: Sequence[Item], _protocol: Protocol
) -> Iterator[Table]:
    """How many items there are of each value of each facet."""
    for facet in facets:
        counted = Counter(str(getattr(item, facet)) for item in items)
        yield Table(
            name=f"items_by_{facet}",
            title=f"Items by {facet}",
            levels=(facet,),
            columns=(Column(name="items", unit="count"),),
            rows=tuple(
                Row(keys=(value,), cells=(Estimate(value=number, n=number),))
                for value, number in sorted(counted.items())
            ),
        )
