"""Run a sweep: one run after the other, each in its folder. Running it again resumes it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import EpiceneError, RunError
from epicene.core.records import Record
from epicene.core.redaction import redact
from epicene.models.pricing import CostLimitError
from epicene.runs.costs import may_charge, read_spending
from epicene.runs.executors import CachingExecutor
from epicene.runs.manifest import read_manifest
from epicene.runs.run import run as do_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.runs.estimate import RunEstimate
    from epicene.runs.execute import ProgressDisplay
    from epicene.runs.executors import Executor
    from epicene.runs.sweep_plan import SweepRun


class RunState(Record, frozen=True, kw_only=True):
    """How far a run is: new, running, complete, incomplete, interrupted, failed or skipped."""

    title: str
    folder: str
    state: str
    why: str = ""
    answered: int = 0
    failed: int = 0  # requests
    spent: float = 0.0  # US dollars over all sessions, as far as prices are known
    left: int | None = None  # requests to send at most, if they were counted
    cost: float | None = None  # of these at most, in US dollars, if prices are known

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return self.state in ("complete", "skipped")


def run_sweep(
    runs: Sequence[SweepRun],
    max_cost: float | None,
    display: ProgressDisplay,
    executor: Executor,
    *,
    dry_run: bool = False,
) -> Iterator[RunState]:
    """Run, or only count, one run after the other; yield how each ended.

    A run that fails does not keep the others. A model that several runs need is loaded once.
    """
    cache = CachingExecutor(executor)
    try:
        for number, each in enumerate(runs, start=1):
            if each.skipped:
                yield stored_state(each)
                continue
            display.show_message(f"Run {number} of {len(runs)}: {each.title}")
            try:
                yield _run_one(each, max_cost, display, cache, dry_run=dry_run)
            except Exception as error:
                cache.evict()  # it may be the cause
                named = "" if isinstance(error, EpiceneError) else f"{type(error).__name__}: "
                state = "incomplete" if isinstance(error, CostLimitError) else "failed"
                yield msgspec.structs.replace(
                    stored_state(each), state=state, why=redact(f"{named}{error}")
                )
    finally:
        cache.evict()


class _CountedError(Exception):
    """A run was counted and not started."""

    def __init__(self, estimate: RunEstimate) -> None:
        super().__init__()
        self.estimate = estimate


def _run_one(
    each: SweepRun,
    max_cost: float | None,
    display: ProgressDisplay,
    executor: Executor,
    *,
    dry_run: bool,
) -> RunState:
    def approve(estimate: RunEstimate) -> None:
        if dry_run:
            raise _CountedError(estimate)

    spent = 0.0 if max_cost is None else _spent_by_others(each)
    config = replace(each.config, max_cost=max_cost, spent_elsewhere=spent)
    try:
        do_run(config, display, executor, approve if dry_run else None)
    except _CountedError as counted:
        costs = counted.estimate.costs.values()
        cost = None if None in costs else sum(filter(None, costs), start=0.0)
        return msgspec.structs.replace(stored_state(each), left=counted.estimate.left, cost=cost)
    return stored_state(each)


def stored_state(each: SweepRun) -> RunState:
    """How far a run is according to its folder."""
    state = RunState(
        title=each.title,
        folder=str(each.folder),
        state="skipped" if each.skipped else "new",
        why=each.skipped,
    )
    if not (each.folder / "manifest.json").exists():
        return state
    try:
        manifest = read_manifest(each.folder)
    except EpiceneError as error:
        return msgspec.structs.replace(state, state="failed", why=str(error))
    reasons = dict.fromkeys(reason for count in manifest.counts for reason in count.reasons)
    return msgspec.structs.replace(
        state,
        state="skipped" if each.skipped else manifest.state,
        why=each.skipped or "; ".join(reasons),
        answered=sum(count.answered for count in manifest.counts),
        failed=sum(count.failed for count in manifest.counts),
        spent=manifest.spent,
    )


def _spent_by_others(each: SweepRun) -> float:
    """What the sweep's other runs have spent, those of trials too."""
    if not any(may_charge(spec.kind) for specs in each.config.models.values() for spec in specs):
        return 0.0
    others = (folder for folder in each.folder.parent.parent.glob("*/*") if folder != each.folder)
    spending = read_spending(sorted(others))
    if spending.unknown:
        raise RunError(
            f"The cost of {' and '.join(map(str, spending.unknown))} cannot be read, so max_cost "
            "cannot be enforced: restore it, or move it away and subtract its cost from max_cost."
        )
    return spending.known
