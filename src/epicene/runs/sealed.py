"""A database that its writer did not close, on ground where nothing can be written.

SQLite reads such a file only by what is in the file itself, and the latest commits are in the log
beside it. So both are copied to where they can be put together.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from epicene.errors import RunError

_TRIES = 5
_HEADER = 32  # bytes of a log, of which some change whenever it is begun anew


def is_sealed(folder: Path) -> bool:
    """Whether nothing can be written in a folder."""
    return not os.access(folder, os.W_OK)


def copied_with_log(path: Path) -> tempfile.TemporaryDirectory[str] | None:
    """A folder with a copy of the database and of its log; None where it has no log to be read."""
    log = path.with_name(f"{path.name}-wal")
    for _ in range(_TRIES):
        try:
            before = _header(log)
            if not before:
                return None
            if copy := _copied(path, log, before):
                return copy
        except OSError as error:
            if not log.exists():  # its writer has closed it meanwhile
                continue
            raise RunError(
                f"{path} was not closed by its writer and lies where nothing can be written, so "
                f"that it is read from a copy, and none could be made ({error.strerror or error}); "
                "name a folder that has room for it in TMPDIR."
            ) from error
    raise RunError(f"{path} is being written to by somebody else; wait, and ask again.")


def _copied(path: Path, log: Path, before: bytes) -> tempfile.TemporaryDirectory[str] | None:
    """The copy; None where the log was begun anew meanwhile.

    The database comes first: what moves there from the log until then is still in the log.
    """
    folder = tempfile.TemporaryDirectory(prefix="epicene-")
    try:
        for source in (path, log):
            shutil.copyfile(source, Path(folder.name, source.name))
        if _header(log) == before:
            return folder
    except BaseException:
        folder.cleanup()
        raise
    folder.cleanup()
    return None


def _header(log: Path) -> bytes:
    try:
        with log.open("rb") as file:
            return file.read(_HEADER)
    except FileNotFoundError:
        return b""
