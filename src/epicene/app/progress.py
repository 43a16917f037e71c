"""Show the progress of runs and sweeps: bars on a terminal or in a notebook, lines elsewhere."""

from __future__ import annotations

import html
import sys
import time
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from epicene.app.session import note
from epicene.core.control_characters import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.progress import Progress, TaskID

    from epicene.runs.execute import ProgressDisplay
    from epicene.runs.sweep.runner import RunState
    from epicene.runs.workload import Workload

# Seconds between lines where there is no terminal: in the first minute, and after it.
_SECONDS_AT_FIRST = 10.0
_SECONDS_BETWEEN_LINES = 60.0
_TICK = 1.0  # seconds between checks whether a line is due
_SECONDS_BETWEEN_DRAWINGS = 0.2  # of a bar in a notebook
_MOMENT = 1.0  # seconds before the progress of scoring is shown


def progress_display() -> ProgressDisplay:
    """A bar if standard error is a terminal or this is a notebook, or lines otherwise."""
    if sys.stderr.isatty():
        return ProgressBar()
    return NotebookProgress() if in_notebook() else ProgressLines()


class NoProgress:
    """Shows nothing."""

    def show_message(self, sentence: str) -> None:
        """Show nothing."""

    def start(self, title: str, total: int, done: int) -> None:
        """Show nothing."""

    def advance(self, answered: int, failed: int) -> None:
        """Show nothing."""

    def finish(self) -> None:
        """Show nothing."""


def in_notebook() -> bool:
    """Whether the code runs in a Jupyter kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell"


class _ShowsMessages:
    """A display whose messages are written to standard error."""

    def show_message(self, sentence: str) -> None:
        """Show a message to the user."""
        note(sentence)


class NotebookProgress(_ShowsMessages):
    """Progress bars in the output of a notebook cell, one per section."""

    def __init__(self) -> None:
        self._title, self._total, self._done, self._failed = "", 0, 0, 0
        self._started = self._drawn = 0.0
        self._handle: Any = None

    def start(self, title: str, total: int, done: int) -> None:
        """Start the display of a section."""
        from IPython.display import HTML, display

        self._title, self._total, self._done, self._failed = title, total, done, 0
        self._started = self._drawn = time.monotonic()
        self._handle = display(HTML(self._html()), display_id=True)

    def advance(self, answered: int, failed: int) -> None:
        """Record answered requests."""
        self._done += answered
        self._failed += failed
        if time.monotonic() - self._drawn >= _SECONDS_BETWEEN_DRAWINGS:
            self._draw()

    def finish(self) -> None:
        """End the display of the section."""
        self._draw()

    def _draw(self) -> None:
        from IPython.display import HTML

        self._drawn = time.monotonic()
        self._handle.update(HTML(self._html()))

    def _html(self) -> str:
        seconds = time.monotonic() - self._started
        failed = f", {self._failed} failed" if self._failed else ""
        count = f"{self._done} of {self._total}" if self._total else ""
        bar = f'<progress value="{self._done}" max="{self._total}"></progress>' * bool(self._total)
        return f"<div>{html.escape(self._title)} {bar} {count}{failed}, {seconds:.0f} s</div>"


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
    bars: list[Progress] = []

    def show(folder: Path, done: int, total: int) -> None:
        if time.monotonic() - started < _MOMENT:
            return
        if not bars:
            bars.append(progress_bars(transient=True))
            bars[0].start()
        bar = bars[0]
        title = f"Scoring {folder.name}"
        task = next((each.id for each in bar.tasks if each.description == title), None)
        if task is None:
            task = bar.add_task(title, total=total, rate="")
        bar.update(task, completed=done)

    token = on_scored.set(show)
    try:
        yield
    finally:
        on_scored.reset(token)
        for bar in bars:
            bar.stop()


def progress_bars(*, transient: bool = False) -> Progress:
    """Bars on standard error, each with a title, a count, a rate and times."""
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
        transient=transient,
    )


def rate_text(progress: Progress, task: TaskID, failed: int) -> str:
    """The rate of a bar, and the number of failures."""
    speed = next(each.speed for each in progress.tasks if each.id == task)
    parts = [f"{speed:.1f}/s"] if speed else []
    return ", ".join([*parts, *([f"{failed} failed"] if failed else [])])


class ProgressBar(_ShowsMessages):
    """A bar with rate and time left."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._failed = 0

    def start(self, title: str, total: int, done: int) -> None:
        """Start the display of a section."""
        self._failed = 0
        self._progress = progress_bars()
        self._task = self._progress.add_task(title, total=total or None, completed=done, rate="")
        self._progress.start()

    def advance(self, answered: int, failed: int) -> None:
        """Record answered requests."""
        assert self._progress is not None
        assert self._task is not None
        self._failed += failed
        rate = rate_text(self._progress, self._task, self._failed)
        self._progress.update(self._task, advance=answered, rate=rate)

    def finish(self) -> None:
        """End the display of the section."""
        assert self._progress is not None
        self._progress.stop()


