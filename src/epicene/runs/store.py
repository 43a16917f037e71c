"""The items and answers of a run, in one SQLite file that survives a killed process.

Every answer is committed with its batch. The primary key is the request id: section (which stage
and model), item, and which of the item's requests. It depends on nothing that may fail or be added
later, so a resumed run finds every answer; the content hash next to it is checked when planning.

Every row has a checksum of its other columns, which is verified whenever the row is read. Stores of
format 1, which have none, are read as they are and get checksums when their run is resumed.
"""

from __future__ import annotations

from array import array
from contextlib import ExitStack, closing
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

import msgspec

from epicene.core.errors import InputError, RunError
from epicene.core.records import Answer, Failed, Identity, Item, digest, to_json
from epicene.core.sqlite import (
    connect,
    connect_read_only,
    explain_errors,
    is_read_only,
    transaction,
)
from epicene.runs.checked_tables import COLUMNS, CheckedTables, DamagedStoreError, row_checksum
from epicene.runs.request_ids import MAX_ITEMS, request_id_range

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.suites import Suite

STORE_FILE = "answers.sqlite"
STORE_FORMAT = 2  # another number where an older program could not read the file
_WITHOUT_CHECKSUMS = 1  # the format before rows had checksums

_SCHEMA = """
CREATE TABLE meta (
    name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE items (number INTEGER PRIMARY KEY, item BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE sections (
    id INTEGER PRIMARY KEY, stage TEXT NOT NULL, role TEXT NOT NULL, identity BLOB NOT NULL,
    total INTEGER, checksum INTEGER NOT NULL
);
CREATE TABLE answers (
    place INTEGER PRIMARY KEY, name TEXT NOT NULL, key BLOB NOT NULL,
    failed INTEGER NOT NULL, answer BLOB NOT NULL, checksum INTEGER NOT NULL
);
CREATE INDEX failures ON answers (place) WHERE failed;
"""

ITEMS_COMPLETE = "items"  # the row of `meta` that says that all items are stored
_IN_RANGE = "WHERE place >= ? AND place < ? ORDER BY place"

decode_answer = msgspec.json.Decoder(Answer).decode
_identities = msgspec.json.Decoder(Identity)

P = ParamSpec("P")
R = TypeVar("R")


class Section(NamedTuple):
    """One model's part in one stage. `total` is known once the part has been planned to the end."""

    id: int
    stage: str
    role: str
    identity: Identity
    total: int | None


class StoredAnswer(NamedTuple):
    """One stored answer."""

    request_id: int
    name: str
    answer: Answer


class StoredKeys(NamedTuple):
    """What planning needs of stored answers: keys by request id, and which failed."""

    keys: dict[int, bytes]
    failed: frozenset[int]

    def answered(self, request_id: int) -> bool:
        """Whether a request has an answer."""
        return request_id in self.keys and request_id not in self.failed


def _explained(method: Callable[P, R]) -> Callable[P, R]:
    """Turn SQLite's errors into a sentence that names the file and the fix."""

    @wraps(method)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        store = args[0]
        assert isinstance(store, AnswerStore)
        with explain_errors(store.path):
            return method(*args, **kwargs)

    return wrapped


