"""How a sweep shows itself: all of it and the run that is on, as bars or as lines."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from epicene.cli.output import note
from epicene.cli.progress import Lines, bars, pace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, TaskID

    from epicene.runs.sweeping.state import RunState
    from epicene.runs.sweeping.tally import Tally


@contextmanager
def sweep_watcher(tally: Tally) -> Iterator[SweepBars | SweepLines]:
    """Someone to tell, fit for where standard error goes, who knows what all of it takes."""
    total = tally.answered + tally.left
    if sys.stderr.isatty():
        with bars() as shown:
            yield SweepBars(shown, total, tally.answered)
    else:
        yield SweepLines(total, tally.answered)


class SweepBars:
    """Two bars: the whole sweep, and the section that is on."""

    def __init__(self, shown: Progress, total: int, done: int) -> None:
        self._bars = shown
        self._whole = self._bars.add_task("all runs", total=total, completed=done, rate="")
        self._total, self._expected = total, 0
        self._section: TaskID | None = None
        self._failed = 0

    def say(self, sentence: str) -> None:
        """Something a person should know, above the bars."""
        self._bars.console.print(sentence, markup=False, highlight=False)

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
        rate = pace(self._bars, self._section, self._failed)
        self._bars.update(self._section, advance=answered, rate=rate)
        self._bars.update(self._whole, advance=answered)

    def end(self) -> None:
        """The section ended."""
        assert self._section is not None
        self._bars.remove_task(self._section)


class SweepLines(Lines):
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
