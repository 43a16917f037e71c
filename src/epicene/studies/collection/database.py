"""The SQLite database of a study: responses, participants, assignments and counts per item.

A person's answer to an item is one row, however often it is saved. Triggers keep the counts, so
that they are right whoever adds a response: the web app, or an import at the same time. The table
`places` is derived data, rebuilt whenever the study is opened.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.core import sqlite
from epicene.core.errors import InputError
from epicene.core.records import digest, to_json
from epicene.core.sqlite import transaction
from epicene.studies.collection.schema_drift import complete_responses, valid_responses
from epicene.studies.design.lists import items_by_list
from epicene.studies.design.schema import Response, judgements_wanted
from epicene.studies.exchange.response_files import same_answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from epicene.studies.design.schema import Study
    from epicene.studies.exchange.response_files import LocatedResponse

FORMAT = 1  # another number where an older program could not read the file

_RESPONSE_SCHEMA = """
CREATE TABLE responses (
    participant TEXT NOT NULL, item TEXT NOT NULL, response BLOB NOT NULL,
    PRIMARY KEY (participant, item)
) WITHOUT ROWID
"""
# Where the study was last served. Studies of earlier versions lack the table.
_ADDRESS_SCHEMA = "CREATE TABLE IF NOT EXISTS served (address TEXT NOT NULL)"

decode_response = msgspec.json.Decoder(Response).decode


class ImportCounts(NamedTuple):
    """How many responses are new, were there already, and took the place of others.

    `settled` are the owner's decisions that came with them, if they are new.
    """

    new: int
    same: int
    replaced: int
    settled: int = 0


class ResponseStore:
    """The open database of one study."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with explain_errors(path):
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
                f"{self.path} was written by another version of Epicene (format {found}, this one "
                f"reads {FORMAT}); read it with that version."
            )
        self._db.execute(_ADDRESS_SCHEMA)

    def close(self) -> None:
        """Close, leaving one file behind."""
        self._db.close()

    def all(self) -> list[Response]:
        """All responses, by item and person."""
        with explain_errors(self.path):
            return list(self._read())

    def address(self) -> str:
        """Where the study was last served; empty if it never was."""
        with explain_errors(self.path):
            found = self._db.execute("SELECT address FROM served").fetchone()
            return "" if found is None else str(found[0])

    def remember_address(self, address: str) -> None:
        """Where the study is served from now on."""
        with self.writing():
            self._db.execute("DELETE FROM served")
            self._db.execute("INSERT INTO served VALUES (?)", (address,))

    def add(self, responses: Sequence[LocatedResponse], *, replace: bool = False) -> ImportCounts:
        """Keep the responses, all or none.

        One that the same person gave to the same item before is passed over if it says the same,
        and refused if it does not, unless it may `replace` the earlier one.
        """
        with self.writing():
            return self.put(responses, replace=replace)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: whatever is put in it is kept, or nothing is."""
        with explain_errors(self.path), transaction(self._db):
            yield self._db

    def put(self, responses: Sequence[LocatedResponse], *, replace: bool = False) -> ImportCounts:
        """As `add`, inside a transaction."""
        new, other, same = [], [], 0
        known = {(each.participant, each.item): each for each in self._read()}
        for place, response in responses:
            earlier = known.get((response.participant, response.item))
            if earlier is None:
                new.append(response)
            elif same_answers(earlier, response):
                same += 1
            elif replace:
                other.append(response)
            else:
                raise InputError(
                    f"{place} answers the item {response.item} otherwise than "
                    f"{response.participant} did before; --replace takes the new answer."
                )
        self._db.executemany(
            "INSERT OR REPLACE INTO responses VALUES (?, ?, ?)",
            ((each.participant, each.item, to_json(each)) for each in (*new, *other)),
        )
        return ImportCounts(len(new), same, len(other))

    def _read(self) -> Iterator[Response]:
        rows = self._db.execute("SELECT response FROM responses ORDER BY item, participant")
        return (decode_response(data) for (data,) in rows)


def explain_errors(path: Path) -> AbstractContextManager[None]:
    """SQLite's errors as a sentence that names the file."""
    return sqlite.explain_errors(path, f"The responses in {path} could not be used")


# An assignment is out (before the person), lapsed (so long that others may have the item),
# withdrawn (lapsed, and others had it), answered, or feedback (answered in practice, and the
# person has yet to read what was expected). `shown` is when it came before the person first.
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

