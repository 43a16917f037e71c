"""Find the logs of other tools at a path, and read their samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.errors import InputError
from epicene.interop import inspect_ai, lm_eval

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.interop.logs import LoggedSample


def log_files(path: Path) -> list[Path]:
    """The logs at a path: the file itself, or all logs below a folder; empty if there are none.

    A log is recognised by its content.
    """
    patterns = ("samples_*.jsonl", "*.eval", "*.json")
    below = [file for pattern in patterns for file in sorted(path.rglob(pattern))]
    found = below if path.is_dir() else [path] * path.is_file()
    return [file for file in found if lm_eval.is_log(file) or inspect_ai.is_log(file)]


def read_logs(files: Sequence[Path]) -> Iterator[LoggedSample]:
    """The samples of all logs; a recognised file without samples is rejected."""
    for file in files:
        samples = list((lm_eval if lm_eval.is_log(file) else inspect_ai).read_samples(file))
        if not samples:
            raise InputError(f"{file} contains no samples.")
        yield from samples
