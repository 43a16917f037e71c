"""Print results on standard output, as JSON or tables, and notes on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.control_characters import escape_controls
from epicene.core.records import Judgement, Table
from epicene.report.results_document import metrics_table, results_document

if TYPE_CHECKING:
    from epicene.runs.summary import Summary

PIPE_WIDTH = 200


def note(sentence: str) -> None:
    """Say something that is not a result."""
    sys.stderr.write(f"{escape_controls(sentence)}\n")


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document."""
    shown = msgspec.json.format(msgspec.json.encode(document), indent=2)
    if sys.stdout.isatty():  # the same document, spelt so that it does nothing to a terminal
        shown = escape_controls(shown.decode()).encode()
    sys.stdout.buffer.write(shown + b"\n")
    sys.stdout.flush()


def print_results(
    summary: Summary, *, as_json: bool, items: Iterable[tuple[str, Judgement]] | None = None
) -> None:
    """Print a summary with all its tables, or as JSON with every judged answer if given."""
    if not as_json:
        print_tables((metrics_table(summary), *summary.tables))
        return
    shown = results_document(summary)
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
            **summary.suite.item_details(judgement),
        }
        out.write((b",\n" if count else b"\n") + msgspec.json.encode(entry))
    out.write(b"\n]}\n")
    out.flush()


def print_tables(tables: Iterable[Table]) -> None:
    """Tables for a person at a terminal."""
    from rich.console import Console

    from epicene.report.table_formats import rich_table

    # Where nobody looks at a screen there is no need to squeeze.
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
    for table in tables:
        console.print(rich_table(table))
        for sentence in table.notes:
            shown = escape_controls(sentence)
            console.print(shown, style="dim", highlight=False, markup=False)
        console.print()
