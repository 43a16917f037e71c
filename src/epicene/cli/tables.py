"""`epicene tables`: print the tables of one or more runs, without a model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epicene.cli.options import (
    AsCsv,
    AsJson,
    AsLatex,
    AsMarkdown,
    Crossed,
    RunFolders,
    TableNames,
    WithItems,
    WithScores,
)
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from epicene.api.results import Runs


def tables(
    runs: RunFolders,
    table: TableNames = None,
    list_names: Annotated[
        bool, typer.Option("--list", help="Print only the names and titles of the tables.")
    ] = False,
    crossed: Crossed = "",
    draws: Annotated[
        bool,
        typer.Option(
            "--draws",
            help="Also report one model's headlines over its random draws: its samples and "
            "runs (table `draws`).",
        ),
    ] = False,
    as_json: AsJson = False,
    items: WithItems = False,
    scores: WithScores = False,
    as_csv: AsCsv = False,
    as_latex: AsLatex = False,
    as_markdown: AsMarkdown = False,
    people: Annotated[
        Path | None,
        typer.Option(
            "--people",
            metavar="STUDY",
            help="A study whose labels are used to correct the headlines.",
        ),
    ] = None,
) -> None:
    """Print the tables of one or more runs of a suite."""
    from epicene.api.results import tabulate
    from epicene.cli.output import check_judged, chosen_format, show_results

    if items and not as_json:
        raise InputError("--items requires --json.")
    form = chosen_format(json=as_json, csv=as_csv, latex=as_latex, markdown=as_markdown)
    if scores and form not in ("json", "csv"):
        raise InputError("--scores requires --json or --csv.")
    if list_names and (table or items or scores or form not in ("", "json")):
        raise InputError("--list can be combined only with --json.")
    if scores and form == "csv" and table:
        raise InputError("--csv --scores writes the scored texts and no tables; remove --table.")
    if scores and form == "csv":
        _write_scores(runs)
        return
    results = tabulate(runs, people=people, crossed=crossed, draws=draws)
    if list_names:
        _list_tables(results, as_json=as_json)
    elif form in ("", "json"):
        check_judged(results.summary)
        show_results(results, as_json=as_json, items=items, scores=scores, names=table or ())
    else:
        _write_runs(results, form, table or ())


def _write_runs(results: Runs, form: str, names: Sequence[str]) -> None:
    """Write tables as CSV, LaTeX or Markdown."""
    from epicene.cli.output import check_judged, select_tables, write_tables
    from epicene.show.provenance import provenance_of

    check_judged(results.summary)
    source = provenance_of(results.summary, results.stored)
    write_tables(select_tables(results.summary, names), form, source)


def _list_tables(results: Runs, *, as_json: bool) -> None:
    from epicene.cli.output import print_json, select_tables

    found = select_tables(results.summary, ())
    if as_json:
        print_json({"tables": {table.name: table.title for table in found}})
        return
    for table in found:
        typer.echo(f"{table.name}: {table.title}")


def _write_scores(folders: Sequence[Path]) -> None:
    """Write every scored text as a CSV row, one at a time."""
    import csv
    import json

    from epicene.api.results import tabulate
    from epicene.core.data_files import escape_formula
    from epicene.runs.scored_texts import scored_text_fields

    writer = csv.writer(sys.stdout, lineterminator="\r\n")
    rows = scored_text_fields(tabulate(folders).stored)
    for number, fields in enumerate(rows):
        if not number:
            writer.writerow(fields)
        cells = (
            json.dumps(cell) if isinstance(cell, tuple | bool) else cell for cell in fields.values()
        )
        writer.writerow(escape_formula(cell) if isinstance(cell, str) else cell for cell in cells)
