"""`epicene tables`: print the tables of one or more runs, without a model."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epicene.cli.options import (
    AsCsv,
    AsJson,
    AsLatex,
    AsMarkdown,
    RunFolders,
    TableNames,
    WithItems,
    WithScores,
)
from epicene.core.errors import InputError, unknown

if TYPE_CHECKING:
    from epicene.core.records import Judgement, Table
    from epicene.report.provenance import Provenance
    from epicene.runs.results import StoredRun
    from epicene.runs.summary import Summary


def tables(
    runs: RunFolders,
    table: TableNames = None,
    list_names: Annotated[
        bool, typer.Option("--list", help="Only the names and titles of the tables.")
    ] = False,
    as_json: AsJson = False,
    items: WithItems = False,
    scores: WithScores = False,
    as_csv: AsCsv = False,
    as_latex: AsLatex = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Print the tables of one or more runs of a suite."""
    if items and not as_json:
        raise InputError("--items goes with --json.")
    form = chosen_format(json=as_json, csv=as_csv, latex=as_latex, markdown=as_markdown)
    if scores and form not in ("json", "csv"):
        raise InputError("--scores goes with --json or --csv.")
    if scores and form == "csv":
        _write_scores(runs)
    elif list_names:
        _list_tables(runs, as_json=as_json)
    elif form in ("", "json"):
        show_runs(runs, as_json=as_json, items=items, scores=scores, names=table or ())
    else:
        _write_runs(runs, form, table or ())


def _write_runs(folders: Sequence[Path], form: str, names: Sequence[str]) -> None:
    """Tables as CSV, LaTeX or Markdown."""
    from epicene.report.provenance import provenance_of
    from epicene.runs.results import read_run
    from epicene.runs.summary import summarise

    finished = [read_run(folder) for folder in folders]
    summary = summarise(finished)
    write_tables(_select(summary, names), form, provenance_of(summary, finished))


def _list_tables(folders: Sequence[Path], *, as_json: bool) -> None:
    from epicene.cli.output import print_json
    from epicene.runs.results import read_run
    from epicene.runs.summary import summarise

    found = _select(summarise([read_run(folder) for folder in folders]), ())
    if as_json:
        print_json({"tables": {table.name: table.title for table in found}})
        return
    for table in found:
        typer.echo(f"{table.name}: {table.title}")


def _select(summary: Summary, names: Sequence[str]) -> tuple[Table, ...]:
    """The tables of these names, in the order of the suite; all, if none is named."""
    from epicene.report.results_document import metrics_table

    found = (metrics_table(summary), *summary.tables)
    known = {table.name for table in found}
    for name in names:
        if name not in known:
            raise unknown("table", name, known, every=True)
    return tuple(table for table in found if not names or table.name in names)


def chosen_format(**forms: bool) -> str:
    """The one form that was asked for, or none."""
    wanted = [name for name, on in forms.items() if on]
    if len(wanted) > 1:
        raise InputError("Choose one of --json, --csv, --latex and --markdown.")
    return wanted[0] if wanted else ""


def write_tables(made: Sequence[Table], form: str, source: Provenance | None = None) -> None:
    """Tables on standard output, as csv, latex or markdown, with what qualifies their numbers."""
    from epicene.report.latex import tables_latex
    from epicene.report.table_formats import tables_csv, tables_markdown

    writers = {"csv": tables_csv, "latex": tables_latex, "markdown": tables_markdown}
    sys.stdout.write(writers[form](made, source))


def show_runs(
    folders: Sequence[Path],
    *,
    as_json: bool,
    items: bool = False,
    scores: bool = False,
    metrics_only: bool = False,
    names: Sequence[str] = (),
) -> None:
    """Print what the runs gave, and say what is missing from it."""
    from epicene.cli.output import note, print_results, print_tables
    from epicene.report.results_document import metrics_table
    from epicene.runs.results import read_run
    from epicene.runs.scored_texts import scored_text_fields
    from epicene.runs.summary import incomplete_run_sentences, settings_diff_sentences, summarise

    finished = [read_run(folder) for folder in folders]
    summary = summarise(finished)
    if metrics_only and not as_json:
        print_tables([metrics_table(summary)])
    else:
        print_results(
            summary,
            as_json=as_json,
            tables=_select(summary, names),
            items=_items(finished) if items else None,
            scores=scored_text_fields(finished) if scores else None,
        )
    for sentence in (*settings_diff_sentences(finished), *incomplete_run_sentences(summary.runs)):
        note(sentence)


def _items(finished: Sequence[StoredRun]) -> Iterator[tuple[str, Judgement]]:
    from epicene.runs.results import RunJudgements

    for run in finished:
        for judgement in RunJudgements(run):
            yield run.info.model, judgement


def _write_scores(folders: Sequence[Path]) -> None:
    """Every scored text as a row of CSV, written as they come."""
    import csv
    import json

    from epicene.core.data_files import escape_formula
    from epicene.runs.results import read_run
    from epicene.runs.scored_texts import scored_text_fields

    writer = csv.writer(sys.stdout, lineterminator="\r\n")
    rows = scored_text_fields([read_run(folder) for folder in folders])
    for number, fields in enumerate(rows):
        if not number:
            writer.writerow(fields)
        cells = (
            json.dumps(cell) if isinstance(cell, tuple | bool) else cell for cell in fields.values()
        )
        writer.writerow(escape_formula(cell) if isinstance(cell, str) else cell for cell in cells)
