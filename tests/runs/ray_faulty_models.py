"""Model kinds that workers on a cluster find by an entry point, as those of any other package.

`faulty:NAME[-slow][-pair][-poison][-hang][-stuck]` is a scripted model that waits until two of it
are asked, ends its process over one request, never answers one the first time, or is never loaded
the first time. Each notes its process in the file FAULTY_MODEL_PIDS.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import two_stage
from epicene.core.records import Answer, Request
from epicene.models import Batch, ImageStore, Model, ModelOptions, NumberedAnswers

PIDS = "FAULTY_MODEL_PIDS"
POISON, HANG = "opening-7", "opening-11"
SECONDS = 0.1  # for a batch of a slow one


class Faulty(two_stage.Scripted):
    """A scripted model that is slow, deadly or forgetful where its name says so."""

    def __init__(self, name: str, options: ModelOptions) -> None:
        super().__init__(name.split("-")[0], options)
        self._faults = name.split("-")[1:]
        if "pair" not in self._faults:
            note_process()
        if "stuck" in self._faults and first_time():
            time.sleep(600)

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        if "pair" in self._faults:  # noted only now: both are at work, not only being loaded
            note_process()
            while len(set(living())) < 2:
                time.sleep(0.05)
        for answered in super().answer(batches, files):
            if "slow" in self._faults:
                time.sleep(SECONDS)
            yield answered

    def _one(self, request: Request) -> Answer:
        if "poison" in self._faults and request.item == POISON:
            os.kill(os.getpid(), signal.SIGKILL)
        if "hang" in self._faults and request.item == HANG and first_time():
            time.sleep(600)
        return super()._one(request)


def note_process() -> None:
    """Write down this process's id."""
    with Path(os.environ[PIDS]).open("a") as file:
        file.write(f"{os.getpid()}\n")


def processes() -> list[int]:
    """Those written down so far."""
    path = Path(os.environ[PIDS])
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def living() -> list[int]:
    """Those of them that are still there."""
    return [pid for pid in processes() if _lives(pid)]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def first_time() -> bool:
    """Whether nobody asked this before."""
    try:
        Path(os.environ[PIDS]).with_suffix(".asked").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def open_faulty(name: str, options: ModelOptions) -> Model:
    """The entry point of the kind `faulty`."""
    return Faulty(name, options)