# A response that no longer answers all that a changed study asks is kept, and somebody else is
# asked in its place.
_SET_GIVEN = """given = (SELECT count(*) FROM responses WHERE responses.item = places.item)
    - (SELECT count(*) FROM left_out WHERE left_out.item = places.item)"""

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
    "assignment_added": """AFTER INSERT ON assignments BEGIN
        UPDATE places SET
            out = (SELECT count(*) FROM assignments WHERE item = NEW.item AND state = 'out')
            WHERE item = NEW.item;
    END""",
    "assignment_changed": """AFTER UPDATE OF state ON assignments BEGIN
        UPDATE places SET
            out = (SELECT count(*) FROM assignments WHERE item = NEW.item AND state = 'out')
            WHERE item = NEW.item;
    END""",
    "assignment_removed": """AFTER DELETE ON assignments BEGIN
        UPDATE places SET
            out = (SELECT count(*) FROM assignments WHERE item = OLD.item AND state = 'out')
            WHERE item = OLD.item;
    END""",
}


def open_database(path: Path) -> sqlite3.Connection:
    """The database of a study's responses with the ledger in it."""
    ResponseStore(path).close()
    with explain_errors(path):
        # The pages use it from one thread, which need not be the one that opened it.
        db = sqlite.connect(path, timeout=2, check_same_thread=False)
        db.row_factory = sqlite3.Row
        # Of whom nothing is to be kept, nothing is left in the file either.
        db.execute("PRAGMA secure_delete = ON")
        # Left to `checkpoint`, which makes nobody wait, as long as that is called at all.
        db.execute("PRAGMA wal_autocheckpoint = 20000")
        with transaction(db):
            for statement in _ASSIGNMENT_SCHEMA.split(";"):
                db.execute(statement)
            for name, what in _TRIGGERS.items():
                db.execute(f"DROP TRIGGER IF EXISTS {name}")  # perhaps of an earlier version
                db.execute(f"CREATE TRIGGER {name} {what}")
    return db


def rebuild_places(db: sqlite3.Connection, study: Study) -> None:
    """Set the places to the study's items as they are now. Part of an act."""
    db.execute("DELETE FROM left_out")
    db.executemany("INSERT INTO left_out VALUES (?, ?)", _incomplete_responses(db, study))
    db.execute("DELETE FROM places")
    db.executemany("INSERT INTO places VALUES (?, ?, ?, ?, 0, 0)", _place_rows(study))
    db.execute(
        f"UPDATE places SET {_SET_GIVEN},"  # noqa: S608
        " out = (SELECT count(*) FROM assignments WHERE item = places.item AND state = 'out')"
    )


def _incomplete_responses(db: sqlite3.Connection, study: Study) -> set[tuple[str, str]]:
    """The item and participant of each response that is no whole judgement any more."""
    responses = [
        decode_response(row["response"]) for row in db.execute("SELECT response FROM responses")
    ]
    whole = complete_responses(study, valid_responses(study, responses, {}).responses)
    return {(each.item, each.participant) for each in responses} - {
        (each.item, each.participant) for each in whole
    }


@contextmanager
def write_transaction(db: sqlite3.Connection, path: Path) -> Iterator[None]:
    """One act of a person: all of it or nothing."""
    with explain_errors(path), transaction(db):
        yield


def _place_rows(study: Study) -> Iterator[tuple[str, str, float, int]]:
    """Each item with its list and its place there, from 0 to 1: any, or that in the file."""
    number = max(1, len(study.items))
    in_file = {item.id: count / number for count, item in enumerate(study.items)}
    for name, items in items_by_list(study).items():
        for item in items:
            wanted = judgements_wanted(study, item)
            place = hash_fraction(study.name, item.id) if study.shuffle else in_file[item.id]
            yield item.id, name, place, wanted


def hash_fraction(*parts: object) -> float:
    """A number from 0 to 1 that looks drawn, and is always the same for the same parts."""
    return int.from_bytes(digest(*parts)[:6], "big") / 2**48


def truncate_wal(db: sqlite3.Connection, path: Path) -> None:
    """Leave nothing of what was deleted in the log beside the database.

    While somebody reads it stays until they are done and the study is next closed or emptied.
    """
    with explain_errors(path):
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def checkpoint_wal(path: Path) -> None:
    """Bring what was committed onto the disk, so that even a power cut leaves it there."""
    db = sqlite3.connect(path, isolation_level=None, timeout=2)
    try:
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")
    finally:
        db.close()
