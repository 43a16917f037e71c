"""The owner's sessions, which end after a time, when the owner logs out, or all at once.

The database holds a hash of each, so that whoever reads it cannot take a session over.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import TYPE_CHECKING

from epicene.studies.collection.database import exists, explain_errors, write_transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path

SESSION_SECONDS = 12 * 3600
_MAX_SESSIONS = 100  # the oldest end when there are more


class OwnerSessions:
    """The sessions of a study's owner."""

    def __init__(
        self, db: sqlite3.Connection, path: Path, clock: Callable[[], float] = time.time
    ) -> None:
        self._db = db
        self._path = path
        self._clock = clock

    def start(self) -> str:
        """Start a session and return its id, which nobody can guess."""
        session = secrets.token_urlsafe(32)
        with write_transaction(self._db, self._path):
            self._db.execute(
                "INSERT INTO owner_sessions VALUES (?, ?)",
                (_hash(session), self._clock() + SESSION_SECONDS),
            )
            self._db.execute(
                "DELETE FROM owner_sessions WHERE ends <= ? OR session NOT IN"
                " (SELECT session FROM owner_sessions ORDER BY ends DESC LIMIT ?)",
                (self._clock(), _MAX_SESSIONS),
            )
        return session

    def is_current(self, session: str) -> bool:
        """Whether a session was started and has not ended."""
        with explain_errors(self._path):
            query = "SELECT 1 FROM owner_sessions WHERE session = ? AND ends > ?"
            return exists(self._db, query, _hash(session), self._clock())

    def end(self, session: str) -> None:
        """End one session."""
        with write_transaction(self._db, self._path):
            self._db.execute("DELETE FROM owner_sessions WHERE session = ?", (_hash(session),))

    def end_all(self) -> None:
        """End all sessions, in whatever browser."""
        with write_transaction(self._db, self._path):
            self._db.execute("DELETE FROM owner_sessions")


def _hash(session: str) -> str:
    return hashlib.sha256(session.encode()).hexdigest()
