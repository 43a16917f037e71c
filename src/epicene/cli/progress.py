"""How long work shows itself: a bar on a terminal, one line a minute elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from epicene.cli.output import note

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from epicene.runs.execute import Watcher

_EVERY = 60.0  # seconds between lines where there is no terminal


def watcher() -> Watcher:
    """Someone to tell, fit for where standard error goes."""
    return Bar() if sys.stderr.isatty() else Lines()


def bars() -> Progress:
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


def pace(progress: Progress, task: TaskID, failed: int) -> str:
    """How fast a bar moves, and how much of it failed."""
    speed = next(each.speed for each in progress.tasks if each.id == task)
    parts = [f"{speed:.1f}/s"] if speed else []
    return ", ".join([*parts, *([f"{failed} failed"] if failed else [])])


class Bar:
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
        self._progress = bars()
        self._task = self._progress.add_task(title, total=total, completed=done, rate="")
        self._progress.start()

    def advance(self, answered: int, failed: int) -> None:
        """Some requests were answered."""
        assert self._progress is not None
        assert self._task is not None
        self._failed += failed
        rate = pace(self._progress, self._task, self._failed)
        self._progress.update(self._task, advance=answered, rate=rate)

    def end(self) -> None:
        """The section ended."""
        assert self._progress is not None
        self._progress.stop()


class Lines:
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
        if time.monotonic() - self._said >= _EVERY:
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
