"""Accuracy by format and by gender."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene import charts
from epicene.stats.tabulate import accuracy, accuracy_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Estimate, Figure, Table
    from epicene.suites import Results
    from reflexives.ask import ReflexiveProtocol


def metrics(results: Results[ReflexiveProtocol]) -> dict[str, Estimate]:
    """Accuracy by probability and by generation."""
    import polars as pl

    return {
        f"accuracy_{name}": accuracy(results.frame.filter(pl.col("format") == name))
        for name in ("probability", "generation")
    }


def tables(results: Results[ReflexiveProtocol]) -> Iterator[Table]:
    """By format, then by gender within each."""
    notes = ("A generation without a reflexive is undetected, and not right.",)
    yield accuracy_table(
        results.frame,
        name="accuracy",
        title="Right reflexive, by gender of the subject",
        rows=("model", "format"),
        columns="gender",
        notes=notes,
    )
    yield accuracy_table(
        results.frame,
        name="formats",
        title="Right reflexive, by format",
        rows=("model",),
        columns="format",
        notes=notes,
    )


def figures(results: Results[ReflexiveProtocol]) -> Iterator[Figure]:
    """Accuracy of each model by format."""
    rows = [
        {"model": row.keys[0], "format": row.keys[1], "accuracy": row.cells[0]}
        for row in next(iter(tables(results))).rows
    ]
    yield charts.bars(
        "accuracy",
        "Right reflexive, by model and format",
        rows,
        x="model",
        y="accuracy",
        color="format",
        unit="share",
    )
