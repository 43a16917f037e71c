"""`epicene report`: write one self-contained HTML page about runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epicene.cli.options import RunFolders


def report(
    runs: RunFolders,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path(
        "report.html"
    ),
    pictures: Annotated[
        float, typer.Option(min=0, metavar="MB", help="The most space that thumbnails may take.")
    ] = 12.0,
    people: Annotated[
        list[Path] | None,
        typer.Option(
            "--people",
            metavar="STUDY",
            help="A study whose labels correct the headlines; repeat for several.",
        ),
    ] = None,
) -> None:
    """Write one self-contained HTML page about one or more runs."""
    from epicene.api.results import report as write_report
    from epicene.cli.output import note

    write_report(runs, out, pictures=pictures, people=people or ())
    note(f"The report is in {out}")
