"""Where annotators disagree, and what the owner of the study decided there.

Adjudicated answers have a table of their own beside the responses. They never count as a rater's;
labels are taken as if everybody had given them.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Record, to_json
from epicene.core.sqlite import transaction
from epicene.studies.collection.database import ResponseStore, explain_errors
from epicene.studies.design.answers import (
    answer_problems,
    as_sentence,
    comparison_key,
    is_asked,
    response_problems,
    unknown_name,
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

# By item and question.
Adjudications: TypeAlias = "Mapping[tuple[str, str], Adjudication]"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS settlements (
    item TEXT NOT NULL, question TEXT NOT NULL, settled BLOB NOT NULL,
    PRIMARY KEY (item, question)
) WITHOUT ROWID
"""

_decoder = msgspec.json.Decoder(Adjudication)


class Disagreement(Record, frozen=True, kw_only=True):
    """A question to which people gave different answers about an item, by person.

    None gave any where the settled answers to earlier questions make it asked after all.
    """

    item: StudyItem
    question: str
    answers: dict[str, AnswerValue]


def disagreements(
    study: Study, responses: Iterable[Response], settled: Adjudications
) -> list[Disagreement]:
    """What is still to be settled, in the order of the items and the questions.

    There is nothing to settle in remarks and preferences. Of a question that depends on another,
    only the answers of those count whom it would be asked given what is settled.
    """
    by_item = _by_item(responses)
    return [
        disagreement
        for item in study.items
        for disagreement in _item_disagreements(study, item, by_item[item.id], settled)
    ]


def why_no_adjudication(study: Study) -> str:
    """Why no answer to the study can be settled, in a sentence; empty where one can be."""
    asked = study.questions
    if any(map(_has_right_answer, asked)) or not any(map(_asks_preference, asked)):
        return ""
    return "People are asked what they prefer: no answer is the right one, so none can be settled."


def _has_right_answer(question: Question) -> bool:
    return not isinstance(question, NoteQuestion) and not _asks_preference(question)


def _asks_preference(question: Question) -> bool:
    return isinstance(question, ChoiceQuestion) and question.preference


def _by_item(responses: Iterable[Response]) -> defaultdict[str, list[Response]]:
    by_item = defaultdict(list)
    for response in responses:
        by_item[response.item].append(response)
    return by_item


def _item_disagreements(
    study: Study, item: StudyItem, responses: Sequence[Response], settled: Adjudications
) -> Iterator[Disagreement]:
    given = {
        each.participant: _adjudicated_answers(study, item, each.answers, settled)
        for each in sorted(responses, key=lambda each: each.participant)
    }
    for question in study.questions:
        if not _has_right_answer(question) or (item.id, question.id) in settled:
            continue
        said = {
            who: answers[question.id] for who, answers in given.items() if question.id in answers
        }
        differ = len({comparison_key(answer) for answer in said.values()}) > 1
        # By what was settled alone: where the study was changed, people may lack any answer.
        lacking = (
            question.required
            and not said
            and any((item.id, name) in settled for name in question.when)
            and any(is_asked(question, answers) for answers in given.values())
        )
        if differ or lacking:
            yield Disagreement(item=item, question=question.id, answers=said)


# --- what labels are taken from --------------------------------------------------------------


def apply_adjudications(
    study: Study, responses: Iterable[Response], settled: Adjudications
) -> list[Response]:
    """The responses as if everybody had given the settled answers: what labels are taken from.

    An answer to a question that would then not be asked is dropped. Who would have had to answer
    one that they were never asked says nothing of the item any more; if that is everybody, the
    settled answers are not complete, and the item stays as people left it.
    """
    items = {item.id: item for item in study.items}
    decided = {name for name, _ in settled if name in items}
    kept = []
    for name, given in _by_item(responses).items():
        changed = (
            _adjudicated_responses(study, items[name], given, settled) if name in decided else []
        )
        kept += changed or given
    return kept


def _adjudicated_responses(
    study: Study, item: StudyItem, responses: Iterable[Response], settled: Adjudications
) -> list[Response]:
    changed = []
    for response in responses:
        answers = _adjudicated_answers(study, item, response.answers, settled)
        if not any(response_problems(study, item, answers)):
            changed.append(msgspec.structs.replace(response, answers=answers))
    return changed


def _adjudicated_answers(
    study: Study, item: StudyItem, answers: Mapping[str, AnswerValue], settled: Adjudications
) -> dict[str, AnswerValue]:
    """One person's answers with the settled ones in their place, and none that is not asked."""
    overlaid: dict[str, AnswerValue] = {}
    for question in study.questions:
        decision = settled.get((item.id, question.id))
        answer = answers.get(question.id) if decision is None else decision.value
        if answer is not None and is_asked(question, overlaid):
            overlaid[question.id] = answer
    return overlaid


