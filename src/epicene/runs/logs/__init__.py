"""Read the logs of other evaluation tools: samples of lm-evaluation-harness, logs of Inspect.

A log is recognised by its content. Its samples are matched with the requests of a suite: samples of
tasks that Epicene exported by item and request, all others by the texts given to the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.errors import InputError
from epicene.runs.logs import inspect_ai, lm_eval

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.runs.logs.samples import LoggedSample


def log_files(path: Path) -> list[Path]:
    """The logs at a path: the file itself, or all logs below a folder; empty if there are none."""
    if path.is_dir():
        found = [
            file
            for pattern in ("samples_*.jsonl", "*.eval", "*.json")
            for file in sorted(path.rglob(pattern))
        ]
    else:
        found = [path] if path.is_file() else []
    return [file for file in found if _is_log(file)]


def _is_log(file: Path) -> bool:
    try:
        return lm_eval.is_log(file) or inspect_ai.is_log(file)
    except OSError:  # which the suite's reader explains
        return False


def read_logs(files: list[Path]) -> Iterator[LoggedSample]:
    """The samples of all logs; a recognised file without samples is rejected."""
    for file in files:
        samples = (lm_eval if lm_eval.is_log(file) else inspect_ai).read_samples(file)
        empty = True
        for sample in samples:
            empty = False
            yield sample
        if empty:
            raise InputError(f"{file} contains no samples.")
