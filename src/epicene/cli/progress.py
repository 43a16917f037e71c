"""Progress of runs and sweeps: bars on a terminal, one line per minute elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from epicene.cli.output import note
from epicene.core.control_characters import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, TaskID

    from epicene.runs.execute import Watcher
    from epicene.runs.sweep.runner import RunState
    from epicene.runs.sweep.workload import Workload

_SECONDS_BETWEEN_LINES = 60.0  # seconds between lines where there is no terminal


def progress_display() -> Watcher:
    """Someone to tell, fit for where standard error goes."""
    return ProgressBar() if sys.stderr.isatty() else ProgressLines()


def progress_bars() -> Progress:
    """Bars on standard error, each with a title, a count, a rate and its times."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def rate_text(progress: Progress, task: TaskID, failed: int) -> str:
    """How fast a bar moves, and how much of it failed."""
    speed = next(each.speed for each in progress.tasks if each.id == task)
    parts = [f"{speed:.1f}/s"] if speed else []
    return ", ".join([*parts, *([f"{failed} failed"] if failed else [])])


class ProgressBar:
    """A bar with rate and time left."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._failed = 0

    def say(self, sentence: str) -> None:
        """Something a person should know before a section begins."""
        note(sentence)

    def begin(self, title: str, total: int, done: int) -> None:
        """A section begins."""
        self._failed = 0
        self._progress = progress_bars()
        self._task = self._progress.add_task(title, total=total, completed=done, rate="")
        self._progress.start()

    def advance(self, answered: int, failed: int) -> None:
        """Some requests were answered."""
        assert self._progress is not None
        assert self._task is not None
        self._failed += failed
        rate = rate_text(self._progress, self._task, self._failed)
        self._progress.update(self._task, advance=answered, rate=rate)

    def end(self) -> None:
        """The section ended."""
        assert self._progress is not None
        self._progress.stop()


class ProgressLines:
    """One line a minute."""

    def __init__(self) -> None:
        self._title = ""
        self._total = self._done = self._begun_with = self._failed = 0
        self._started = self._said = 0.0

    def say(self, sentence: str) -> None:
        """Something a person should know before a section begins."""
        note(sentence)

    def begin(self, title: str, total: int, done: int) -> None:
        """A section begins."""
        self._title, self._total, self._failed = title, total, 0
        self._done = self._begun_with = done
        self._started = self._said = time.monotonic()

    def advance(self, answered: int, failed: int) -> None:
        """Some requests were answered."""
        self._done += answered
        self._failed += failed
        if time.monotonic() - self._said >= _SECONDS_BETWEEN_LINES:
            self._said = time.monotonic()
            self._say()

    def end(self) -> None:
        """The section ended."""
        self._say()

    def _say(self) -> None:
        seconds = max(time.monotonic() - self._started, 1e-9)
        rate = (self._done - self._begun_with) / seconds
        left = f", {(self._total - self._done) / rate / 60:.0f} min left" if rate else ""
        failed = f", {self._failed} failed" if self._failed else ""
        sys.stderr.write(
            f"{self._title}: {self._done} of {self._total}, {rate:.1f}/s{left}{failed}\n"
        )


@contextmanager
def sweep_progress_display(workload: Workload) -> Iterator[SweepProgressBars | SweepProgressLines]:
    """Someone to tell, fit for where standard error goes, who knows what all of it takes."""
    total = workload.answered + workload.left
    if sys.stderr.isatty():
        with progress_bars() as shown:
            yield SweepProgressBars(shown, total, workload.answered)
    else:
        yield SweepProgressLines(total, workload.answered)


class SweepProgressBars:
    """Two bars: the whole sweep, and the section that is on."""

    def __init__(self, shown: Progress, total: int, done: int) -> None:
        self._bars = shown
        self._whole = self._bars.add_task("all runs", total=total, completed=done, rate="")
        self._total, self._expected = total, 0
        self._section: TaskID | None = None
        self._failed = 0

    def say(self, sentence: str) -> None:
        """Something a person should know, above the bars."""
        self._bars.console.print(escape_controls(sentence), markup=False, highlight=False)

    def begin_run(self, title: str, number: int, runs: int, requests: int) -> None:
        """A run begins that should have so many requests."""
        self._expected = requests
        self._bars.update(self._whole, description=f"run {number} of {runs}")
        self.say(f"{number} of {runs}: {title}")

    def end_run(self, state: RunState) -> None:
        """The run ended; now it is known how many requests it has."""
        self._total += state.requests - self._expected
        self._bars.update(self._whole, total=self._total)
        if state.why:
            self.say(f"{state.title}: {state.state}: {state.why}")

    def begin(self, title: str, total: int, done: int) -> None:
        """A section begins."""
        self._failed = 0
        self._section = self._bars.add_task(title, total=total, completed=done, rate="")

    def advance(self, answered: int, failed: int) -> None:
        """Some requests were answered."""
        assert self._section is not None
        self._failed += failed
        rate = rate_text(self._bars, self._section, self._failed)
        self._bars.update(self._section, advance=answered, rate=rate)
        self._bars.update(self._whole, advance=answered)

    def end(self) -> None:
        """The section ended."""
        assert self._section is not None
        self._bars.remove_task(self._section)


class SweepProgressLines(ProgressLines):
    """A line at the beginning of each run, and those of its sections."""

    def __init__(self, total: int, done: int) -> None:
        super().__init__()
        self._all, self._behind, self._expected = total, done, 0

    def begin_run(self, title: str, number: int, runs: int, requests: int) -> None:
        """A run begins that should have so many requests."""
        self._expected = requests
        note(
            f"Run {number} of {runs}: {title} "
            f"({self._behind:,} of {self._all:,} requests of the sweep are done)"
        )

    def end_run(self, state: RunState) -> None:
        """The run ended; now it is known how many requests it has."""
        self._all += state.requests - self._expected
        if state.why:
            note(f"{state.title}: {state.state}: {state.why}")

    def advance(self, answered: int, failed: int) -> None:
        """Some requests were answered."""
        super().advance(answered, failed)
        self._behind += answered
