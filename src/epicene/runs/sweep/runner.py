"""Run a sweep, one run at a time, and record its progress in `sweep.json`."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from typing import Protocol as Interface

import msgspec

from epicene.core.data_files import read_toml_or_json
from epicene.core.errors import EpiceneError, InputError, RunError
from epicene.core.files import write_atomically
from epicene.core.records import Record, to_json
from epicene.core.redaction import redact
from epicene.runs.costs import read_spending
from epicene.runs.execute import ProgressDisplay
from epicene.runs.executors import CachingExecutor
from epicene.runs.manifest import read_manifest, utc_now
from epicene.runs.run import run, state_after_error
from epicene.runs.sweep.forecast import HOUR, unknown_spending_message

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from epicene.runs.costs import Spending
    from epicene.runs.executors import Executor
    from epicene.runs.manifest import Manifest
    from epicene.runs.sweep.forecast import RunForecast
    from epicene.runs.sweep.plan import SweepLimits

STATE_FORMAT = 1
STATE_FILE = "sweep.json"

# A run in one of these states leaves the sweep unfinished; a skipped or impossible run does not.
UNFINISHED = ("open", "running", "incomplete", "failed", "interrupted")


class RunState(Record, frozen=True, kw_only=True):
    """One run: open, running, complete, incomplete, interrupted, failed, skipped or cannot.

    `requests` is an upper estimate before the run, and exact after it.
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
    unpriced: tuple[str, ...] = ()  # models without a known price


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
        """The runs that should be complete but are not."""
        return tuple(run for run in self.runs if run.state in UNFINISHED)


def initial_state(forecast: RunForecast) -> RunState:
    """The state of a run before it starts."""
    sweep_run, workload = forecast.sweep_run, forecast.workload
    return RunState(
        title=sweep_run.title,
        suite=sweep_run.suite,
        protocol=sweep_run.protocol,
        language=sweep_run.language,
        model=sweep_run.model,
        state=forecast.status,
        why=forecast.why,
        folder=str(forecast.folder or ""),
        requests=workload.answered + workload.left if workload else 0,
        answered=workload.answered if workload else 0,
        spent=round(forecast.spent, 6),
        unpriced=forecast.unpriced,
    )


class StateNotWrittenError(RunError):
    """The state of a sweep could not be written, which ends the sweep; `state` is that state."""

    def __init__(self, reason: str, state: SweepState) -> None:
        super().__init__(reason)
        self.state = state


def write_state(out: Path, state: SweepState) -> SweepState:
    """Write the state atomically, and return it."""
    try:
        write_atomically(out / STATE_FILE, msgspec.json.format(to_json(state), indent=2))
    except RunError as error:
        raise StateNotWrittenError(str(error), _before_next(state)) from error
    return state


def _before_next(state: SweepState) -> SweepState:
    """The state, with the run that was about to start as open."""
    runs = (
        msgspec.structs.replace(run, state="open") if run.state == "running" else run
        for run in state.runs
    )
    return msgspec.structs.replace(state, runs=tuple(runs))


def check_state_file(out: Path) -> None:
    """Raise if a file of another program has the name of the sweep's state file."""
    path = out / STATE_FILE
    if not path.exists():
        return
    try:
        found = read_toml_or_json(path)
    except InputError:
        found = {}
    if not {"format", "plan", "runs"} <= found.keys():
        raise InputError(
            f"{path} was not written by `epicene sweep`; move it, or name another folder with "
            "--out."
        )


class SweepProgressDisplay(ProgressDisplay, Interface):
    """Shows the progress of a sweep and of its runs."""

    def start_run(self, title: str, number: int, runs: int, requests: int) -> None:
        """Show the start of a run, the `number`th of those left, with its estimated requests."""

    def finish_run(self, state: RunState) -> None:
        """Show how the run ended."""


@dataclass(frozen=True)
class SweepConfig:
    """The runs of a sweep, the output folder and the limits."""

    plan: str  # the file's name
    out: Path
    forecasts: Sequence[RunForecast]
    limits: SweepLimits


