"""What owners did in a study, by name: who excluded, settled, paused, invited and revoked."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.studies.collection.database import ResponseStore, explain_errors

if TYPE_CHECKING:
    from pathlib import Path

OWNER = "owner"  # whoever uses the owner's link that has no name, or the command line

OwnerAction: TypeAlias = Literal[
    # about participants
    "excluded",
    "readmitted",
    "invited",
    "revoked the link of",
    # about items and the study
    "settled",
    "reopened",
    "opened the study",
    "paused the study",
    "closed the study",
    # about owners
    "logged in",
    "added the owner",
    "revoked the owner",
]


class Activity(NamedTuple):
    """One action: `about` whom or what, and in `detail` the reason, answer or question."""

    at: datetime
    by: str
    action: str
    about: str
    detail: str


def record_action(
    db: sqlite3.Connection,
    now: float,
    by: str,
    action: OwnerAction,
    about: str = "",
    detail: str = "",
) -> None:
    """Record an action, in the caller's transaction."""
    db.execute("INSERT INTO activity VALUES (?, ?, ?, ?, ?)", (now, by, action, about, detail))


def forget_actions(db: sqlite3.Connection, participant: str) -> None:
    """Delete what is recorded about a participant, in the caller's transaction."""
    db.execute(
        "DELETE FROM activity WHERE about = ? AND action IN"
        " ('excluded', 'readmitted', 'invited', 'revoked the link of')",
        (participant,),
    )


def read_activity(path: Path) -> list[Activity]:
    """All actions, the latest first."""
    if not path.exists():
        return []
    ResponseStore(path).close()  # whose writer was killed at its start may lack the table
    with explain_errors(path), closing(sqlite3.connect(path, timeout=10)) as db:
        rows = db.execute("SELECT at, by, action, about, detail FROM activity ORDER BY rowid DESC")
        return [Activity(datetime.fromtimestamp(at, UTC), *rest) for at, *rest in rows]
