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
    title: Annotated[
        str,
        typer.Option(help="The title of the page (default: the names of the models and suites)."),
    ] = "",
    notes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file with your own text for the first screen: Markdown without HTML or images.",
        ),
    ] = None,
    pictures: Annotated[
        float, typer.Option(min=0, metavar="MB", help="The maximum size of all thumbnails, in MB.")
    ] = 12.0,
    people: Annotated[
        list[Path] | None,
        typer.Option(
            "--people",
            metavar="STUDY",
            help="A study whose labels are used to correct the headlines; may be repeated.",
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Write one self-contained HTML page about one or more runs."""
    from epicene.api.results import report as write_report
    from epicene.cli.output import note
    from epicene.core.data_files import read_text

    told = read_text(notes) if notes else ""
    write_report(runs, out, pictures=pictures, title=title, notes=told, people=people or ())
    note(f"The report is in {out}")
    if open_page:
        import webbrowser

        if not webbrowser.open(out.absolute().as_uri()):
            note(f"Could not open a browser; open {out.absolute()} yourself.")
