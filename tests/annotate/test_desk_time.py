"""How long an answer took is told from when its item was first shown, whatever happened since."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotate.desk_people import LEASE, Clock, answer, enter, opened, small, work_of
from epicene.studies.collection.folder import open_study_folder
from epicene.studies.collection.task_queue import Task, TaskQueue


def given(desk: TaskQueue, person: str) -> Task:
    work = work_of(desk, person)
    assert isinstance(work, Task)
    return work


def seconds(desk: TaskQueue) -> list[float | None]:
    return [each.seconds for each in open_study_folder(desk.path.parent).responses()]


@pytest.mark.parametrize("away", [6.0, 3 * LEASE])
def test_a_page_that_is_shown_again_knows_how_long_ago_it_was_first(
    away: float, tmp_path: Path
) -> None:
    clock = Clock()
    with opened(small(2), tmp_path / "s", clock) as desk:
        enter(desk, "ann")
        assert given(desk, "ann").elapsed == 0
        clock.now += away
        again = given(desk, "ann")
        assert again.elapsed == away
        clock.now += 2
        assert answer(desk, "ann", again) == "saved"
        assert seconds(desk) == [away + 2]


def test_an_answer_taken_back_and_given_again_took_as_long_as_both(tmp_path: Path) -> None:
    clock = Clock()
    with opened(small(2), tmp_path / "s", clock) as desk:
        enter(desk, "ann")
        clock.now += 1
        first = given(desk, "ann")
        clock.now += 4
        answer(desk, "ann", first)
        clock.now += 3
        assert desk.undo("ann", first.number)
        again = given(desk, "ann")
        assert again.elapsed == 7
        clock.now += 1
        answer(desk, "ann", again)
        assert seconds(desk) == [8]


def test_the_page_says_less_where_its_answer_had_to_wait(tmp_path: Path) -> None:
    clock = Clock()
    with opened(small(2), tmp_path / "s", clock) as desk:
        enter(desk, "ann")
        task = given(desk, "ann")
        clock.now += 60  # without a network
        desk.answer("ann", task.number, task.revision, {"label": "a"}, seconds=9.5)
        task = given(desk, "ann")
        clock.now += 5
        desk.answer("ann", task.number, task.revision, {"label": "a"}, seconds=3600.0)
        assert sorted(seconds(desk), key=str) == [5.0, 9.5]  # no more than can be
