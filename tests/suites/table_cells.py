"""The numbers in a row of a table, by column."""

from __future__ import annotations

from epicene.core.records import Estimate, Table
from epicene.studies.analysis.study_summary import StudySummary


def cells(found: Table, *keys: str) -> dict[str, Estimate]:
    """The numbers of the row with these keys."""
    (row,) = [row for row in found.rows if row.keys == keys]
    return {
        column.name: cell
        for column, cell in zip(found.columns, row.cells, strict=True)
        if isinstance(cell, Estimate)
    }


def values(found: Table, *keys: str) -> dict[str, float | None]:
    return {name: cell.value for name, cell in cells(found, *keys).items()}


def study_cells(summary: StudySummary, name: str, *keys: str) -> dict[str, Estimate]:
    """The same, of a table of a study."""
    (found,) = [table for table in summary.tables if table.name == name]
    return cells(found, *keys)


def study_values(summary: StudySummary, name: str, *keys: str) -> dict[str, float | None]:
    return {name: cell.value for name, cell in study_cells(summary, name, *keys).items()}
