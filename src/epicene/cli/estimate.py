"""Show what a run is about to do before it starts; on a terminal, ask for confirmation if it is
long.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
import typer

from epicene.cli.output import note
from epicene.core.control_characters import escape_controls
from epicene.core.errors import RunError
from epicene.models.pricing import format_dollars

if TYPE_CHECKING:
    from epicene.runs.estimate import RunEstimate


def approval(*, default_model: bool, yes: bool) -> Callable[[RunEstimate], None]:
    """A function that shows an estimate and asks for confirmation.

    `default_model`: no model was named; `yes`: start without asking.
    """

    def approve(estimate: RunEstimate) -> None:
        if not estimate.workload.left:
            return
        for sentence in estimate_sentences(estimate, default_model=default_model):
            note(sentence)
        if estimate.is_long and not yes:
            confirm("run")

    return approve


class NothingSentError(Exception):
    """The run was only shown, not started."""


def show_plan(*, default_model: bool, as_json: bool) -> Callable[[RunEstimate], None]:
    """A function that prints the requests that would be sent, shows the estimate, and stops the
    run.
    """

    def approve(estimate: RunEstimate) -> None:
        for planned in estimate.planned():
            if as_json:
                typer.echo(msgspec.json.encode(planned._asdict()).decode())
            else:
                about = filter(None, (planned.verb, planned.item, planned.name))
                typer.echo(escape_controls(f"{' '.join(about)}: {planned.text}"))
        for sentence in estimate_sentences(estimate, default_model=default_model):
            note(sentence)
        raise NothingSentError

    return approve


def confirm(what: str) -> None:
    """Ask on a terminal whether to start; raises if not."""
    if _is_terminal() and not typer.confirm(f"Start the {what}?", err=True):
        raise RunError(f"The {what} was not started, and nothing was sent.")


def _is_terminal() -> bool:
    """Whether a person can read a question and answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def estimate_sentences(estimate: RunEstimate, *, default_model: bool) -> list[str]:
    """The model, the requests, the time and the cost; and for a long run how to make it shorter."""
    config, workload = estimate.config, estimate.workload
    named = "; ".join(
        f"{role}: {', '.join(labels)}" if len(estimate.models) > 1 else ", ".join(labels)
        for role, labels in estimate.models.items()
    )
    which = " (the default; choose another with --model)" if default_model else ""
    verbs = ", ".join(f"{count:,} {name}" for name, count in sorted(workload.requests.items()))
    bound = "more than " if workload.partial else "at most " if workload.later else ""
    done = f", {workload.answered:,} already answered" if workload.answered else ""
    time = (
        "time: shown with the progress after the first answers"
        if estimate.seconds is None
        else f"time: {format_duration(estimate.seconds)} based on earlier runs"
    )
    sentences = [
        f"{config.suite.name}, protocol {config.protocol.name}, on {named}{which}: "
        f"{bound}{workload.left:,} requests left ({verbs}){done}; {time}{_cost(estimate)}."
    ]
    if estimate.is_long and config.limit is None:
        sentences.append(
            "This may take a long time. Use --limit 20 to run a sample of 20 items from each "
            "part of the data first; the time for the whole run is then known."
        )
    return sentences


def format_duration(seconds: float) -> str:
    """Roughly how long, in the unit that fits."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _cost(estimate: RunEstimate) -> str:
    cost, partial = estimate.workload.cost, estimate.workload.partial
    if cost is None:
        return "; cost: unknown (set --price to estimate it, --max-cost to limit it)"
    if not cost:
        return ""
    return f"; cost: {'more than' if partial else 'at most'} {format_dollars(cost)}"
