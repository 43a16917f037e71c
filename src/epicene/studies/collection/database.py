"""The SQLite database of a study: responses, participants, assignments and counts per item.

A participant's response to an item is one row, however often it is saved. Triggers maintain the
counts, so that they are right whether the web app or a simultaneous import adds a response. The
table `places` is derived data, rebuilt whenever the study is opened.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.core import sqlite
from epicene.core.errors import InputError
from epicene.core.records import to_json
from epicene.core.sqlite import transaction
from epicene.studies.collection.schema_drift import complete_responses, valid_responses
from epicene.studies.design.lists import hash_fraction, items_by_list
from epicene.studies.design.schema import Response, judgements_wanted
from epicene.studies.exchange.response_files import same_answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from epicene.studies.design.schema import Study
    from epicene.studies.exchange.response_files import LocatedResponse

FORMAT = 1  # to be increased when its tables change

_RESPONSE_SCHEMA = """
CREATE TABLE responses (
    participant TEXT NOT NULL, item TEXT NOT NULL, response BLOB NOT NULL,
    PRIMARY KEY (participant, item)
) WITHOUT ROWID
"""
RESPONSE_TABLES = {"responses": ("participant", "item", "response")}  # of every version
# Where the study was last served
_ADDRESS_SCHEMA = "CREATE TABLE IF NOT EXISTS served (address TEXT NOT NULL)"
# Whose answers do not count; an exclusion that was lifted keeps the rule from applying again
EXCLUSION_SCHEMA = """
CREATE TABLE IF NOT EXISTS exclusions (
    participant TEXT PRIMARY KEY, reason TEXT NOT NULL, by TEXT NOT NULL, at REAL NOT NULL,
    lifted REAL
) WITHOUT ROWID
"""

# What owners did, by name
ACTIVITY_SCHEMA = """
CREATE TABLE IF NOT EXISTS activity (
    at REAL NOT NULL, by TEXT NOT NULL, action TEXT NOT NULL, about TEXT NOT NULL,
    detail TEXT NOT NULL
)
"""

decode_response = msgspec.json.Decoder(Response).decode


class ImportCounts(NamedTuple):
    """How many responses were new, already there, or replaced others, and new adjudications."""

    new: int
    same: int
    replaced: int
    adjudications: int = 0


class Exclusion(NamedTuple):
    """Why, by whom and when a participant was excluded."""

    reason: str
    by: str
    at: datetime


class ResponseStore:
    """The open database of responses of one study."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with explain_errors(path):
            sqlite.check_ours(path, RESPONSE_TABLES)
            sqlite.make_private(path)
            self._db = sqlite.connect(path)
            with transaction(self._db):
                self._prepare()

    def _prepare(self) -> None:
        found = self._db.execute("PRAGMA user_version").fetchone()[0]
        if found == 0:
            self._db.execute(_RESPONSE_SCHEMA)
            self._db.execute(f"PRAGMA user_version = {FORMAT}")
        elif found != FORMAT:
            raise InputError(
                f"{self.path} was written by another version of Epicene (format {found}, this "
                f"version reads {FORMAT}); use that version to read it."
            )
        self._db.execute(_ADDRESS_SCHEMA)
        self._db.execute(EXCLUSION_SCHEMA)
        self._db.execute(ACTIVITY_SCHEMA)

    def close(self) -> None:
        """Close the database, merging its write-ahead log."""
        self._db.close()

    def all(self) -> list[Response]:
        """All responses, ordered by item and participant."""
        with explain_errors(self.path):
            return list(self._read())

    def exclusions(self) -> dict[str, Exclusion]:
        """The excluded participants, ordered by name."""
        with explain_errors(self.path):
            rows = self._db.execute(
                "SELECT participant, reason, by, at FROM exclusions WHERE lifted IS NULL"
                " ORDER BY participant"
            )
            return {
                name: Exclusion(reason, by, datetime.fromtimestamp(at, UTC))
                for name, reason, by, at in rows
            }

    def address(self) -> str:
        """The address at which the study was last served; empty if it never was."""
        with explain_errors(self.path):
            found = self._db.execute("SELECT address FROM served").fetchone()
            return "" if found is None else str(found[0])

    def remember_address(self, address: str) -> None:
        """Store the address at which the study is served."""
        with self.writing():
            self._db.execute("DELETE FROM served")
            self._db.execute("INSERT INTO served VALUES (?)", (address,))

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction on the database."""
        with write_transaction(self._db, self.path):
            yield self._db

    def put(self, responses: Sequence[LocatedResponse], *, replace: bool = False) -> ImportCounts:
        """Store responses in the caller's transaction.

        One that repeats the participant's earlier response to the item is skipped; one that differs
        from it is an error unless it may `replace` it.
        """
        new, changed, same = [], [], 0
        known = {(each.participant, each.item): each for each in self._read()}
        for location, response in responses:
            earlier = known.get((response.participant, response.item))
            if earlier is None:
                new.append(response)
            elif same_answers(earlier, response):
                same += 1
            elif replace:
                changed.append(response)
            else:
                raise InputError(
                    f"{location} answers the item {response.item} differently from "
                    f"{response.participant}'s earlier answer; use --replace to take the new one."
                )
        self._db.executemany(
            "INSERT OR REPLACE INTO responses VALUES (?, ?, ?)",
            ((each.participant, each.item, to_json(each)) for each in (*new, *changed)),
        )
        return ImportCounts(len(new), same, len(changed))

    def _read(self) -> Iterator[Response]:
        rows = self._db.execute("SELECT response FROM responses ORDER BY item, participant")
        return (decode_response(data) for (data,) in rows)


def explain_errors(path: Path) -> AbstractContextManager[None]:
    """Turn errors of SQLite into a RunError that names the file."""
    return sqlite.explain_errors(path, f"Could not read the responses in {path}")


# States of an assignment: out (waiting for an answer), lapsed (others may have the item), withdrawn
# (lapsed, and others had it), answered, feedback (a practice item is answered, and its feedback not
# read yet). `shown` is when it was first shown.
_ASSIGNMENT_SCHEMA = """
CREATE TABLE IF NOT EXISTS people (
    participant TEXT PRIMARY KEY, entry TEXT NOT NULL, list TEXT, language TEXT NOT NULL DEFAULT '',
    entered REAL, seen REAL, consented REAL, screened TEXT NOT NULL DEFAULT '', instructed REAL,
    finished REAL, numbers INTEGER NOT NULL DEFAULT 0, practised INTEGER NOT NULL DEFAULT 0,
    walked INTEGER NOT NULL DEFAULT 0, items INTEGER NOT NULL DEFAULT 0,
    answered INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS people_by_list ON people (list);
CREATE TABLE IF NOT EXISTS revoked (
    participant TEXT PRIMARY KEY, times INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (state TEXT NOT NULL, since REAL NOT NULL);
CREATE TABLE IF NOT EXISTS owners (
    owner TEXT PRIMARY KEY, issue INTEGER NOT NULL, active INTEGER NOT NULL, added REAL NOT NULL,
    by TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS owner_sessions (
    session TEXT PRIMARY KEY, ends REAL NOT NULL, owner TEXT NOT NULL DEFAULT 'owner'
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS assignments (
    participant TEXT NOT NULL, item TEXT NOT NULL, number INTEGER NOT NULL, part TEXT NOT NULL,
    state TEXT NOT NULL, revision INTEGER NOT NULL DEFAULT 0, shown REAL NOT NULL, lapses REAL,
    draft BLOB, PRIMARY KEY (participant, item)
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS assignments_by_number ON assignments (participant, number);
CREATE INDEX IF NOT EXISTS assignments_pending ON assignments (participant, number)
    WHERE state <> 'answered' AND state <> 'withdrawn';
CREATE INDEX IF NOT EXISTS assignments_out ON assignments (item) WHERE state = 'out';
CREATE INDEX IF NOT EXISTS assignments_lapsing ON assignments (lapses) WHERE lapses IS NOT NULL;
CREATE INDEX IF NOT EXISTS responses_by_item ON responses (item);
CREATE TABLE IF NOT EXISTS left_out (
    item TEXT NOT NULL, participant TEXT NOT NULL, PRIMARY KEY (item, participant)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS places (
    item TEXT PRIMARY KEY, list TEXT NOT NULL, place REAL NOT NULL, wanted INTEGER NOT NULL,
    given INTEGER NOT NULL, out INTEGER NOT NULL,
    free INTEGER GENERATED ALWAYS AS (given + out < wanted) VIRTUAL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS free_places ON places (free, list, place)
"""

# A response that no longer answers all that a changed study asks, or of an excluded participant, is
# kept, but another is collected.
_SET_GIVEN = """given = (SELECT count(*) FROM responses WHERE responses.item = places.item
    AND NOT EXISTS (SELECT 1 FROM left_out WHERE left_out.item = responses.item
        AND left_out.participant = responses.participant)
    AND NOT EXISTS (SELECT 1 FROM exclusions
        WHERE exclusions.participant = responses.participant AND lifted IS NULL))"""
_SET_OUT = """out = (SELECT count(*) FROM assignments
    WHERE assignments.item = places.item AND state = 'out')"""

_TRIGGERS = {
    "response_added": f"""AFTER INSERT ON responses BEGIN
        UPDATE assignments SET state = 'answered', lapses = NULL
            WHERE participant = NEW.participant AND item = NEW.item;
        DELETE FROM left_out WHERE item = NEW.item AND participant = NEW.participant;
        UPDATE places SET {_SET_GIVEN} WHERE item = NEW.item;
    END""",  # noqa: S608
    "response_removed": f"""AFTER DELETE ON responses BEGIN
        DELETE FROM left_out WHERE item = OLD.item AND participant = OLD.participant;
        UPDATE places SET {_SET_GIVEN} WHERE item = OLD.item;
    END""",  # noqa: S608
    "assignment_added": f"""AFTER INSERT ON assignments BEGIN
        UPDATE places SET {_SET_OUT} WHERE item = NEW.item;
    END""",  # noqa: S608
    "assignment_changed": f"""AFTER UPDATE OF state ON assignments BEGIN
        UPDATE places SET {_SET_OUT} WHERE item = NEW.item;
    END""",  # noqa: S608
    **{
        name: f"""AFTER {event} ON exclusions BEGIN
        UPDATE people SET items = items - (SELECT count(*) FROM assignments
                WHERE assignments.participant = {row}.participant AND part = 'item'
                AND state IN ('out', 'lapsed'))
            WHERE participant = {row}.participant AND EXISTS (SELECT 1 FROM exclusions
                WHERE exclusions.participant = {row}.participant AND lifted IS NULL);
        UPDATE assignments SET state = 'withdrawn', lapses = NULL
            WHERE participant = {row}.participant AND state IN ('out', 'lapsed', 'feedback')
            AND EXISTS (SELECT 1 FROM exclusions
                WHERE exclusions.participant = {row}.participant AND lifted IS NULL);
        UPDATE places SET {_SET_GIVEN} WHERE item IN (
            SELECT item FROM responses WHERE responses.participant = {row}.participant);
    END"""  # noqa: S608
        for name, event, row in (
            ("exclusion_added", "INSERT", "NEW"),
            ("exclusion_changed", "UPDATE", "NEW"),
            ("exclusion_removed", "DELETE", "OLD"),
        )
    },
    "assignment_removed": f"""AFTER DELETE ON assignments BEGIN
        UPDATE places SET {_SET_OUT} WHERE item = OLD.item;
    END""",  # noqa: S608
}


def open_database(path: Path) -> sqlite3.Connection:
    """Open the database with the tables of participants and assignments."""
    ResponseStore(path).close()
    with explain_errors(path):
        # The web app uses it from one thread, which may not be the one that opens it.
        db = sqlite.connect(path, timeout=2, check_same_thread=False)
        db.row_factory = sqlite3.Row
        # Deleted participants must leave no trace in the file.
        db.execute("PRAGMA secure_delete = ON")
        # Left to `checkpoint_wal`, which blocks no one; the limit is for when it is not called.
        db.execute("PRAGMA wal_autocheckpoint = 20000")
        with transaction(db):
            for statement in _ASSIGNMENT_SCHEMA.split(";"):
                db.execute(statement)
            for name, what in _TRIGGERS.items():
                db.execute(f"CREATE TRIGGER IF NOT EXISTS {name} {what}")
    return db


def rebuild_places(db: sqlite3.Connection, study: Study) -> None:
    """Rebuild the table `places` from the study, inside the caller's transaction."""
    db.execute("DELETE FROM left_out")
    db.executemany("INSERT INTO left_out VALUES (?, ?)", _incomplete_responses(db, study))
    db.execute("DELETE FROM places")
    db.executemany("INSERT INTO places VALUES (?, ?, ?, ?, 0, 0)", _position_rows(study))
    db.execute(f"UPDATE places SET {_SET_GIVEN}, {_SET_OUT}")  # noqa: S608


def _incomplete_responses(db: sqlite3.Connection, study: Study) -> set[tuple[str, str]]:
    """Item and participant of each response that is not complete (any more)."""
    responses = [
        decode_response(row["response"]) for row in db.execute("SELECT response FROM responses")
    ]
    whole = complete_responses(study, valid_responses(study, responses, {}).responses)
    return {(each.item, each.participant) for each in responses} - {
        (each.item, each.participant) for each in whole
    }


def exists(db: sqlite3.Connection, query: str, *values: object) -> bool:
    """Whether a query finds a row."""
    return db.execute(query, values).fetchone() is not None


@contextmanager
def write_transaction(db: sqlite3.Connection, path: Path) -> Iterator[None]:
    """A transaction whose errors name the database."""
    with explain_errors(path), transaction(db):
        yield


def _position_rows(study: Study) -> Iterator[tuple[str, str, float, int]]:
    """Each item, its list, its position from 0 to 1 (random or as in the file) and `wanted`."""
    number = max(1, len(study.items))
    in_file = {item.id: count / number for count, item in enumerate(study.items)}
    for name, items in items_by_list(study).items():
        for item in items:
            wanted = judgements_wanted(study, item)
            position = hash_fraction(study.name, item.id) if study.shuffle else in_file[item.id]
            yield item.id, name, position, wanted


def truncate_wal(db: sqlite3.Connection, path: Path) -> None:
    """Empty the write-ahead log, so that deleted rows are not left in it.

    While another connection is reading, the log stays until the next time, or until closing.
    """
    with explain_errors(path):
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def checkpoint_wal(path: Path) -> None:
    """Write committed transactions to disk, so that they survive a power cut."""
    db = sqlite3.connect(path, isolation_level=None, timeout=2)
    try:
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")
    finally:
        db.close()
