"""The judgements of a long run are kept, and never used for anything else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars
import pytest

from epicene.core.records import Judgement, to_json
from epicene.runs import judgement_cache, stored_run
from epicene.runs.judgement_cache import CACHE_FILE, FRAME_FILE
from epicene.runs.store import open_store
from epicene.runs.frames import judgement_frame
from epicene.runs.stored_run import RunJudgements, StoredRun, on_scored, read_run
from run_folders import edit_answers
from runs.conftest import Runner, run_suite


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgement_cache, "_CHUNK", 50)


@pytest.fixture
def run(do_run: Runner) -> StoredRun:
    folder, _ = do_run()
    return read_run(folder)


def judged(run: StoredRun) -> tuple[list[Judgement], int, str]:
    """The judgements of a run, for how many items the suite was asked, and the coverage."""
    asked = 0

    def count(_folder: Path, done: int, _total: int) -> None:
        nonlocal asked
        asked = done

    token = on_scored.set(count)
    try:
        judgements = RunJudgements(run)
        return list(judgements), asked, str(judgements.coverage)
    finally:
        on_scored.reset(token)


def test_judgements_are_scored_once(run: StoredRun) -> None:
    first, asked, coverage = judged(run)
    assert asked == 60
    again, asked, same = judged(run)
    assert asked == 0
    assert (again, same) == (first, coverage)


def test_a_few_judgements_are_not_cached(run: StoredRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgement_cache, "_CHUNK", 10_000)
    judged(run)
    assert not (run.folder / CACHE_FILE).exists()


def test_other_answers_are_scored_anew(run: StoredRun) -> None:
    first, _, _ = judged(run)
    edit_answers(
        run.folder, "answer = CAST(replace(answer, '-', '-9') AS BLOB) WHERE place >> 48 > 1"
    )
    other, asked, _ = judged(run)
    assert asked == 60
    assert other != first


@pytest.mark.parametrize("part", ["_code_digest", "_installed_packages"], ids=["code", "packages"])
def test_another_version_scores_anew(
    run: StoredRun, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    judged(run)
    monkeypatch.setattr(judgement_cache, part, lambda *_: "another")
    assert judged(run)[1] == 60


def test_another_protocol_scores_anew(do_run: Runner) -> None:
    one, two = (read_run(do_run(seed=seed)[0]) for seed in (0, 1))
    judged(one)
    (one.folder / CACHE_FILE).rename(two.folder / CACHE_FILE)
    assert judged(two)[1] == 60


def test_a_damaged_cache_is_not_used(run: StoredRun) -> None:
    first, _, _ = judged(run)
    path = run.folder / CACHE_FILE
    data = bytearray(path.read_bytes())
    for position in (0, len(data) // 2, len(data) - 1):
        damaged = bytearray(data)
        damaged[position] ^= 1
        path.write_bytes(damaged)
        again, asked, _ = judged(run)
        assert asked == 60
        assert again == first


@pytest.mark.parametrize("data", [b"", b"short", b"\0" * 16])
def test_a_file_that_is_no_cache_is_not_used(run: StoredRun, data: bytes) -> None:
    (run.folder / CACHE_FILE).write_bytes(data)
    assert judged(run)[1] == 60


def test_nothing_is_left_of_an_abandoned_reading(run: StoredRun) -> None:
    reading = iter(RunJudgements(run))
    for _ in range(120):
        next(reading)
    del reading
    assert not list(run.folder.glob(".judgements*"))
    assert not (run.folder / CACHE_FILE).exists()


def test_a_full_disk_only_means_no_cache(run: StoredRun, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", full)
    assert len(judged(run)[0]) == 360
    assert not (run.folder / CACHE_FILE).exists()


def test_a_disk_that_fills_up_while_writing_only_means_no_cache(
    run: StoredRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: judgement_cache.CacheWriter, _chunk: bytes) -> None:
        assert self._file is not None
        self._file.close()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(judgement_cache.CacheWriter, "_write", full)
    assert len(judged(run)[0]) == 360
    assert not list(run.folder.glob("*judgements*"))


def test_whole_numbers_stay_whole() -> None:
    made = [Judgement(item="a", counts={"edits": 3, "share": 0.5}, value=2)]
    packed = judgement_cache._encoder.encode(made)
    assert to_json(judgement_cache._chunks.decode(packed)) == to_json(made)


# --- the frame ----------------------------------------------------------------------------------


def framed(run: StoredRun) -> tuple[polars.DataFrame, int, str]:
    """The frame of a run, for how many items the suite was asked, and the coverage."""
    asked = 0

    def count(_folder: Path, done: int, _total: int) -> None:
        nonlocal asked
        asked = done

    token = on_scored.set(count)
    try:
        judgements = RunJudgements(run)
        return judgements.frame(run.info), asked, str(judgements.coverage)
    finally:
        on_scored.reset(token)


@pytest.mark.parametrize("chunk", [100, 360, 1000])
def test_a_kept_frame_is_the_same(
    run: StoredRun, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(stored_run, "_CHUNK_SIZE", chunk)
    first, asked, coverage = framed(run)
    assert asked == 60
    assert (run.folder / FRAME_FILE).exists()
    (run.folder / CACHE_FILE).unlink()
    again, asked, same = framed(run)
    assert asked == 0
    assert same == coverage
    assert again.equals(first)
    assert again.schema == first.schema
    evidence = run.suite.tabled_evidence
    assert again.equals(judgement_frame(RunJudgements(run), run.info, evidence))


def test_the_frame_of_other_answers_is_made_anew(run: StoredRun) -> None:
    first, _, _ = framed(run)
    edit_answers(
        run.folder, "answer = CAST(replace(answer, '-', '-9') AS BLOB) WHERE place >> 48 > 1"
    )
    other, asked, _ = framed(run)
    assert asked == 60
    assert not other.equals(first)


def test_a_damaged_frame_is_not_used(run: StoredRun) -> None:
    first, _, _ = framed(run)
    path = run.folder / FRAME_FILE
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert framed(run)[0].equals(first)


def test_the_frame_of_a_few_judgements_is_not_kept(
    run: StoredRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judgement_cache, "_CHUNK", 10_000)
    framed(run)
    assert not (run.folder / FRAME_FILE).exists()


def test_a_suite_of_a_few_functions_is_scored_each_time(tmp_path: Path) -> None:
    """What its functions import and read is not known, in a package as in a file."""
    run = run_suite("reflexives", tmp_path / "run")
    framed(run)
    _, asked, _ = framed(run)
    assert asked > 0
    assert not (run.folder / FRAME_FILE).exists()


def test_the_functions_that_ask_are_part_of_the_key(run: StoredRun) -> None:
    """A complete run is not planned again, so the key must show that its questions changed."""
    first, *others = run.suite.stages

    def key(ask: Any) -> bytes | None:
        suite = replace(run.suite, stages=(replace(first, ask=ask), *others))
        with open_store(run.folder) as store:
            return judgement_cache.cache_key(suite, run.manifest, store)

    assert key(first.ask) is not None
    assert key(others[0].ask) != key(first.ask)
    assert key(lambda *given: first.ask(*given)) is None
