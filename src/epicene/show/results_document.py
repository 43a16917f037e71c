"""The results of runs as one JSON document, and as one table of all metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.records import Column, Estimate, Row, Table
from epicene.show.table_formats import estimate_json, tables_json
from epicene.suites.paper_material import EPICENES_WORDING, UNKNOWN_WORDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.runs.summary import RunSummary, Summary


def results_document(
    summary: Summary, tables: Sequence[Table] | None = None, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """The results as described by docs/reference/results.schema.json; `tables` replaces the
    suite's."""
    return {
        "suite": summary.suite.name,
        "protocol": summary.protocol.name,
        "data": ", ".join(dict.fromkeys(run.data for run in summary.runs)),
        **({"wording": summary.wording} if _is_told(summary.wording) else {}),
        "metrics": {name: estimate_json(each) for name, each in summary.metrics.items()},
        "undetected": estimate_json(summary.undetected),
        "tables": tables_json(summary.tables if tables is None else tables),
        "runs": [run_json(run) for run in summary.runs],
        **({"notes": list(notes)} if notes else {}),
    }


def _is_told(wording: str) -> bool:
    """Whether the document names the wording; not if it is ours, as before there was a choice."""
    return wording not in ("", EPICENES_WORDING, UNKNOWN_WORDING)


def run_json(run: RunSummary) -> dict[str, Any]:
    """One run's entry in the results document."""
    return {
        "run": run.info.run,
        "model": run.info.model,
        "data": run.data,
        "metrics": {name: estimate_json(each) for name, each in run.metrics.items()},
        "undetected": estimate_json(run.undetected),
        "coverage": None if run.coverage is None else msgspec.to_builtins(run.coverage),
    }


def metrics_table(summary: Summary) -> Table:
    """The metrics of each run, side by side."""
    names = list(dict.fromkeys(name for run in summary.runs for name in run.metrics))
    rows = []
    for name in [*names, "undetected"]:
        cells = [
            run.undetected
            if name == "undetected"
            else run.metrics.get(name, Estimate(value=None, why="nothing was judged"))
            for run in summary.runs
        ]
        rows.append(Row(keys=(name,), cells=tuple(cells)))
    return Table(
        name="headlines",
        title=f"{summary.suite.card.title}, protocol {summary.protocol.name}"
        + (f", wording: {summary.wording}" if summary.wording else ""),
        levels=("metric",),
        columns=tuple(
            Column(name=run.info.model, unit="number", decimals=3) for run in summary.runs
        ),
        rows=tuple(rows),
    )


def metrics_by_model(table: Table) -> Table:
    """The table of all metrics with a row for each model."""
    kind = table.columns[0]
    return Table(
        name=table.name,
        title=table.title,
        levels=("model",),
        columns=tuple(
            Column(name=row.keys[0], unit=kind.unit, decimals=kind.decimals) for row in table.rows
        ),
        rows=tuple(
            Row(keys=(column.name,), cells=tuple(row.cells[n] for row in table.rows))
            for n, column in enumerate(table.columns)
        ),
        notes=table.notes,
    )
