"""What a function of this package knows of the command line that called it, if one did."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from dataclasses import dataclass

from epicene.core.control_characters import escape_controls
from epicene.core.errors import RunError


@dataclass(frozen=True)
class Session:
    """The options of a command that are no concern of its function."""

    yes: bool = False  # nobody is asked before long or costly work
    dry_run: bool = False  # requests are only shown
    json: bool = False


_PROGRAM = Session(yes=True)
session: ContextVar[Session] = ContextVar("session", default=_PROGRAM)


class NothingSentError(Exception):
    """The work was only shown, not started."""


def note(sentence: str) -> None:
    """Write a message to standard error."""
    sys.stderr.write(f"{escape_controls(sentence)}\n")


def confirm(what: str) -> None:
    """Ask a person at a terminal whether to start; raise if not."""
    if session.get().yes or not _is_terminal():
        return
    sys.stderr.write(f"Start the {what}? [y/N]: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise RunError(f"The {what} was not started, and nothing was sent.")


def _is_terminal() -> bool:
    """Whether a person can read a question and answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()
