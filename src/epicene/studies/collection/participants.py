"""The participants of a study: invitation, entry, consent, screening, instructions, withdrawal."""

from __future__ import annotations

import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.core.errors import InputError, unknown
from epicene.studies.collection.activity import OWNER, forget_actions, record_action
from epicene.studies.collection.database import (
    exists,
    explain_errors,
    open_database,
    truncate_wal,
    write_transaction,
)
from epicene.studies.collection.folder import RESPONSES_FILE
from epicene.studies.design.checks import check_participant_name
from epicene.studies.design.schema import ChoiceScreener

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from epicene.studies.collection.activity import OwnerAction
    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.collection.links import User
    from epicene.studies.design.schema import Screener, Study

StudyState: TypeAlias = Literal["open", "paused", "closed"]
EntryType: TypeAlias = Literal["personal", "open"]
ParticipantStage: TypeAlias = Literal[
    "excluded", "closed", "paused", "consent", "screening", "refused", "instructions", "work"
]

_STATE_ACTIONS: Mapping[str, OwnerAction] = {
    "open": "opened the study",
    "paused": "paused the study",
    "closed": "closed the study",
}
_MAX_DIGITS = 9  # of the answer to a number screener

# For how long after closing a study still accepts answers to tasks assigned before
GRACE_SECONDS = 24 * 3600.0


class NotAssignedError(LookupError):
    """The participant never entered, or was never assigned this task."""


class RejectedSubmissionError(ValueError):
    """A submission that cannot be stored; the message says why."""


class StudyClosedError(Exception):
    """The study accepts no more answers."""


@dataclass(frozen=True)
class Participant:
    """A participant who has entered, and their stage."""

    name: str
    entry: EntryType
    language: str
    stage: ParticipantStage
    answered: int
    entered: float