def run_sweep(config: SweepConfig, display: SweepProgressDisplay, executor: Executor) -> SweepState:
    """Run all open runs in turn, and record in `sweep.json` how each ended."""
    check_state_file(config.out)
    states = [initial_state(forecast) for forecast in config.forecasts]
    started, begun = utc_now(), time.monotonic()
    cache = CachingExecutor(executor)

    def record(ended: str = "") -> SweepState:
        state = SweepState(
            format=STATE_FORMAT, plan=config.plan, started=started, ended=ended, runs=tuple(states)
        )
        return write_state(config.out, state)

    turns = [n for n, state in enumerate(states) if state.state == "open"]
    try:
        for turn, n in enumerate(turns, start=1):
            hours = (time.monotonic() - begun) / HOUR
            if config.limits.max_hours is not None and hours >= config.limits.max_hours:
                display.show_message(
                    f"max_hours has passed; {len(turns) - turn + 1} runs are left."
                )
                break
            states[n] = msgspec.structs.replace(states[n], state="running")
            record()
            display.start_run(states[n].title, turn, len(turns), states[n].requests)
            try:
                states[n] = _run_one(config, config.forecasts[n], states[n], display, cache)
            except BaseException:
                left = _state_after_failure(config.forecasts[n], states[n])
                states[n] = msgspec.structs.replace(left, state="interrupted")
                with suppress(StateNotWrittenError):  # the first error is the one to show
                    record()
                raise
            display.finish_run(states[n])
    finally:
        cache.evict()
    return record(ended=utc_now())


def _run_one(
    config: SweepConfig,
    forecast: RunForecast,
    state: RunState,
    display: ProgressDisplay,
    cache: CachingExecutor,
) -> RunState:
    """Execute one run and return its state, even if it failed."""
    limit, spent = config.limits.max_cost, 0.0
    if limit is not None:
        spending = _spent_by_other_runs(forecast)
        if spending.unknown and forecast.may_cost:
            return msgspec.structs.replace(
                state, state="open", why=unknown_spending_message(spending)
            )
        spent = spending.known
    limited = replace(forecast.sweep_run.config, max_cost=limit, spent_elsewhere=spent)
    begun = time.monotonic()
    try:
        _, manifest = run(limited, display, cache)
    except Exception as error:
        cache.evict()  # it may be the cause
        return msgspec.structs.replace(
            _state_after_failure(forecast, state),
            state=state_after_error(error),
            why=redact(_reason(error)),
            seconds=_since(begun),
        )
    return msgspec.structs.replace(_with_manifest(state, manifest), seconds=_since(begun))


def _spent_by_other_runs(forecast: RunForecast) -> Spending:
    assert forecast.folder is not None
    beside = sorted(forecast.folder.parent.glob("*"))
    return read_spending(folder for folder in beside if folder != forecast.folder)


def _state_after_failure(forecast: RunForecast, state: RunState) -> RunState:
    """The state, updated from the manifest of a run that failed, if it has one."""
    assert forecast.folder is not None
    try:
        return _with_manifest(state, read_manifest(forecast.folder))
    except EpiceneError:  # not written yet, or damaged
        return state


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, EpiceneError) else f"{type(error).__name__}: {error}"


def _since(begun: float) -> float:
    return round(time.monotonic() - begun, 3)


def _with_manifest(state: RunState, manifest: Manifest) -> RunState:
    reasons = dict.fromkeys(reason for count in manifest.counts for reason in count.reasons)
    return msgspec.structs.replace(
        state,
        state=manifest.state,
        why="; ".join(reasons),
        requests=sum(count.total or 0 for count in manifest.counts),
        answered=sum(count.answered for count in manifest.counts),
        failed=sum(count.failed for count in manifest.counts),
        spent=max(state.spent, manifest.spent),  # a killed session has not updated it
        unpriced=manifest.unpriced,
    )
