"""Commands in processes of their own that may be killed, and what such a run has stored."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from epicene.core.records import Failed
from epicene.runs.stored_run import read_run, stored_answers

_POLL = 0.02  # seconds


class ForkServer:
    """A process that runs commands in children of its own, one at a time.

    `modules` are imported before, so that the children need not; torch and transformers if none.
    """

    def __init__(self, log: Path, errors: Path, *modules: str) -> None:
        here = Path(__file__).parent.parent
        self._process = subprocess.Popen(
            [sys.executable, str(here / "fork_server.py"), *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors.open("w"),
            text=True,
            env={**os.environ, "SCRIPTED_LOG": str(log), "OMP_NUM_THREADS": "1"},
        )
        assert self._read() == "ready"

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def run(
        self,
        arguments: list[str],
        kill_after: float | None = None,
        kill_when: Callable[[], bool] | None = None,
        **order: Any,
    ) -> int:
        """Do a command, killing it after so many seconds or as soon as something holds.

        Its exit code, negative if killed. The rest of an `order` is described in fork_server.py.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"arguments": arguments, **order}) + "\n")
        self._process.stdin.flush()
        pid = int(self._read())
        with suppress(ProcessLookupError):  # it was done sooner
            if kill_after is not None:
                time.sleep(kill_after)
                os.kill(pid, signal.SIGKILL)
            while kill_when is not None:
                os.kill(pid, signal.SIGKILL if kill_when() else 0)
                time.sleep(_POLL)
        return int(self._read())

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def stored(folder: Path) -> set[str]:
    """MODEL ITEM REQUEST of every answer in the store, but for failed ones."""
    if not (folder / "manifest.json").exists():
        return set()
    return {
        f"{given.model} {item.id} {given.name}"
        for item, given in stored_answers(read_run(folder))
        if not isinstance(given.answer, Failed)
    }
