"""Open SQLite databases, and explain their errors."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import InputError, RunError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

_PAUSE = 0.01  # seconds between tries to switch to a write-ahead log
_MARKS = ("application_id", "user_version")  # zero unless a program set them


def connect(
    path: Path, *, timeout: float = 10.0, check_same_thread: bool = True
) -> sqlite3.Connection:
    """Open a database for reading and writing, creating it if there is none."""
    db = sqlite3.connect(
        path, isolation_level=None, timeout=timeout, check_same_thread=check_same_thread
    )
    try:
        # WAL with synchronous=NORMAL: a commit survives the death of the process.
        _use_wal(db, timeout)
        db.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        db.close()
        raise
    return db


def _use_wal(db: sqlite3.Connection, timeout: float) -> None:
    """Switch to a write-ahead log, for which SQLite itself does not wait while others write."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return


def check_ours(path: Path, tables: Mapping[str, Collection[str]]) -> None:
    """Raise if a file belongs to another program: ours has these tables with these columns, or
    nothing.

    The file is not changed. A database is empty if its writer was killed right after creating it.
    """
    if not path.exists():
        return
    uri = f"{path.absolute().as_uri()}?mode=ro"
    found: dict[str, set[str]] = {}
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10)) as db:
        db.execute("BEGIN")  # all of it is read as of one moment
        for name, column in db.execute(
            "SELECT entry.name, field.name FROM sqlite_schema AS entry "
            "LEFT JOIN pragma_table_info(entry.name) AS field "
            "WHERE entry.name NOT LIKE 'sqlite~_%' ESCAPE '~'"
        ):
            found.setdefault(name, set()).add(column)
        is_marked = any(db.execute(f"PRAGMA {name}").fetchone()[0] for name in _MARKS)
    if not found and not is_marked:
        return
    if any(not set(columns) <= found.get(name, set()) for name, columns in tables.items()):
        raise InputError(
            f"{path} is a database of another program and was not changed; choose another folder, "
            "or move the file."
        )


def make_private(path: Path) -> None:
    """Let only the owner read a database and its logs; create the database if there is none.

    An existing database is not opened: closing it would release the locks that SQLite holds on it
    for other connections of this process, and another process would remove the log they write to.
    """
    try:
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise RunError(f"Could not write {path}: {error.strerror or error}.") from error
    for suffix in ("", "-wal", "-shm"):
        file = path.with_name(path.name + suffix)
        # It may be gone by now, or belong to somebody else who may let us write to it.
        with suppress(FileNotFoundError, PermissionError):
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)


class LockedError(RunError):
    """Another program has locked a database."""


@contextmanager
def explain_errors(path: Path, summary: str = "") -> Iterator[None]:
    """Turn SQLite's errors into a sentence that names the file.

    It begins with `summary`, or names the cause of the error and the fix.
    """
    try:
        yield
    except (sqlite3.Error, msgspec.DecodeError, UnicodeDecodeError) as error:
        if "locked" in str(error):
            raise LockedError(
                f"Another program has locked {path}; close that program and run the same command "
                "again."
            ) from error
        raise RunError(f"{summary}: {error}." if summary else _explain(error, path)) from error


def _explain(error: Exception, path: Path) -> str:
    text = str(error)
    if "disk is full" in text:
        return (
            f"The disk with {path} is full. All answers so far are stored; free some space and "
            "run the same command again."
        )
    if "malformed" in text or "not a database" in text or isinstance(error, UnicodeDecodeError):
        return (
            f"The database {path} is damaged ({text}); repeat the command that created it: what "
            "can be read is kept, and the rest is asked again."
        )
    return f"The database {path} could not be used: {text}."


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit at the end, or roll back on any exception."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
