"""Models for tests of constructions: each notes what it is asked, and hangs where it is told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from epicene.core.records import Answer, Identity, Request
from epicene.models import BatchLimit
from epicene.models.simple_model import SimpleModel

LOG = "SCRIPTED_LOG"


class Noting(SimpleModel):
    """Notes every request in the file SCRIPTED_LOG, and answers one at a time.

    The one that HANG_AT names ("write 4") never answers its fourth request.
    """

    def __init__(
        self, name: str, verb: str, answer: Callable[[Request], Answer], version: str = "7"
    ) -> None:
        self._name, self._answer, self._asked = name, answer, 0
        identity = Identity(kind="scripted", label=name, key={"version": version})
        super().__init__(identity, {verb: self.note})

    @property
    def batch_limit(self) -> BatchLimit:
        """So that each answer is kept as soon as it is there."""
        return BatchLimit(requests=1)

    def note(self, request: Request) -> Answer:
        """Note the request, hang if told to, and answer."""
        self._asked += 1
        _log(f"{self._name} {request.item}")
        if os.environ.get("HANG_AT") == f"{self._name} {self._asked}":
            _log("hangs")
            time.sleep(600)
        return self._answer(request)


def _log(line: str) -> None:
    with Path(os.environ[LOG]).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def asked() -> list[str]:
    """All lines noted so far."""
    log = Path(os.environ[LOG])
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def killed_while_hanging(program: str, command: Sequence[str], at: str) -> None:
    """Run a program in a process of its own until a model hangs, then kill it."""
    before = asked().count("hangs")
    errors = Path(os.environ[LOG]).with_name("errors.log")
    tests = str(Path(__file__).parent)
    with errors.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, program, *command],
            env={**os.environ, "HANG_AT": at, "OMP_NUM_THREADS": "1", "PYTHONPATH": tests},
            stderr=file,
        )
    patience = time.monotonic() + 120
    while asked().count("hangs") == before:
        assert process.poll() is None, errors.read_text(encoding="utf-8")
        assert time.monotonic() < patience, "the model was not reached"
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
