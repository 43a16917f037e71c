"""`epicene demo`: run every suite on the embedded models, small, and write a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epicene.cli.options import Threads

if TYPE_CHECKING:
    from epicene.api.demo import Demo


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder for runs and report.")
    ] = Path("demo"),
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON document with the results of every suite.")
    ] = False,
    threads: Threads = None,
) -> int:
    """Run every suite on the embedded models, write a report and say where it is."""
    from epicene.api.demo import demo as run_demo

    done = run_demo(out, threads=threads)
    _show(done, as_json=as_json)
    return 1 if done.failed else 0


def _show(done: Demo, *, as_json: bool) -> None:
    """The headlines of every suite, what is missing, and last of all where the report is."""
    from epicene.api.results import load, tabulate
    from epicene.cli.output import note, print_json, print_tables
    from epicene.report.results_document import metrics_table, results_document

    runs = [load(folder) for folder in done.folders]
    suites = dict.fromkeys(run.suite for run in runs)
    summaries = [tabulate(run for run in runs if run.suite == name).summary for name in suites]
    if as_json:
        missing = [
            {"what": each.what, "why": each.why, "command": each.command} for each in done.missing
        ]
        results = [results_document(summary) for summary in summaries]
        print_json({"report": str(done.report), "suites": results, "not measured": missing})
    else:
        print_tables(metrics_table(summary) for summary in summaries)
    for each in done.missing:
        note(f"Not measured: {each.what}. {each.why} {each.command}")
    note(f"All tables: epicene tables RUN…, with the folders in {done.report.parent / 'runs'}")
    note(f"The report is in {done.report}")
