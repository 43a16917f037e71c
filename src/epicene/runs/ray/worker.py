"""The worker process on the cluster: loads a model once and answers shard after shard.

Ray turns `Worker` into an actor; nothing here depends on Ray. Calls arrive in several threads, so
that the next shard is there before this one is done; one thread answers.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import tempfile
import time
from collections import Counter
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING

import msgspec

from epicene import __version__
from epicene.core.errors import EpiceneError, InputError
from epicene.core.records import Answer, Failed, Images, Look
from epicene.core.redaction import redact, redact_all
from epicene.models import Learner, open_model
from epicene.runs.manifest import library_versions
from epicene.runs.ray import messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from epicene.models import Batch, ImageStore, Model, NumberedAnswers

# Libraries that compute answers, or write the images that are known by their bytes.
_COMPUTING = frozenset({"torch", "transformers", "tokenizers", "diffusers", "numpy", "pillow"})


def local_versions() -> dict[str, str]:
    """The library versions of this process."""
    libraries = {name: v for name, v in library_versions().items() if name in _COMPUTING}
    return {"python": platform.python_version(), **libraries}


class LibraryVersions:
    """Which machines have which versions of libraries. A missing library is not a difference."""

    def __init__(self) -> None:
        self._holders: dict[str, dict[str, set[str]]] = {}  # by library and version

    def add(self, holder: str, versions: dict[str, str]) -> list[str]:
        """Add a machine's versions; return a sentence about each new version."""
        news = []
        for name, version in versions.items():
            known = self._holders.setdefault(name, {})
            if known and version not in known:
                others = " and ".join(
                    f"{other} on {_summarise_holders(on)}" for other, on in known.items()
                )
                news.append(
                    f"{name} is {version} on {holder} and {others}: answers may differ in their "
                    "last digits; install the same version on every machine."
                )
            known.setdefault(version, set()).add(holder)
        return news

    def differing(self) -> dict[str, dict[str, list[str]]]:
        """The libraries whose versions differ, with the machines of each version."""
        return {
            name: {version: sorted(holders) for version, holders in known.items()}
            for name, known in self._holders.items()
            if len(known) > 1
        }


def _summarise_holders(holders: set[str]) -> str:
    first, *others = sorted(holders)
    return f"{first} and {len(others)} more" if others else first


_LOCKED_SUFFIX = ".held"  # how the name of a folder ends that its worker has locked


