"""Print results on standard output, as JSON or tables, and notes on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.api.progress import note as note
from epicene.core.control_characters import escape_controls
from epicene.core.errors import InputError, RunError, unknown
from epicene.core.records import Judgement, Table
from epicene.show.results_document import metrics_table, results_document

if TYPE_CHECKING:
    from epicene.api.results import Runs
    from epicene.runs.summary import Summary
    from epicene.show.provenance import Provenance

PIPE_WIDTH = 200


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document."""
    shown = msgspec.json.format(msgspec.json.encode(document), indent=2)
    if sys.stdout.isatty():  # the same document, spelt so that it does nothing to a terminal
        shown = escape_controls(shown.decode()).encode()
    sys.stdout.buffer.write(shown + b"\n")
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

    from epicene.show.terminal import print_table

    class Terminal(Console):
        """A console that raises if the reader of its output has ended; rich would exit with 1."""

        def on_broken_pipe(self) -> None:
            raise

    # Without a terminal, tables need not fit its width.
    terminal = sys.stdout.isatty()
    console = Terminal(width=None if terminal else PIPE_WIDTH)
    for table in tables:
        print_table(console, table)


def chosen_format(**forms: bool) -> str:
    """The chosen format, or "" if none is chosen; raises if there are several."""
    wanted = [name for name, on in forms.items() if on]
    if len(wanted) > 1:
        raise InputError("Choose one of --json, --csv, --latex and --markdown.")
    return wanted[0] if wanted else ""


def write_tables(made: Sequence[Table], form: str, source: Provenance | None = None) -> None:
    """Write tables to standard output as csv, latex or markdown, with their provenance."""
    from epicene.show.latex import tables_latex
    from epicene.show.table_formats import tables_csv, tables_markdown

    writers = {"csv": tables_csv, "latex": tables_latex, "markdown": tables_markdown}
    sys.stdout.write(writers[form](made, source))


def select_tables(
    summary: Summary, names: Sequence[str], tables: Sequence[Table] | None = None
) -> tuple[Table, ...]:
    """Of the headlines and these tables (default: the summary's), those named; all by default."""
    found = (metrics_table(summary), *(summary.tables if tables is None else tables))
    known = {table.name for table in found}
    for name in names:
        if name not in known:
            raise unknown("table", name, known, every=True)
    return tuple(table for table in found if not names or table.name in names)


def check_judged(summary: Summary) -> None:
    """Raise if there is no result at all: a command must not succeed without one."""
    if not len(summary.results.frame):
        raise RunError(
            "There are no results: no item has answers to all of its requests. Resume the "
            "run; if it sent no requests, check --limit and the settings (--set)."
        )


def show_results(
    results: Runs,
    *,
    as_json: bool,
    items: bool = False,
    scores: bool = False,
    metrics_only: bool = False,
    names: Sequence[str] = (),
) -> None:
    """Print the results of runs, and notes on differing settings and missing answers."""
    from epicene.runs.scored_texts import scored_text_fields

    if metrics_only and not as_json:
        print_tables([metrics_table(results.summary)])
    else:
        print_results(
            results.summary,
            as_json=as_json,
            tables=select_tables(results.summary, names),
            items=results.judgements() if items else None,
            scores=scored_text_fields(results.stored) if scores else None,
        )
    for sentence in results.notes:
        note(sentence)
