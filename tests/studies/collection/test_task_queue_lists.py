"""Which list a person gets, and in which order they see what."""

from __future__ import annotations

import sqlite3
from itertools import pairwise
from pathlib import Path

from epicene.studies.collection.folder import StudyFolder, create_study_folder
from epicene.studies.collection.task_queue import NoTask, Task, TaskQueue
from epicene.studies.design.lists import items_by_list, presentation_order
from epicene.studies.design.schema import Study
from studies.collection.task_queue_people import (
    LEASE,
    Clock,
    answer,
    enter,
    item,
    judged,
    opened,
    small,
    step,
    with_besides,
    work_of,
)


def test_a_list_is_seen_in_the_persons_own_sequence(tmp_path: Path) -> None:
    items = tuple(item(f"i{number}", list="AB"[number % 2]) for number in range(10))
    one = with_besides(0, items=items, lists="given")
    with opened(one, tmp_path / "s") as queue:
        seen: dict[str, list[str]] = {}
        for person in ("ann", "bob"):
            enter(queue, person)
            seen[person] = []
            while not isinstance(work := work_of(queue, person), NoTask):
                if isinstance(work, Task):
                    seen[person].append(work.item.id)
                step(queue, person)
        lists = [
            [
                [each.id for each in presentation_order(one, part, person)]
                for part in items_by_list(one).values()
            ]
            for person in seen
        ]
        assert all(order[:2] == ["x1", "x2"] for order in seen.values())
        assert seen["ann"][2:] in lists[0]
        assert seen["bob"][2:] in lists[1]
        assert set(seen["ann"]) & set(seen["bob"]) == {"x1", "x2", "f1", "f2", "c1"}
        assert judged(queue) == [1] * 10


def test_who_shares_a_list_gets_what_is_left_of_it(tmp_path: Path) -> None:
    items = tuple(item(f"i{number}", list="A") for number in range(6))
    with opened(with_besides(0, items=items, lists="given"), tmp_path / "s") as queue:
        enter(queue, "ann", "bob", "cem")
        for person in ("ann", "bob") * 9:
            step(queue, person)
        while step(queue, "ann") or step(queue, "bob"):
            pass
        assert judged(queue) == [1] * 6
        assert isinstance(work_of(queue, "cem"), NoTask)


def test_who_saw_nothing_of_a_list_that_others_finished_gets_another(tmp_path: Path) -> None:
    items = tuple(item(f"i{number}", list="AB"[number]) for number in range(2))
    clock = Clock()
    with opened(with_besides(0, items=items, lists="given"), tmp_path / "s", clock) as queue:
        enter(queue, "ann", "bob")
        assert isinstance(work_of(queue, "ann"), Task)  # practice, and a list
        clock.now += LEASE + 1
        for person in ("bob", "ann"):
            while step(queue, person):
                pass
        assert judged(queue) == [1, 1]


def test_who_was_on_a_list_that_is_gone_gets_another(tmp_path: Path) -> None:
    def of(names: str) -> Study:
        items = tuple(item(f"i{n}", list=names[n % 2]) for n in range(6))
        return small(0, items=items, lists="given")

    folder = create_study_folder(tmp_path / "s", of("AB"))
    queue = TaskQueue(folder, lease=LEASE)
    enter(queue, "ann")
    step(queue, "ann")
    queue.close()
    queue = TaskQueue(StudyFolder(folder.path, of("CD")), lease=LEASE)
    assert isinstance(work_of(queue, "ann"), Task)
    assert queue.current_state("ann").max_tasks == 3
    queue.close()


def test_lists_fill_evenly(tmp_path: Path) -> None:
    items = tuple(item(f"i{number}", list="ABC"[number % 3]) for number in range(6))
    with opened(small(0, items=items, lists="given", judgements=4), tmp_path / "s") as queue:
        people = [f"p{number}" for number in range(12)]
        enter(queue, *people)
        for person in people:
            work_of(queue, person)
        with sqlite3.connect(queue.path) as db:
            held = dict(db.execute("SELECT list, count(*) FROM people GROUP BY list"))
        assert held == {"A": 4, "B": 4, "C": 4}


def test_orders_differ_between_people_and_stay_one_persons(tmp_path: Path) -> None:
    with opened(small(40, judgements=3), tmp_path / "s") as queue:
        orders: dict[str, list[str]] = {}
        for person in ("ann", "bob", "cem"):
            enter(queue, person)
            orders[person] = []
            while isinstance(work := work_of(queue, person), Task):
                assert work_of(queue, person) == work  # a reload draws nothing new
                orders[person].append(work.item.id)
                answer(queue, person, work)
        assert all(len(set(order)) == 40 for order in orders.values())
        assert len({tuple(order) for order in orders.values()}) == 3
        neighbours = [set(pairwise(order)) for order in orders.values()]
        assert len(neighbours[0] & neighbours[1]) < 10


def test_fixed_order_is_that_of_the_file(tmp_path: Path) -> None:
    with opened(small(12, judgements=2, shuffle=False), tmp_path / "s") as queue:
        enter(queue, "ann")
        order = []
        while isinstance(work := work_of(queue, "ann"), Task):
            order.append(work.item.id)
            answer(queue, "ann", work)
        assert order == [f"i{number}" for number in range(12)]
