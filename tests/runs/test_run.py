"""A run plans, asks, stores, goes on, and never mixes what does not belong together."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epicene.core.errors import InputError, RunError
from epicene.runs.estimate import RunEstimate
from epicene.runs.manifest import read_manifest
from epicene.runs.plan import PlanReader, Window
from epicene.runs.run import lock_folder
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.runs.summary import summarise
from epicene.show.results_document import results_document
from epicene.suites import Stage
from run_folders import edit_answers, edit_manifest
from runs.conftest import Runner, computed


def test_a_run_asks_everything_once(do_run: Runner, log: Path) -> None:
    folder, manifest = do_run()
    assert manifest.state == "complete"
    # 60 items: one request to the writer, three to each of two readers.
    assert len(computed(log)) == 60 + 60 * 3 * 2
    assert len(set(computed(log))) == len(computed(log))
    counts = {(c.stage, c.model): (c.total, c.answered, c.failed) for c in manifest.counts}
    assert counts == {
        ("write", "scripted-w"): (60, 60, 0),
        ("reread", "scripted-a"): (180, 180, 0),
        ("reread", "scripted-b"): (180, 180, 0),
    }
    assert manifest == read_manifest(folder)


def test_what_was_counted_before_is_not_planned_an_additional_time(
    do_run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[str] = []
    window = PlanReader.window

    def noted(self: PlanReader, stage: Stage[Any, Any], *args: Any) -> Window:
        planned.append(stage.name)
        return window(self, stage, *args)

    monkeypatch.setattr(PlanReader, "window", noted)
    _, manifest = do_run(approve=lambda _: None, readers=("scripted:a",))
    # What the readers are asked hangs on what was written, so that it could not be counted.
    assert planned == ["write", "reread", "reread"]
    assert [count.total for count in manifest.counts] == [60, 180]
    planned.clear()
    do_run(approve=lambda _: None, readers=("scripted:a",))  # stored answers are checked again
    assert planned == ["write", "reread"]


def test_a_section_has_as_many_requests_as_were_planned_not_as_were_counted(
    do_run: Runner,
) -> None:
    def miscount(estimate: RunEstimate) -> None:
        for key in estimate.workload.new:
            estimate.workload.new[key] += 5

    _, manifest = do_run(approve=miscount)
    assert manifest.counts[0].total == 60
    assert manifest.state == "complete"


def test_the_same_command_again_asks_nothing(do_run: Runner, log: Path) -> None:
    first, _ = do_run()
    before = computed(log)
    second, manifest = do_run()
    assert first == second
    assert computed(log) == before
    assert [session.state for session in manifest.sessions] == ["complete", "complete"]


def test_a_new_reader_asks_nothing_of_the_others(do_run: Runner, log: Path) -> None:
    folder, _ = do_run(out=None)
    before = len(computed(log))
    again, manifest = do_run(readers=("scripted:a", "scripted:b", "scripted:c"))
    assert again == folder
    new = computed(log)[before:]
    assert len(new) == 180
    assert {line.split()[0] for line in new} == {"c"}
    assert [identity.label for identity in manifest.models["reader"]] == [
        "scripted-a",
        "scripted-b",
        "scripted-c",
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"writer": "scripted:other"},
        {"settings": {"samples": "1"}},
        {"seed": 7},
        {"protocol": "paper"},
        {"limit": 10},
        {"languages": ("en",)},
    ],
)
def test_anything_else_is_another_run(do_run: Runner, change: dict[str, object]) -> None:
    first, _ = do_run()
    second, _ = do_run(**change)
    assert first != second
    with pytest.raises(InputError, match="contains another run"):
        do_run(out=first, **change)


def test_other_data_is_another_run_wherever_it_lies(do_run: Runner, tmp_path: Path) -> None:
    from epicene.suites import DataSource

    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.txt").write_text("one")
    (tmp_path / "b.txt").write_text("two")
    here, _ = do_run(source=DataSource(path=tmp_path / "a.txt"))
    moved, _ = do_run(source=DataSource(path=tmp_path / "deep" / "a.txt"))
    other, _ = do_run(source=DataSource(path=tmp_path / "b.txt"))
    assert here == moved
    assert here != other


def test_failed_requests_are_recorded_and_asked_again(do_run: Runner, log: Path) -> None:
    folder, manifest = do_run(writer="scripted:w-failing")
    assert manifest.state == "incomplete"
    failed = manifest.counts[0].failed
    assert 0 < failed < 60
    assert manifest.counts[0].reasons == ("told to fail",)
    # What hangs on a failed answer is not asked.
    assert manifest.counts[1].total == 3 * (60 - failed)
    judged = RunJudgements(read_run(folder))
    assert len(list(judged)) == 2 * 3 * (60 - failed)
    assert (judged.coverage.items, judged.coverage.judged) == (60, 60 - failed)
    # The model is the same, only well again: it is asked what is missing and no more.
    before = len(computed(log))
    again, mended = do_run(writer="scripted:w")
    assert again == folder
    assert mended.state == "complete"
    assert len(computed(log)) - before == failed + 2 * 3 * failed


def test_a_run_resumed_after_failures_equals_one_that_never_failed(
    do_run: Runner, tmp_path: Path
) -> None:
    whole, _ = do_run(out=tmp_path / "whole")
    do_run(writer="scripted:w-failing", out=tmp_path / "mended")
    mended, _ = do_run(out=tmp_path / "mended")
    one, other = (summarise([read_run(folder)]) for folder in (whole, mended))
    assert one.tables == other.tables
    assert one.metrics == other.metrics


def test_an_answer_to_another_request_is_refused(do_run: Runner) -> None:
    folder, _ = do_run()
    edit_answers(folder, "key = x'00' WHERE place = (SELECT min(place) FROM answers)")
    with pytest.raises(InputError, match="sends a different request"):
        do_run()


def test_a_run_is_read_without_models_or_data(do_run: Runner) -> None:
    folder, _ = do_run()
    moved = folder.rename(folder.parent / "moved")
    summary = summarise([read_run(moved)])
    assert summary.metrics["accuracy"].n == 60 * 3 * 2
    assert results_document(summary)["undetected"]["value"] == 0


def test_limit_takes_evenly_from_the_strata(do_run: Runner) -> None:
    folder, _ = do_run(limit=10)
    kinds = [judgement.facets["kind"] for judgement in RunJudgements(read_run(folder))]
    assert kinds.count("even") == kinds.count("odd") == 5 * 3 * 2


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"languages": ("eng",)}, "did you mean"),
        ({"languages": ("fr",)}, "no items in fr; it has en"),
        ({"readers": ("copy",)}, "asks its reader to score, which copy cannot"),
        ({"readers": ()}, "needs a model in the role reader"),
        ({"readers": ("scripted:a", "scripted:a")}, "names the same model twice"),
        (
            {"readers": ("scripted:a?label=same", "scripted:b?label=same")},
            "are called same; rename one",
        ),
    ],
)
def test_an_impossible_run_is_refused(
    do_run: Runner, config: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        do_run(**config)


def test_two_processes_do_not_share_a_folder(do_run: Runner, tmp_path: Path) -> None:
    with (
        lock_folder(tmp_path / "busy"),
        pytest.raises(RunError, match="Another process is using"),
    ):
        do_run(out=tmp_path / "busy")


def test_a_folder_of_another_version(do_run: Runner) -> None:
    folder, _ = do_run()
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"format": 2', '"format": 99', 1))
    with pytest.raises(InputError, match="another version of Epicene"):
        do_run(out=folder)
    with pytest.raises(InputError, match="another version of Epicene"):
        read_run(folder)


def set_version(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize(
    ("damage", "error", "message"),
    [
        (set_version, InputError, "another version of Epicene"),
        (lambda path: path.write_bytes(b"not a database at all" * 100), RunError, "is damaged"),
        (Path.unlink, InputError, r"There is no .*answers\.sqlite"),
    ],
)
def test_a_database_that_cannot_be_read_is_reported(
    do_run: Runner, damage: Callable[[Path], object], error: type[Exception], message: str
) -> None:
    folder, _ = do_run()
    damage(folder / "answers.sqlite")
    with pytest.raises(error, match=message):
        list(RunJudgements(read_run(folder)))


def test_answers_without_a_manifest_are_not_touched(do_run: Runner) -> None:
    folder, _ = do_run()
    (folder / "manifest.json").unlink()
    with pytest.raises(RunError, match="answers but no manifest"):
        do_run(out=folder)


def test_no_secret_is_written(
    do_run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-very-secret-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    folder, _ = do_run(
        command=f"epicene run --base-url http://me:{secret}@host/v1?api_key={secret}",
        labels={"note": f"with {secret}"},
        out=tmp_path / "out",
    )
    for path in folder.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path
    manifest = read_manifest(folder)
    assert manifest.labels == {"note": "with [secret]"}
    assert manifest.sessions[0].command.endswith("@host/v1?api_key=[secret]")


@pytest.mark.parametrize("value", ["scripted", "models", 'a"quote\\and more', "complete"])
def test_a_secret_that_is_an_ordinary_word_breaks_nothing(
    do_run: Runner, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", value)
    monkeypatch.setenv("GIT_AUTHOR_NAME", "manifest")
    folder, manifest = do_run(labels={"note": value}, command=f"epicene run {value}")
    assert read_manifest(folder) == manifest
    assert manifest.labels["note"] == "[secret]"
    assert value not in manifest.sessions[0].command
    again, _ = do_run()
    assert again == folder


def test_a_run_stopped_between_stages_is_not_taken_for_whole(do_run: Runner) -> None:
    folder, _ = do_run(readers=("scripted:a",))
    with sqlite3.connect(folder / "answers.sqlite") as db:
        db.execute("DELETE FROM answers WHERE place >> 48 = 2")
        db.execute("DELETE FROM sections WHERE id = 2")
    edit_manifest(folder, lambda manifest: manifest.update(counts=manifest["counts"][:1]))
    judged = RunJudgements(read_run(folder))
    assert list(judged) == []
    assert (judged.coverage.items, judged.coverage.judged) == (60, 0)


def test_a_run_without_one_of_its_readers_is_incomplete(do_run: Runner) -> None:
    folder, _ = do_run(readers=("scripted:a", "scripted:b"))
    with sqlite3.connect(folder / "answers.sqlite") as db:
        db.execute("DELETE FROM answers WHERE place >> 48 = 3")
        db.execute("DELETE FROM sections WHERE id = 3")
    _, manifest = do_run(readers=("scripted:a",))
    assert manifest.state == "incomplete"
    _, mended = do_run(readers=("scripted:a", "scripted:b"))
    assert mended.state == "complete"


def test_runs_in_folders_of_one_name_get_distinct_labels(do_run: Runner, tmp_path: Path) -> None:
    one, _ = do_run(out=tmp_path / "x" / "run")
    other, _ = do_run(out=tmp_path / "y" / "run", seed=3)
    summary = summarise([read_run(one), read_run(other)])
    assert len({row.keys[0] for row in summary.tables[0].rows}) == 2


def test_judges_are_paired_by_identity(do_run: Runner, tmp_path: Path) -> None:
    from epicene.runs.compare import compare_runs

    one, _ = do_run(out=tmp_path / "one", readers=("scripted:a", "scripted:b"))
    other, _ = do_run(out=tmp_path / "other", readers=("scripted:b", "scripted:a"))
    result = compare_runs(read_run(one), read_run(other))
    assert result.shared == 360
    assert result.changed == []


def test_a_folder_that_cannot_be_written_can_be_read(
    do_run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = do_run()
    before = (folder / "answers.sqlite").stat().st_mtime_ns
    monkeypatch.setattr("epicene.core.sqlite.os.access", lambda *_: False)
    assert len(list(RunJudgements(read_run(folder)))) == 360
    assert (folder / "answers.sqlite").stat().st_mtime_ns == before


def test_a_full_disk_is_named(do_run: Runner, tmp_path: Path) -> None:
    from epicene.core.records import Text, Texts
    from epicene.runs.store import AnswerStore

    store = AnswerStore(tmp_path / "small.sqlite", create=True)
    store._db.execute("PRAGMA max_page_count = 20")
    rows = [
        (request_id, "", b"k", Texts(texts=(Text(text="x" * 100_000),))) for request_id in range(10)
    ]
    with pytest.raises(RunError, match="All answers so far are stored"):
        store.put(rows)
    store.close()