class WorkerImages:
    """A worker's images: those that its shards use, and those drawn but not sent yet.

    An image that was sent is in the run's folder, so it is not sent twice.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None  # there while it is used, so that none is left behind
        self._lock_of_folder = -1
        self._drawn: dict[str, bytes] = {}
        self._users: Counter[str] = Counter()
        self._lock = Lock()  # shards come in by other threads than they are worked on
        remove_stale_folders()

    def put(self, data: bytes) -> str:
        """Keep a drawn image; return its SHA-256."""
        name = hashlib.sha256(data).hexdigest()
        self._drawn[name] = data
        return name

    def path(self, sha256: str) -> Path:
        """The path of an image."""
        return (self._folder or Path(tempfile.gettempdir())) / sha256

    def unpack(self, images: Mapping[str, bytes]) -> None:
        """Write the images of a shard to the folder."""
        with self._lock:
            if images and self._folder is None:
                self._folder, self._lock_of_folder = make_locked_folder()
            for name, data in images.items():
                if not self._users[name]:
                    self.path(name).write_bytes(data)
                self._users[name] += 1

    def drop(self, names: Iterable[str]) -> None:
        """Remove images that no shard uses any more."""
        with self._lock:
            for name in names:
                self._users[name] -= 1
                if not self._users[name]:
                    del self._users[name]
                    self.path(name).unlink()
            if self._folder is not None and not self._users:
                self._folder.rmdir()
                os.close(self._lock_of_folder)
                self._folder = None

    def pack(self, answers: Iterable[Answer]) -> dict[str, bytes]:
        """The images of these answers that were not sent yet."""
        return {
            name: self._drawn.pop(name) for name in drawn_images(answers) if name in self._drawn
        }


def make_locked_folder() -> tuple[Path, int]:
    """A new temporary folder, and the lock on it, which is released when this process ends at
    the latest.
    """
    folder = Path(tempfile.mkdtemp(prefix="epicene-"))
    lock = os.open(folder, os.O_RDONLY)
    # Where the disk knows no locks (some networks' disks) nobody can sweep either.
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX)
    # It gets its name when it is locked, so that nobody sweeps it before.
    return folder.rename(folder.with_name(folder.name + _LOCKED_SUFFIX)), lock


def remove_stale_folders() -> None:
    """Remove the folders of workers that were killed on this machine."""
    for folder in Path(tempfile.gettempdir()).glob(f"epicene-*{_LOCKED_SUFFIX}"):
        with suppress(OSError):  # another user's, or swept by another worker
            lock = os.open(folder, os.O_RDONLY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where it is held
                shutil.rmtree(folder)
            finally:
                os.close(lock)


def drawn_images(answers: Iterable[Answer]) -> set[str]:
    """The sha256 of the images in answers."""
    return {
        image.sha256
        for answer in answers
        if isinstance(answer, Images)
        for image in answer.images
        if image.sha256
    }


def images_to_send(batches: Iterable[Batch], files: ImageStore) -> dict[str, bytes]:
    """The images that batches use. If one is missing, the model reports it."""
    names = {
        request.image for batch in batches for _, request in batch if isinstance(request, Look)
    }
    return {
        name: path.read_bytes() for name in sorted(names) if (path := files.path(name)).exists()
    }


decode_corpus = msgspec.msgpack.Decoder(list[tuple[str, str]]).decode


class ShardTask:
    """A shard that is being answered."""

    def __init__(self, load: messages.ShardInput) -> None:
        self.load = load
        self.left = sum(map(len, load.batches))
        self.answered: list[tuple[int, Answer]] = []
        self.began = 0.0
        self.result: Future[bytes] = Future()


class Worker:
    """The actor that answers for a model."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[ShardTask] = SimpleQueue()
        self._task_of: dict[int, ShardTask] = {}  # by request id: whose request is with the model
        self._begun: set[ShardTask] = set()
        self._images = WorkerImages()
        self._model: Model | None = None

    def machine_name(self) -> bytes:
        """The machine that has room for this worker; called before anything that takes long."""
        return platform.node().encode()

    def open(self, setup: bytes, corpus: bytes | None = None) -> bytes:
        """Load the model, train it if necessary, and return its identity."""
        try:
            return messages.encode(self._open(messages.decode_worker_setup(setup), corpus))
        except EpiceneError as error:
            return messages.encode(_refusal(error))

    def answer(self, data: bytes) -> bytes:
        """The answers to a shard, once they are all there."""
        task = ShardTask(messages.decode_shard_input(data))
        self._images.unpack(task.load.images)
        self._tasks.put(task)
        try:
            return task.result.result()
        except EpiceneError as error:
            return messages.encode(_refusal(error))
        finally:
            self._images.drop(task.load.images)

    def notes(self) -> bytes:
        """How the answers were reached, as JSON."""
        assert self._model is not None
        return msgspec.json.encode(redact_all(msgspec.to_builtins(dict(self._model.notes()))))

    def _open(self, setup: messages.WorkerSetup, corpus: bytes | None) -> messages.WorkerInfo:
        if setup.version != __version__:
            raise InputError(
                f"Epicene {__version__} is installed there, but {setup.version} where the run is; "
                "install the same version on every machine."
            )
        # A model given by a relative path is found where the machines share their folders.
        if Path(setup.folder).is_dir():
            os.chdir(setup.folder)
        self._model = model = open_model(setup.spec)
        learner = isinstance(model, Learner)
        if corpus is not None and isinstance(model, Learner):
            model.learn(iter(decode_corpus(corpus)))
        Thread(target=self._serve, args=(model,), daemon=True).start()
        return messages.WorkerInfo(
            identity=model.identity if corpus is not None or not learner else None,
            verbs=model.verbs,
            batch_limit=model.batch_limit,
            learner=learner,
            machine=platform.node(),
            versions=local_versions(),
        )

    def _serve(self, model: Model) -> None:
        """Answer shards forever; errors go to the waiting calls."""
        while True:
            first = self._tasks.get()
            try:
                for answered in model.answer(self._feed(first), self._images):
                    self._deliver(answered)
                if self._task_of:
                    raise RuntimeError(
                        f"the model ended without answering {len(self._task_of)} requests"
                    )
            except BaseException as error:
                for task in self._begun:
                    task.result.set_exception(error)
                self._begun.clear()
                self._task_of.clear()

    def _feed(self, task: ShardTask) -> Iterator[Batch]:
        """The batches of this shard and of those that have arrived in the meantime.

        A model that reads ahead gets the next shard's batches before it is done with this one; it
        is asked to finish only when there is nothing left to do.
        """
        while True:
            task.began = time.monotonic()
            self._begun.add(task)
            for batch in task.load.batches:
                self._task_of |= dict.fromkeys((request_id for request_id, _ in batch), task)
                yield batch
            try:
                task = self._tasks.get_nowait()
            except Empty:
                return

    def _deliver(self, answered: NumberedAnswers) -> None:
        for request_id, answer in answered:
            if isinstance(answer, Failed):
                answer = Failed(reason=redact(answer.reason))
            task = self._task_of.pop(request_id)
            task.answered.append((request_id, answer))
            task.left -= 1
            if not task.left:
                self._begun.remove(task)
                images = self._images.pack(each for _, each in task.answered)
                seconds = time.monotonic() - task.began
                task.result.set_result(
                    messages.encode(messages.ShardOutput(task.answered, images, seconds))
                )


def _refusal(error: EpiceneError) -> messages.Refusal:
    return messages.Refusal(
        sentence=redact(str(error)), input=isinstance(error, InputError), machine=platform.node()
    )
