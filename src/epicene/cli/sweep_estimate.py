"""What a sweep takes, and how it went, for a person and for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.models.prices import dollars
from epicene.records import Column, Row, Table
from epicene.runs.imagined import BYTES_A_TOKEN
from epicene.runs.sweeping.prospect import outlook

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.runs.sweeping.prospect import Outlook, Prospect
    from epicene.runs.sweeping.state import RunState, SweepState
    from epicene.runs.sweeping.tally import Tally

_UNKNOWN = "unknown"

_HOW = (
    f"Requests are counted by the suites' own planning. Tokens read are UTF-8 bytes / "
    f"{BYTES_A_TOKEN}, about, without pictures and a chat's template; tokens written and cost are "
    "at most.",
    "Time is measured: as earlier runs in this folder of the same models under the same settings "
    "took a request once their model had begun to answer; else, or if they were too short to tell, "
    "it is unknown. `--limit` makes a trial.",
)
_LATER = (
    "≤: some hang on answers that are not there yet, and are counted as if each had what the next "
    "stage looks for."
)


def _texts(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name=name, unit="text") for name in names)


def estimate_table(prospects: Sequence[Prospect]) -> Table:
    """What each run takes, and all together."""
    rows = [
        Row(
            keys=(each.cell.title,), cells=_cells(each.tally, each.seconds, each.standing, each.why)
        )
        for each in prospects
    ]
    ahead = outlook(prospects)
    cells = _cells(ahead.tally, ahead.seconds, f"{ahead.runs} runs left", "")
    rows.append(Row(keys=("all",), cells=(*cells[:-1], _time(ahead))))
    later = (_LATER,) if ahead.tally.later else ()
    return Table(
        name="estimate",
        title="What the sweep takes",
        levels=("run",),
        columns=_texts(
            "state", "answered", "requests left", "tokens read", "tokens written", "images", "cost",
            "time",
        ),
        rows=tuple(rows),
        notes=(*_HOW, *later),
    )  # fmt: skip


def _cells(tally: Tally | None, seconds: float | None, state: str, why: str) -> tuple[str, ...]:
    if tally is None:
        return (f"{state}: {why}", *[""] * 7)
    verbs = ", ".join(f"{count:,} {verb}" for verb, count in sorted(tally.requests.items()))
    return (
        state,
        f"{tally.answered:,}",
        f"{'≤ ' if tally.later else ''}{verbs or 0}",
        f"{tally.tokens_read:,}",
        f"{tally.tokens_written:,}",
        f"{tally.images:,}",
        _UNKNOWN if tally.cost is None else dollars(tally.cost),
        duration(seconds),
    )


def duration(seconds: float | None) -> str:
    """Roughly how long, in the unit that fits."""
    if seconds is None:
        return _UNKNOWN
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _time(ahead: Outlook) -> str:
    """How long all of it takes, as far as that is known."""
    if not ahead.unknown or ahead.seconds is None:
        return duration(ahead.seconds if ahead.runs else 0.0)
    return f"{duration(ahead.seconds)}, and {ahead.unknown} of {ahead.runs} runs {_UNKNOWN}"


def in_words(prospects: Sequence[Prospect]) -> str:
    """What all of it takes, in one sentence."""
    ahead = outlook(prospects)
    tally = ahead.tally
    cost = "at a cost not known" if tally.cost is None else f"at most {dollars(tally.cost)}"
    return (
        f"{ahead.runs} runs are left: {'at most ' if tally.later else ''}{tally.left:,} requests, "
        f"about {tally.tokens_read:,} tokens to read, at most {tally.tokens_written:,} to write, "
        f"{tally.images:,} images, {cost}; time: {_time(ahead)}."
    )


def estimate_document(prospects: Sequence[Prospect]) -> dict[str, Any]:
    """The estimate for a program."""
    ahead = outlook(prospects)
    return {
        "runs": [
            {
                "title": each.cell.title,
                "suite": each.cell.suite,
                "protocol": each.cell.protocol,
                "language": each.cell.language,
                "model": each.cell.model,
                "state": each.standing,
                "why": each.why,
                "folder": str(each.folder or ""),
                "estimate": _numbers(each.tally, each.seconds) if each.tally else None,
            }
            for each in prospects
        ],
        "all": {
            **_numbers(ahead.tally, ahead.seconds),
            "runs_left": ahead.runs,
            "runs_of_unknown_time": ahead.unknown,
        },
        "how": list(_HOW),
    }


def _numbers(tally: Tally, seconds: float | None) -> dict[str, Any]:
    return {
        "answered": tally.answered,
        "requests": tally.left,
        "by_verb": dict(tally.requests),
        "requests_that_hang_on_answers": tally.later,
        "tokens_read": tally.tokens_read,
        "tokens_written": tally.tokens_written,
        "images": tally.images,
        "cost": tally.cost,
        "seconds": seconds,
    }


def state_table(state: SweepState) -> Table:
    """How each run ended."""
    return Table(
        name="sweep",
        title="How the sweep went",
        levels=("run",),
        columns=_texts("state", "requests", "answered", "failed", "time", "cost", "folder"),
        rows=tuple(
            Row(
                keys=(run.title,),
                cells=(
                    run.state,
                    f"{run.requests:,}",
                    f"{run.answered:,}",
                    f"{run.failed:,}",
                    "" if run.seconds is None else duration(run.seconds),
                    _spent(run),
                    run.folder,
                ),
            )
            for run in state.runs
        ),
    )


def _spent(run: RunState) -> str:
    if not run.unpriced:
        return dollars(run.spent)
    return f"{dollars(run.spent)} and more" if run.spent else _UNKNOWN
