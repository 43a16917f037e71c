"""What runs on the cluster: a model that is loaded once and answers shard after shard.

Ray makes an actor of `Worker`; nothing here knows of Ray. Calls come in several threads, so that
the next shard is there before this one is done; one thread answers.
"""

from __future__ import annotations

import os
import platform
import time
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

import msgspec

from epicene import __version__
from epicene.errors import EpiceneError, InputError
from epicene.models import Learner, open_model
from epicene.records import Failed
from epicene.runs.ray import wire
from epicene.runs.ray.pictures import Satchel
from epicene.runs.ray.versions import versions_here
from epicene.runs.secrets import redact, redact_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.models import Answered, Batch, Model
    from epicene.records import Answer

decode_corpus = msgspec.msgpack.Decoder(list[tuple[str, str]]).decode


class Task:
    """A shard in hand."""

    def __init__(self, load: wire.Load) -> None:
        self.load = load
        self.left = sum(map(len, load.batches))
        self.answered: list[tuple[int, Answer]] = []
        self.began = 0.0
        self.result: Future[bytes] = Future()


class Worker:
    """A model's process on the cluster."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[Task] = SimpleQueue()
        self._at: dict[int, Task] = {}  # by place: whose request is with the model
        self._begun: set[Task] = set()
        self._satchel = Satchel()
        self._model: Model | None = None

    def arrive(self) -> bytes:
        """The machine on which there was a place; asked before anything that takes long."""
        return platform.node().encode()

    def open(self, opening: bytes, corpus: bytes | None) -> bytes:
        """Load the model, let it learn if it has to, and say who it is."""
        try:
            return wire.encode(self._introduced(wire.decode_opening(opening), corpus))
        except EpiceneError as error:
            return wire.encode(_refusal(error))

    def answer(self, data: bytes) -> bytes:
        """The answers to a shard, once they are all there."""
        task = Task(wire.decode_load(data))
        self._satchel.unpack(task.load.images)
        self._tasks.put(task)
        try:
            return task.result.result()
        except EpiceneError as error:
            return wire.encode(_refusal(error))
        finally:
            self._satchel.drop(task.load.images)

    def notes(self) -> bytes:
        """How the answers were reached, as JSON."""
        assert self._model is not None
        return msgspec.json.encode(redact_all(msgspec.to_builtins(dict(self._model.notes()))))

    def _introduced(self, opening: wire.Opening, corpus: bytes | None) -> wire.Introduction:
        if opening.version != __version__:
            raise InputError(
                f"Epicene {__version__} is installed there, and {opening.version} where the run "
                "is; install the same on every machine."
            )
        # A model given by a relative path is found where the machines share their folders.
        if Path(opening.folder).is_dir():
            os.chdir(opening.folder)
        self._model = model = open_model(opening.spec)
        learner = isinstance(model, Learner)
        if corpus is not None and isinstance(model, Learner):
            model.learn(iter(decode_corpus(corpus)))
        Thread(target=self._serve, args=(model,), daemon=True).start()
        return wire.Introduction(
            identity=model.identity if corpus is not None or not learner else None,
            verbs=model.verbs,
            batch_limit=model.batch_limit,
            learner=learner,
            machine=platform.node(),
            versions=versions_here(),
            pid=os.getpid(),
        )

    def _serve(self, model: Model) -> None:
        """Answer for ever; the calls that wait get whatever goes wrong."""
        while True:
            first = self._tasks.get()
            try:
                for answered in model.answer(self._feed(first), self._satchel):
                    self._deliver(answered)
                if self._at:
                    raise RuntimeError(
                        f"the model ended without answering {len(self._at)} requests"
                    )
            except BaseException as error:
                for task in self._begun:
                    task.result.set_exception(error)
                self._begun.clear()
                self._at.clear()

    def _feed(self, task: Task) -> Iterator[Batch]:
        """The batches of this shard and of those that have come meanwhile.

        A model that reads ahead is given the next shard's batches before it is done with this one;
        it is asked to finish only when there is nothing more to do.
        """
        while True:
            task.began = time.monotonic()
            self._begun.add(task)
            for batch in task.load.batches:
                self._at |= dict.fromkeys((place for place, _ in batch), task)
                yield batch
            try:
                task = self._tasks.get_nowait()
            except Empty:
                return

    def _deliver(self, answered: Answered) -> None:
        for place, answer in answered:
            if isinstance(answer, Failed):
                answer = Failed(reason=redact(answer.reason))
            task = self._at.pop(place)
            task.answered.append((place, answer))
            task.left -= 1
            if not task.left:
                self._begun.remove(task)
                images = self._satchel.pack(each for _, each in task.answered)
                seconds = time.monotonic() - task.began
                task.result.set_result(wire.encode(wire.Yield(task.answered, images, seconds)))


def _refusal(error: EpiceneError) -> wire.Refusal:
    return wire.Refusal(
        sentence=redact(str(error)), input=isinstance(error, InputError), machine=platform.node()
    )
