"""Print results on standard output, as JSON or tables, and notes on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.records import Judgement, Table
from epicene.report.results_document import metrics_table, results_document

if TYPE_CHECKING:
    from epicene.runs.summary import Summary

PIPE_WIDTH = 200


def note(sentence: str) -> None:
    """Say something that is not a result."""
    sys.stderr.write(f"{sentence}\n")


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document."""
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    sys.stdout.flush()


def print_results(
    summary: Summary,
    *,
    as_json: bool,
    tables: Sequence[Table] | None = None,
    items: Iterable[tuple[str, Judgement]] | None = None,
    scores: Iterable[Mapping[str, Any]] | None = None,
) -> None:
    """Print a summary with all its tables, or those given; as JSON also with every judged answer
    and every scored text, if given."""
    if not as_json:
        print_tables((metrics_table(summary), *summary.tables) if tables is None else tables)
        return
    # The headline metrics are in the document without their table.
    headlines = metrics_table(summary).name
    chosen = None if tables is None else [each for each in tables if each.name != headlines]
    shown = results_document(summary, chosen)
    if items is None and scores is None:
        print_json(shown)
        return
    # Items may be millions: they are written as they come.
    out = sys.stdout.buffer
    out.write(msgspec.json.encode(shown)[:-1])
    if items is not None:
        _write_list("items", (_item_fields(summary, *each) for each in items))
    if scores is not None:
        _write_list("scores", scores)
    out.write(b"}\n")
    out.flush()


def _item_fields(summary: Summary, model: str, judgement: Judgement) -> dict[str, Any]:
    details = summary.suite.item_details(judgement)
    return {"model": model, **msgspec.to_builtins(judgement), **details}


def _write_list(name: str, entries: Iterable[Mapping[str, Any]]) -> None:
    """One more field of a JSON document that is being written: a list, an entry per line."""
    out = sys.stdout.buffer
    out.write(f',"{name}":['.encode())
    for count, entry in enumerate(entries):
        out.write((b",\n" if count else b"\n") + msgspec.json.encode(entry))
    out.write(b"\n]")


def print_tables(tables: Iterable[Table]) -> None:
    """Tables for a person at a terminal."""
    from rich.console import Console

    from epicene.report.terminal import print_table

    # Where nobody looks at a screen there is no need to squeeze.
    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else PIPE_WIDTH)
    for table in tables:
        print_table(console, table, squeeze=not terminal)
