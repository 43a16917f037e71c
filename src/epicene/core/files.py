"""Write files atomically, and store images by the SHA-256 of their content.

Epicene never writes a database this way, so a database is never overwritten.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

import regex

from epicene.core.errors import InputError, RunError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from epicene.core.records import Draw, Image

_SHA256 = regex.compile(r"[0-9a-f]{64}")
_DATABASE_HEADER = b"SQLite format 3\0"
# How unfinished files are named: nobody else names theirs so, and killed processes leave them.
_TEMPORARY = regex.compile(r"\..+\.epicene-[a-z0-9_]{8}")
IMAGES_FOLDER = "images"  # of a run or a study; its files are named by content hash


def write_atomically(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file so that a reader sees the old or the new content, never part of it.

    Only its owner can read a `private` file; any other file keeps the permissions it had.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if _is_database(path):
            raise InputError(
                f"{path} is a database and will not be overwritten; name another file."
            )
        temporary = path.with_name(temporary_prefix(path.name) + secrets.token_hex(4))
        # Created with its permissions: reading the umask would change it for all threads.
        mode = 0o600 if private else 0o666
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(handle, "wb") as file:
                if not private and path.exists():
                    temporary.chmod(stat.S_IMODE(path.stat().st_mode))
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise RunError(f"Could not write {path}: {error.strerror or error}.") from error


def refuse_inputs(out: Path, inputs: Iterable[Path]) -> None:
    """Raise if an output, which may be a link, is one of the input files."""
    if out.exists() and any(each.exists() and out.samefile(each) for each in inputs):
        raise InputError(f"{out} is an input file; name another file with --out.")


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_DATABASE_HEADER)) == _DATABASE_HEADER


def temporary_prefix(name: str) -> str:
    """The start of an unfinished file's name, before its eight random characters."""
    return f".{name}.epicene-"


def remove_temporaries(folder: Path) -> None:
    """Remove the unfinished files that a killed process left behind in a folder.

    Call it only while no other process can write them, that is, while holding the folder's lock.
    """
    with suppress(FileNotFoundError):
        for path in folder.iterdir():
            if _TEMPORARY.fullmatch(path.name):
                path.unlink(missing_ok=True)


class ImageFolder:
    """Store images by the hash of their content: each image once, and only under its hash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, data: bytes) -> str:
        """Store an image; return its SHA-256."""
        name = hashlib.sha256(data).hexdigest()
        path = self.path(name)
        if not path.exists() or path.read_bytes() != data:
            write_atomically(path, data)
        return name

    def drawn(self, _request: Draw, _index: int) -> Image | None:
        """None: only a run remembers the images of unfinished requests."""
        return None

    def keep(self, _request: Draw, _index: int, _image: Image) -> None:
        """Do nothing: only a run remembers the images of unfinished requests."""

    def read(self, sha256: str) -> bytes:
        """An image; raises if it is missing or is not the one that was stored under this hash."""
        try:
            data = self.path(sha256).read_bytes()
        except OSError as error:
            raise RunError(
                f"The image {sha256} cannot be read: {error.strerror or error}."
            ) from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise RunError(f"The image {sha256} is damaged: its content has a different SHA-256.")
        return data

    def path(self, sha256: str) -> Path:
        """The path of an image."""
        if not _SHA256.fullmatch(sha256):
            raise InputError(
                f"{sha256!r} is not a SHA-256; {self._folder} stores images by the SHA-256 of "
                "their content."
            )
        return self._folder / sha256[:2] / sha256
