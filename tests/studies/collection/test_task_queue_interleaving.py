"""Whatever people do in whatever order, each item gets its judgements and nobody any twice."""

from __future__ import annotations

import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.task_queue import Feedback, Task, TaskQueue
from epicene.studies.design.schema import Study, judgements_wanted
from studies.collection.task_queue_people import (
    LEASE,
    Clock,
    answer,
    check_counts,
    counts,
    enter,
    item,
    judged,
    opened,
    small,
    state_of,
    step,
    with_besides,
    work_of,
)

PEOPLE = ("ann", "bob", "cem", "dia", "eva", "fay")
NEWCOMERS = ("gus", "hal", "ian", "jan", "kai", "lea")


@st.composite
def studies(draw: st.DrawFn) -> Study:
    kind = draw(st.sampled_from(["none", "given", "rotated"]))
    count = draw(st.integers(1, 6))
    judgements = draw(st.integers(1, 2 if kind == "rotated" else 3))
    items = tuple(
        item(
            f"i{number}",
            list="AB"[number % 2],
            group=f"g{number // 2}",
            judgements=draw(st.sampled_from([None, None, 0, 1, 2])) if kind == "none" else None,
        )
        for number in range(count)
    )
    return with_besides(
        0,
        items=items,
        lists=kind,
        judgements=judgements,
        shuffle=draw(st.booleans()),
    )


class Crowd:
    """People who look, answer, go back and leave, as hypothesis has them."""

    def __init__(self, queue: TaskQueue, clock: Clock, data: st.DataObject) -> None:
        self.queue, self.clock, self.data = queue, clock, data
        self.shown: dict[str, dict[int, Task]] = {person: {} for person in PEOPLE}
        self.late = Counter[str]()
        enter(queue, *PEOPLE)

    def act(self) -> None:
        acts = [self.look, self.answer_any, self.undo, self.wait]
        chosen = self.data.draw(st.sampled_from(acts), label="what")
        chosen(self.data.draw(st.sampled_from(PEOPLE), label="who"))
        check_counts(self.queue)

    def look(self, person: str) -> None:
        work = work_of(self.queue, person)
        if isinstance(work, Task):
            self.shown[person][work.number] = work
        elif isinstance(work, Feedback):
            self.queue.acknowledge_feedback(person, work.number)

    def answer_any(self, person: str) -> None:
        """Whatever page is open somewhere, however old, is sent, and perhaps twice."""
        if not self.shown[person]:
            return
        pages = list(self.shown[person].values())
        task = self.data.draw(st.sampled_from(pages), label="which")
        before = counts(self.queue)
        late = state_of(self.queue, person, task) in ("lapsed", "withdrawn")
        kept = answer(self.queue, person, task)
        more = counts(self.queue) - before
        assert more == ({task.item.id: 1} if kept == "saved" else {})
        if self.data.draw(st.booleans(), label="again"):
            again = answer(self.queue, person, task)
            assert again == ("conflict" if kept == "conflict" else "repeated")
        self.late[task.item.id] += late and kept == "saved"

    def undo(self, person: str) -> None:
        last = self.queue.current_state(person).undo
        assert last is None or self.queue.undo(person, last)

    def wait(self, _person: str) -> None:
        self.clock.now += self.data.draw(st.sampled_from([1.0, 60.0, LEASE + 1]), label="seconds")


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(study=studies(), data=st.data())
def test_any_order_of_acts_gives_each_item_its_judgements(
    study: Study, data: st.DataObject
) -> None:
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder, opened(study, Path(folder) / "s", clock) as queue:
        crowd = Crowd(queue, clock, data)
        for _ in range(data.draw(st.integers(0, 40), label="acts")):
            crowd.act()
        clock.now += LEASE + 1
        enter(queue, *NEWCOMERS)  # in place of who left a list half done
        for person in (*PEOPLE, *NEWCOMERS, *PEOPLE):
            while step(queue, person):
                pass
        for each in study.items:
            found, needed = counts(queue)[each.id], judgements_wanted(study, each)
            assert needed <= found <= needed + crowd.late[each.id]
        check_counts(queue)


def test_many_at_once_through_several_processes_would_be_as_one(tmp_path: Path) -> None:
    one = small(40, judgements=5)
    folder = create_study_folder(tmp_path / "s", one)

    def work(number: int) -> None:
        queue = TaskQueue(folder, lease=LEASE)
        people = [f"p{number}-{each}" for each in range(5)]
        enter(queue, *people)
        while any([step(queue, person) for person in people]):  # noqa: C419 (each of them)
            pass
        queue.close()

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(work, range(6)))
    with opened(one, tmp_path / "s") as queue:
        assert judged(queue) == [5] * 40
