"""Tables of a sweep's estimate and outcome, and its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import EpiceneError, pluralise
from epicene.core.records import Column, Row, Table
from epicene.models.pricing import format_dollars
from epicene.runs.dummy_answers import BYTES_PER_TOKEN
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.runs.sweep.forecast import total_forecast
from epicene.runs.sweep.runner import RunState, StateNotWrittenError, SweepState, write_state
from epicene.show.page import NotMeasured
from epicene.show.run_report import write_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.runs.sweep.forecast import RunForecast, SweepForecast
    from epicene.runs.workload import Workload

_UNKNOWN = "unknown"

_ESTIMATE_NOTES = (
    f"Requests are counted by the suites' own planning. Tokens read are UTF-8 bytes / "
    f"{BYTES_PER_TOKEN}, about, without pictures and a chat's template; tokens written and cost "
    "are at most.",
    "Time is measured: as earlier runs in this folder of the same models under the same settings "
    "took a request once their model had begun to answer; else, or if they were too short to tell, "
    "it is unknown. `--limit` makes a trial.",
)
_UPPER_BOUND_NOTE = (
    "≤: some requests depend on answers that do not exist yet; they are counted as if every "
    "answer contained what the next stage looks for."
)


def _text_columns(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name=name, unit="text") for name in names)


def estimate_table(forecasts: Sequence[RunForecast]) -> Table:
    """What each run needs, and the total."""
    rows = [
        Row(
            keys=(each.sweep_run.title,),
            cells=_estimate_cells(each.workload, each.seconds, each.status, each.why),
        )
        for each in forecasts
    ]
    total = total_forecast(forecasts)
    left = f"{pluralise(total.runs, 'run')} left"
    cells = _estimate_cells(total.workload, total.seconds, left, "")
    rows.append(Row(keys=("all",), cells=(*cells[:-1], _time_text(total))))
    later = (_UPPER_BOUND_NOTE,) if total.workload.later else ()
    return Table(
        name="estimate",
        title="What the sweep needs",
        levels=("run",),
        columns=_text_columns(
            "state", "answered", "requests left", "tokens read", "tokens written", "images", "cost",
            "time",
        ),
        rows=tuple(rows),
        notes=(*_ESTIMATE_NOTES, *later),
    )  # fmt: skip


def _estimate_cells(
    workload: Workload | None, seconds: float | None, state: str, why: str
) -> tuple[str, ...]:
    if workload is None:
        return (f"{state}: {why}", *[""] * 7)
    verbs = ", ".join(f"{count:,} {verb}" for verb, count in sorted(workload.requests.items()))
    return (
        state,
        f"{workload.answered:,}",
        f"{'≤ ' if workload.later else ''}{verbs or 0}",
        f"{workload.tokens_read:,}",
        f"{workload.tokens_written:,}",
        f"{workload.images:,}",
        _UNKNOWN if workload.cost is None else format_dollars(workload.cost),
        format_duration(seconds),
    )


def format_duration(seconds: float | None) -> str:
    """Roughly how long, in the unit that fits."""
    if seconds is None:
        return _UNKNOWN
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _time_text(total: SweepForecast) -> str:
    """The total time, as far as known."""
    if not total.unknown or total.seconds is None:
        return format_duration(total.seconds if total.runs else 0.0)
    return f"{format_duration(total.seconds)}, and {total.unknown} of {total.runs} runs {_UNKNOWN}"


def estimate_sentence(forecasts: Sequence[RunForecast]) -> str:
    """The total time and cost in one sentence."""
    total = total_forecast(forecasts)
    workload = total.workload
    cost = workload.cost
    price = "at an unknown cost" if cost is None else f"at most {format_dollars(cost)}"
    return (
        f"{pluralise(total.runs, 'run')} left: {'at most ' if workload.later else ''}"
        f"{workload.left:,} requests, about {workload.tokens_read:,} tokens to read, at most "
        f"{workload.tokens_written:,} to write, {workload.images:,} images, {price}; time: "
        f"{_time_text(total)}."
    )


def estimate_document(forecasts: Sequence[RunForecast]) -> dict[str, Any]:
    """The estimate as JSON."""
    total = total_forecast(forecasts)
    return {
        "runs": [
            {
                "title": each.sweep_run.title,
                "suite": each.sweep_run.suite,
                "protocol": each.sweep_run.protocol,
                "language": each.sweep_run.language,
                "model": each.sweep_run.model,
                "state": each.status,
                "why": each.why,
                "folder": str(each.folder or ""),
                "estimate": _estimate_numbers(each.workload, each.seconds)
                if each.workload
                else None,
            }
            for each in forecasts
        ],
        "all": {
            **_estimate_numbers(total.workload, total.seconds),
            "runs_left": total.runs,
            "runs_of_unknown_time": total.unknown,
        },
        "how": list(_ESTIMATE_NOTES),
    }


def _estimate_numbers(workload: Workload, seconds: float | None) -> dict[str, Any]:
    return {
        "answered": workload.answered,
        "requests": workload.left,
        "by_verb": dict(workload.requests),
        "requests_that_hang_on_answers": workload.later,
        "tokens_read": workload.tokens_read,
        "tokens_written": workload.tokens_written,
        "images": workload.images,
        "cost": workload.cost,
        "seconds": seconds,
    }


def state_table(state: SweepState) -> Table:
    """How each run ended."""
    return Table(
        name="sweep",
        title="Runs of the sweep",
        levels=("run",),
        columns=_text_columns("state", "requests", "answered", "failed", "time", "cost", "folder"),
        rows=tuple(
            Row(
                keys=(run.title,),
                cells=(
                    run.state,
                    f"{run.requests:,}",
                    f"{run.answered:,}",
                    f"{run.failed:,}",
                    "" if run.seconds is None else format_duration(run.seconds),
                    _cost_text(run),
                    run.folder,
                ),
            )
            for run in state.runs
        ),
    )


def _cost_text(run: RunState) -> str:
    if not run.unpriced:
        return format_dollars(run.spent)
    return f"{format_dollars(run.spent)} and more" if run.spent else _UNKNOWN


def write_sweep_report(folder: Path, state: SweepState, plan: Path) -> SweepState:
    """Write one page about all runs with answers, listing those without.

    A run whose answers are damaged counts as failed, and the page covers the others.
    """
    page = folder / "report.html"
    try:
        written = _write_page(page, state.runs, plan)
    except EpiceneError as error:
        runs = tuple(map(_failed_if_unreadable, state.runs))
        if runs == state.runs:
            raise StateNotWrittenError(str(error), state) from error
        return write_sweep_report(
            folder, write_state(folder, msgspec.structs.replace(state, runs=runs)), plan
        )
    if not written:
        return state
    return write_state(folder, msgspec.structs.replace(state, report=str(page)))


def _write_page(page: Path, runs: Sequence[RunState], plan: Path) -> bool:
    """Write the page; return whether there was anything to report."""
    answered = [read_run(Path(run.folder)) for run in runs if run.answered]
    if answered:
        missing = [
            NotMeasured(
                what=run.title, why=f"{run.state}: {run.why}", command=f"epicene sweep {plan}"
            )
            for run in runs
            if run.state != "complete"
        ]
        write_report(answered, page, missing=missing)
    return bool(answered)


def _failed_if_unreadable(run: RunState) -> RunState:
    """The run, or the run as failed if it cannot be read."""
    if not run.answered:
        return run
    try:
        for _ in RunJudgements(read_run(Path(run.folder))):
            pass
    except EpiceneError as damaged:
        why = run.why if run.state == "failed" and run.why else str(damaged)
        return msgspec.structs.replace(run, state="failed", why=why, answered=0)
    return run
