"""The figure: accuracy of each model by format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene import charts
from reflexives.tables import tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Figure
    from epicene.suites import Results
    from reflexives.protocol import ReflexiveProtocol


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
