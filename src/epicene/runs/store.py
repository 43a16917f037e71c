"""The items and answers of a run, in one SQLite file that survives a killed process.

An answer is found by its key, a hash of its request and its model: nothing else remembers how far
a run got. Every row has a checksum; a damaged row is a missing row, which is counted and asked
again.

Before a batch is sent, it is marked. A mark that is still there when the next process opens the
store belongs to a batch that its process did not survive.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import zlib
from array import array
from contextlib import closing, contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.core.errors import InputError, RunError, pluralise
from epicene.core.records import Answer, Failed, Item, digest, to_json
from epicene.core.sqlite import connect, explain_errors, transaction
from epicene.runs.manifest import STORE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_OURS = 0x45706963  # SQLite's application id of our stores: "Epic"
_KEY_BYTES = 16
_AT_ONCE = 500  # keys looked up by one query
_LARGEST_NUMBER = (1 << 63) - 1  # of a row in SQLite

_SCHEMA = f"""
BEGIN;
PRAGMA application_id = {_OURS};
CREATE TABLE IF NOT EXISTS items (
    number INTEGER PRIMARY KEY, item BLOB NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, failed INTEGER NOT NULL,
    answer BLOB NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS sent (
    number INTEGER PRIMARY KEY, keys BLOB NOT NULL, deaths INTEGER NOT NULL,
    in_flight INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS spent (
    payee TEXT PRIMARY KEY, dollars REAL NOT NULL, checksum INTEGER NOT NULL
) WITHOUT ROWID;
COMMIT;
"""

_decode = msgspec.json.Decoder(Answer).decode


class Suspects(NamedTuple):
    """Requests that were sent together when their process died, and how often that happened."""

    mark: int
    keys: tuple[bytes, ...]
    deaths: int


class AnswerStore:
    """The open database of one run."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        self.damaged = 0  # rows that were read and did not match their checksums
        self.note = _make_usable(path) if create else ""  # what was lost by damage
        if not create:
            _check_readable(path)
        with explain_errors(path):
            self._db = connect(path) if create or _is_writable(path) else _connect_immutable(path)
            if create:
                self._db.executescript(_SCHEMA)
                self.note = self.note or self._drop_damaged()

    def close(self) -> None:
        """Close, leaving one file behind."""
        with explain_errors(self.path):
            self._db.close()

    def begin_snapshot(self) -> None:
        """From now on, read what is stored now, until the store is closed."""
        with explain_errors(self.path):
            self._db.execute("BEGIN")

    def _drop_damaged(self) -> str:
        """Remove damaged answers; returns a sentence about them, "" if there are none."""
        rows = self._db.execute("SELECT number, key, failed, answer, checksum FROM answers")
        damaged = [(number,) for number, *row in rows if not _is_sound(tuple(row))]
        self._db.executemany("DELETE FROM answers WHERE number = ?", damaged)
        if not damaged:
            return ""
        return (
            f"{pluralise(len(damaged), 'answer')} in {self.path} did not match their checksums; "
            "their requests are sent again."
        )

    def copy_from(self, damaged: sqlite3.Connection) -> int:
        """Copy the readable rows of a damaged store, items aside; returns how many answers."""
        columns = "key, failed, answer, checksum"
        with explain_errors(self.path), transaction(self._db):
            sound = filter(_is_sound, _readable_rows(damaged, "answers", columns))
            self._db.executemany(
                f"INSERT OR IGNORE INTO answers ({columns}) VALUES (?, ?, ?, ?)",  # noqa: S608
                sound,
            )
            with suppress(sqlite3.DatabaseError):
                rows = damaged.execute("SELECT payee, dollars, checksum FROM spent").fetchall()
                self._db.executemany("INSERT INTO spent VALUES (?, ?, ?)", rows)
            (count,) = self._db.execute("SELECT count(*) FROM answers").fetchone()
        return int(count)

    # --- items -----------------------------------------------------------------------------

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Commit what is done inside at its end, or nothing if it fails."""
        with explain_errors(self.path), transaction(self._db):
            yield

    def put_items(self, items: Iterable[Item], dataset: str) -> None:
        """Replace the run's items, inside `all_or_nothing`. Raises if an id occurs twice."""
        marks = array("Q")  # eight bytes per item, so that millions can be checked

        def rows() -> Iterator[tuple[int, bytes, int]]:
            for number, item in enumerate(items):
                marks.append(int.from_bytes(digest(item.id)[:8]))
                data = to_json(item)
                yield number, data, zlib.crc32(data, number)

        with explain_errors(self.path):
            self._db.execute("DELETE FROM items")
            self._db.executemany("INSERT INTO items VALUES (?, ?, ?)", rows())
            if not marks:
                raise InputError(f"{dataset} has no items.")
            if _has_duplicates(marks):
                self._refuse_repeated_id(dataset)

    def _refuse_repeated_id(self, dataset: str) -> None:
        twice = self._db.execute(
            "SELECT json_extract(item, '$.id') AS id FROM items GROUP BY id HAVING count(*) > 1"
        ).fetchone()
        if twice is not None:
            raise InputError(
                f"{dataset} has the id {twice[0]!r} twice; every item needs its own id."
            )

    def items(self, first: int, end: int) -> Iterator[tuple[int, bytes]]:
        """The undamaged items [first, end) with their numbers."""
        with explain_errors(self.path):
            rows = self._db.execute(
                "SELECT number, item, checksum FROM items WHERE number >= ? AND number < ? "
                "ORDER BY number",
                (first, end),
            )
            last = first - 1
            for number, item, checksum in rows:
                sound = isinstance(item, bytes) and zlib.crc32(item, number) == checksum
                if sound and last < number < end:  # a page copied over another repeats its rows
                    last = number
                    yield number, item
                else:
                    self.damaged += 1

    def has_items(self, count: int) -> bool:
        """Whether exactly these items, from 0 to `count` - 1, are stored and undamaged."""
        found = sum(1 for _ in self.items(0, count))
        return 0 < found == count == self.end

    @property
    def end(self) -> int:
        """The number after that of the last item."""
        with explain_errors(self.path):
            (last,) = self._db.execute("SELECT max(number) FROM items").fetchone()
        return 0 if last is None else last + 1

    # --- answers ---------------------------------------------------------------------------

    def put(self, rows: Iterable[tuple[bytes, Answer]], answered: Iterable[int] = ()) -> None:
        """Store answers by their keys, and remove the marks of the batches that are answered."""
        with explain_errors(self.path), transaction(self._db):
            self._db.executemany(
                "INSERT OR REPLACE INTO answers (key, failed, answer, checksum) "
                "VALUES (?, ?, ?, ?)",
                [_answer_row(key, isinstance(each, Failed), to_json(each)) for key, each in rows],
            )
            self._db.executemany("DELETE FROM sent WHERE number = ?", [(n,) for n in answered])

    def answers(self, keys: Iterable[bytes]) -> dict[bytes, Answer]:
        """The stored answers to these requests, failed ones too, by key."""
        return {key: self._decoded(key, answer) for key, _, answer in self._rows(keys)}

    def states(self, keys: Iterable[bytes]) -> dict[bytes, bool]:
        """Whether each of these requests was answered; one that is neither answered nor failed is
        left out.
        """
        return {key: not failed for key, failed, _ in self._rows(keys)}

    def _rows(self, keys: Iterable[bytes]) -> Iterator[tuple[bytes, int, bytes]]:
        stream = iter(keys)
        with explain_errors(self.path):
            while some := list(islice(stream, _AT_ONCE)):
                marks = ",".join("?" * len(some))
                yield from self._sound(
                    f"SELECT key, failed, answer, checksum FROM answers WHERE key IN ({marks})",  # noqa: S608
                    some,
                )

    def _sound(
        self, query: str, values: Sequence[object] = ()
    ) -> Iterator[tuple[bytes, int, bytes]]:
        """The answers of a query whose rows match their checksums."""
        for row in self._db.execute(query, values):
            key, failed, answer, _ = row
            if _is_sound(row):
                yield key, failed, answer
            else:
                self.damaged += 1

    def _decoded(self, key: bytes, answer: bytes) -> Answer:
        try:
            found: Answer = _decode(answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RunError(
                f"The answer {key.hex()} in {self.path} does not fit this version of Epicene "
                f"({error}); read the run with the version that wrote it."
            ) from error
        return found

    def has_answers(self) -> bool:
        """Whether anything was answered, or failed."""
        with explain_errors(self.path):
            return self._db.execute("SELECT 1 FROM answers LIMIT 1").fetchone() is not None

    def verify(self) -> tuple[int, int]:
        """Read all rows; returns the numbers of undamaged items and answers."""
        with explain_errors(self.path):
            items = sum(1 for _ in self.items(0, self.end))
            query = "SELECT key, failed, answer, checksum FROM answers"
            return items, sum(1 for _ in self._sound(query))

    def problems(self) -> list[str]:
        """The problems that SQLite finds in the file itself."""
        with explain_errors(self.path):
            found = [text for (text,) in self._db.execute("PRAGMA integrity_check(20)")]
        return [] if found == ["ok"] else found

    # --- batches in flight -----------------------------------------------------------------

    def mark(self, keys: Sequence[bytes], deaths: int = 0) -> int:
        """Record that a batch is about to be sent; returns its number."""
        with explain_errors(self.path):
            number = self._db.execute(
                "INSERT INTO sent (keys, deaths, in_flight) VALUES (?, ?, 1)",
                (b"".join(keys), deaths),
            ).lastrowid
        assert number is not None
        return number

    def suspect(self, keys: Sequence[bytes], deaths: int) -> None:
        """Record that a batch is to be sent with nothing else."""
        with explain_errors(self.path):
            self._db.execute(
                "INSERT INTO sent (keys, deaths, in_flight) VALUES (?, ?, 0)",
                (b"".join(keys), deaths),
            )

    def unmark(self, number: int) -> None:
        """Forget a batch."""
        with explain_errors(self.path):
            self._db.execute("DELETE FROM sent WHERE number = ?", (number,))

    def land(self) -> None:
        """Record that this process ends alive: what is still in flight did not kill it."""
        with explain_errors(self.path), transaction(self._db):
            self._db.execute("DELETE FROM sent WHERE in_flight AND deaths = 0")
            self._db.execute("UPDATE sent SET in_flight = 0")
        for suspect in self._marked():
            self._forget_if_answered(suspect)

    def suspects(self) -> list[Suspects]:
        """The batches that were in flight when a process died, unless they are answered by now."""
        with explain_errors(self.path):
            self._db.execute("UPDATE sent SET deaths = deaths + 1, in_flight = 0 WHERE in_flight")
        return [each for each in self._marked() if not self._forget_if_answered(each)]

    def _marked(self) -> list[Suspects]:
        with explain_errors(self.path):
            rows = self._db.execute("SELECT number, keys, deaths FROM sent").fetchall()
        return [Suspects(number, tuple(_split(keys)), deaths) for number, keys, deaths in rows]

    def _forget_if_answered(self, suspect: Suspects) -> bool:
        """Remove the mark of a batch whose requests are all answered; returns whether they are."""
        answered = self.states(suspect.keys)
        whole = all(answered.get(key) for key in suspect.keys)
        if whole:
            self.unmark(suspect.mark)
        return whole

    # --- money -----------------------------------------------------------------------------

    def spent(self) -> dict[str, float]:
        """What was spent so far, in US dollars, by payee."""
        with explain_errors(self.path):
            rows = self._db.execute("SELECT payee, dollars, checksum FROM spent").fetchall()
        return {
            payee: dollars
            for payee, dollars, checksum in rows
            if isinstance(dollars, float) and _spent_checksum(payee, dollars) == checksum
        }

    def set_spent(self, payee: str, dollars: float) -> None:
        """Store how much a payee was paid in all."""
        with explain_errors(self.path):
            self._db.execute(
                "INSERT OR REPLACE INTO spent VALUES (?, ?, ?)",
                (payee, dollars, _spent_checksum(payee, dollars)),
            )


def open_store(folder: Path) -> closing[AnswerStore]:
    """The store of a run folder, which a `with` block closes."""
    return closing(AnswerStore(folder / STORE_FILE))


def _answer_row(key: bytes, failed: bool, answer: bytes) -> tuple[bytes, bool, bytes, int]:
    return key, failed, answer, _answer_checksum(key, failed, answer)


def _answer_checksum(key: bytes, failed: int, answer: bytes) -> int:
    return zlib.crc32(answer, zlib.crc32(key, failed))


def _is_sound(row: tuple[object, ...]) -> bool:
    key, failed, answer, checksum = row
    return (
        isinstance(key, bytes)
        and isinstance(answer, bytes)
        and isinstance(failed, int)
        and failed in (0, 1)
        and _answer_checksum(key, failed, answer) == checksum
    )


def _spent_checksum(payee: str, dollars: float) -> int:
    return zlib.crc32(f"{payee} {dollars!r}".encode())


def _split(keys: object) -> Iterator[bytes]:
    """Keys that are stored in one; none if they are damaged."""
    if isinstance(keys, bytes):
        for start in range(0, len(keys), _KEY_BYTES):
            yield keys[start : start + _KEY_BYTES]


def _has_duplicates(marks: array[int]) -> bool:
    import numpy as np

    ordered = np.sort(np.frombuffer(marks, dtype=np.uint64))
    return bool((ordered[1:] == ordered[:-1]).any())


# --- opening a file that may be missing, damaged or somebody else's ----------------------------


def _check_readable(path: Path) -> None:
    if not path.is_file():
        raise InputError(
            f"There is no {path}; a run folder contains manifest.json and {path.name}."
        )
    if path.stat().st_size == 0:
        raise RunError(f"{path} is empty; repeat the command that created the run.")


def _is_writable(path: Path) -> bool:
    return os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)


def _connect_immutable(path: Path) -> sqlite3.Connection:
    """Open a database in a read-only folder, where SQLite cannot merge a log."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise RunError(
            f"{path} was not closed by the process that wrote it, and its folder is read-only; "
            "copy the folder to where you can write, and read the copy."
        )
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?immutable=1", uri=True, isolation_level=None
    )


def _make_usable(path: Path) -> str:
    """Check that a store can be written; one that SQLite finds damaged is rebuilt from the rows
    that can still be read. Returns a sentence about what was lost, "" if nothing was.
    """
    if not path.exists() or path.stat().st_size == 0:
        return ""
    problem = ""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as db:
            (mark,) = db.execute("PRAGMA application_id").fetchone()
            is_empty = not db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
            (found,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            problem = "" if found == "ok" else found
    except sqlite3.DatabaseError as error:
        with explain_errors(path):
            if isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error):
                raise
        mark, is_empty, problem = _OURS, False, str(error)
    if mark != _OURS and not is_empty:
        raise _foreign(path)
    return _rebuild(path, problem) if problem else ""


def is_store(path: Path) -> bool:
    """Whether a database is a store of answers: not if its writer was killed right after creating
    it. Raises if it is another program's; it is not changed.
    """
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with explain_errors(path), closing(sqlite3.connect(uri, uri=True)) as db:
        (mark,) = db.execute("PRAGMA application_id").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if mark != _OURS and tables:
        raise _foreign(path)
    return bool(tables)


def _foreign(path: Path) -> InputError:
    return InputError(
        f"{path} is a database of another program and was not changed; choose another folder, or "
        "move the file."
    )


def _rebuild(path: Path, problem: str) -> str:
    """Copy the readable answers of a damaged store to a new one, and move the old one aside."""
    rebuilt, aside = (path.with_name(f"{path.name}.{end}") for end in ("rebuilt", "damaged"))
    rebuilt.unlink(missing_ok=True)
    with closing(AnswerStore(rebuilt, create=True)) as store, closing(sqlite3.connect(path)) as old:
        kept = store.copy_from(old)
    shutil.copyfile(path, aside)
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
    rebuilt.replace(path)
    return (
        f"{path} was damaged ({problem.splitlines()[-1]}): {kept} answers could be read and are "
        f"kept; all other requests are sent again. The damaged file is now {aside.name}."
    )


def _readable_rows(db: sqlite3.Connection, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a damaged table, except those in ranges that SQLite cannot read."""
    last, skip = -1, 1
    while last + skip < _LARGEST_NUMBER:
        try:
            query = f"SELECT number, {columns} FROM {table} NOT INDEXED WHERE number > ?"  # noqa: S608
            for number, *row in db.execute(f"{query} ORDER BY number", (last,)):
                yield tuple(row)
                last, skip = max(last, number), 1
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            last += skip
            skip *= 2
        else:
            return
