"""Show the progress of runs: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from epicene.app.session import note

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.progress import Progress, TaskID

# Seconds between lines where there is no terminal: in the first minute, and after it.
_SECONDS_AT_FIRST = 10.0
_SECONDS_BETWEEN_LINES = 60.0
_MOMENT = 1.0  # seconds before the progress of scoring is shown


class NoProgress:
    """Shows nothing."""

    def show_message(self, sentence: str) -> None:
        """Show a message to the user."""

    def start(self, title: str, total: int, done: int) -> None:
        """Start the display of one model's part in a stage, without a total if that is 0."""

    def expect(self, total: int) -> None:
        """Correct the number of requests, which is extrapolated until all are known."""

    def advance(self, answered: int, failed: int) -> None:
        """Record answered requests."""

    def finish(self) -> None:
        """End the display."""


class ProgressBar(NoProgress):
    """A bar with rate and time left."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._failed = 0

    def show_message(self, sentence: str) -> None:
        """Show a message to the user."""
        note(sentence)

    def start(self, title: str, total: int, done: int) -> None:
        """Start the display of one model's part in a stage, without a total if that is 0."""
        self._failed = 0
        self._progress = progress_bars()
        self._progress.add_task(title, total=total or None, completed=done, failed="")
        self._progress.start()

    def expect(self, total: int) -> None:
        """Correct the number of requests."""
        assert self._progress is not None
        self._progress.update(self._progress.task_ids[0], total=total)

    def advance(self, answered: int, failed: int) -> None:
        """Record answered requests."""
        assert self._progress is not None
        self._failed += failed
        shown = f"{self._failed} failed" if self._failed else ""
        task = self._progress.task_ids[0]
        self._progress.update(task, advance=answered, failed=shown)

    def finish(self) -> None:
        """End the display."""
        assert self._progress is not None
        self._progress.stop()


class ProgressLines(NoProgress):
    """Lines: one at the start, one every 10 seconds during the first minute, then one a minute."""

    def __init__(self) -> None:
        self._title = ""
        self._total = self._done = self._done_before = self._failed = 0
        self._started = self._printed = 0.0

    def show_message(self, sentence: str) -> None:
        """Show a message to the user."""
        note(sentence)

    def start(self, title: str, total: int, done: int) -> None:
        """Start the display of one model's part in a stage, without a total if that is 0."""
        self._title, self._total, self._failed = title, total, 0
        self._done = self._done_before = done
        self._started = self._printed = time.monotonic()
        note(f"{title}: {done} of {total}" if total else title)

    def expect(self, total: int) -> None:
        """Correct the number of requests."""
        self._total = total

    def advance(self, answered: int, failed: int) -> None:
        """Record answered requests."""
        self._done += answered
        self._failed += failed
        now = time.monotonic()
        first_minute = self._printed - self._started < _SECONDS_BETWEEN_LINES
        if now - self._printed >= (_SECONDS_AT_FIRST if first_minute else _SECONDS_BETWEEN_LINES):
            self._printed = now
            note(self._line())

    def finish(self) -> None:
        """End the display."""
        if self._total:
            note(self._line())

    def _line(self) -> str:
        rate = (self._done - self._done_before) / max(time.monotonic() - self._started, 1e-9)
        parts = [f"{self._title}: {self._done} of {self._total}"]
        if rate:
            parts.append(f"{rate:.1f}/s" if rate >= 0.1 else f"{60 * rate:.2g}/min")
            left = (self._total - self._done) / rate / 60
            if self._done < self._total:
                parts.append(f"{left:.0f} min left" if left >= 1 else "less than 1 min left")
        if self._failed:
            parts.append(f"{self._failed} failed")
        return ", ".join(parts)


def progress_display(*, wanted: bool = True) -> NoProgress:
    """A bar if standard error is a terminal, or lines; nothing if it is not wanted."""
    if not wanted:
        return NoProgress()
    return ProgressBar() if sys.stderr.isatty() else ProgressLines()


def progress_bars(*, transient: bool = False) -> Progress:
    """Bars on standard error, each with a title, a count, times and what failed."""
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
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}", markup=False),
        console=Console(stderr=True),
        transient=transient,
    )


@contextmanager
def scoring_progress() -> Iterator[None]:
    """Show on a terminal how many items of a run have been scored, if scoring takes more than a
    moment.
    """
    if not sys.stderr.isatty():
        yield
        return
    from epicene.runs.stored_run import on_scored

    started = time.monotonic()
    tasks: dict[Path, TaskID] = {}
    with progress_bars(transient=True) as bars:

        def show(folder: Path, done: int, total: int) -> None:
            if time.monotonic() - started < _MOMENT:
                return
            if folder not in tasks:
                tasks[folder] = bars.add_task(f"Scoring {folder.name}", total=total, failed="")
            bars.update(tasks[folder], completed=done)

        token = on_scored.set(show)
        try:
            yield
        finally:
            on_scored.reset(token)