# --- keeping them ----------------------------------------------------------------------------


class AdjudicationStore:
    """The settled answers of a study, in the database of its responses.

    Each call opens the database for itself, so that any thread may make it.
    """

    def __init__(self, path: Path, study: Study) -> None:
        self.path = path
        self._study = study
        self._items = {item.id: item for item in study.items}

    def all(self) -> dict[tuple[str, str], Adjudication]:
        """All settled answers, by item and question."""
        if not self.path.exists():
            return {}
        with self._open() as db:
            return _read_adjudications(db)

    def settle(self, item: str, question: str, value: AnswerValue, by: str) -> Adjudication:
        """Decide what the answer is, in place of an earlier decision."""
        settled = Adjudication(
            study=self._study.name,
            item=item,
            question=question,
            value=value,
            by=by,
            at=datetime.now(UTC),
        )
        self.add([LocatedAdjudication("This decision", settled)], replace=True)
        return settled

    def unsettle(self, item: str, question: str) -> bool:
        """Take a decision back; whether there was one."""
        if not self.path.exists():
            return False
        with self._open() as db, transaction(db):
            gone = db.execute(
                "DELETE FROM settlements WHERE item = ? AND question = ?", (item, question)
            )
            return gone.rowcount > 0

    def add(self, decisions: Sequence[LocatedAdjudication], *, replace: bool = False) -> int:
        """Keep decisions, all or none; how many say something new.

        One that differs from an earlier one is refused, unless it may `replace` it.
        """
        with self._open() as db, transaction(db):
            return self.put(db, decisions, replace=replace)

    def put(
        self,
        db: sqlite3.Connection,
        decisions: Sequence[LocatedAdjudication],
        *,
        replace: bool = False,
    ) -> int:
        """As `add`, inside a transaction of the responses' database."""
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
        """Those that say something new."""
        after, new = dict(known), {}
        for place, settled in decisions:
            about = settled.item, settled.question
            earlier = after.get(about)
            if earlier is not None and comparison_key(earlier.value) == comparison_key(
                settled.value
            ):
                continue
            if earlier is not None and not replace:
                raise InputError(
                    f"{place} settles {settled.question} of {settled.item} otherwise than "
                    f"{earlier.by} did before; --replace takes the new decision."
                )
            self._check(place, settled)
            after[about] = new[about] = settled
        for place, settled in decisions:
            self._check_asked(place, settled, after)
        return list(new.values())

    def _check(self, place: str, settled: Adjudication) -> None:
        """Raise for a decision that no person's answer could be."""
        known = [each.id for each in self._study.questions]
        if settled.question not in known:
            raise InputError(
                f"{place}: {as_sentence(unknown_name('question', settled.question, known))}"
            )
        if settled.item not in self._items:
            raise InputError(
                f"{place}: {as_sentence(unknown_name('item', settled.item, self._items))}"
            )
        question, item = self._study.question(settled.question), self._items[settled.item]
        if isinstance(question, NoteQuestion):
            raise InputError(f"{place} settles {question.id}, which is a remark and no answer.")
        if _asks_preference(question):
            raise InputError(
                f"{place} settles {question.id}, which asks what people prefer: no answer is the "
                "right one."
            )
        if settled.value == "":
            raise InputError(f"{place} settles {question.id} of {item.id} by nothing.")
        for fault in answer_problems(question, item, settled.value):
            raise InputError(f"{place} settles {item.id}: {question.id} {as_sentence(fault)}")

    def _check_asked(self, place: str, settled: Adjudication, known: Adjudications) -> None:
        """Raise where the decision about an earlier question leaves this one unasked.

        One that fits the study no more is left out everywhere, and so decides nothing here.
        """
        question, item = self._study.question(settled.question), self._items[settled.item]
        for name, wanted in question.when.items():
            earlier = known.get((settled.item, name))
            if earlier is None or any(
                answer_problems(self._study.question(name), item, earlier.value)
            ):
                continue
            only = msgspec.structs.replace(question, when={name: wanted})
            if not is_asked(only, {name: earlier.value}):
                raise InputError(
                    f"{place} settles {question.id} of {settled.item}, which is not to be asked "
                    f"as {name} is settled; settle {name} otherwise, or leave this one."
                )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if not self.path.exists():
            ResponseStore(self.path).close()
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