class Participants:
    """The participants of one study."""

    def __init__(
        self,
        study: Study,
        db: sqlite3.Connection,
        path: Path,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._study = study
        self._db = db
        self._path = path
        self._clock = clock

    def invite(self, *participants: str, by: str = OWNER) -> None:
        """Add participants who get personal links, all or none."""
        with write_transaction(self._db, self._path):
            for participant in map(check_participant_name, participants):
                if self.used_open_link(participant):
                    raise InputError(
                        f"Somebody has already joined as {participant} through the open link; "
                        "choose another name for this person."
                    )
                if self._invite(participant):
                    record_action(self._db, self._clock(), by, "invited", participant)

    def _invite(self, participant: str) -> bool:
        """Add a participant; return whether the name is new."""
        added = self._db.execute(
            "INSERT OR IGNORE INTO people (participant, entry) VALUES (?, 'personal')",
            (participant,),
        )
        return added.rowcount == 1

    def invited(self) -> list[str]:
        """The names of participants with personal links."""
        with explain_errors(self._path):
            rows = self._db.execute(
                "SELECT participant FROM people WHERE entry = 'personal' ORDER BY participant"
            )
            return [row["participant"] for row in rows]

    def issue(self, participant: str) -> str:
        """The number of the participant's valid link; empty for the first."""
        with explain_errors(self._path):
            row = self._db.execute(
                "SELECT times FROM revoked WHERE participant = ?", (participant,)
            ).fetchone()
            return "" if row is None else str(row["times"])

    def is_revoked(self, user: User) -> bool:
        """Whether a user's link was revoked; links without a name never are.

        Checked on every request, so that it takes effect while the study is served.
        """
        return user.issue != self.issue(user.name)

    def revoke(self, *participants: str, by: str = OWNER) -> None:
        """Invalidate the links and sessions of participants; their next links will differ."""
        with write_transaction(self._db, self._path):
            known = [row["participant"] for row in self._db.execute("SELECT * FROM people")]
            for participant in participants:
                if participant not in known:
                    raise unknown("person", participant, known)
                self._db.execute(
                    "INSERT INTO revoked VALUES (?, 1)"
                    " ON CONFLICT (participant) DO UPDATE SET times = times + 1",
                    (participant,),
                )
                record_action(self._db, self._clock(), by, "revoked the link of", participant)

    def used_open_link(self, participant: str) -> bool:
        """Whether a participant entered by the open link."""
        with explain_errors(self._path):
            query = "SELECT 1 FROM people WHERE participant = ? AND entry = 'open'"
            return exists(self._db, query, participant)

    def has_entered(self, participant: str) -> bool:
        """Whether a participant has entered before."""
        with explain_errors(self._path):
            query = "SELECT 1 FROM people WHERE participant = ? AND entered IS NOT NULL"
            return exists(self._db, query, participant)

    def enter(self, participant: str, entry: EntryType, language: str = "") -> bool:
        """Admit a participant; return False if the name belongs to the other way of entry."""
        now = self._clock()
        with write_transaction(self._db, self._path):
            self._db.execute(
                "INSERT OR IGNORE INTO people (participant, entry) VALUES (?, ?)",
                (participant, entry),
            )
            updated = self._db.execute(
                "UPDATE people SET seen = ?, entered = coalesce(entered, ?),"
                " language = CASE language WHEN '' THEN ? ELSE language END"
                " WHERE participant = ? AND entry = ?",
                (now, now, language, participant, entry),
            )
            return updated.rowcount == 1

    def get(self, participant: str) -> Participant:
        """The participant with their current stage."""
        with explain_errors(self._path):
            row = self.row(participant)
        return Participant(
            name=participant,
            entry=row["entry"],
            language=row["language"],
            stage=self.stage(row),
            answered=row["answered"],
            entered=row["entered"],
        )

    def row(self, participant: str) -> sqlite3.Row:
        """The database row of a participant who has entered."""
        row: sqlite3.Row | None = self._db.execute(
            "SELECT * FROM people WHERE participant = ? AND entered IS NOT NULL", (participant,)
        ).fetchone()
        if row is None:
            raise NotAssignedError(participant)
        return row

    def is_closed(self, grace: float = 0.0) -> bool:
        """Whether the study closed at least `grace` seconds ago."""
        closes = self._study.access.closes
        if closes is not None and self._clock() >= closes.timestamp() + grace:
            return True
        state, since = self._state_row()
        return state == "closed" and self._clock() >= since + grace

    def state(self) -> StudyState:
        """Whether the owner has paused or closed the study."""
        with explain_errors(self._path):
            return self._state_row()[0]

    def set_state(self, state: str, by: str = OWNER) -> None:
        """Open, pause or close the study."""
        if state not in _STATE_ACTIONS:
            raise unknown("state", state, _STATE_ACTIONS)
        with write_transaction(self._db, self._path):
            self._db.execute("DELETE FROM state")
            self._db.execute("INSERT INTO state VALUES (?, ?)", (state, self._clock()))
            record_action(self._db, self._clock(), by, _STATE_ACTIONS[state])

    def _state_row(self) -> tuple[StudyState, float]:
        row = self._db.execute("SELECT state, since FROM state").fetchone()
        return ("open", 0.0) if row is None else (row["state"], row["since"])

    def stage(self, row: sqlite3.Row) -> ParticipantStage:
        """The participant's current stage."""
        if is_excluded(self._db, row["participant"]):
            return "excluded"
        if self.is_closed():
            return "closed"
        if self._state_row()[0] == "paused":
            return "paused"
        if row["screened"] == "refused":
            return "refused"
        if self._study.consent and row["consented"] is None:
            return "consent"
        if self._study.screening and not row["screened"]:
            return "screening"
        if row["instructed"] is None and (self._study.instructions or self._study.practice):
            return "instructions"
        return "work"

    def choose_language(self, participant: str, language: str) -> None:
        """Set the language of the participant's pages."""
        if language not in self._study.title:
            raise RejectedSubmissionError(f"The study has no pages in {language!r}.")
        self._set(participant, "language", language)

    def consent(self, participant: str) -> None:
        """Record that the participant agreed to take part."""
        self._set_once(participant, "consented")

    def decline(self, participant: str) -> bool:
        """Delete a participant who declines; return False if they have answers already.

        A participant with a personal link stays invited.
        """
        with write_transaction(self._db, self._path):
            query = "SELECT 1 FROM responses WHERE participant = ? LIMIT 1"
            if exists(self._db, query, participant):
                return False
            entry: EntryType = self.row(participant)["entry"]
            _delete_rows(self._db, participant)
            if entry == "personal":
                self._invite(participant)
        truncate_wal(self._db, self._path)
        return True

    def begin(self, participant: str) -> None:
        """Record that the participant has read the instructions."""
        self._set_once(participant, "instructed")

    def screen(self, participant: str, answers: Mapping[str, str]) -> None:
        """Record whether the participant passes the screening; the answers are not stored."""
        for screen in self._study.screening:
            if not is_screening_answer(screen, answers.get(screen.id, "")):
                raise RejectedSubmissionError(f"{screen.id} has no answer.")
        passed = all(_accepts(screen, answers[screen.id]) for screen in self._study.screening)
        if self.get(participant).stage == "screening":
            self._set(participant, "screened", "passed" if passed else "refused")

    def _set_once(self, participant: str, column: Literal["consented", "instructed"]) -> None:
        with write_transaction(self._db, self._path):
            self._db.execute(
                f"UPDATE people SET {column} = coalesce({column}, ?), seen = ?"  # noqa: S608
                " WHERE participant = ?",
                (self._clock(), self._clock(), participant),
            )

    def _set(self, participant: str, column: Literal["language", "screened"], value: str) -> None:
        with write_transaction(self._db, self._path):
            self._db.execute(
                f"UPDATE people SET {column} = ? WHERE participant = ?",  # noqa: S608
                (value, participant),
            )


@contextmanager
def open_participants(folder: StudyFolder) -> Iterator[Participants]:
    """Open the participants of a study, whether or not it is being served."""
    path = folder.path / RESPONSES_FILE
    with closing(open_database(path)) as db:
        yield Participants(folder.study, db, path)


def delete_participant(path: Path, participant: str) -> int:
    """Delete a participant with all their responses, and return how many those were.

    This works while the study is served: the items become free for others. Adjudications stay, and
    so does the record of revoked links, which must not work again.
    """
    with closing(open_database(path)) as db:
        with write_transaction(db, path):
            check_known(db, participant)
            deleted = _delete_rows(db, participant)
        truncate_wal(db, path)
    return deleted


def check_known(db: sqlite3.Connection, participant: str) -> None:
    """Raise unless somebody of that name was invited, has entered or has answered."""
    known = db.execute("SELECT participant FROM people UNION SELECT participant FROM responses")
    names = [row["participant"] for row in known]
    if participant not in names:
        raise unknown("person", participant, names)


def _delete_rows(db: sqlite3.Connection, participant: str) -> int:
    """Delete a participant's rows in the caller's transaction; return the number of responses."""
    deleted = db.execute("DELETE FROM responses WHERE participant = ?", (participant,)).rowcount
    db.execute("DELETE FROM assignments WHERE participant = ?", (participant,))
    db.execute("DELETE FROM people WHERE participant = ?", (participant,))
    db.execute("DELETE FROM exclusions WHERE participant = ?", (participant,))
    forget_actions(db, participant)
    return deleted


def is_excluded(db: sqlite3.Connection, participant: str) -> bool:
    """Whether a participant is excluded."""
    query = "SELECT 1 FROM exclusions WHERE participant = ? AND lifted IS NULL"
    return exists(db, query, participant)


def is_screening_answer(screen: Screener, answer: str) -> bool:
    """Whether a text answers a screening question, acceptably or not."""
    if isinstance(screen, ChoiceScreener):
        return answer in {option.id for option in screen.options}
    return answer.strip().isdecimal() and len(answer) <= _MAX_DIGITS


def _accepts(screen: Screener, answer: str) -> bool:
    if isinstance(screen, ChoiceScreener):
        return answer in screen.accept
    number = int(answer)
    low = number if screen.at_least is None else screen.at_least
    high = number if screen.at_most is None else screen.at_most
    return low <= number <= high
