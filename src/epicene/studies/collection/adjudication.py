"""Disagreements between annotators, and the owner's decisions on them.

Adjudications have a table of their own beside the responses. They never count as a rater's answers;
labels are taken as if every participant had given them.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from epicene.core.errors import InputError, as_sentence, unknown_name
from epicene.core.records import Record, to_json
from epicene.core.sqlite import transaction
from epicene.studies.collection.activity import OWNER, record_action
from epicene.studies.collection.database import ResponseStore, explain_errors
from epicene.studies.design.answers import (
    answer_problems,
    comparison_key,
    is_asked,
    response_problems,
    responses_by_item,
)
from epicene.studies.design.schema import (
    Adjudication,
    AnswerValue,
    ChoiceQuestion,
    NoteQuestion,
    Response,
    StudyItem,
)
from epicene.studies.exchange.response_files import LocatedAdjudication

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.studies.design.schema import Question, Study

# By item and question
Adjudications: TypeAlias = "Mapping[tuple[str, str], Adjudication]"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS settlements (
    item TEXT NOT NULL, question TEXT NOT NULL, settled BLOB NOT NULL,
    PRIMARY KEY (item, question)
) WITHOUT ROWID
"""

_decoder = msgspec.json.Decoder(Adjudication)


class Disagreement(Record, frozen=True, kw_only=True):
    """A question about an item that participants answered differently; answers by participant.

    There are no answers if the question is asked only because of how earlier ones were adjudicated.
    """

    item: StudyItem
    question: str
    answers: dict[str, AnswerValue]


def disagreements(
    study: Study, responses: Iterable[Response], adjudications: Adjudications
) -> list[Disagreement]:
    """The disagreements that are not adjudicated yet, in the order of items and questions.

    Notes and preferences are never adjudicated. If a question depends on another, only the
    answers of participants who would be asked it given the decisions so far count.
    """
    by_item = responses_by_item(responses)
    return [
        disagreement
        for item in study.items
        for disagreement in _item_disagreements(study, item, by_item[item.id], adjudications)
    ]


def why_no_adjudication(study: Study) -> str:
    """The sentence that says why nothing can be adjudicated; empty if something can."""
    asked = study.questions
    if any(map(_has_right_answer, asked)) or not any(map(_asks_preference, asked)):
        return ""
    return (
        "This study asks for preferences: there is no right answer, so there is nothing to settle."
    )


def _has_right_answer(question: Question) -> bool:
    return not isinstance(question, NoteQuestion) and not _asks_preference(question)


def _asks_preference(question: Question) -> bool:
    return isinstance(question, ChoiceQuestion) and question.preference


def _item_disagreements(
    study: Study, item: StudyItem, responses: Sequence[Response], adjudications: Adjudications
) -> Iterator[Disagreement]:
    answers_by_participant = {
        each.participant: _adjudicated_answers(study, item, each.answers, adjudications)
        for each in sorted(responses, key=lambda each: each.participant)
    }
    for question in study.questions:
        if not _has_right_answer(question) or (item.id, question.id) in adjudications:
            continue
        given = {
            participant: answers[question.id]
            for participant, answers in answers_by_participant.items()
            if question.id in answers
        }
        differ = len({comparison_key(answer) for answer in given.values()}) > 1
        # Only because of decisions: if the study was changed, answers may be missing anyway.
        lacking = (
            question.required
            and not given
            and any((item.id, name) in adjudications for name in question.when)
            and any(is_asked(question, answers) for answers in answers_by_participant.values())
        )
        if differ or lacking:
            yield Disagreement(item=item, question=question.id, answers=given)


# --- what labels are taken from --------------------------------------------------------------


def apply_adjudications(
    study: Study, responses: Iterable[Response], adjudications: Adjudications
) -> list[Response]:
    """The responses as if every participant had given the adjudicated answers.

    Answers to questions that would then not be asked are dropped, and so are responses that would
    then lack a required answer. If no response to an item is left, its decisions are incomplete,
    and the responses stay as they are.
    """
    items = {item.id: item for item in study.items}
    decided = {name for name, _ in adjudications if name in items}
    kept = []
    for name, given in responses_by_item(responses).items():
        changed = (
            _adjudicated_responses(study, items[name], given, adjudications)
            if name in decided
            else []
        )
        kept += changed or given
    return kept


def _adjudicated_responses(
    study: Study, item: StudyItem, responses: Iterable[Response], adjudications: Adjudications
) -> list[Response]:
    changed = []
    for response in responses:
        answers = _adjudicated_answers(study, item, response.answers, adjudications)
        if not any(response_problems(study, item, answers)):
            changed.append(msgspec.structs.replace(response, answers=answers))
    return changed


def _adjudicated_answers(
    study: Study, item: StudyItem, answers: Mapping[str, AnswerValue], adjudications: Adjudications
) -> dict[str, AnswerValue]:
    """A participant's answers replaced by the adjudicated ones, without questions not asked."""
    overlaid: dict[str, AnswerValue] = {}
    for question in study.questions:
        decision = adjudications.get((item.id, question.id))
        answer = answers.get(question.id) if decision is None else decision.value
        if answer is not None and is_asked(question, overlaid):
            overlaid[question.id] = answer
    return overlaid


# --- storage ---------------------------------------------------------------------------------


