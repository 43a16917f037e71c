"""A complete run is not planned again when its command is repeated."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from epicene.core.files import IMAGES_FOLDER
from epicene.runs import completion, judgement_cache
from epicene.runs import run as running
from epicene.runs.estimate import RunEstimate
from epicene.runs.judgement_cache import COMPLETE_FILE
from runs.conftest import Runner, computed

Planned = Callable[[], int]


@pytest.fixture(autouse=True)
def _few_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion, "_ENOUGH_ANSWERS", 10)


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> Planned:
    """How many sections were planned since the last time."""
    count = 0
    execute = vars(running)["execute_section"]

    def counted(*args: object) -> None:
        nonlocal count
        count += 1
        execute(*args)

    def since() -> int:
        nonlocal count
        found, count = count, 0
        return found

    monkeypatch.setattr(running, "execute_section", counted)
    return since


def test_a_complete_run_is_planned_once(do_run: Runner, planned: Planned) -> None:
    folder, first = do_run()
    assert planned() == 3
    assert (folder / COMPLETE_FILE).exists()
    same, again = do_run()
    assert planned() == 0
    assert same == folder
    assert (again.counts, again.items, again.state) == (first.counts, first.items, "complete")
    assert len(again.sessions) == 2


def test_a_small_run_is_planned_each_time(
    do_run: Runner, planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completion, "_ENOUGH_ANSWERS", 10_000)
    folder, _ = do_run()
    assert not (folder / COMPLETE_FILE).exists()
    planned()
    do_run()
    assert planned() == 3


def test_what_is_left_is_told(do_run: Runner) -> None:
    do_run()
    told: list[RunEstimate] = []
    do_run(approve=told.append)
    (estimate,) = told
    assert estimate.workload.left == 0
    assert estimate.workload.answered > 0
    assert len(list(estimate.planned())) > 0


@pytest.mark.parametrize("part", ["_code_digest", "_installed_packages"], ids=["code", "packages"])
def test_another_version_plans_anew(
    do_run: Runner, planned: Planned, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    do_run()
    planned()
    monkeypatch.setattr(judgement_cache, part, lambda *_: "another")
    do_run()
    assert planned() == 3
    do_run()
    assert planned() == 0


def test_another_model_is_asked(do_run: Runner, planned: Planned) -> None:
    do_run(readers=("scripted:a",))
    planned()
    _, manifest = do_run(readers=("scripted:a", "scripted:b"))
    assert planned() == 3
    assert [each.answered for each in manifest.counts] == [60, 180, 180]
    do_run(readers=("scripted:b",))
    assert planned() == 0


def test_a_damaged_answer_is_asked_again(do_run: Runner, planned: Planned, log: Path) -> None:
    folder, first = do_run()
    planned()
    asked = len(computed(log))
    with closing(sqlite3.connect(folder / "answers.sqlite")) as db, db:
        db.execute("UPDATE answers SET name = 'x' WHERE place = (SELECT max(place) FROM answers)")
    _, again = do_run()
    assert planned() == 3
    assert again.counts == first.counts
    assert len(computed(log)) > asked


def test_a_run_with_images_is_verified_each_time(do_run: Runner, planned: Planned) -> None:
    folder, _ = do_run()
    planned()
    (folder / IMAGES_FOLDER).mkdir()
    do_run()
    assert planned() == 3
