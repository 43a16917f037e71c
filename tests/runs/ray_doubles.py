"""Model kinds that workers on a cluster find by an entry point, as those of any other package.

`faulty:NAME[-pair][-poison][-hang][-odd][-absent][-crash]` is a scripted model that waits until two
of it are at work, ends its process over one request, hangs over one the first time, is another
model in every process, or cannot be loaded by a worker. Each that answers notes its process in the
file RAY_DOUBLES.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import two_stage
from epicene.core.errors import InputError
from epicene.core.records import Answer, Identity, Request
from epicene.models import Batch, ImageStore, Model, ModelOptions, NumberedAnswers

NOTED, DRIVER = "RAY_DOUBLES", "RAY_DOUBLES_DRIVER"
POISON, HANG = "opening-7", "opening-11"


class Faulty(two_stage.Scripted):
    """A scripted model with the faults that its name has."""

    def __init__(self, name: str, options: ModelOptions) -> None:
        super().__init__(name.split("-")[0], options)
        self._faults = name.split("-")[1:]
        if os.getpid() != int(os.environ[DRIVER]):
            if "absent" in self._faults:
                raise InputError("There are no weights.")
            if "crash" in self._faults:
                raise ValueError("half a file")
        if "odd" in self._faults:
            key = {**self.identity.key, "process": str(os.getpid())}
            self.identity = Identity(kind="scripted", label=self.identity.label, key=key)

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        with noted().open("a") as file:
            file.write(f"{os.getpid()}\n")
        while "pair" in self._faults and len(processes()) < 2:
            time.sleep(0.05)
        return super().answer(batches, files)

    def _one(self, request: Request) -> Answer:
        if "poison" in self._faults and request.item == POISON:
            os.kill(os.getpid(), signal.SIGKILL)
        if "hang" in self._faults and request.item == HANG and first_time():
            time.sleep(600)
        return super()._one(request)


def noted() -> Path:
    """The file in which processes are noted."""
    return Path(os.environ[NOTED])


def processes() -> set[int]:
    """Those that were asked something."""
    return set(map(int, noted().read_text().split())) if noted().exists() else set()


def first_time() -> bool:
    """Whether nobody asked this before."""
    try:
        noted().with_suffix(".asked").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def open_faulty(name: str, options: ModelOptions) -> Model:
    """The entry point of the kind `faulty`."""
    return Faulty(name, options)
