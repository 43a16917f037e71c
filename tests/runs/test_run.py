"""A run plans, asks, stores, goes on, and never mixes what does not belong together."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import two_stage
from epicene.core.errors import InputError, RunError
from epicene.core.records import Request
from epicene.models import parse_spec
from epicene.results.summary import summarise
from epicene.runs.config import RunConfig
from epicene.runs.costs import CostTracker
from epicene.runs.estimate import RunEstimate
from epicene.runs.integrity import verify_run
from epicene.runs.manifest import read_manifest
from epicene.runs.run import lock_folder, run
from epicene.runs.store import AnswerStore
from epicene.runs.stored_run import RunJudgements, read_run, stored_items
from epicene.show.results_document import results_document
from epicene.suites import Stage
from runs.conftest import Runner, Silent, computed


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


@pytest.mark.parametrize(
    ("damage", "error", "message"),
    [
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


def test_a_run_stopped_between_stages_is_not_taken_for_whole(do_run: Runner) -> None:
    folder, _ = do_run(readers=("scripted:a",))
    with sqlite3.connect(folder / "answers.sqlite") as db:
        db.execute("DELETE FROM answers WHERE number > 60")
    judged = RunJudgements(read_run(folder))
    assert list(judged) == []
    assert (judged.coverage.items, judged.coverage.judged) == (60, 0)


def test_a_run_without_one_of_its_readers_is_incomplete(do_run: Runner) -> None:
    folder, _ = do_run(readers=("scripted:a", "scripted:b"))
    with sqlite3.connect(folder / "answers.sqlite") as db:
        db.execute("DELETE FROM answers WHERE number > 60 + 180")
    do_run(readers=("scripted:a",))
    judged = RunJudgements(read_run(folder))
    assert list(judged) == []
    _, mended = do_run(readers=("scripted:a", "scripted:b"))
    assert mended.state == "complete"


def test_runs_in_folders_of_one_name_get_distinct_labels(do_run: Runner, tmp_path: Path) -> None:
    one, _ = do_run(out=tmp_path / "x" / "run")
    other, _ = do_run(out=tmp_path / "y" / "run", seed=3)
    summary = summarise([read_run(one), read_run(other)])
    assert len({row.keys[0] for row in summary.tables[0].rows}) == 2


def test_judges_are_paired_by_identity(do_run: Runner, tmp_path: Path) -> None:
    from epicene.results.compare import compare_runs

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
    monkeypatch.setattr("epicene.runs.store.os.access", lambda *_: False)
    assert len(list(RunJudgements(read_run(folder)))) == 360
    assert (folder / "answers.sqlite").stat().st_mtime_ns == before


def test_a_larger_limit_asks_what_is_missing(do_run: Runner, log: Path) -> None:
    folder, small = do_run(limit=10)
    assert small.items == 10
    before = len(computed(log))
    again, whole = do_run()
    assert again == folder
    assert whole.items == 60
    assert len(computed(log)) - before == 50 * 7
    assert RunJudgements(read_run(folder)).frame(read_run(folder).info)["item"].n_unique() == 60
    with pytest.raises(InputError, match="contains this run with all items"):
        do_run(limit=10)


def test_each_item_is_asked_about_once_per_stage(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    stages = tuple(replace(stage, ask=_counting(stage, asked)) for stage in two_stage.suite.stages)
    suite = replace(two_stage.suite, stages=stages)
    models = {"writer": ["scripted:w"], "reader": ["scripted:a"]}
    config = RunConfig(
        suite=suite,
        protocol=suite.protocols["epicene"],
        models={role: [parse_spec(each) for each in specs] for role, specs in models.items()},
        under=tmp_path,
    )
    run(config, Silent())
    # To see which verbs are needed, to send, and to judge; the first also for the second stage.
    assert asked == {"write": 60 * 4, "reread": 60 * 3}


def _counting(stage: Stage[Any, Any], asked: Counter[str]) -> Callable[..., Iterable[Request]]:
    def ask(*given: Any) -> Iterable[Request]:
        asked[stage.name] += 1
        return stage.ask(*given)

    return ask


def test_a_run_that_never_got_an_answer_leaves_nothing(do_run: Runner, tmp_path: Path) -> None:
    def refuse(_estimate: RunEstimate) -> None:
        raise RunError("not now")

    with pytest.raises(RunError, match="not now"):
        do_run(out=tmp_path / "new", approve=refuse)
    assert not (tmp_path / "new").exists()


def test_an_estimate_counts_what_is_left(do_run: Runner) -> None:
    seen: list[RunEstimate] = []
    do_run(limit=10, approve=seen.append)
    do_run(limit=20, approve=seen.append)
    left = [(each.requests.total(), each.answered, each.later) for each in seen]
    # The readers' requests depend on what is written: at most so many.
    assert left == [(10 + 60, 0, 60), (10 + 60, 10 + 60, 60)]


def test_a_refused_larger_limit_keeps_the_run_as_it_was(do_run: Runner) -> None:
    def refuse(_estimate: RunEstimate) -> None:
        raise RunError("not now")

    folder, _ = do_run(limit=10)
    with pytest.raises(RunError, match="not now"):
        do_run(approve=refuse)
    assert len(list(stored_items(read_run(folder)))) == 10
    assert summarise([read_run(folder)]).runs[0].coverage.whole  # type: ignore[union-attr]


def test_one_model_does_not_count_as_two(do_run: Runner) -> None:
    with pytest.raises(InputError, match="names the same model twice, under different labels"):
        do_run(readers=("scripted:a", "scripted:a?label=another"))


def test_a_renamed_model_keeps_its_name_in_the_run(do_run: Runner) -> None:
    folder, _ = do_run(readers=("scripted:a",))
    again, manifest = do_run(readers=("scripted:a?label=another",))
    assert again == folder
    assert {count.model for count in manifest.counts} == {"scripted-w", "scripted-a"}
    assert not verify_run(folder).damage


def test_a_run_is_complete_only_with_all_its_models(do_run: Runner) -> None:
    folder, _ = do_run(readers=("scripted:a", "scripted:b-failing"))
    assert read_manifest(folder).state == "incomplete"
    _, manifest = do_run(readers=("scripted:a",))
    assert manifest.state == "incomplete"


def test_what_a_damaged_store_forgot_is_still_spent(tmp_path: Path) -> None:
    with closing(AnswerStore(tmp_path / "answers.sqlite", create=True)) as store:
        store.set_spent("model", 2.0)
        config, manifest = (
            SimpleNamespace(max_cost=None, spent_elsewhere=0.0),
            SimpleNamespace(spent=5.0),
        )
        for _ in range(2):  # it is not forgotten again
            assert CostTracker(store, {}, config, manifest, None).total() == pytest.approx(5.0)  # type: ignore[arg-type]
        assert sum(store.spent().values()) == pytest.approx(5.0)


def test_judgements_of_an_own_suite_are_not_read_back(do_run: Runner) -> None:
    """Its judge may be another now, whatever its version says."""
    folder, _ = do_run()
    assert RunJudgements(read_run(folder)).stored() is None
