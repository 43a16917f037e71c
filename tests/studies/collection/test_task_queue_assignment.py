"""An item goes to as many people as are to judge it, whatever is left, taken back or imported."""

from __future__ import annotations

import sqlite3
from collections import Counter
from itertools import cycle
from pathlib import Path

import pytest

from epicene.studies.collection.assignment import NEXT_FREE_ITEM
from epicene.studies.collection.folder import RESPONSES_FILE, create_study_folder
from epicene.studies.collection.task_queue import NoTask, Task
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
    step,
    wanted,
    with_besides,
    work_of,
)


@pytest.mark.parametrize("shuffle", [True, False])
def test_without_leaving_each_item_gets_exactly_its_number(tmp_path: Path, shuffle: bool) -> None:
    with opened(small(30, judgements=3, shuffle=shuffle), tmp_path / "s") as queue:
        people = [f"p{number}" for number in range(9)]
        enter(queue, *people)
        for person in cycle(people):
            if not step(queue, person) and not any(step(queue, other) for other in people):
                break
        assert judged(queue) == wanted(queue) == [3] * 30


def test_no_item_is_with_more_people_than_it_wants(tmp_path: Path) -> None:
    with opened(small(4, judgements=2), tmp_path / "s") as queue:
        people = [f"p{number}" for number in range(12)]
        enter(queue, *people)
        given_ = [work for person in people if isinstance(work := work_of(queue, person), Task)]
        assert Counter(task.item.id for task in given_) == {f"i{number}": 2 for number in range(4)}


def test_what_is_left_unanswered_goes_to_others_and_a_late_answer_counts_once(
    tmp_path: Path,
) -> None:
    clock = Clock()
    with opened(small(1), tmp_path / "s", clock) as queue:
        enter(queue, "ann", "bob")
        late = work_of(queue, "ann")
        assert isinstance(late, Task)
        assert isinstance(work_of(queue, "bob"), NoTask)
        clock.now += LEASE - 1
        assert work_of(queue, "ann") == late  # who looks at it keeps it
        clock.now += LEASE - 1
        assert isinstance(work_of(queue, "bob"), NoTask)
        clock.now += 2
        taken = work_of(queue, "bob")
        assert isinstance(taken, Task)
        assert taken.item.id == "i0"
        assert isinstance(work_of(queue, "ann"), NoTask)
        assert answer(queue, "bob", taken) == "saved"
        assert answer(queue, "ann", late) == "saved"
        assert answer(queue, "ann", late) == "repeated"
        assert judged(queue) == [2]


def test_who_comes_back_before_others_goes_on_where_they_were(tmp_path: Path) -> None:
    clock = Clock()
    with opened(small(1), tmp_path / "s", clock) as queue:
        enter(queue, "ann", "bob")
        first = work_of(queue, "ann")
        clock.now += LEASE * 3
        assert work_of(queue, "ann") == first
        assert isinstance(work_of(queue, "bob"), NoTask)


def test_a_person_gets_at_most_so_many_and_the_checks_among_them(tmp_path: Path) -> None:
    with opened(with_besides(20, per_person=4), tmp_path / "s") as queue:
        enter(queue, "ann")
        while step(queue, "ann"):
            pass
        found = counts(queue)
        assert sum(count for name, count in found.items() if name.startswith("i")) == 4
        assert {name for name in found if not name.startswith("i")} == {
            "x1",
            "x2",
            "f1",
            "f2",
            "c1",
        }


def test_undo_takes_the_answer_back_and_offers_it_again(tmp_path: Path) -> None:
    with opened(small(3), tmp_path / "s") as queue:
        enter(queue, "ann")
        first = work_of(queue, "ann")
        assert isinstance(first, Task)
        answer(queue, "ann", first, "b")
        second = work_of(queue, "ann")
        assert queue.undo("ann", first.number)
        assert not queue.undo("ann", first.number)  # a second click
        assert judged(queue) == [0, 0, 0]
        again = work_of(queue, "ann")
        assert isinstance(again, Task)
        assert (again.number, again.item, again.answers) == (1, first.item, {"label": "b"})
        assert answer(queue, "ann", first, "b") == "conflict"  # a page from before
        assert answer(queue, "ann", again, "a") == "saved"
        assert work_of(queue, "ann") == second


def test_an_import_while_people_work_counts(tmp_path: Path) -> None:
    with opened(small(2), tmp_path / "s") as queue:
        enter(queue, "ann")
        task = work_of(queue, "ann")
        assert isinstance(task, Task)
        sheet = tmp_path / "sheet.csv"
        sheet.write_text(
            f"participant,item,label\nann,{task.item.id},b\nbob,i0,a\nbob,i1,a\n", "utf-8"
        )
        create_study_folder(tmp_path / "s", queue.study).import_file(sheet)
        assert isinstance(work_of(queue, "ann"), NoTask)
        assert answer(queue, "ann", task, "a") == "conflict"
        assert (queue.path.parent / RESPONSES_FILE).exists()
        check_counts(queue)


def test_the_choice_of_the_next_item_needs_no_scan(tmp_path: Path) -> None:
    with opened(small(5), tmp_path / "s") as queue, sqlite3.connect(queue.path) as db:
        values = {"list": "", "participant": "ann", "least": 0.0, "below": 2.0}
        plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {NEXT_FREE_ITEM}", values)]
        pending = db.execute(
            "EXPLAIN QUERY PLAN SELECT * FROM assignments WHERE participant = 'a'"
            " AND state <> 'answered' AND state <> 'withdrawn' ORDER BY number LIMIT 1"
        ).fetchone()[3]
    assert not any(step.startswith("SCAN") for step in plan)
    assert any("free_places" in step for step in plan)
    assert "assignments_pending" in pending


def test_a_queue_opened_again_continues(tmp_path: Path) -> None:
    clock = Clock()
    with opened(small(4), tmp_path / "s", clock) as queue:
        enter(queue, "ann")
        step(queue, "ann")
        before = work_of(queue, "ann")
    with opened(small(4), tmp_path / "s", clock) as queue:
        assert work_of(queue, "ann") == before
        check_counts(queue)
        while step(queue, "ann"):
            pass
        assert judged(queue) == [1] * 4


@pytest.mark.parametrize("lists", ["none", "given"])
def test_what_was_imported_is_not_asked_again(tmp_path: Path, lists: str) -> None:
    items = tuple(item(f"i{number}", list="A") for number in range(4))
    one = with_besides(0, items=items, lists=lists, judgements=2)
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("participant,item,label\nann,i1,b\nann,c1,b\nann,x2,b\n", "utf-8")
    create_study_folder(tmp_path / "s", one).import_file(sheet)
    with opened(one, tmp_path / "s") as queue:
        enter(queue, "ann")
        seen = []
        while not isinstance(work := work_of(queue, "ann"), NoTask):
            if isinstance(work, Task):
                seen.append(work.item.id)
            step(queue, "ann")
        assert sorted(seen) == ["f1", "f2", "i0", "i2", "i3", "x1"]
        check_counts(queue)


def test_who_shares_the_items_sees_all_checks_all_the_same(tmp_path: Path) -> None:
    with opened(with_besides(12), tmp_path / "s") as queue:
        people = ["ann", "bob", "cem", "dov"]
        enter(queue, *people)
        while any([step(queue, person) for person in people]):  # noqa: C419 (each of them)
            pass
        assert judged(queue) == [1] * 12
        found = counts(queue)
        assert [found[name] for name in ("f1", "f2", "c1")] == [4, 4, 4]
