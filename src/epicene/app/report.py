"""Write one page about runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from epicene.app.arguments import TEXTS, Out, RunsLike, StudyLike
from epicene.app.progress import scoring_progress
from epicene.app.results import answered_study, stored_runs
from epicene.app.session import note


def report(
    *runs: RunsLike,
    out: Out = "report.html",
    title: str = "",
    notes: str = "",
    pictures: float = 12.0,
    people: Annotated[StudyLike | Sequence[StudyLike], TEXTS, Parameter(metavar="STUDY")] = (),
    open_page: Annotated[bool, Parameter(name="--open")] = False,
) -> Path:
    """Write one self-contained HTML page about one or more runs.

    Args:
        runs: Run folders; in Python also runs, or lists of them.
        out: The page to write.
        title: The title of the page (default: the names of the models and suites).
        notes: Your own text for the first screen, in Markdown without HTML or images, or a file
            with it.
        pictures: The maximum size of all thumbnails, in MB.
        people: A study whose labels are used to correct the headlines; may be repeated.
        open_page: Open the page in a browser.

    Examples:
        >>> epicene.report("runs/a", "runs/b", out="report.html")   # doctest: +SKIP
    """
    from epicene.core.data_files import read_text
    from epicene.show.run_report import write_report

    path = Path(out)
    studies = (
        [people] if isinstance(people, str | Path) or not isinstance(people, Sequence) else people
    )
    told = read_text(Path(notes)) if notes.endswith((".md", ".txt")) else notes
    with scoring_progress():
        write_report(
            stored_runs(runs),
            path,
            pictures,
            people=[*map(answered_study, studies)],
            title=title,
            notes=told,
        )
    if open_page:
        import webbrowser

        if not webbrowser.open(path.absolute().as_uri()):
            note(f"Could not open a browser; open {path.absolute()} yourself.")
    return path
