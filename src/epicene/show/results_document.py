"""The results of runs as one JSON document, and their headlines as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.records import Column, Estimate, Row, Table
from epicene.show.model_profiles import headline_results
from epicene.show.table_formats import estimate_json, tables_json
from epicene.suites.paper_material import EPICENES_WORDING, UNKNOWN_WORDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.results.summary import RunSummary, Summary


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
    """The suite's headlines by their readable names, a row for each model."""
    entries = [entry for entry in headline_results(summary) if not entry.language]
    missing = Estimate(value=None, why="nothing was judged")
    return Table(
        name="headlines",
        title=f"{summary.suite.card.title}, protocol {summary.protocol.name}"
        + (f", wording: {summary.wording}" if summary.wording else ""),
        levels=("model",),
        columns=(*(entry.column for entry in entries), Column(name="undetected")),
        rows=tuple(
            Row(
                keys=(run.info.model,),
                cells=(
                    *(entry.estimates.get(run.info.model, missing) for entry in entries),
                    run.undetected,
                ),
            )
            for run in summary.runs
        ),
    )