class AnswerStore:
    """The open database of one run."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and not path.is_file():
            raise InputError(
                f"There is no {path}; a run folder contains manifest.json and {path.name}."
            )
        self._closing = ExitStack()
        try:
            self._db = self._open(create)
        except BaseException:
            self._closing.close()
            raise

    @_explained
    def _open(self, create: bool) -> sqlite3.Connection:
        if not create and self.path.stat().st_size == 0:
            raise RunError(f"{self.path} is empty; restore the run's database.")
        read_only = not create and is_read_only(self.path.parent)
        opened = connect_read_only(self.path) if read_only else closing(connect(self.path))
        db = self._closing.enter_context(opened)
        db.create_function("row_checksum", -1, row_checksum, deterministic=True)
        found = db.execute("PRAGMA user_version").fetchone()[0]
        has_checksums = create or found != _WITHOUT_CHECKSUMS
        self.tables = CheckedTables(db, self.path, has_checksums=has_checksums)
        if found == 0 and create:
            with transaction(db):
                for statement in _SCHEMA.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {STORE_FORMAT}")
        elif found == _WITHOUT_CHECKSUMS:
            if create:
                _add_checksums(db)
        elif found == 0:
            raise RunError(
                f"{self.path} has no tables: the run was stopped before it started, or a file is "
                f"missing; restore the run's database, with {self.path.name}-wal if there was one."
            )
        elif found != STORE_FORMAT:
            raise InputError(
                f"{self.path} was written by another version of Epicene (format {found}; this "
                f"version reads {STORE_FORMAT}); read it with that version, or use another folder "
                "with --out."
            )
        return db

    @_explained
    def close(self) -> None:
        """Close, leaving one file behind."""
        self._closing.close()

    @_explained
    def begin_snapshot(self) -> None:
        """From now on, read what is stored now, until the store is closed."""
        self._db.execute("BEGIN")

    # --- items -----------------------------------------------------------------------------

    @_explained
    def put_items(self, items: Iterable[Item], dataset: str) -> None:
        """Store the run's items, all or none. Raises if an id occurs twice."""
        marks = array("Q")  # eight bytes an item, so that millions can be checked

        def rows() -> Iterator[tuple[int, bytes, int]]:
            for number, item in enumerate(items):
                marks.append(int.from_bytes(digest(item.id)[:8]))
                data = to_json(item)
                yield number, data, row_checksum(number, data)

        with transaction(self._db):
            self._db.executemany("INSERT INTO items VALUES (?, ?, ?)", rows())
            if not marks:
                raise InputError(f"{dataset} has no items.")
            if _has_duplicates(marks):
                self._refuse_repeated_id(dataset)
            self._put_meta(ITEMS_COMPLETE, "complete")

    def _put_meta(self, name: str, value: str) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO meta VALUES (?1, ?2, row_checksum(?1, ?2))", (name, value)
        )

    def _refuse_repeated_id(self, dataset: str) -> None:
        twice = self._db.execute(
            "SELECT json_extract(item, '$.id') AS id FROM items GROUP BY id HAVING count(*) > 1"
        ).fetchone()
        if twice is not None:
            raise InputError(
                f"{dataset} has the id {twice[0]!r} twice; every item needs its own id."
            )

    @_explained
    def has_items(self) -> bool:
        """Whether the run's items are stored."""
        return any(self.tables.read("meta", "WHERE name = ?", ITEMS_COMPLETE))

    @_explained
    def count_items(self) -> int:
        """How many items the run has."""
        return int(self._db.execute("SELECT count(*) FROM items").fetchone()[0])

    @_explained
    def items(self, first: int, end: int) -> list[tuple[int, bytes]]:
        """Items [first, end) with their numbers."""
        in_range = "WHERE number >= ? AND number < ? ORDER BY number"
        return list(self.tables.read("items", in_range, first, end))

    # --- sections --------------------------------------------------------------------------

    @_explained
    def sections(self) -> list[Section]:
        """All sections, in the order in which they were started."""
        rows = self.tables.read("sections", "ORDER BY id")
        return [Section(i, s, r, _identities.decode(d), t) for i, s, r, d, t in rows]

    @_explained
    def section(self, stage: str, role: str, identity: Identity) -> Section:
        """The section of that model in that stage, created if it is new."""
        for section in self.sections():
            if (section.stage, section.role) == (stage, role) and (
                section.identity.digest == identity.digest
            ):
                return section
        self._db.execute(
            "INSERT INTO sections SELECT id, ?1, ?2, ?3, NULL, row_checksum(id, ?1, ?2, ?3, NULL) "
            "FROM (SELECT coalesce(max(id), 0) + 1 AS id FROM sections)",
            (stage, role, to_json(identity)),
        )
        return self.sections()[-1]

    @_explained
    def set_total(self, section: Section, total: int) -> None:
        """Store the total number of requests of the section."""
        self._db.execute(
            "UPDATE sections SET total = ?1, "
            "checksum = row_checksum(id, stage, role, identity, ?1) WHERE id = ?2",
            (total, section.id),
        )

    # --- money -----------------------------------------------------------------------------

    @_explained
    def spent(self) -> dict[str, float]:
        """What was spent so far, in US dollars, by payee."""
        rows = self.tables.read("meta", "WHERE name LIKE 'spent %'")
        return {name.removeprefix("spent "): float(value) for name, value in rows}

    @_explained
    def set_spent(self, payee: str, amount: float) -> None:
        """Store how much a payee was paid in all."""
        self._put_meta(f"spent {payee}", repr(amount))

    # --- answers ---------------------------------------------------------------------------

    @_explained
    def known(self, section: Section, first_item: int, end_item: int) -> StoredKeys:
        """What is stored for items [first_item, end_item) of a section."""
        reach = request_id_range(section.id, first_item, end_item)
        keys = self._db.execute(
            "SELECT place, key FROM answers WHERE place >= ? AND place < ?", reach
        )
        failed = self._db.execute(
            "SELECT place FROM answers WHERE failed AND place >= ? AND place < ?", reach
        )
        return StoredKeys(dict(keys), frozenset(request_id for (request_id,) in failed))

    @_explained
    def answers(self, section: Section, first_item: int, end_item: int) -> list[StoredAnswer]:
        """The stored answers for items [first_item, end_item) of a section, in order."""
        reach = request_id_range(section.id, first_item, end_item)
        return [
            StoredAnswer(request_id, name, self._decode(answer))
            for request_id, name, _, _, answer in self.tables.read("answers", _IN_RANGE, *reach)
        ]

    @_explained
    def has_answers(self) -> bool:
        """Whether anything was answered."""
        return self._db.execute("SELECT 1 FROM answers LIMIT 1").fetchone() is not None

    @_explained
    def put(self, rows: Sequence[tuple[int, str, bytes, Answer]]) -> None:
        """Store answers (request id, name, key, answer), all in one commit.

        A failed request may be answered later; an answer is never overwritten.
        """
        with transaction(self._db):
            self._db.executemany(
                "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (place) DO UPDATE SET "
                "name = excluded.name, key = excluded.key, failed = excluded.failed, "
                "answer = excluded.answer, checksum = excluded.checksum WHERE failed",
                [
                    (*row, row_checksum(*row))
                    for request_id, name, key, answer in rows
                    for row in [
                        (request_id, name, key, int(isinstance(answer, Failed)), to_json(answer))
                    ]
                ],
            )

    @_explained
    def delete_answers(self, section: Section, items: Iterable[int]) -> None:
        """Delete the answers for items of a section, by their numbers."""
        with transaction(self._db):
            self._db.executemany(
                "DELETE FROM answers WHERE place >= ? AND place < ?",
                (request_id_range(section.id, number, number + 1) for number in items),
            )

    @_explained
    def counts(self, section: Section) -> tuple[int, int]:
        """How many requests of the section are answered, and how many failed."""
        stored, failed = self._db.execute(
            "SELECT count(*), coalesce(sum(failed), 0) FROM answers NOT INDEXED "
            "WHERE place >= ? AND place < ?",
            request_id_range(section.id, 0, MAX_ITEMS),
        ).fetchone()
        return stored - failed, failed

    @_explained
    def failures(self, section: Section, most: int) -> list[StoredAnswer]:
        """The first failed requests of a section."""
        rows = self._db.execute(
            "SELECT place, name, answer FROM answers WHERE failed AND place >= ? AND place < ? "
            "ORDER BY place LIMIT ?",
            (*request_id_range(section.id, 0, MAX_ITEMS), most),
        )
        return [
            StoredAnswer(request_id, name, self._decode(answer))
            for request_id, name, answer in rows
        ]

    def _decode(self, answer: bytes) -> Answer:
        try:
            decoded: Answer = decode_answer(answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DamagedStoreError(self.path, f"an answer cannot be read ({error})") from None
        return decoded


def _add_checksums(db: sqlite3.Connection) -> None:
    """Turn a store of format 1 into one of format 2."""
    with transaction(db):
        for table, columns in COLUMNS.items():
            db.execute(f"ALTER TABLE {table} ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
            db.execute(f"UPDATE {table} SET checksum = row_checksum({', '.join(columns)})")  # noqa: S608
        db.execute(f"PRAGMA user_version = {STORE_FORMAT}")


def open_store(folder: Path) -> closing[AnswerStore]:
    """The store of a run folder, which a `with` block closes."""
    return closing(AnswerStore(folder / STORE_FILE))


def _has_duplicates(marks: array[int]) -> bool:
    import numpy as np

    ordered = np.sort(np.frombuffer(marks, dtype=np.uint64))
    return bool((ordered[1:] == ordered[:-1]).any())


def is_complete(
    store: AnswerStore, suite: Suite[Any, Any], models: Mapping[str, Sequence[Identity]]
) -> bool:
    """Whether every model of the run has answered every request of every stage of its role."""
    sections = {(each.stage, each.identity.digest): each for each in store.sections()}
    for stage in suite.stages:
        for identity in models[stage.role]:
            section = sections.get((stage.name, identity.digest))
            if section is None or store.counts(section) != (section.total, 0):
                return False
    return True
