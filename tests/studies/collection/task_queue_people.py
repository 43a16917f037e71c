"""People at the queue: small studies, a clock that is set by hand, and what they do there."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.task_queue import CurrentTask, Feedback, NoTask, Task, TaskQueue
from epicene.studies.design.schema import (
    ChoiceQuestion,
    Study,
    StudyItem,
    TextPanel,
    judgements_wanted,
)
from study_examples import en, options, study

LEASE = 100.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def item(name: str, **more: object) -> StudyItem:
    return msgspec.convert({"id": name, "fields": {"text": name}, **more}, StudyItem)


def small(count: int, **settings: object) -> Study:
    return study(
        (TextPanel(field="text"),),
        (ChoiceQuestion(id="label", ask=en("Which?"), options=options("a", "b")),),
        settings.pop("items", None) or tuple(item(f"i{number}") for number in range(count)),  # type: ignore[arg-type]
        **settings,
    )


def with_besides(count: int, **settings: object) -> Study:
    right = {"label": "a"}
    return small(
        count,
        practice=(item("x1", expected=right, feedback=en("a")), item("x2")),
        fillers=(item("f1"), item("f2")),
        checks=(item("c1", expected=right),),
        **settings,
    )


@contextmanager
def opened(study: Study, folder: Path, clock: Clock | None = None) -> Iterator[TaskQueue]:
    queue = TaskQueue(create_study_folder(folder, study), lease=LEASE, clock=clock or Clock())
    try:
        yield queue
    finally:
        queue.close()


def enter(queue: TaskQueue, *people: str) -> None:
    for person in people:
        assert queue.participants.enter(person, "personal")
        queue.participants.begin(person)


def work_of(queue: TaskQueue, person: str) -> CurrentTask:
    return queue.current_state(person).work


def answer(queue: TaskQueue, person: str, task: Task, choice: str = "a") -> str:
    return queue.answer(person, task.number, task.revision, {"label": choice})


def step(queue: TaskQueue, person: str) -> bool:
    """One step of a person; whether there was anything to do."""
    work = work_of(queue, person)
    if isinstance(work, Task):
        assert answer(queue, person, work) == "saved"
    elif isinstance(work, Feedback):
        queue.acknowledge_feedback(person, work.number)
    return not isinstance(work, NoTask)


def counts(queue: TaskQueue) -> Counter[str]:
    """How many responses an item has, told from the responses alone."""
    with sqlite3.connect(queue.path) as db:
        return Counter(name for (name,) in db.execute("SELECT item FROM responses"))


def judged(queue: TaskQueue) -> list[int]:
    found = counts(queue)
    return [found[item.id] for item in queue.study.items]


def wanted(queue: TaskQueue) -> list[int]:
    return [judgements_wanted(queue.study, item) for item in queue.study.items]


def state_of(queue: TaskQueue, person: str, task: Task) -> str:
    with sqlite3.connect(queue.path) as db:
        query = "SELECT state FROM assignments WHERE participant = ? AND number = ?"
        (state,) = db.execute(query, (person, task.number)).fetchone()
    return str(state)


def check_counts(queue: TaskQueue) -> None:
    """The counts that the database keeps are those of its rows."""
    with sqlite3.connect(queue.path) as db:
        for name, given_, out in db.execute("SELECT item, given, out FROM places"):
            assert (given_,) == db.execute(
                "SELECT count(*) FROM responses WHERE item = ?", (name,)
            ).fetchone()
            assert (out,) == db.execute(
                "SELECT count(*) FROM assignments WHERE item = ? AND state = 'out'", (name,)
            ).fetchone()
        numbers = db.execute("SELECT participant, number FROM assignments").fetchall()
        assert len(set(numbers)) == len(numbers)
