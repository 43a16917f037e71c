"""Workers judge as this process does, and what they cannot judge is judged here."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from epicene.core.errors import RunError
from epicene.core.records import Judgement
from epicene.runs import judgement_cache, judging_workers
from epicene.runs.judging_workers import (
    _PROGRAM,
    ItemRange,
    JudgedRange,
    JudgingWorkers,
    item_ranges,
)
from epicene.runs.plan import PlanReader
from epicene.runs.store import open_store
from epicene.runs.stored_run import RunJudgements, StoredRun, judge_range, read_run
from runs.conftest import Runner, run_suite

_NO_ITEM = 1 << 63  # SQLite has no number for it


@pytest.fixture(autouse=True)
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four workers, started after the first two ranges of two items."""
    monkeypatch.setattr(judging_workers, "_MIN_SECONDS", 0.0)
    monkeypatch.setattr(judging_workers, "_RANGE_SIZE", 2)
    monkeypatch.setattr(judgement_cache, "_CHUNK", 1_000_000)  # no cache
    monkeypatch.setenv("EPICENE_THREADS", "4")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[JudgingWorkers]:
    """All workers that were started."""
    found = []
    start = JudgingWorkers._start

    def noted(workers: JudgingWorkers) -> bool:
        is_running = start(workers)
        if is_running:
            found.append(workers)
        return is_running

    monkeypatch.setattr(JudgingWorkers, "_start", noted)
    return found


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A finished run of a suite that is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPICENE_THREADS", "1")
        return run_suite(
            "misgendering", tmp_path_factory.mktemp("workers") / "run", limit=8, model="ngram"
        )


def judged_here(run: StoredRun, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Judgement], str]:
    with monkeypatch.context() as patch:
        patch.setenv("EPICENE_THREADS", "1")
        return judged(run)


def judged(run: StoredRun) -> tuple[list[Judgement], str]:
    judgements = RunJudgements(run)
    return list(judgements), str(judgements.coverage)


def test_workers_judge_as_this_process_does(
    stored: StoredRun, started: list[JudgingWorkers], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = judged_here(stored, monkeypatch)
    assert not started
    assert judged(stored) == here
    assert started


def test_workers_that_cannot_open_the_run_are_not_used(
    stored: StoredRun, started: list[JudgingWorkers], tmp_path: Path
) -> None:
    with open_store(stored.folder) as store, JudgingWorkers(tmp_path, stored.suite) as workers:
        reader, sections = PlanReader(store, stored.suite, stored.protocol), store.sections()
        ranges = item_ranges(reader.count)
        judged = workers.judge(ranges, lambda each: judge_range(stored, reader, sections, each))
        assert len(list(judged)) == len(ranges)
    assert not started


def test_a_suite_that_only_this_process_knows_is_judged_here(
    do_run: Runner, started: list[JudgingWorkers], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = do_run()
    run = read_run(folder)
    assert judged(run) == judged_here(run, monkeypatch)
    assert not started


def test_what_dead_workers_leave_is_done_here(
    stored: StoredRun, started: list[JudgingWorkers], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = judged_here(stored, monkeypatch)
    made = []
    for judgement in RunJudgements(stored):
        made.append(judgement)
        if len(made) * 2 == len(here):
            (workers,) = started
            for worker in workers._workers or ():
                os.kill(worker._process.pid, signal.SIGKILL)
    assert made == here


def test_an_error_is_the_one_of_this_process(
    stored: StoredRun, started: list[JudgingWorkers]
) -> None:
    def here(items: ItemRange) -> JudgedRange:
        if items.first == _NO_ITEM:
            raise RunError("there is no such item")
        return JudgedRange(judgements=[], not_finite=0)

    with JudgingWorkers(stored.folder, stored.suite) as workers:
        judged = workers.judge([*item_ranges(6), ItemRange(_NO_ITEM, _NO_ITEM)], here)
        with pytest.raises(RunError, match="no such item"):
            list(judged)
    assert started


def test_workers_end_with_whoever_uses_them(
    stored: StoredRun, started: list[JudgingWorkers]
) -> None:
    judgements = iter(RunJudgements(stored))
    while not started:
        next(judgements)
    processes = [each._process for each in started[0]._workers or ()]
    assert len(processes) == 4
    judgements.close()  # type: ignore[attr-defined]
    assert all(each.returncode is not None for each in processes)


def test_a_suite_in_a_file_has_no_workers(stored: StoredRun, started: list[JudgingWorkers]) -> None:
    of_file = replace(stored, suite=replace(stored.suite, file=Path("suite.py")))
    assert judged(of_file)[0]
    assert not started


def test_workers_whose_imports_print_are_not_used(
    stored: StoredRun,
    started: list[JudgingWorkers],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = judged_here(stored, monkeypatch)
    monkeypatch.setattr(
        judging_workers, "_PROGRAM", f"print('welcome to this computer'); {_PROGRAM}"
    )
    assert judged(stored) == here
    assert not started


def test_a_store_that_must_be_copied_is_judged_here(
    stored: StoredRun, started: list[JudgingWorkers], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = stored.folder / "answers.sqlite-wal"
    monkeypatch.setattr("epicene.core.sqlite.is_read_only", lambda place: place == log.parent)
    monkeypatch.setattr("epicene.core.sqlite._header", lambda path: b"log" * (path == log))
    assert judged(stored)[0]
    assert not started


def test_a_file_that_cannot_be_read_here_is_no_dead_worker(
    stored: StoredRun, started: list[JudgingWorkers]
) -> None:
    def here(items: ItemRange) -> JudgedRange:
        if items.first == _NO_ITEM:
            raise PermissionError("a dictionary")
        return JudgedRange(judgements=[], not_finite=0)

    with JudgingWorkers(stored.folder, stored.suite) as workers:
        judged = workers.judge([*item_ranges(6), ItemRange(_NO_ITEM, _NO_ITEM)], here)
        with pytest.raises(PermissionError, match="a dictionary"):
            list(judged)
    assert started
