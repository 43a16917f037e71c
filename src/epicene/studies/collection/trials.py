"""What the database knows of each assignment and participant, for exports."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.studies.collection.database import explain_errors

if TYPE_CHECKING:
    from pathlib import Path


class Trial(NamedTuple):
    """One item as one participant saw it on the pages."""

    position: int  # among all that the participant saw, practice included
    list: str
    revisions: int  # how often it was answered or undone


class ParticipantRecord(NamedTuple):
    """The stages of a participant who was invited or has entered."""

    entry: str
    list: str | None
    language: str
    entered: datetime | None
    consented: datetime | None
    screened: str
    instructed: datetime | None
    finished: datetime | None
    seen: datetime | None


_TRIALS = """
    SELECT assignments.participant, item, number, coalesce(list, ''), revision
    FROM assignments LEFT JOIN people USING (participant)
"""
_PEOPLE = """
    SELECT participant, entry, list, language, entered, consented, screened, instructed, finished,
        seen FROM people ORDER BY participant
"""


def read_trials(path: Path) -> dict[tuple[str, str], Trial]:
    """The trials by participant and item; empty if the study was never served."""
    return {(row[0], row[1]): Trial(*row[2:]) for row in _rows(path, _TRIALS)}


def read_participants(path: Path) -> dict[str, ParticipantRecord]:
    """The participants by name; empty if the study was never served."""
    return {
        name: ParticipantRecord(
            entry,
            chosen,
            language,
            _time(entered),
            _time(consented),
            screened,
            *map(_time, times),
        )
        for name, entry, chosen, language, entered, consented, screened, *times in _rows(
            path, _PEOPLE
        )
    }


def _rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    if not path.exists():
        return []
    with explain_errors(path), closing(sqlite3.connect(path, timeout=10)) as db:
        served = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'assignments'").fetchone()
        return db.execute(query).fetchall() if served else []


def _time(value: float | None) -> datetime | None:
    return None if value is None else datetime.fromtimestamp(value, UTC)
