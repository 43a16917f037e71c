"""`epicene tables`: print the tables of one or more runs, without a model."""

from __future__ import annotations

from epicene.cli.options import AsCsv, AsJson, AsLatex, AsMarkdown, RunFolders, WithItems
from epicene.core.errors import InputError


def tables(
    runs: RunFolders,
    as_json: AsJson = False,
    items: WithItems = False,
    as_csv: AsCsv = False,
    as_latex: AsLatex = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Print all tables of one or more runs of a suite."""
    from epicene.cli.output import chosen_format, show_runs, write_tables

    if items and not as_json:
        raise InputError("--items goes with --json.")
    form = chosen_format(json=as_json, csv=as_csv, latex=as_latex, markdown=as_markdown)
    if form in ("", "json"):
        show_runs(runs, as_json=as_json, items=items)
        return
    from epicene.cli.progress import scoring_progress
    from epicene.report.provenance import provenance_of
    from epicene.report.results_document import metrics_table
    from epicene.runs.stored_run import read_run
    from epicene.runs.summary import summarise

    finished = [read_run(folder) for folder in runs]
    with scoring_progress():
        summary = summarise(finished)
    source = provenance_of(summary, finished)
    write_tables((metrics_table(summary), *summary.tables), form, source)
