"""Open SQLite databases, including those in read-only folders, and explain their errors.

SQLite reads a database in a read-only folder without its write-ahead log, which contains the latest
commits. Both files are therefore copied to a writable folder and opened there.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from epicene.core.errors import InputError, RunError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_TRIES = 5
_PAUSE = 0.01  # seconds between tries to switch to a write-ahead log
_MARKS = ("application_id", "user_version")  # zero unless a program set them
_HEADER = 32  # bytes of a log or journal, of which some change whenever it is begun anew

_Schema: TypeAlias = "tuple[dict[str, set[str]], bool]"  # columns by table; whether it is marked


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
    found, is_marked = _read_schema(path)
    if not found and not is_marked:
        return
    if any(not set(columns) <= found.get(name, set()) for name, columns in tables.items()):
        raise InputError(
            f"{path} is a database of another program and was not changed; choose another folder, "
            "or move the file."
        )


def _read_schema(path: Path) -> _Schema:
    """Read the contents of a database without changing it.

    SQLite waits for a live writer. Changes left behind by a killed writer must be rolled back with
    its journal, which SQLite refuses to do when it may only read; a copy is rolled back instead.
    """
    journal = path.with_name(f"{path.name}-journal")
    for _ in range(_TRIES):
        try:
            return _schema_at(f"{path.absolute().as_uri()}?mode=ro")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
                raise
        try:
            copy = _copy_once(path, journal, _header(journal))
        except FileNotFoundError:  # somebody else has rolled it back
            continue
        except OSError as error:
            raise RunError(f"Could not read {path}: {error.strerror or error}.") from error
        if copy:
            with copy as folder:
                return _schema_at(Path(folder, path.name).as_uri())
    raise _written_to(path)


def _schema_at(uri: str) -> _Schema:
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10)) as db:
        db.execute("BEGIN")  # all of it is read as of one moment
        found: dict[str, set[str]] = {}
        for name, column in db.execute(
            "SELECT entry.name, field.name FROM sqlite_schema AS entry "
            "LEFT JOIN pragma_table_info(entry.name) AS field "
            "WHERE entry.name NOT LIKE 'sqlite~_%' ESCAPE '~'"
        ):
            found.setdefault(name, set()).add(column)
        return found, any(db.execute(f"PRAGMA {name}").fetchone()[0] for name in _MARKS)


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


def is_read_only(folder: Path) -> bool:
    """Whether a folder is read-only."""
    return not os.access(folder, os.W_OK)


def must_copy(path: Path) -> bool:
    """Whether a database must be copied to be read: it cannot be changed and has a log."""
    return is_read_only(path.parent) and bool(_header(_log(path)))


@contextmanager
def connect_read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database in a read-only folder: a copy of it, if its writer left a log behind."""
    copy = _copy_with_log(path)
    try:
        uri = (
            f"{Path(copy.name, path.name).as_uri()}?mode=rwc"
            if copy
            else f"{path.absolute().as_uri()}?immutable=1"
        )
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10)) as db:
            yield db
    finally:
        if copy:
            copy.cleanup()


def _copy_with_log(path: Path) -> tempfile.TemporaryDirectory[str] | None:
    """A folder with a copy of the database and of its log; None if it has no log to read."""
    log = _log(path)
    for _ in range(_TRIES):
        try:
            before = _header(log)
            if not before:
                return None
            if copy := _copy_once(path, log, before):
                return copy
        except OSError as error:
            if not log.exists():  # its writer has closed it meanwhile
                continue
            raise RunError(
                f"{path} is in a read-only folder and has an unmerged log, so it must be copied "
                f"before it can be read, but the copy failed ({error.strerror or error}); set "
                "TMPDIR to a folder with enough space."
            ) from error
    raise _written_to(path)


def _written_to(path: Path) -> RunError:
    return RunError(f"{path} is being written to by another process; wait and try again.")


def _copy_once(path: Path, log: Path, before: bytes) -> tempfile.TemporaryDirectory[str] | None:
    """The copy; None if the log or journal was restarted in the meantime.

    The database is copied first: anything moved there from the log in the meantime is still in the
    log, and anything overwritten there in the meantime is in the journal.
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


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _header(log: Path) -> bytes:
    try:
        with log.open("rb") as file:
            return file.read(_HEADER)
    except FileNotFoundError:
        return b""


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
            f"The database {path} is damaged ({text}); copy what can be read with "
            f"`sqlite3 {path.name} .recover`, or start the run in another folder with --out."
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
