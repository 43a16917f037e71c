"""`epicene tables`: the paper's tables of one or more runs, with no model."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.cli.options import AsCsv, AsJson, AsLatex, AsMarkdown, Folders, WithItems
from epicene.errors import InputError

if TYPE_CHECKING:
    from epicene.records import Judgement, Table
    from epicene.report.provenance import Provenance
    from epicene.runs.results import Finished


def tables(
    runs: Folders,
    as_json: AsJson = False,
    items: WithItems = False,
    as_csv: AsCsv = False,
    as_latex: AsLatex = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Print all tables of one or more runs of a suite."""
    if items and not as_json:
        raise InputError("--items goes with --json.")
    form = one_form(json=as_json, csv=as_csv, latex=as_latex, markdown=as_markdown)
    if form in ("", "json"):
        show(runs, as_json=as_json, items=items)
        return
    from epicene.report.document import headlines
    from epicene.report.provenance import provenance
    from epicene.runs.results import read_run
    from epicene.runs.summary import summarise

    finished = [read_run(folder) for folder in runs]
    summary = summarise(finished)
    source = provenance(summary, finished)
    write_tables((headlines(summary), *summary.tables), form, source)


def one_form(**forms: bool) -> str:
    """The one form that was asked for, or none."""
    wanted = [name for name, on in forms.items() if on]
    if len(wanted) > 1:
        raise InputError("Choose one of --json, --csv, --latex and --markdown.")
    return wanted[0] if wanted else ""


def write_tables(made: Sequence[Table], form: str, source: Provenance | None = None) -> None:
    """Tables on standard output, as csv, latex or markdown, with what qualifies their numbers."""
    from epicene.report import plain

    writers = {
        "csv": plain.tables_csv,
        "latex": plain.tables_latex,
        "markdown": plain.tables_markdown,
    }
    sys.stdout.write(writers[form](made, source))


def show(
    folders: Sequence[Path], *, as_json: bool, items: bool = False, headlines_only: bool = False
) -> None:
    """Print what the runs gave, and say what is missing from it."""
    from epicene.cli.output import note, print_results, print_tables
    from epicene.report.document import headlines
    from epicene.runs.results import read_run
    from epicene.runs.summary import lacking, summarise
    from epicene.runs.unlike import asked_unlike

    finished = [read_run(folder) for folder in folders]
    summary = summarise(finished)
    if headlines_only and not as_json:
        print_tables([headlines(summary)])
    else:
        print_results(summary, as_json=as_json, items=_items(finished) if items else None)
    for sentence in (*asked_unlike(finished), *lacking(summary.runs)):
        note(sentence)


def _items(finished: Sequence[Finished]) -> Iterator[tuple[str, Judgement]]:
    from epicene.runs.results import Judged

    for run in finished:
        for judgement in Judged(run):
            yield run.info.model, judgement
