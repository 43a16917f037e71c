"""The participants of a study: invitation, entry, consent, screening, instructions, withdrawal."""

from __future__ import annotations

import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.core.errors import unknown
from epicene.studies.collection.database import (
    explain_errors,
    open_database,
    truncate_wal,
    write_transaction,
)
from epicene.studies.collection.folder import RESPONSES_FILE
from epicene.studies.design.schema import ChoiceScreener

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.collection.links import User
    from epicene.studies.design.schema import Screener, Study

EntryType: TypeAlias = Literal["personal", "open"]
ParticipantStage: TypeAlias = Literal[
    "closed", "consent", "screening", "refused", "instructions", "work"
]

_MAX_DIGITS = 9  # digits


# How long after it closed a study takes answers to what was given out before.
GRACE_SECONDS = 24 * 3600.0  # seconds


class NotAssignedError(LookupError):
    """The person never came in, or was never given what they speak of."""


class RejectedSubmissionError(ValueError):
    """What a person sent cannot be kept; says why."""


class StudyClosedError(Exception):
    """The study takes no more answers."""


@dataclass(frozen=True)
class Participant:
    """Somebody who entered, and where they are."""

    participant: str
    entry: EntryType
    language: str
    stage: ParticipantStage
    answered: int
    entered: float


class Participants:
    """The people of one study."""

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

    def invite(self, participant: str) -> None:
        """Remember somebody who gets a personal link."""
        with write_transaction(self._db, self._path):
            self._invite(participant)

    def _invite(self, participant: str) -> None:
        self._db.execute(
            "INSERT OR IGNORE INTO people (participant, entry) VALUES (?, 'personal')",
            (participant,),
        )

    def invited(self) -> list[str]:
        """Who got personal links."""
        with explain_errors(self._path):
            rows = self._db.execute(
                "SELECT participant FROM people WHERE entry = 'personal' ORDER BY participant"
            )
            return [row["participant"] for row in rows]

    def issue(self, participant: str) -> str:
        """Which of a person's links is the one that works; the first has no number."""
        with explain_errors(self._path):
            row = self._db.execute(
                "SELECT times FROM revoked WHERE participant = ?", (participant,)
            ).fetchone()
            return "" if row is None else str(row["times"])

    def is_revoked(self, entrant: User) -> bool:
        """Whether somebody came by a link that works no more; that of who has no name always does.

        Asked of every request, so that it ends while the study is served.
        """
        return entrant.issue != self.issue(entrant.name)

    def revoke(self, *participants: str) -> None:
        """Let people's links, and whoever came by them, in no more; their next are others."""
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

    def used_open_link(self, participant: str) -> bool:
        """Whether a person is one who entered by the open link."""
        with explain_errors(self._path):
            found = self._db.execute(
                "SELECT 1 FROM people WHERE participant = ? AND entry = 'open'", (participant,)
            )
            return found.fetchone() is not None

    def has_entered(self, participant: str) -> bool:
        """Whether a person came in before."""
        with explain_errors(self._path):
            found = self._db.execute(
                "SELECT 1 FROM people WHERE participant = ? AND entered IS NOT NULL",
                (participant,),
            )
            return found.fetchone() is not None

    def enter(self, participant: str, entry: EntryType, language: str = "") -> bool:
        """Let a person in; no, where they belong to the other way of entering."""
        now = self._clock()
        with write_transaction(self._db, self._path):
            self._db.execute(
                "INSERT OR IGNORE INTO people (participant, entry) VALUES (?, ?)",
                (participant, entry),
            )
            done = self._db.execute(
                "UPDATE people SET seen = ?, entered = coalesce(entered, ?),"
                " language = CASE language WHEN '' THEN ? ELSE language END"
                " WHERE participant = ? AND entry = ?",
                (now, now, language, participant, entry),
            )
            return done.rowcount == 1

    def person(self, participant: str) -> Participant:
        """Where a person is."""
        with explain_errors(self._path):
            return self._described(self.row(participant))

    def row(self, participant: str) -> sqlite3.Row:
        """What is kept of a person who came in."""
        row: sqlite3.Row | None = self._db.execute(
            "SELECT * FROM people WHERE participant = ? AND entered IS NOT NULL", (participant,)
        ).fetchone()
        if row is None:
            raise NotAssignedError(participant)
        return row

    def _described(self, row: sqlite3.Row) -> Participant:
        return Participant(
            participant=row["participant"],
            entry=row["entry"],
            language=row["language"],
            stage=self.stage(row),
            answered=row["answered"],
            entered=row["entered"],
        )

    def is_closed(self, grace: float = 0.0) -> bool:
        """Whether the study closed, and so long ago."""
        closes = self._study.access.closes
        return closes is not None and self._clock() >= closes.timestamp() + grace

    def stage(self, row: sqlite3.Row) -> ParticipantStage:
        """What a person has before them."""
        if self.is_closed():
            return "closed"
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
        """Read the pages in one of the study's languages."""
        if language not in self._study.title:
            raise RejectedSubmissionError(f"The study has no pages in {language!r}.")
        self._set(participant, "language", language)

    def consent(self, participant: str) -> None:
        """The person agreed to take part."""
        self._set_once(participant, "consented")

    def decline(self, participant: str) -> bool:
        """Keep nothing of a person who does not take part; no, where they answered before.

        Who has a personal link stays invited, as if they had never followed it.
        """
        with write_transaction(self._db, self._path):
            answered = self._db.execute(
                "SELECT 1 FROM responses WHERE participant = ? LIMIT 1", (participant,)
            )
            if answered.fetchone() is not None:
                return False
            entry: EntryType = self.row(participant)["entry"]
            _delete_rows(self._db, participant)
            if entry == "personal":
                self._invite(participant)
        truncate_wal(self._db, self._path)
        return True

    def begin(self, participant: str) -> None:
        """The person has read the instructions."""
        self._set_once(participant, "instructed")

    def screen(self, participant: str, answers: Mapping[str, str]) -> None:
        """Let a person go on, or not. Of the answers themselves nothing is kept."""
        for screen in self._study.screening:
            if not _is_answer(screen, answers.get(screen.id, "")):
                raise RejectedSubmissionError(f"{screen.id} has no answer.")
        passed = all(_accepts(screen, answers[screen.id]) for screen in self._study.screening)
        if self.person(participant).stage == "screening":
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
    """The people of a study that need not be served just now."""
    path = folder.path / RESPONSES_FILE
    with closing(open_database(path)) as db:
        yield Participants(folder.study, db, path)


def delete_participant(path: Path, participant: str) -> int:
    """Delete a person and all that they answered, for good; how many responses went.

    While the study is served, too: what they leave is asked of somebody else. What the owner
    settled stays, and so does which of their links were revoked, lest one of those work again.
    """
    with closing(open_database(path)) as db:
        with write_transaction(db, path):
            known = db.execute(
                "SELECT participant FROM people UNION SELECT participant FROM responses"
            )
            names = [row["participant"] for row in known]
            if participant not in names:
                raise unknown("person", participant, names)
            gone = _delete_rows(db, participant)
        truncate_wal(db, path)
    return gone


def _delete_rows(db: sqlite3.Connection, participant: str) -> int:
    """Delete all that is kept of a person; how many responses went. Part of an act."""
    gone = db.execute("DELETE FROM responses WHERE participant = ?", (participant,)).rowcount
    db.execute("DELETE FROM assignments WHERE participant = ?", (participant,))
    db.execute("DELETE FROM people WHERE participant = ?", (participant,))
    return gone


def _is_answer(screen: Screener, answer: str) -> bool:
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
