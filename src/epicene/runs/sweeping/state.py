"""How far a sweep came: `sweep.json`, written anew at each change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.errors import RunError
from epicene.records import Record, to_json
from epicene.runs.files import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.runs.sweeping.prospect import Prospect

FORMAT = 1
FILE = "sweep.json"

# What leaves a sweep unfinished; a run that the plan skips, or that cannot be, does not.
UNFINISHED = ("open", "running", "incomplete", "failed", "interrupted")


class RunState(Record, frozen=True, kw_only=True):
    """One run: open, running, complete, incomplete, interrupted, failed, skipped or cannot.

    `requests` is about the most before it ran, and exact after.
    """

    title: str
    suite: str
    protocol: str
    language: str
    model: str
    state: str
    why: str = ""
    folder: str = ""
    requests: int = 0
    answered: int = 0
    failed: int = 0
    seconds: float | None = None  # in this session of the sweep
    spent: float = 0.0  # US dollars over all sessions, as far as prices are known
    unpriced: tuple[str, ...] = ()  # the models whose price is not


class SweepState(Record, frozen=True, kw_only=True):
    """All runs of a sweep."""

    format: int
    plan: str
    started: str
    ended: str = ""
    report: str = ""
    runs: tuple[RunState, ...] = ()

    @property
    def unfinished(self) -> tuple[RunState, ...]:
        """The runs that should be complete and are not."""
        return tuple(run for run in self.runs if run.state in UNFINISHED)


def state_of(prospect: Prospect) -> RunState:
    """A run before it begins."""
    cell, tally = prospect.cell, prospect.tally
    return RunState(
        title=cell.title,
        suite=cell.suite,
        protocol=cell.protocol,
        language=cell.language,
        model=cell.model,
        state=prospect.standing,
        why=prospect.why,
        folder=str(prospect.folder or ""),
        requests=tally.answered + tally.left if tally else 0,
        answered=tally.answered if tally else 0,
        spent=round(prospect.spent, 6),
        unpriced=prospect.unpriced,
    )


class UnrecordedError(RunError):
    """How far a sweep came could not be written down, which ends it; `state` says it."""

    def __init__(self, reason: str, state: SweepState) -> None:
        super().__init__(reason)
        self.state = state


def recorded(out: Path, state: SweepState) -> SweepState:
    """The state, once it is written, whole."""
    try:
        write_whole(out / FILE, msgspec.json.format(to_json(state), indent=2))
    except RunError as error:
        raise UnrecordedError(str(error), _before_next(state)) from error
    return state


def _before_next(state: SweepState) -> SweepState:
    """The state without the run that was to begin next."""
    runs = (
        msgspec.structs.replace(run, state="open") if run.state == "running" else run
        for run in state.runs
    )
    return msgspec.structs.replace(state, runs=tuple(runs))
