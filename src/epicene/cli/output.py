"""Results on standard output: one JSON document, or tables for a person; the rest on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.records import Column, Estimate, Judgement, Row, Table

if TYPE_CHECKING:
    from epicene.runs.summary import RunSummary, Summary


WIDE = 200


def note(sentence: str) -> None:
    """Say something that is not a result."""
    sys.stderr.write(f"{sentence}\n")


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document."""
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    sys.stdout.flush()


def number(estimate: Estimate) -> dict[str, Any]:
    """A number as JSON; why it is undefined, where it is."""
    shown: dict[str, Any] = {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
    }
    if estimate.why:
        shown["why"] = estimate.why
    return shown


def document(summary: Summary) -> dict[str, Any]:
    """The one shape of results (docs/results.schema.json)."""
    from epicene.report.plain import tables_json

    return {
        "suite": summary.suite.name,
        "protocol": summary.protocol.name,
        "data": ", ".join(dict.fromkeys(run.data for run in summary.runs)),
        "metrics": {name: number(each) for name, each in summary.metrics.items()},
        "undetected": number(summary.undetected),
        "tables": tables_json(summary.tables),
        "runs": [_run(run) for run in summary.runs],
    }


def _run(run: RunSummary) -> dict[str, Any]:
    return {
        "run": run.info.run,
        "model": run.info.model,
        "data": run.data,
        "metrics": {name: number(each) for name, each in run.metrics.items()},
        "undetected": number(run.undetected),
        "coverage": None if run.coverage is None else msgspec.to_builtins(run.coverage),
    }


def print_results(
    summary: Summary, *, as_json: bool, items: Iterable[tuple[str, Judgement]] | None = None
) -> None:
    """Print a summary with all its tables, or as JSON with every judged answer if given."""
    if not as_json:
        print_tables((headlines(summary), *summary.tables))
        return
    shown = document(summary)
    if items is None:
        print_json(shown)
        return
    # Items may be millions: they are written as they come.
    out = sys.stdout.buffer
    out.write(msgspec.json.encode(shown)[:-1] + b',"items":[')
    for count, (model, judgement) in enumerate(items):
        entry = {
            "model": model,
            **msgspec.to_builtins(judgement),
            **summary.suite.entry(judgement),
        }
        out.write((b",\n" if count else b"\n") + msgspec.json.encode(entry))
    out.write(b"\n]}\n")
    out.flush()


def headlines(summary: Summary) -> Table:
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
        title=f"{summary.suite.card.title}, protocol {summary.protocol.name}",
        levels=("metric",),
        columns=tuple(
            Column(name=run.info.model, unit="number", decimals=3) for run in summary.runs
        ),
        rows=tuple(rows),
    )


def print_tables(tables: Iterable[Table]) -> None:
    """Tables for a person at a terminal."""
    from rich.console import Console

    from epicene.report.terminal import rich_table

    # Where nobody looks at a screen there is no need to squeeze.
    console = Console(width=None if sys.stdout.isatty() else WIDE)
    for table in tables:
        console.print(rich_table(table))
        for sentence in table.notes:
            console.print(sentence, style="dim", highlight=False, markup=False)
        console.print()
