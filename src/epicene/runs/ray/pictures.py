"""A run's images where its folder is not: they come with a shard and leave with its answers."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from epicene.records import Answer, Images, Look

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from epicene.models import Batch, Files


_HELD = ".held"  # how the name of a folder ends that its worker has locked


class Satchel:
    """A worker's images: those that the shards in hand look at, and those drawn and not sent yet.

    An image that was sent is in the run's folder, so it is not sent twice.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None  # there while it is used, so that none is left behind
        self._lock_of_folder = -1
        self._drawn: dict[str, bytes] = {}
        self._users: Counter[str] = Counter()
        self._lock = Lock()  # shards come in by other threads than they are worked on
        sweep()

    def put(self, data: bytes) -> str:
        """Keep the bytes; their sha256."""
        name = hashlib.sha256(data).hexdigest()
        self._drawn[name] = data
        return name

    def path(self, sha256: str) -> Path:
        """Where they lie."""
        return (self._folder or Path(tempfile.gettempdir())) / sha256

    def unpack(self, images: Mapping[str, bytes]) -> None:
        """Lay out the images of a shard."""
        with self._lock:
            if images and self._folder is None:
                self._folder, self._lock_of_folder = held()
            for name, data in images.items():
                if not self._users[name]:
                    self.path(name).write_bytes(data)
                self._users[name] += 1

    def drop(self, names: Iterable[str]) -> None:
        """A shard is done with these."""
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
        """The images that answers speak of and that were not sent yet."""
        return {name: self._drawn.pop(name) for name in drawn(answers) if name in self._drawn}


def held() -> tuple[Path, int]:
    """A new temporary folder, and the lock on it, which ends with this process at the latest."""
    folder = Path(tempfile.mkdtemp(prefix="epicene-"))
    lock = os.open(folder, os.O_RDONLY)
    # Where the disk knows no locks (some networks' disks) nobody can sweep either.
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX)
    # It gets its name when it is locked, so that nobody sweeps it before.
    return folder.rename(folder.with_name(folder.name + _HELD)), lock


def sweep() -> None:
    """Remove the folders of workers that were killed on this machine."""
    for folder in Path(tempfile.gettempdir()).glob(f"epicene-*{_HELD}"):
        with suppress(OSError):  # another user's, or swept by another worker
            lock = os.open(folder, os.O_RDONLY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where it is held
                shutil.rmtree(folder)
            finally:
                os.close(lock)


def drawn(answers: Iterable[Answer]) -> set[str]:
    """The images that answers speak of."""
    return {
        image.sha256
        for answer in answers
        if isinstance(answer, Images)
        for image in answer.images
        if image.sha256
    }


def looked_at(batches: Iterable[Batch], files: Files) -> dict[str, bytes]:
    """The images that batches look at. One that is missing is left for the model to say so."""
    names = {
        request.image for batch in batches for _, request in batch if isinstance(request, Look)
    }
    return {
        name: path.read_bytes() for name in sorted(names) if (path := files.path(name)).exists()
    }
