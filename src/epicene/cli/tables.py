"""`epicene tables`: print the tables of one or more runs, without a model."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.cli.options import AsCsv, AsJson, AsLatex, AsMarkdown, RunFolders, WithItems
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from epicene.core.records import Judgement, Table
    from epicene.report.provenance import Provenance
    from epicene.runs.stored_run import StoredRun


def tables(
    runs: RunFolders,
    as_json: AsJson = False,
    items: WithItems = False,
    as_csv: AsCsv = False,
    as_latex: AsLatex = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Print all tables of one or more runs of a suite."""
    if items and not as_json:
        raise InputError("--items goes with --json.")
    form = chosen_format(json=as_json, csv=as_csv, latex=as_latex, markdown=as_markdown)
    if form in ("", "json"):
        show_runs(runs, as_json=as_json, items=items)
        return
    from epicene.report.provenance import provenance_of
    from epicene.report.results_document import metrics_table
    from epicene.runs.stored_run import read_run
    from epicene.runs.summary import summarise

    finished = [read_run(folder) for folder in runs]
    summary = summarise(finished)
    source = provenance_of(summary, finished)
    write_tables((metrics_table(summary), *summary.tables), form, source)


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
    folders: Sequence[Path], *, as_json: bool, items: bool = False, metrics_only: bool = False
) -> None:
    """Print what the runs gave, and say what is missing from it."""
    from epicene.cli.output import note, print_results, print_tables
    from epicene.report.results_document import metrics_table
    from epicene.runs.stored_run import read_run
    from epicene.runs.summary import incomplete_run_sentences, settings_diff_sentences, summarise

    finished = [read_run(folder) for folder in folders]
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
