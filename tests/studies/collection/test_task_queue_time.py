"""How long an answer took is told from when its item was first shown, whatever happened since."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.studies.collection.folder import open_study_folder
from epicene.studies.collection.task_queue import Task, TaskQueue
from studies.collection.task_queue_people import LEASE, Clock, answer, enter, opened, small, work_of


def given(queue: TaskQueue, person: str) -> Task:
    work = work_of(queue, person)
    assert isinstance(work, Task)
    return work


def seconds(queue: TaskQueue) -> list[float | None]:
    return [each.seconds for each in open_study_folder(queue.path.parent).responses()]


@pytest.mark.parametrize("away", [6.0, 3 * LEASE])
def test_a_page_that_is_shown_again_knows_how_long_ago_it_was_first(
    away: float, tmp_path: Path
) -> None:
    clock = Clock()
    with opened(small(2), tmp_path / "s", clock) as queue:
        enter(queue, "ann")
        assert given(queue, "ann").elapsed == 0
        clock.now += away
        again = given(queue, "ann")
        assert again.elapsed == away
        clock.now += 2
        assert answer(queue, "ann", again) == "saved"
        assert seconds(queue) == [away + 2]


def test_an_answer_taken_back_and_given_again_took_as_long_as_both(tmp_path: Path) -> None:
    clock = Clock()
    with opened(small(2), tmp_path / "s", clock) as queue:
        enter(queue, "ann")
        clock.now += 1
        first = given(queue, "ann")
        clock.now += 4
        answer(queue, "ann", first)
        clock.now += 3
        assert queue.undo("ann", first.number)
        again = given(queue, "ann")
        assert again.elapsed == 7
        clock.now += 1
        answer(queue, "ann", again)
        assert seconds(queue) == [8]


def test_the_page_says_less_where_its_answer_had_to_wait(tmp_path: Path) -> None:
    clock = Clock()
    with opened(small(2), tmp_path / "s", clock) as queue:
        enter(queue, "ann")
        task = given(queue, "ann")
        clock.now += 60  # without a network
        queue.answer("ann", task.number, task.revision, {"label": "a"}, seconds=9.5)
        task = given(queue, "ann")
        clock.now += 5
        queue.answer("ann", task.number, task.revision, {"label": "a"}, seconds=3600.0)
        assert sorted(seconds(queue), key=str) == [5.0, 9.5]  # no more than can be
