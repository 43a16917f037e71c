"""The tables of a store, whose rows are verified against their checksums when they are read.

All undamaged rows of a damaged store can still be read.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from array import array
from itertools import islice
from types import NoneType
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import RunError
from epicene.core.sqlite import explain_errors, transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

# The columns of each table, the checksum aside, in the order in which it covers them.
COLUMNS = {
    "meta": ("name", "value"),
    "items": ("number", "item"),
    "sections": ("id", "stage", "role", "identity", "total"),
    "answers": ("place", "name", "key", "failed", "answer"),
}
TABLES = tuple(COLUMNS)
# The types of their values.
_TYPES = {
    "meta": ((str, str),),
    "items": ((int, bytes),),
    "sections": ((int, str, str, bytes, int), (int, str, str, bytes, NoneType)),
    "answers": ((int, str, bytes, int, bytes),),
}

_LARGEST_KEY = (1 << 63) - 1  # that SQLite has
_encoder = msgspec.msgpack.Encoder()


def row_checksum(*values: object) -> int:
    """The checksum of a row's other columns."""
    return zlib.crc32(_encoder.encode(values))


class DamagedStoreError(RunError):
    """A row of the store is missing or does not match its checksum."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"{path} is damaged: {problem}; run `epicene check {path.parent}` to list all damage, "
            "then repeat the command that created the run to send the damaged requests again."
        )


class CheckedTables:
    """The tables of an open store. Stores of format 1 have no checksums."""

    def __init__(self, db: sqlite3.Connection, path: Path, *, has_checksums: bool) -> None:
        self._db = db
        self._path = path
        self.has_checksums = has_checksums

    def read(self, table: str, condition: str = "", *values: object) -> Iterator[Any]:
        """The rows of a table by key, without their checksums.

        Raises at a row that does not match its checksum or is out of order: a page of the file that
        was copied over another repeats the rows of one and hides those of the other.
        """
        for row, _ in self._read(table, condition, *values):
            yield row

    def _read(self, table: str, condition: str = "", *values: object) -> Iterator[tuple[Any, int]]:
        """The rows with their checksums. Millions are read in a row, so all is done in place."""
        last: Any = None
        width, types, encode, crc32 = (
            len(COLUMNS[table]),
            _TYPES[table],
            _encoder.encode,
            zlib.crc32,
        )
        for stored in self._select(table, condition, values):
            row = stored[:width]
            checksum = crc32(encode(row)) if tuple(map(type, row)) in types else -1
            if checksum < 0 or (self.has_checksums and checksum != stored[-1]):
                raise DamagedStoreError(self._path, f"a row of table {table} {self._unsound}")
            if last is not None and row[0] <= last:
                raise DamagedStoreError(self._path, f"the rows of table {table} are out of order")
            last = row[0]
            yield row, checksum

    def content_digest(self) -> bytes:
        """A hash of all rows, verified against their checksums."""
        state = hashlib.blake2b(digest_size=16)
        with explain_errors(self._path):
            for table in TABLES:
                checksums = (checksum for _, checksum in self._read(table))
                while some := array("Q", islice(checksums, 10_000)):
                    state.update(some.tobytes())
                state.update(table.encode())
        return state.digest()

    def put(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Copy rows from another store, each with its own checksum."""
        values = ", ".join("?" for _ in (*COLUMNS[table], "checksum"))
        with explain_errors(self._path), transaction(self._db):
            self._db.executemany(
                f"INSERT INTO {table} VALUES ({values})",  # noqa: S608
                ((*row, row_checksum(*row)) for row in rows),
            )

    def read_damaged(self, table: str) -> Iterator[tuple[tuple[Any, ...], str]]:
        """All rows that can be read, each with what is wrong with it ("" if nothing).

        A range that SQLite cannot read is reported once, as an empty row, and left out.
        """
        key = COLUMNS[table][0]
        last: Any = "" if table == "meta" else -1  # the key after which to go on
        highest: Any = last  # of a sound row
        skip = 1
        while True:
            try:
                for row in self._select(table, f"WHERE {key} > ? ORDER BY {key}", (last,)):
                    values = row[: len(COLUMNS[table])]
                    sound = self._is_sound(table, row)
                    in_order = not sound or row[0] > highest
                    problem = "is out of order" if sound else self._unsound
                    yield values, "" if sound and in_order else problem
                    skip = 1
                    last = max(last, row[0]) if isinstance(row[0], type(last)) else last
                    highest = row[0] if sound and in_order else highest
            except (sqlite3.Error, UnicodeDecodeError) as error:
                if skip == 1:
                    yield (), f"rows after {last!r} cannot be read ({error})"
                if table == "meta" or skip > _LARGEST_KEY - last:
                    return
                last += skip
                skip *= 2
            else:
                return

    def structural_damage(self) -> list[str]:
        """The problems that SQLite finds in the file itself."""
        with explain_errors(self._path):
            found = [text for (text,) in self._db.execute("PRAGMA integrity_check(20)")]
        return [] if found == ["ok"] else found

    def _select(self, table: str, condition: str, values: Sequence[object]) -> Iterator[Any]:
        columns = (*COLUMNS[table], *(("checksum",) if self.has_checksums else ()))
        query = f"SELECT {', '.join(columns)} FROM {table} NOT INDEXED {condition}"  # noqa: S608
        return self._db.execute(query, values)

    def _is_sound(self, table: str, row: tuple[Any, ...]) -> bool:
        """Whether a row has the types of its table and, if rows have checksums, matches its
        checksum.

        A page of another table that was copied over one of this table has rows with checksums too.
        """
        values = row[: len(COLUMNS[table])]
        if tuple(map(type, values)) not in _TYPES[table]:
            return False
        return not self.has_checksums or row_checksum(*values) == row[-1]

    @property
    def _unsound(self) -> str:
        return "does not match its checksum" if self.has_checksums else "cannot be read"
