"""`epicene demo`: run every suite on a small scale, on embedded and planted models, and write a
report.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epicene.cli.options import Threads

if TYPE_CHECKING:
    from epicene.api.demo import Demo


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder for the runs and the report.")
    ] = Path("demo"),
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most this many items per suite.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON document with the results of every suite.")
    ] = False,
    threads: Threads = None,
) -> int:
    """Run every suite on a few items, with embedded and planted models, and write a report."""
    from epicene.api.demo import demo as run_demo

    done = run_demo(out, limit=limit, threads=threads)
    _show(done, as_json=as_json)
    return 1 if done.failed else 0


def _show(done: Demo, *, as_json: bool) -> None:
    """The headlines of every suite, what was planted, what is missing, and where the report is."""
    from epicene.api.results import load, tabulate
    from epicene.cli.output import note, print_json, print_tables
    from epicene.show.model_profiles import headline_results
    from epicene.show.planted_values import planted_table
    from epicene.show.results_document import metrics_table, results_document
    from epicene.show.table_formats import as_json as table_json

    runs = [load(folder) for folder in done.folders]
    suites = dict.fromkeys(run.suite for run in runs)
    summaries = [tabulate(run for run in runs if run.suite == name).summary for name in suites]
    planted = planted_table((each, list(headline_results(each))) for each in summaries)
    if as_json:
        missing = [
            {"what": each.what, "why": each.why, "command": each.command} for each in done.missing
        ]
        results = [results_document(summary) for summary in summaries]
        print_json(
            {
                "report": str(done.report),
                "suites": results,
                "planted": table_json(planted),
                "not measured": missing,
            }
        )
    else:
        print_tables([*map(metrics_table, summaries), *([planted] if planted.rows else ())])
    for each in done.missing:
        note(f"Not measured: {each.what}. {each.why} {each.command}")
    note(
        "To print all tables, use `epicene tables RUN…` with the folders in "
        f"{done.report.parent / 'runs'}"
    )
    note(f"The report is in {done.report}")
