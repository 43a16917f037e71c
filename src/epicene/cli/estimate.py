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

if TYPE_CHECKING:
    from epicene.runs.estimate import RunEstimate


def approval(*, default_model: bool, yes: bool) -> Callable[[RunEstimate], None]:
    """A function that shows an estimate and asks for confirmation.

    `default_model`: no model was named; `yes`: start without asking.
    """

    def approve(estimate: RunEstimate) -> None:
        if not estimate.left:
            return
        for sentence in estimate_sentences(estimate, default_model=default_model):
            note(sentence)
        if not yes and any(cost is None or cost > HIGH_COST for cost in estimate.costs.values()):
            confirm("run")

    return approve


HIGH_COST = 1.0  # US dollars, above which a run is confirmed on a terminal


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
    """The model and the requests; then the cost, model by model."""
    config = estimate.config
    named = "; ".join(
        f"{role}: {', '.join(labels)}" if len(estimate.models) > 1 else ", ".join(labels)
        for role, labels in estimate.models.items()
    )
    which = " (the default; choose another with --model)" if default_model else ""
    verbs = ", ".join(f"{count:,} {name}" for name, count in sorted(estimate.requests.items()))
    bound = "at most " if estimate.later else ""
    done = f", {estimate.answered:,} already answered" if estimate.answered else ""
    return [
        f"{config.suite.name}, protocol {config.protocol.name}, on {named}{which}: "
        f"{bound}{estimate.left:,} requests left ({verbs}){done}.",
        *estimate.cost_sentences(),
    ]
