"""Print results on standard output, as JSON or tables, and notes on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.control_characters import escape_controls
from epicene.core.errors import InputError
from epicene.core.records import Judgement, Table
from epicene.report.results_document import metrics_table, results_document

if TYPE_CHECKING:
    from epicene.report.provenance import Provenance
    from epicene.runs.stored_run import StoredRun
    from epicene.runs.summary import Summary

PIPE_WIDTH = 200


def note(sentence: str) -> None:
    """Write a message to standard error."""
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

    # Without a terminal, tables need not fit its width.
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
    for table in tables:
        console.print(rich_table(table))
        for sentence in table.notes:
            shown = escape_controls(sentence)
            console.print(shown, style="dim", highlight=False, markup=False)
        console.print()


def chosen_format(**forms: bool) -> str:
    """The chosen format, or "" if none is; raises if there are several."""
    wanted = [name for name, on in forms.items() if on]
    if len(wanted) > 1:
        raise InputError("Choose one of --json, --csv, --latex and --markdown.")
    return wanted[0] if wanted else ""


def write_tables(made: Sequence[Table], form: str, source: Provenance | None = None) -> None:
    """Write tables to standard output as csv, latex or markdown, with their provenance."""
    from epicene.report.latex import tables_latex
    from epicene.report.table_formats import tables_csv, tables_markdown

    writers = {"csv": tables_csv, "latex": tables_latex, "markdown": tables_markdown}
    sys.stdout.write(writers[form](made, source))


def show_runs(
    folders: Sequence[Path], *, as_json: bool, items: bool = False, metrics_only: bool = False
) -> None:
    """Print the results of runs, and notes on differing settings and missing answers."""
    from epicene.cli.progress import scoring_progress
    from epicene.runs.stored_run import read_run
    from epicene.runs.summary import incomplete_run_sentences, settings_diff_sentences, summarise

    finished = [read_run(folder) for folder in folders]
    with scoring_progress():
        summary = summarise(finished)
    if metrics_only and not as_json:
        print_tables([metrics_table(summary)])
    else:
        print_results(summary, as_json=as_json, items=_items(finished) if items else None)
    for sentence in (*settings_diff_sentences(finished), *incomplete_run_sentences(summary.runs)):
        note(sentence)


def _items(finished: Sequence[StoredRun]) -> Iterator[tuple[str, Judgement]]:
    from epicene.runs.stored_run import RunJudgements

    for run in finished:
        for judgement in RunJudgements(run):
            yield run.info.model, judgement
