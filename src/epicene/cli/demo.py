"""`epicene demo`: the main job on the embedded default, from model to report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epicene.cli.options import AsJson

MODELS = ("smollm2", "ngram", "random")
# Few items and short texts, so that it is over in minutes on two cores.
LIMIT = 10
SETTINGS = {"samples": "2", "pronouns": "he,she,they,xe"}


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder for runs and report.")
    ] = Path("demo"),
    as_json: AsJson = False,
) -> int:
    """Fetch the embedded model, run a suite on it, write a report and say where it is."""
    from epicene.cli.output import note
    from epicene.cli.progress import watcher
    from epicene.cli.tables import show
    from epicene.models import parse_spec
    from epicene.models.embedded import fetch
    from epicene.report.runs import write_report
    from epicene.runs.results import read_run
    from epicene.runs.run import Order, run
    from epicene.suites import choose_protocol, find_suite

    fetch("smollm2", progress=note)
    suite = find_suite("misgendering")
    folders = []
    states = []
    for name in MODELS:
        order = Order(
            suite=suite,
            protocol=choose_protocol(suite, "epicene", SETTINGS, None),
            models={"model": [parse_spec(name)]},
            limit=LIMIT,
            under=out / "runs",
            command="epicene demo",
        )
        folder, manifest = run(order, watcher())
        folders.append(folder)
        states.append(manifest.state)
    show(folders, as_json=as_json, headlines_only=True)
    page = out / "report.html"
    write_report([read_run(folder) for folder in folders], page)
    note(f"All tables: epicene tables {out / 'runs'}/*")
    note(f"The report is in {page}")
    return 0 if set(states) == {"complete"} else 1