class AdjudicationStore:
    """The adjudications of a study, in the database of its responses.

    Each call opens its own connection, so that it can come from any thread.
    """

    def __init__(self, path: Path, study: Study) -> None:
        self.path = path
        self._study = study
        self._items = {item.id: item for item in study.items}
        self._is_prepared = False

    def all(self) -> dict[tuple[str, str], Adjudication]:
        """All adjudications, by item and question."""
        if not self.path.exists():
            return {}
        with self._open() as db:
            return _read_adjudications(db)

    def adjudicate(self, item: str, question: str, value: AnswerValue, by: str) -> Adjudication:
        """Store a decision, replacing an earlier one."""
        adjudication = Adjudication(
            study=self._study.name,
            item=item,
            question=question,
            value=value,
            by=by,
            at=datetime.now(UTC),
        )
        with self._open() as db, transaction(db):
            if self.put(db, [LocatedAdjudication("This decision", adjudication)], replace=True):
                record_action(db, time.time(), by, "settled", item, question)
        return adjudication

    def reopen(self, item: str, question: str, by: str = OWNER) -> bool:
        """Delete a decision; return whether there was one."""
        if not self.path.exists():
            return False
        with self._open() as db, transaction(db):
            deleted = db.execute(
                "DELETE FROM settlements WHERE item = ? AND question = ?", (item, question)
            )
            if deleted.rowcount:
                record_action(db, time.time(), by, "reopened", item, question)
            return deleted.rowcount > 0

    def put(
        self,
        db: sqlite3.Connection,
        decisions: Sequence[LocatedAdjudication],
        *,
        replace: bool = False,
    ) -> int:
        """Store decisions in the caller's transaction, and return how many are new.

        One that contradicts an earlier one is an error unless it may `replace` it.
        """
        if not decisions:
            return 0
        db.execute(_SCHEMA)
        new = self._new(decisions, _read_adjudications(db), replace=replace)
        db.executemany(
            "INSERT OR REPLACE INTO settlements VALUES (?, ?, ?)",
            ((each.item, each.question, to_json(each)) for each in new),
        )
        return len(new)

    def _new(
        self, decisions: Sequence[LocatedAdjudication], known: Adjudications, *, replace: bool
    ) -> list[Adjudication]:
        """The decisions that are not stored yet, checked."""
        after, new = dict(known), {}
        for location, adjudication in decisions:
            about = adjudication.item, adjudication.question
            earlier = after.get(about)
            if earlier is not None:
                if comparison_key(earlier.value) == comparison_key(adjudication.value):
                    continue
                if not replace:
                    raise InputError(
                        f"{location} settles {adjudication.question} of {adjudication.item} "
                        f"differently from {earlier.by}'s earlier decision; use --replace to take "
                        "the new one."
                    )
            self._check(location, adjudication)
            after[about] = new[about] = adjudication
        for location, adjudication in decisions:
            self._check_asked(location, adjudication, after)
        return list(new.values())

    def _check(self, location: str, adjudication: Adjudication) -> None:
        """Raise InputError for a decision that is no valid answer."""
        known = [each.id for each in self._study.questions]
        if adjudication.question not in known:
            raise InputError(
                f"{location}: {as_sentence(unknown_name('question', adjudication.question, known))}"
            )
        if adjudication.item not in self._items:
            raise InputError(
                f"{location}: {as_sentence(unknown_name('item', adjudication.item, self._items))}"
            )
        question, item = self._study.question(adjudication.question), self._items[adjudication.item]
        if isinstance(question, NoteQuestion):
            raise InputError(f"{location} settles {question.id}, which is a remark, not an answer.")
        if _asks_preference(question):
            raise InputError(
                f"{location} settles {question.id}, which asks for a preference: there is no "
                "right answer."
            )
        if adjudication.value == "":
            raise InputError(f"{location} settles {question.id} of {item.id} without an answer.")
        for fault in answer_problems(question, item, adjudication.value):
            raise InputError(f"{location} settles {item.id}: {question.id} {as_sentence(fault)}")

    def _check_asked(self, location: str, adjudication: Adjudication, known: Adjudications) -> None:
        """Raise InputError if the decision on an earlier question leaves this one unasked.

        Decisions that do not fit the current study are ignored.
        """
        question, item = self._study.question(adjudication.question), self._items[adjudication.item]
        for name, wanted in question.when.items():
            earlier = known.get((adjudication.item, name))
            if earlier is None or any(
                answer_problems(self._study.question(name), item, earlier.value)
            ):
                continue
            only = msgspec.structs.replace(question, when={name: wanted})
            if not is_asked(only, {name: earlier.value}):
                raise InputError(
                    f"{location} settles {question.id} of {item.id}, which is not asked given the "
                    f"decision on {name}; change the decision on {name}, or leave this one out."
                )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if not (self._is_prepared and self.path.exists()):
            # A database without the table of responses would be taken for another program's.
            ResponseStore(self.path).close()
            self._is_prepared = True
        with (
            explain_errors(self.path),
            closing(sqlite3.connect(self.path, isolation_level=None, timeout=10)) as db,
        ):
            db.execute(_SCHEMA)
            yield db


def _read_adjudications(db: sqlite3.Connection) -> dict[tuple[str, str], Adjudication]:
    rows = db.execute("SELECT settled FROM settlements ORDER BY item, question")
    found = (_decoder.decode(data) for (data,) in rows)
    return {(each.item, each.question): each for each in found}
