"""The owners of a study, each with a link of their own, and their sessions.

The first owner has no name and is there from the start. Sessions end after a time, when an owner
logs out, or when the owner's link is revoked. The database holds a hash of each, so that whoever
reads it cannot take a session over.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import InputError, unknown
from epicene.studies.collection.activity import OWNER, record_action
from epicene.studies.collection.database import (
    exists,
    explain_errors,
    open_database,
    write_transaction,
)
from epicene.studies.collection.exclusion import BY_RULE
from epicene.studies.collection.folder import RESPONSES_FILE
from epicene.studies.collection.links import User
from epicene.studies.collection.participants import NotAssignedError
from epicene.studies.design.checks import check_participant_name

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from epicene.studies.collection.folder import StudyFolder

SESSION_SECONDS = 12 * 3600
_MAX_SESSIONS = 100  # the oldest end when there are more


class Owner(NamedTuple):
    """An owner whose link works; `issue` counts the links of this name that were revoked."""

    name: str
    issue: str = ""
    added: datetime | None = None
    by: str = ""

    @property
    def user(self) -> User:
        """The bearer of the link."""
        return User("owner", "" if self.name == OWNER else self.name, self.issue)


class Owners:
    """The owners of one study."""

    def __init__(
        self, db: sqlite3.Connection, path: Path, clock: Callable[[], float] = time.time
    ) -> None:
        self._db = db
        self._path = path
        self._clock = clock

    def active(self) -> list[Owner]:
        """The owners whose links work, ordered by name."""
        with explain_errors(self._path):
            rows = self._db.execute("SELECT * FROM owners ORDER BY owner").fetchall()
        found = [] if any(row["owner"] == OWNER for row in rows) else [Owner(OWNER)]
        for row in rows:
            if row["active"]:
                added = datetime.fromtimestamp(row["added"], UTC)
                found.append(Owner(row["owner"], str(row["issue"] or ""), added, row["by"]))
        return found

    def find(self, name: str) -> Owner | None:
        """The owner of this name, if the link works."""
        return next((each for each in self.active() if each.name == (name or OWNER)), None)

    def is_revoked(self, user: User) -> bool:
        """Whether an owner's link was revoked, or there never was such an owner."""
        owner = self.find(user.name)
        return owner is None or owner.user != user

    def add(self, name: str, by: str = OWNER) -> Owner:
        """Add an owner, or give a revoked one a new link."""
        check_participant_name(name)
        if name == BY_RULE:
            raise InputError(
                f"{name!r} is reserved for the rule in study.toml; give the owner another name."
            )
        with write_transaction(self._db, self._path):
            for known in self.active():
                if known.name.casefold() == name.casefold():
                    raise InputError(
                        f"{known.name} is already an owner; to get a new link, revoke the old one "
                        "first."
                    )
            self._db.execute(
                "INSERT INTO owners VALUES (?, 0, 1, ?, ?) ON CONFLICT (owner)"
                " DO UPDATE SET active = 1, added = excluded.added, by = excluded.by",
                (name, self._clock(), by),
            )
            record_action(self._db, self._clock(), by, "added the owner", name)
        added = self.find(name)
        assert added is not None
        return added

    def revoke(self, name: str, by: str = OWNER) -> None:
        """Revoke an owner's link and end the owner's sessions; what they did stays recorded."""
        with write_transaction(self._db, self._path):
            known = [each.name for each in self.active()]
            if name not in known:
                raise unknown("owner", name, known)
            if len(known) == 1:
                raise InputError(f"{name} is the only owner left; add another one first.")
            self._db.execute(
                "INSERT INTO owners VALUES (?, 1, 0, ?, ?) ON CONFLICT (owner)"
                " DO UPDATE SET active = 0, issue = issue + 1",
                (name, self._clock(), by),
            )
            self._db.execute("DELETE FROM owner_sessions WHERE owner = ?", (name,))
            record_action(self._db, self._clock(), by, "revoked the owner", name)


@contextmanager
def open_owners(folder: StudyFolder) -> Iterator[Owners]:
    """Open the owners of a study, whether or not it is being served."""
    path = folder.path / RESPONSES_FILE
    with closing(open_database(path)) as db:
        yield Owners(db, path)


class OwnerSessions:
    """The sessions of a study's owners."""

    def __init__(
        self, owners: Owners, db: sqlite3.Connection, path: Path, clock: Callable[[], float]
    ) -> None:
        self._owners = owners
        self._db = db
        self._path = path
        self._clock = clock

    def start(self, user: User) -> str:
        """Start an owner's session and return its id, which nobody can guess."""
        session = secrets.token_urlsafe(32)
        name, now = user.name or OWNER, self._clock()
        with write_transaction(self._db, self._path):
            if self._owners.is_revoked(user):  # since the request was admitted
                raise NotAssignedError(name)
            self._db.execute(
                "INSERT INTO owner_sessions VALUES (?, ?, ?)",
                (_hash(session), now + SESSION_SECONDS, name),
            )
            self._db.execute(
                "DELETE FROM owner_sessions WHERE ends <= ? OR session NOT IN"
                " (SELECT session FROM owner_sessions ORDER BY ends DESC LIMIT ?)",
                (now, _MAX_SESSIONS),
            )
            record_action(self._db, now, name, "logged in")
        return session

    def is_current(self, session: str) -> bool:
        """Whether a session was started and has not ended."""
        with explain_errors(self._path):
            query = "SELECT 1 FROM owner_sessions WHERE session = ? AND ends > ?"
            return exists(self._db, query, _hash(session), self._clock())

    def user(self, session: str) -> User | None:
        """The owner whose session it is; None if it has ended."""
        if not self.is_current(session):
            return None
        with explain_errors(self._path):
            query = "SELECT owner FROM owner_sessions WHERE session = ?"
            row = self._db.execute(query, (_hash(session),)).fetchone()
        owner = self._owners.find(row["owner"]) if row else None
        return owner and owner.user

    def end(self, session: str) -> None:
        """End one session."""
        with write_transaction(self._db, self._path):
            self._db.execute("DELETE FROM owner_sessions WHERE session = ?", (_hash(session),))

    def end_all(self, user: User) -> None:
        """End all sessions of an owner, in whatever browser."""
        with write_transaction(self._db, self._path):
            self._db.execute("DELETE FROM owner_sessions WHERE owner = ?", (user.name or OWNER,))


def _hash(session: str) -> str:
    return hashlib.sha256(session.encode()).hexdigest()
