"""`epicene annotate …` in this process."""

from __future__ import annotations

from epicene.app.commands import run_command, run_with_exit_code


def command(*words: object) -> int:
    """Run `epicene annotate` with these arguments; its exit code."""
    return run_with_exit_code(lambda: run_command(["annotate", *map(str, words)]))
