"""Commands called in this process: read only, or run."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

from epicene.app.commands import COMMANDS, command_line, run_command
from epicene.core.errors import EpiceneError


class Parsed(NamedTuple):
    """The name of a command, and the options that it is given."""

    name: str
    options: dict[str, Any]


def parse(words: Sequence[str]) -> Parsed:
    """Read the words after `epicene`; raises if there is no such command or option."""
    found = [" ".join(words[:count]) for count in (2, 1) if " ".join(words[:count]) in COMMANDS]
    _, bound, _ = command_line(words[0]).parse_args(
        list(words), print_error=False, exit_on_error=False
    )
    if not found:
        raise KeyError(words[0])
    return Parsed(found[0], dict(bound.arguments))


class Called(NamedTuple):
    """What a command printed, its exit code, and the error that it raised."""

    exit_code: int
    stdout: str
    stderr: str
    exception: Exception | None


def invoke(words: Sequence[str]) -> Called:
    """Run a command in this process; its error is kept."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    error: Exception | None = None
    code = 1
    with redirect_stdout(out), redirect_stderr(io.StringIO()) as told:
        try:
            code = run_command(words)
        except EpiceneError as raised:
            error, code = raised, raised.exit_code
    out.seek(0)
    return Called(code, out.read(), told.getvalue(), error)