class ProgressLines(_ShowsMessages):
    """Lines: one at the start, one every 10 seconds during the first minute, then one per minute.

    They are printed whether or not answers arrive, so that a slow batch or a model that is still
    loading does not look like a run that hangs.
    """

    def __init__(self) -> None:
        self._title = ""
        self._total = self._done = self._done_before = self._failed = 0
        self._started = self._printed = 0.0
        self._lock = Lock()
        self._stop: Event | None = None

    def start(self, title: str, total: int, done: int) -> None:
        """Start the display of a section or, without a total, of something else that takes time."""
        self._title, self._total, self._failed = title, total, 0
        self._done = self._done_before = done
        self._started = self._printed = time.monotonic()
        note(f"{title}: {done} of {total}" if total else title)
        self._stop = Event()
        Thread(target=self._tick, args=(self._stop,), daemon=True).start()

    def advance(self, answered: int, failed: int) -> None:
        """Record answered requests."""
        self._done += answered
        self._failed += failed
        self._print_if_due()

    def finish(self) -> None:
        """End the display of the section."""
        if self._stop is not None:
            self._stop.set()
        if self._total:
            note(self._line())

    def _tick(self, stop: Event) -> None:
        while not stop.wait(_TICK):
            self._print_if_due()

    def _print_if_due(self) -> None:
        now = time.monotonic()
        with self._lock:
            first_minute = self._printed - self._started < _SECONDS_BETWEEN_LINES
            interval = _SECONDS_AT_FIRST if first_minute else _SECONDS_BETWEEN_LINES
            if now - self._printed < interval:
                return
            self._printed = now
        note(self._line())

    def _line(self) -> str:
        seconds = max(time.monotonic() - self._started, 1e-9)
        if not self._total:
            return f"{self._title}: {seconds:.0f} s"
        rate = (self._done - self._done_before) / seconds
        if not rate:
            return f"{self._title}: {self._done} of {self._total}, {seconds:.0f} s"
        speed = f"{rate:.1f}/s" if rate >= 0.1 else f"{60 * rate:.2g}/min"
        left = (self._total - self._done) / rate / 60
        if self._done < self._total:
            speed += f", {left:.0f} min left" if left >= 1 else ", less than 1 min left"
        failed = f", {self._failed} failed" if self._failed else ""
        return f"{self._title}: {self._done} of {self._total}, {speed}{failed}"


@contextmanager
def sweep_progress_display(workload: Workload) -> Iterator[SweepProgressBars | SweepProgressLines]:
    """Bars if standard error is a terminal, or lines if it is not, for a sweep of this size."""
    total = workload.answered + workload.left
    if sys.stderr.isatty():
        with progress_bars() as shown:
            yield SweepProgressBars(shown, total, workload.answered)
    else:
        yield SweepProgressLines(total, workload.answered)


class SweepProgressBars:
    """Two bars: the whole sweep, and the current section."""

    def __init__(self, shown: Progress, total: int, done: int) -> None:
        self._bars = shown
        self._whole = self._bars.add_task("all runs", total=total, completed=done, rate="")
        self._total, self._expected = total, 0
        self._section: TaskID | None = None
        self._failed = 0

    def show_message(self, sentence: str) -> None:
        """Show a message above the bars."""
        self._bars.console.print(escape_controls(sentence), markup=False, highlight=False)

    def start_run(self, title: str, number: int, runs: int, requests: int) -> None:
        """Show the start of a run, with its estimated number of requests."""
        self._expected = requests
        self._bars.update(self._whole, description=f"run {number} of {runs}")
        self.show_message(f"{number} of {runs}: {title}")

    def finish_run(self, state: RunState) -> None:
        """Show how a run ended, and replace its estimated number of requests in the total by the
        actual number.
        """
        self._total += state.requests - self._expected
        self._bars.update(self._whole, total=self._total)
        if state.why:
            self.show_message(f"{state.title}: {state.state}: {state.why}")

    def start(self, title: str, total: int, done: int) -> None:
        """Start the display of a section."""
        self._failed = 0
        self._section = self._bars.add_task(title, total=total or None, completed=done, rate="")

    def advance(self, answered: int, failed: int) -> None:
        """Record answered requests."""
        assert self._section is not None
        self._failed += failed
        rate = rate_text(self._bars, self._section, self._failed)
        self._bars.update(self._section, advance=answered, rate=rate)
        self._bars.update(self._whole, advance=answered)

    def finish(self) -> None:
        """End the display of the section."""
        assert self._section is not None
        self._bars.remove_task(self._section)


class SweepProgressLines(ProgressLines):
    """A line at the beginning of each run, and the lines of its sections."""

    def __init__(self, total: int, done: int) -> None:
        super().__init__()
        self._sweep_total, self._sweep_done, self._expected = total, done, 0

    def start_run(self, title: str, number: int, runs: int, requests: int) -> None:
        """Show the start of a run, with its estimated number of requests."""
        self._expected = requests
        note(
            f"Run {number} of {runs}: {title} ({self._sweep_done:,} of {self._sweep_total:,} "
            "requests of the sweep done)"
        )

    def finish_run(self, state: RunState) -> None:
        """Show how a run ended, and replace its estimated number of requests in the total by the
        actual number.
        """
        self._sweep_total += state.requests - self._expected
        if state.why:
            note(f"{state.title}: {state.state}: {state.why}")

    def advance(self, answered: int, failed: int) -> None:
        """Record answered requests."""
        super().advance(answered, failed)
        self._sweep_done += answered
