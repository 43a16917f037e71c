"""Give participants tasks, record their answers, and let them undo.

Independent of the web. Every action is one transaction, and idempotent. A task is identified by its
number for the participant, never by an item id, which might reveal too much.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from epicene.core.records import to_json
from epicene.studies.collection.assignment import AssignmentRules, TaskPart
from epicene.studies.collection.database import (
    decode_response,
    exists,
    explain_errors,
    open_database,
    rebuild_places,
    write_transaction,
)
from epicene.studies.collection.exclusion import ExclusionRules
from epicene.studies.collection.folder import RESPONSES_FILE
from epicene.studies.collection.owners import Owners, OwnerSessions
from epicene.studies.collection.participants import (
    GRACE_SECONDS,
    NotAssignedError,
    Participants,
    RejectedSubmissionError,
    StudyClosedError,
)
from epicene.studies.design.answers import response_problems
from epicene.studies.design.schema import AnswerValue, Response, StudyItem, all_items
from epicene.studies.exchange.response_files import same_answers

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from epicene.studies.collection.folder import StudyFolder

LEASE_SECONDS = 1800.0  # that an item waits for an answer before others may have it
MAX_TEXT_LENGTH = 10_000  # characters of one answer
_MAX_SECONDS = 7 * 24 * 3600.0


@dataclass(frozen=True)
class Task:
    """An item to answer. `revision` grows with every answer and undo."""

    number: int
    revision: int
    item: StudyItem
    part: TaskPart
    answers: Mapping[str, AnswerValue] = field(default_factory=dict)  # undone, to start from
    elapsed: float = field(default=0.0, compare=False)  # seconds since it was first shown


@dataclass(frozen=True)
class Feedback:
    """A practice item that is answered, and whose feedback is not read yet."""

    number: int
    item: StudyItem
    answers: Mapping[str, AnswerValue]


@dataclass(frozen=True)
class NoTask:
    """Nothing is left to do, for this participant or for anybody; or they are `excluded` now."""

    excluded: bool = False


CurrentTask: TypeAlias = Task | Feedback | NoTask


@dataclass(frozen=True)
class ParticipantState:
    """A participant's current task, and their progress."""

    work: CurrentTask
    answered: int
    max_tasks: int  # without practice
    undo: int | None  # the number of the answer that can be undone


SaveStatus: TypeAlias = Literal["saved", "repeated", "conflict"]

_answers = msgspec.json.Decoder(dict[str, AnswerValue])


