"""Who was given which item and how far each item is, in tables beside the responses.

The database keeps the counts itself, by triggers, so that they are right whoever adds a response:
the pages, or an import while people work. `places` holds what can be computed again and is, when
the study is opened.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from epicene.annotate.fitting import fitting, whole_judgements
from epicene.annotate.results import judgements_wanted
from epicene.annotate.store import ResponseStore, decoded, explained
from epicene.records import digest
from epicene.runs.sealed import transaction
from epicene.studies.lists import lists_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.studies import Study

# An assignment is out (before the person), lapsed (so long that others may have the item),
# withdrawn (lapsed, and others had it), answered, or feedback (answered in practice, and the
# person has yet to read what was expected). `shown` is when it came before the person first.
_SCHEMA = """
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
_GIVEN = """given = (SELECT count(*) FROM responses WHERE responses.item = places.item)
    - (SELECT count(*) FROM left_out WHERE left_out.item = places.item)"""

_TRIGGERS = {
    "response_added": f"""AFTER INSERT ON responses BEGIN
        UPDATE assignments SET state = 'answered', lapses = NULL
            WHERE participant = NEW.participant AND item = NEW.item;
        DELETE FROM left_out WHERE item = NEW.item AND participant = NEW.participant;
        UPDATE places SET {_GIVEN} WHERE item = NEW.item;
    END""",  # noqa: S608
    "response_removed": f"""AFTER DELETE ON responses BEGIN
        DELETE FROM left_out WHERE item = OLD.item AND participant = OLD.participant;
        UPDATE places SET {_GIVEN} WHERE item = OLD.item;
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


def open_ledger(path: Path) -> sqlite3.Connection:
    """The database of a study's responses with the ledger in it."""
    ResponseStore(path).close()
    with explained(path):
        # The pages use it from one thread, which need not be the one that opened it.
        db = sqlite3.connect(path, isolation_level=None, timeout=2, check_same_thread=False)
        db.row_factory = sqlite3.Row
        # A commit survives the death of the process at once; see `checkpoint` for that of the
        # machine.
        db.execute("PRAGMA synchronous = NORMAL")
        # Of whom nothing is to be kept, nothing is left in the file either.
        db.execute("PRAGMA secure_delete = ON")
        # Left to `checkpoint`, which makes nobody wait, as long as that is called at all.
        db.execute("PRAGMA wal_autocheckpoint = 20000")
        with transaction(db):
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
            for name, what in _TRIGGERS.items():
                db.execute(f"DROP TRIGGER IF EXISTS {name}")  # perhaps of an earlier version
                db.execute(f"CREATE TRIGGER {name} {what}")
    return db


def renew_places(db: sqlite3.Connection, study: Study) -> None:
    """Set the places to the study's items as they are now. Part of an act."""
    db.execute("DELETE FROM left_out")
    db.executemany("INSERT INTO left_out VALUES (?, ?)", _left_out(db, study))
    db.execute("DELETE FROM places")
    db.executemany("INSERT INTO places VALUES (?, ?, ?, ?, 0, 0)", _places(study))
    db.execute(
        f"UPDATE places SET {_GIVEN},"  # noqa: S608
        " out = (SELECT count(*) FROM assignments WHERE item = places.item AND state = 'out')"
    )


def _left_out(db: sqlite3.Connection, study: Study) -> set[tuple[str, str]]:
    """The item and participant of each response that is no whole judgement any more."""
    responses = [decoded(row["response"]) for row in db.execute("SELECT response FROM responses")]
    whole = whole_judgements(study, fitting(study, responses, {}).responses)
    return {(each.item, each.participant) for each in responses} - {
        (each.item, each.participant) for each in whole
    }


@contextmanager
def act(db: sqlite3.Connection, path: Path) -> Iterator[None]:
    """One act of a person: all of it or nothing."""
    with explained(path), transaction(db):
        yield


def _places(study: Study) -> Iterator[tuple[str, str, float, int]]:
    """Each item with its list and its place there, from 0 to 1: any, or that in the file."""
    number = max(1, len(study.items))
    in_file = {item.id: count / number for count, item in enumerate(study.items)}
    for name, items in lists_of(study).items():
        for item in items:
            wanted = judgements_wanted(study, item)
            place = point(study.name, item.id) if study.shuffle else in_file[item.id]
            yield item.id, name, place, wanted


def point(*parts: object) -> float:
    """A number from 0 to 1 that looks drawn, and is always the same for the same parts."""
    return int.from_bytes(digest(*parts)[:6], "big") / 2**48


def empty_log(db: sqlite3.Connection, path: Path) -> None:
    """Leave nothing of what was deleted in the log beside the database.

    While somebody reads it stays until they are done and the study is next closed or emptied.
    """
    with explained(path):
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def checkpoint(path: Path) -> None:
    """Bring what was committed onto the disk, so that even a power cut leaves it there."""
    db = sqlite3.connect(path, isolation_level=None, timeout=2)
    try:
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")
    finally:
        db.close()
