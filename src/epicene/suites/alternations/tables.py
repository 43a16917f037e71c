"""Accuracy by phenomenon, by any column and by measure; with the paper's tables and the gaps'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.alternations.acceptability import SLOR
from epicene.suites.alternations.accuracy import TIES, accuracy, scored, with_all
from epicene.suites.alternations.cloze_tables import cloze_metrics, cloze_tables
from epicene.suites.alternations.pairs import VARIANTS
from epicene.suites.alternations.paper_tables import table_2, table_5
from epicene.suites.alternations.protocol import ACCEPTABILITY
from epicene.suites.alternations.sources import TAKEN
from epicene.suites.likelihood import MEASURES
from epicene.suites.tabulate import mean, only, undetected, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars

    from epicene.suites.alternations.accuracy import Outcomes

_MOST_VALUES = 40  # a column with more different values says nothing in a table


def metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """Accuracy overall and by phenomenon, ties, and what fills the gaps."""
    frame = scored(results)
    made: dict[str, Estimate] = {}
    if len(frame):
        made["accuracy"] = accuracy(frame)
        made["ties"] = undetected(frame)
        for name in values_of(frame, "phenomenon"):
            made[f"accuracy {name}"] = accuracy(only(frame, phenomenon=name))
    return {**made, **cloze_metrics(results)}


def tables(results: Outcomes) -> Iterator[Table]:
    """The paper's tables where there are Hindi variants, then those of any pairs."""
    frame = scored(results)
    if len(frame):
        if set(VARIANTS) & set(values_of(frame, "phenomenon")):
            yield table_2(results, frame)
            if "valency" in frame.columns:
                yield table_5(frame)
        yield _by_phenomenon(frame)
        if columns := _columns(frame):
            yield _by_column(frame, columns)
        yield _by_measure(only(results.frame, format=ACCEPTABILITY))
    yield from cloze_tables(results)


def _cells(part: polars.DataFrame) -> tuple[Estimate, ...]:
    number = Estimate(value=len(part), n=len(part))
    return (number, accuracy(part), undetected(part), mean(part))


_COLUMNS = (
    Column(name="pairs", unit="count"),
    Column(name="accuracy"),
    Column(name="ties"),
    Column(name="margin", unit="number", decimals=2),
)
_MARGIN = "The margin is the mean difference of the two scores, good minus bad."


def _by_phenomenon(frame: polars.DataFrame) -> Table:
    rows = [
        Row(keys=(model, phenomenon), cells=_cells(part))
        for model in values_of(frame, "model")
        for phenomenon, part in with_all(only(frame, model=model))
    ]
    return Table(
        name="phenomena",
        title="Accuracy by phenomenon",
        levels=("model", "phenomenon"),
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(TIES, _MARGIN),
    )


def _columns(frame: polars.DataFrame) -> list[str]:
    """The columns of the data that are worth breaking down by."""
    return [
        column
        for column in sorted(set(frame.columns) - TAKEN)
        if not frame[column].dtype.is_numeric()
        and 1 <= len(values_of(frame, column)) <= _MOST_VALUES
    ]


def _by_column(frame: polars.DataFrame, columns: list[str]) -> Table:
    rows = [
        Row(keys=(column, model, value), cells=_cells(only(part, **{column: value})))
        for column in columns
        for model in values_of(frame, "model")
        for part in (only(frame, model=model),)
        for value in values_of(part, column)
    ]
    return Table(
        name="columns",
        title="Accuracy by every column of the data",
        levels=("facet", "model", "of"),
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(
            TIES,
            _MARGIN,
            f"Columns with more than {_MOST_VALUES} different values are left out.",
        ),
    )


def _by_measure(frame: polars.DataFrame) -> Table:
    there = values_of(frame, "measure")
    names = [name for name in (*MEASURES, SLOR) if name in there]
    rows = []
    for model in values_of(frame, "model"):
        for method in values_of(only(frame, model=model), "method"):
            # A causal model gives the same scores however it should have masked.
            part = only(frame, model=model, method=method).unique(["item", "measure"])
            rows += [
                Row(
                    keys=(model, method, phenomenon),
                    cells=tuple(accuracy(only(each, measure=name)) for name in names),
                )
                for phenomenon, each in with_all(part)
            ]
    return Table(
        name="measures",
        title="Accuracy by every measure",
        levels=("model", "method", "phenomenon"),
        columns=tuple(Column(name=name) for name in names),
        rows=tuple(rows),
        notes=(
            TIES,
            "SLOR is our approximation: unigram frequencies are those of the package wordfreq, "
            "per word, not those of the model's training text.",
        ),
    )