class TaskQueue:
    """Assigns the items of one study and stores the answers."""

    def __init__(
        self,
        folder: StudyFolder,
        *,
        lease: float = LEASE_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.study = folder.study
        self.path: Path = folder.path / RESPONSES_FILE
        self._items = {item.id: item for item in all_items(self.study)}
        self._db = open_database(self.path)
        with write_transaction(self._db, self.path):
            rebuild_places(self._db, self.study)
        self._assignment = AssignmentRules(self.study, self._db, lease)
        self._exclusion = ExclusionRules(self.study, self._db)
        self._lease = lease
        self._clock = clock
        self.participants = Participants(self.study, self._db, self.path, clock)
        self.owners = Owners(self._db, self.path, clock)
        self.owner_sessions = OwnerSessions(self.owners, self._db, self.path, clock)

    def close(self) -> None:
        """Close the database, merging its write-ahead log."""
        self._db.close()

    def current_state(self, participant: str) -> ParticipantState:
        """The participant's current task, assigned now if they have none, and their progress."""
        with write_transaction(self._db, self.path):
            work = self._current_task(participant)
            row = self.participants.row(participant)
            max_tasks = self._assignment.max_tasks(row["list"])
            return ParticipantState(work, row["answered"], max_tasks, self._last(participant))

    def _current_task(self, participant: str) -> CurrentTask:
        now = self._clock()
        self._assignment.release_lapsed(now)
        row = self.participants.row(participant)
        if self.participants.stage(row) != "work":
            raise NotAssignedError(participant)
        while (pending := self._pending(participant)) is not None:
            if (task := self._resume(pending, now)) is not None:
                self._set_seen(participant, now)
                return task
        if row["finished"] is not None and row["entry"] == "open":
            return NoTask()
        if self._assignment.wants_list(row):
            name = self._assignment.choose_list(now)
            if name is None:
                return NoTask()
            self._db.execute(
                "UPDATE people SET list = ?, walked = 0 WHERE participant = ?", (name, participant)
            )
        self._set_seen(participant, now)
        return self._assign_next(participant, now)

    def has_task_for(self, participant: str) -> bool:
        """Whether there is a task for a participant who has not started."""
        now = self._clock()
        with write_transaction(self._db, self.path):
            self._assignment.release_lapsed(now)
            if self._pending(participant) is not None:
                return True
            return self._assignment.choose_list(now) is not None

    def _pending(self, participant: str) -> sqlite3.Row | None:
        """The first assignment that is not answered, or whose feedback is not read."""
        row: sqlite3.Row | None = self._db.execute(
            "SELECT * FROM assignments WHERE participant = ?"
            " AND state <> 'answered' AND state <> 'withdrawn' ORDER BY number LIMIT 1",
            (participant,),
        ).fetchone()
        return row

    def _resume(self, row: sqlite3.Row, now: float) -> Task | Feedback | None:
        """An assignment to continue; None if the item is gone or was taken over by others."""
        item = self._items.get(row["item"])
        if item is None:  # no longer in the study
            self._withdraw(row)
            return None
        if row["state"] == "feedback":
            response = self._response(row)
            return Feedback(row["number"], item, response.answers if response else {})
        if row["state"] == "lapsed":
            if not self._assignment.is_free(row["item"]):
                self._withdraw(row)
                return None
            self._change(row, state="out", lapses=now + self._lease)
        elif row["part"] == "item":
            self._change(row, lapses=now + self._lease)
        draft = {} if row["draft"] is None else _answers.decode(row["draft"])
        elapsed = max(0.0, now - row["shown"])
        return Task(row["number"], row["revision"], item, row["part"], draft, elapsed)

    def _withdraw(self, row: sqlite3.Row) -> None:
        self._change(row, state="withdrawn", lapses=None)
        if row["part"] == "item":
            self._db.execute(
                "UPDATE people SET items = items - 1 WHERE participant = ?", (row["participant"],)
            )

    def _assign_next(self, participant: str, now: float) -> Task | NoTask:
        """Assign the next item to the participant."""
        if self._exclusion.apply(participant, now, finished=False):
            return NoTask(excluded=True)
        row = self.participants.row(participant)
        task = self._assignment.next_task(row)
        if task is None:
            if row["answered"]:
                self._db.execute(
                    "UPDATE people SET finished = coalesce(finished, ?) WHERE participant = ?",
                    (now, participant),
                )
            return NoTask(excluded=self._exclusion.apply(participant, now, finished=True))
        number = row["numbers"] + 1
        is_item = task.part == "item"
        self._db.execute(
            "INSERT INTO assignments (participant, item, number, part, state, shown, lapses)"
            " VALUES (?, ?, ?, ?, 'out', ?, ?)",
            (
                *(participant, task.item, number, task.part, now),
                now + self._lease if is_item else None,
            ),
        )
        self._db.execute(
            "UPDATE people SET numbers = ?, items = items + ? WHERE participant = ?",
            (number, is_item, participant),
        )
        return Task(number, 0, self._items[task.item], task.part)

    def task(self, participant: str, number: int) -> Task:
        """The participant's task with this number, answered or not."""
        with explain_errors(self.path):
            row = self._assigned(participant, number)
        return Task(row["number"], row["revision"], self._items[row["item"]], row["part"])

    def was_given(self, participant: str, items: tuple[str, ...]) -> bool:
        """Whether a participant was assigned one of the items."""
        query = "SELECT 1 FROM assignments WHERE participant = ? AND item = ?"
        with explain_errors(self.path):
            return any(exists(self._db, query, participant, item) for item in items)

    def answer(
        self,
        participant: str,
        number: int,
        revision: int,
        answers: Mapping[str, AnswerValue],
        *,
        seconds: float | None = None,
        language: str = "",
    ) -> SaveStatus:
        """Store an answer. Repeating it changes nothing; a different one is a conflict."""
        if self.participants.is_closed(GRACE_SECONDS):
            raise StudyClosedError
        now = self._clock()
        with write_transaction(self._db, self.path):
            row = self._assigned(participant, number)
            item = self._items[row["item"]]
            self._check_answers(item, answers)
            response = Response(
                study=self.study.name,
                participant=participant,
                item=item.id,
                answers=dict(answers),
                at=datetime.fromtimestamp(now, UTC),
                seconds=round(_answer_seconds(seconds, now - row["shown"]), 1),
                language=language,
            )
            if row["revision"] != revision or row["state"] in ("answered", "feedback"):
                earlier = self._response(row)
                repeated = earlier is not None and same_answers(earlier, response)
                return "repeated" if repeated else "conflict"
            self._store(row, response)
        return "saved"

    def _check_answers(self, item: StudyItem, answers: Mapping[str, AnswerValue]) -> None:
        for answer in answers.values():
            if isinstance(answer, str) and len(answer) > MAX_TEXT_LENGTH:
                raise RejectedSubmissionError(
                    f"A text is longer than {MAX_TEXT_LENGTH} characters."
                )
        for fault in response_problems(self.study, item, answers):
            raise RejectedSubmissionError(fault)

    def _store(self, row: sqlite3.Row, response: Response) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO responses VALUES (?, ?, ?)",
            (response.participant, response.item, to_json(response)),
        )
        practice = row["part"] == "practice"
        item = self._items[response.item]
        # A trigger has set the state to answered.
        self._change(row, revision=row["revision"] + 1, draft=None)
        if practice and (item.feedback or item.expected):
            self._change(row, state="feedback")
        regained = row["state"] == "withdrawn" and row["part"] == "item"
        self._db.execute(
            "UPDATE people SET answered = answered + ?, items = items + ?, seen = ?"
            " WHERE participant = ?",
            (not practice, regained, self._clock(), response.participant),
        )

    def acknowledge_feedback(self, participant: str, number: int) -> None:
        """Record that the participant has read the feedback on a practice item."""
        with write_transaction(self._db, self.path):
            row = self._assigned(participant, number)
            if row["state"] == "feedback":
                self._change(row, state="answered")

    def undo(self, participant: str, number: int) -> bool:
        """Undo the participant's last answer, if that is its number; return whether it was."""
        now = self._clock()
        with write_transaction(self._db, self.path):
            entered = self.participants.row(participant)
            finished = entered["finished"] is not None and entered["entry"] == "open"
            stage = self.participants.stage(entered)
            if finished or stage in ("closed", "excluded"):
                return False
            row = self._assigned(participant, number)
            if self._last(participant) != number:
                return False
            response = self._response(row)
            self._db.execute(
                "DELETE FROM responses WHERE participant = ? AND item = ?",
                (participant, row["item"]),
            )
            self._change(
                row,
                state="out",
                revision=row["revision"] + 1,
                lapses=now + self._lease if row["part"] == "item" else None,
                draft=None if response is None else to_json(response.answers),
            )
            self._db.execute(
                "UPDATE people SET answered = max(0, answered - 1), finished = NULL"
                " WHERE participant = ?",
                (participant,),
            )
        return True

    def _last(self, participant: str) -> int | None:
        """The number of the last answer about an item that is still in the study."""
        rows = self._db.execute(
            "SELECT number, item FROM assignments WHERE participant = ? AND state = 'answered'"
            " AND part <> 'practice' ORDER BY number DESC",
            (participant,),
        )
        return next((int(row["number"]) for row in rows if row["item"] in self._items), None)

    # --- rows ----------------------------------------------------------------------------------

    def _assigned(self, participant: str, number: int) -> sqlite3.Row:
        row: sqlite3.Row | None = self._db.execute(
            "SELECT * FROM assignments WHERE participant = ? AND number = ?", (participant, number)
        ).fetchone()
        if row is None or row["item"] not in self._items:
            raise NotAssignedError(participant)
        return row

    def _response(self, row: sqlite3.Row) -> Response | None:
        found = self._db.execute(
            "SELECT response FROM responses WHERE participant = ? AND item = ?",
            (row["participant"], row["item"]),
        ).fetchone()
        return None if found is None else decode_response(found["response"])

    def _change(self, row: sqlite3.Row, **values: object) -> None:
        columns = ", ".join(f"{name} = ?" for name in values)
        self._db.execute(
            f"UPDATE assignments SET {columns} WHERE participant = ? AND item = ?",  # noqa: S608
            (*values.values(), row["participant"], row["item"]),
        )

    def _set_seen(self, participant: str, now: float) -> None:
        self._db.execute("UPDATE people SET seen = ? WHERE participant = ?", (now, participant))


def _answer_seconds(reported: float | None, elapsed: float) -> float:
    """Seconds from showing an item to its answer: as the page reports them, if plausible.

    Only the page knows how long an answer waited for the network.
    """
    longest = min(max(elapsed, 0.0), _MAX_SECONDS)
    return longest if reported is None or not 0 <= reported <= longest + 5 else reported
