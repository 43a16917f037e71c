"""Progress of a study by list, item and participant, read from its database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

import msgspec

from epicene.core.records import Record
from epicene.studies.collection.database import explain_errors
from epicene.studies.collection.schema_drift import complete_responses
from epicene.studies.design.schema import Response, Study, judgements_wanted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class ListProgress:
    """Judgements wanted, given and under way for a list, or for a study without lists."""

    list: str
    items: int
    wanted: int
    given: int
    out: int
    people: int


@dataclass(frozen=True, kw_only=True)
class ItemProgress:
    """Judgements wanted, given and under way for an item."""

    item: str
    list: str
    wanted: int
    given: int
    out: int


@dataclass(frozen=True, kw_only=True)
class ParticipantProgress:
    """A participant who was invited or has entered."""

    participant: str
    entry: str
    list: str | None
    answered: int
    state: str  # invited, refused, finished, working, or excluded
    seen: datetime | None


_LISTS = """
    SELECT list, count(*) AS items, sum(wanted) AS wanted, sum(min(given, wanted)) AS given,
        sum(out) AS out, (SELECT count(*) FROM people WHERE people.list = places.list) AS people
    FROM places GROUP BY list ORDER BY list
"""
_ITEMS = """
    SELECT item, list, wanted, given, out FROM places ORDER BY given >= wanted, given, item
"""
_PEOPLE = """
    SELECT people.participant, entry, list, answered, seen, CASE
        WHEN exclusions.participant IS NOT NULL THEN 'excluded'
        WHEN entered IS NULL THEN 'invited' WHEN screened = 'refused' THEN 'refused'
        WHEN finished IS NOT NULL THEN 'finished' ELSE 'working' END AS state
    FROM people LEFT JOIN exclusions
        ON exclusions.participant = people.participant AND lifted IS NULL
    ORDER BY people.participant
"""

ProgressT = TypeVar("ProgressT", ListProgress, ItemProgress, ParticipantProgress)


def list_progress(path: Path) -> list[ListProgress]:
    """The progress of every list."""
    return _read(path, ListProgress, _LISTS)


def item_progress(path: Path) -> list[ItemProgress]:
    """The progress of every item, those that lack most first."""
    return _read(path, ItemProgress, _ITEMS)


def participant_progress(path: Path) -> list[ParticipantProgress]:
    """The progress of every participant."""
    return _read(path, ParticipantProgress, _PEOPLE)


def _read(path: Path, kind: type[ProgressT], query: str) -> list[ProgressT]:
    with explain_errors(path), closing(sqlite3.connect(path, timeout=10)) as db:
        db.row_factory = sqlite3.Row
        return [msgspec.convert(_with_datetime(dict(row)), kind) for row in db.execute(query)]


def _with_datetime(row: dict[str, object]) -> dict[str, object]:
    """The row with `seen` as a datetime."""
    if isinstance(row.get("seen"), float):
        row["seen"] = datetime.fromtimestamp(float(str(row["seen"])), UTC)
    return row


class StudyProgress(Record, frozen=True, kw_only=True):
    """Judgements wanted and given for a study's items."""

    name: str
    items: int
    wanted: int
    given: int
    people: int


def study_progress(study: Study, responses: Sequence[Response]) -> StudyProgress:
    """The progress of a study, not counting practice, attention checks and fillers."""
    own = complete_responses(study, responses)
    return StudyProgress(
        name=study.name,
        items=len(study.items),
        wanted=sum(judgements_wanted(study, item) for item in study.items),
        given=len(own),
        people=len({response.participant for response in own}),
    )
