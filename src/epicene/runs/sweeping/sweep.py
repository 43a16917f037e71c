"""A sweep from its first run to its last; one that fails does not keep the others."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from typing import Protocol as Interface

import msgspec

from epicene.errors import EpiceneError
from epicene.runs.costs import spending_in
from epicene.runs.execute import Watcher
from epicene.runs.run import run, state_after
from epicene.runs.secrets import redact
from epicene.runs.settings import now, read_manifest
from epicene.runs.sweeping.keeping import KeepsOne
from epicene.runs.sweeping.limits import HOUR, unknown_spending
from epicene.runs.sweeping.state import (
    FORMAT,
    RunState,
    SweepState,
    UnrecordedError,
    recorded,
    state_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from epicene.runs.costs import Spending
    from epicene.runs.on_demand import Executor
    from epicene.runs.settings import Manifest
    from epicene.runs.sweeping.plan import Limits
    from epicene.runs.sweeping.prospect import Prospect


class SweepWatcher(Watcher, Interface):
    """Who is told how a sweep goes, and in between how its runs do."""

    def begin_run(self, title: str, number: int, runs: int, requests: int) -> None:
        """A run begins, the `number`th of those that are left, of about so many requests."""

    def end_run(self, state: RunState) -> None:
        """The run ended."""


@dataclass(frozen=True)
class Sweep:
    """All that is to be run, and where."""

    plan: str  # the file's name
    out: Path
    prospects: Sequence[Prospect]
    limits: Limits


def sweep(order: Sweep, watcher: SweepWatcher, executor: Executor) -> SweepState:
    """Run all that is open, one after the other, and say in `sweep.json` how each ended."""
    states = [state_of(prospect) for prospect in order.prospects]
    started, begun = now(), time.monotonic()
    keeper = KeepsOne(executor)

    def record(ended: str = "") -> SweepState:
        state = SweepState(
            format=FORMAT, plan=order.plan, started=started, ended=ended, runs=tuple(states)
        )
        return recorded(order.out, state)

    turns = [n for n, state in enumerate(states) if state.state == "open"]
    try:
        for turn, n in enumerate(turns, start=1):
            hours = (time.monotonic() - begun) / HOUR
            if order.limits.max_hours is not None and hours >= order.limits.max_hours:
                watcher.say(f"max_hours is over; {len(turns) - turn + 1} runs are left.")
                break
            states[n] = msgspec.structs.replace(states[n], state="running")
            record()
            watcher.begin_run(states[n].title, turn, len(turns), states[n].requests)
            try:
                states[n] = _run_one(order, order.prospects[n], states[n], watcher, keeper)
            except BaseException:
                left = _left_by(order.prospects[n], states[n])
                states[n] = msgspec.structs.replace(left, state="interrupted")
                with suppress(UnrecordedError):  # the first error is the one to show
                    record()
                raise
            watcher.end_run(states[n])
    finally:
        keeper.let_go()
    return record(ended=now())


def _run_one(
    order: Sweep, prospect: Prospect, state: RunState, watcher: Watcher, keeper: KeepsOne
) -> RunState:
    """Do one run; how it ended, whatever became of it."""
    limit, spent = order.limits.max_cost, 0.0
    if limit is not None:
        spending = _spent_beside(prospect)
        if spending.unknown and prospect.may_cost:
            return msgspec.structs.replace(state, state="open", why=unknown_spending(spending))
        spent = spending.known
    limited = replace(prospect.cell.order, max_cost=limit, spent_elsewhere=spent)
    begun = time.monotonic()
    try:
        _, manifest = run(limited, watcher, keeper)
    except Exception as error:
        keeper.let_go()  # it may be what is broken
        return msgspec.structs.replace(
            _left_by(prospect, state),
            state=state_after(error),
            why=redact(_reason(error)),
            seconds=_since(begun),
        )
    return msgspec.structs.replace(_ended(state, manifest), seconds=_since(begun))


def _spent_beside(prospect: Prospect) -> Spending:
    assert prospect.folder is not None
    beside = sorted(prospect.folder.parent.glob("*"))
    return spending_in(folder for folder in beside if folder != prospect.folder)


def _left_by(prospect: Prospect, state: RunState) -> RunState:
    """The state with what a run says of itself that an error ended, if it says anything."""
    assert prospect.folder is not None
    try:
        return _ended(state, read_manifest(prospect.folder))
    except EpiceneError:  # it did not come so far, or that is what is broken
        return state


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, EpiceneError) else f"{type(error).__name__}: {error}"


def _since(begun: float) -> float:
    return round(time.monotonic() - begun, 3)


def _ended(state: RunState, manifest: Manifest) -> RunState:
    reasons = dict.fromkeys(reason for count in manifest.counts for reason in count.reasons)
    return msgspec.structs.replace(
        state,
        state=manifest.state,
        why="; ".join(reasons),
        requests=sum(count.total or 0 for count in manifest.counts),
        answered=sum(count.answered for count in manifest.counts),
        failed=sum(count.failed for count in manifest.counts),
        spent=max(state.spent, manifest.spent),  # a session that was killed has said nothing
        unpriced=manifest.unpriced,
    )
