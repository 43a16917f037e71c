"""The report of a sweep: all that can be read, and why the rest is not in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.errors import EpiceneError
from epicene.report.page import Missing
from epicene.report.runs import write_report
from epicene.runs.results import Judged, read_run
from epicene.runs.sweeping.state import RunState, SweepState, UnrecordedError, recorded

if TYPE_CHECKING:
    from collections.abc import Sequence


def report(folder: Path, state: SweepState, plan: Path) -> SweepState:
    """Write one page about all runs that have answers, and about those that have none.

    A run whose answers turn out to be damaged has failed, and the page is about the others.
    """
    page = folder / "report.html"
    try:
        written = _write(page, state.runs, plan)
    except EpiceneError as error:
        runs = tuple(map(_as_it_can_be_read, state.runs))
        if runs == state.runs:
            raise UnrecordedError(str(error), state) from error
        return report(folder, recorded(folder, msgspec.structs.replace(state, runs=runs)), plan)
    if not written:
        return state
    return recorded(folder, msgspec.structs.replace(state, report=str(page)))


def _write(page: Path, runs: Sequence[RunState], plan: Path) -> bool:
    """Write the page; whether there was anything to write about."""
    answered = [read_run(Path(run.folder)) for run in runs if run.answered]
    if answered:
        missing = [
            Missing(what=run.title, why=f"{run.state}: {run.why}", command=f"epicene sweep {plan}")
            for run in runs
            if run.state != "complete"
        ]
        write_report(answered, page, missing=missing)
    return bool(answered)


def _as_it_can_be_read(run: RunState) -> RunState:
    """The run as it is, or as one that failed and has nothing to be read."""
    if not run.answered:
        return run
    try:
        for _ in Judged(read_run(Path(run.folder))):
            pass
    except EpiceneError as damaged:
        why = run.why if run.state == "failed" and run.why else str(damaged)
        return msgspec.structs.replace(run, state="failed", why=why, answered=0)
    return run
