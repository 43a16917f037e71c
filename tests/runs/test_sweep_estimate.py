"""What a sweep says it takes is what it then asks; limits refuse."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from epicene.runs.workload import Workload

import two_stage
from epicene.core import registry
from epicene.core.errors import InputError
from epicene.core.records import Draw, Generate, Message, Request, Score, Translate, verb
from epicene.models import Model, ModelOptions, parse_spec
from epicene.models.pricing import Budget, Price
from epicene.runs.config import RunConfig
from epicene.runs.plan import PlanReader
from epicene.runs.run import run
from epicene.runs.store import AnswerStore
from epicene.runs.stored_run import read_run
from epicene.runs.sweep.forecast import (
    Forecaster,
    RunForecast,
    SweepForecast,
    check_limits,
    total_forecast,
)
from epicene.runs.sweep.matrix import SweepRun
from epicene.runs.sweep.plan import SweepLimits
from epicene.suites import choose_protocol, find_suite
from runs.conftest import Silent


def sweep_run(
    tmp_path: Path, suite: str, models: dict[str, list[str]], settings: dict[str, str], limit: int
) -> SweepRun:
    """One run of a sweep."""
    found = find_suite(suite)
    protocol = choose_protocol(found, "epicene", settings, None)
    config = RunConfig(
        suite=found.for_protocol(protocol, models),
        protocol=protocol,
        models={role: [parse_spec(each) for each in specs] for role, specs in models.items()},
        limit=limit,
        under=tmp_path / "runs",
    )
    return SweepRun("model", suite, "epicene", "", config)


def two_stages(tmp_path: Path, *readers: str, writer: str = "scripted:w") -> SweepRun:
    """The two-stage suite, of which the second stage hangs on the first."""
    models = {"writer": [writer], "reader": list(readers or ("scripted:a", "scripted:b"))}
    return sweep_run(tmp_path, "two-stage", models, {"items": "20"}, 15)


def look(tmp_path: Path, each: SweepRun) -> RunForecast:
    """What is before a run."""
    return Forecaster(tmp_path / "runs").forecast(each)


def asked(folder: Path) -> list[Request]:
    """All requests of a run, by its own plan and with its own answers."""
    finished = read_run(folder)
    store = AnswerStore(folder / "answers.sqlite")
    reader = PlanReader(store, finished.suite, finished.protocol)
    stages = {stage.name: stage for stage in finished.suite.stages}
    found = [
        planned.request
        for section in store.sections()
        for planned in reader.window(stages[section.stage], section, 0, reader.count).planned
    ]
    store.close()
    return found


@pytest.mark.parametrize(
    ("suite", "models", "settings"),
    [
        ("misgendering", {"model": ["random"]}, {"samples": "2"}),
        ("alternations", {"model": ["random"]}, {}),
        ("genform", {"model": ["copy"]}, {}),
        ("apgc", {"model": ["random"], "translator": ["copy"]}, {}),
        ("gramvis", {"drawer": ["random"], "judges": ["random:1", "random:2"]}, {"shots": "2"}),
        ("two-stage", {"writer": ["scripted:w"], "reader": ["scripted:a", "scripted:b"]}, {}),
    ],
)
def test_what_is_counted_is_what_is_asked(
    tmp_path: Path, suite: str, models: dict[str, list[str]], settings: dict[str, str]
) -> None:
    each = sweep_run(tmp_path, suite, models, settings, 2)
    forecast = look(tmp_path, each)
    assert forecast.status == "open"
    assert not (tmp_path / "runs").exists(), "looking leaves nothing behind"
    folder, manifest = run(each.config, Silent())
    assert folder == forecast.folder
    assert manifest.state == "complete"
    requests = asked(folder)
    workload = forecast.workload
    assert workload is not None
    assert workload.requests == Counter(verb(request) for request in requests)
    assert workload.left == sum(count.answered for count in manifest.counts)
    assert workload.images == sum(each.shots for each in requests if isinstance(each, Draw))
    assert workload.tokens_written == sum(
        each.samples * each.decoding.max_new_tokens
        if isinstance(each, Generate)
        else each.decoding.max_new_tokens * isinstance(each, Translate)
        for each in requests
        if isinstance(each, Generate | Translate)
    )
    again = look(tmp_path, each)
    assert again.status == "complete"
    assert again.workload is not None
    assert (again.workload.left, again.workload.answered) == (0, workload.left)


def test_answers_without_what_the_next_stage_looks_for_only_make_it_less(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("the nurse said that she was tired\nthe day was long and the night was cold\n")
    models = {"model": [f"ngram:{text}"]}
    each = sweep_run(tmp_path, "misgendering", models, {"samples": "3", "new_tokens": "6"}, 4)
    workload = look(tmp_path, each).workload
    _, manifest = run(each.config, Silent())
    assert workload is not None
    first, second = manifest.counts
    assert workload.left - workload.later == first.total
    assert second.total is not None
    assert 0 < second.total < workload.later


class Stopped(Silent):
    """Ends a run after so many answers."""

    def __init__(self, after: int) -> None:
        self._left = after

    def advance(self, answered: int, failed: int) -> None:
        """Some requests were answered."""
        self._left -= answered
        if self._left <= 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("after", [7, 20, 60])
def test_of_a_run_that_was_stopped_the_rest_is_counted(tmp_path: Path, after: int) -> None:
    each = two_stages(tmp_path)
    whole = look(tmp_path, each).workload
    with pytest.raises(KeyboardInterrupt):
        run(each.config, Stopped(after))
    forecast = look(tmp_path, each)
    assert forecast.workload is not None
    assert whole is not None
    assert forecast.folder is not None
    with sqlite3.connect(forecast.folder / "answers.sqlite") as db:
        (answered,) = db.execute("SELECT count(*) FROM answers").fetchone()
    assert forecast.status == "open"
    assert forecast.workload.answered == answered
    assert forecast.workload.left == whole.left - answered


def test_failed_requests_are_asked_again_and_counted_so(tmp_path: Path) -> None:
    each = two_stages(tmp_path, "scripted:a", "scripted:b-failing")
    whole = look(tmp_path, each).workload
    _, manifest = run(each.config, Silent())
    failed = sum(count.failed for count in manifest.counts)
    workload = look(tmp_path, each).workload
    assert failed
    assert workload is not None
    assert whole is not None
    assert (workload.left, workload.answered) == (failed, whole.left - failed)


def test_another_judge_later_is_all_that_is_left(tmp_path: Path) -> None:
    run(two_stages(tmp_path).config, Silent())
    forecast = look(tmp_path, two_stages(tmp_path, "scripted:a", "scripted:b", "scripted:c"))
    assert forecast.status == "open"
    assert forecast.workload is not None
    assert forecast.workload.requests == {"score": 15 * 3}


def test_tokens_are_bytes_by_four_and_each_text_has_its_context() -> None:
    workload = Workload()
    chat = (Message(role="user", content="नर्स"),)
    workload.add(Score(item="1", texts=("abcd", "ef"), context=chat), None, stage="s", later=False)
    assert workload.bytes_read == 2 * 12 + 4 + 2
    assert workload.tokens_read == 8
    workload.add(Generate(item="1", prompt="abcdefg", samples=3), None, stage="s", later=True)
    assert workload.bytes_read == 30 + 21
    assert (workload.tokens_written, workload.later, workload.left) == (3 * 256, 1, 2)


# --- models that cannot, or cannot be reached ------------------------------------------------


def test_a_model_that_lacks_a_verb_cannot_be_run(tmp_path: Path) -> None:
    each = sweep_run(tmp_path, "alternations", {"model": ["copy"]}, {}, 10)
    forecast = look(tmp_path, each)
    assert (forecast.status, forecast.why) == ("cannot", "needs fill and score")
    judges = {"drawer": ["random"], "judges": ["random:1", "copy"]}
    forecast = look(tmp_path, sweep_run(tmp_path, "gramvis", judges, {}, 1))
    assert (forecast.status, forecast.why) == ("cannot", "needs look of its judges")
    with pytest.raises(InputError, match="the plan is strict: needs fill and score"):
        Forecaster(tmp_path, strict=True).forecast(each)


def test_a_model_that_cannot_be_opened_fails_only_its_own_runs(tmp_path: Path) -> None:
    absent = sweep_run(tmp_path, "genform", {"model": ["ngram:nowhere.txt"]}, {}, 2)
    forecast = look(tmp_path, absent)
    assert forecast.status == "failed"
    assert "nowhere.txt" in forecast.why


def test_one_run_twice_is_refused(tmp_path: Path) -> None:
    forecaster = Forecaster(tmp_path / "runs")
    forecaster.forecast(two_stages(tmp_path))
    with pytest.raises(InputError, match="are the same run"):
        forecaster.forecast(two_stages(tmp_path))


def test_a_damaged_store_keeps_only_its_own_run(tmp_path: Path) -> None:
    folder, _ = run(two_stages(tmp_path).config, Silent())
    (folder / "answers.sqlite").write_bytes(b"no database at all, but long enough" * 200)
    forecast = look(tmp_path, two_stages(tmp_path))
    assert forecast.status == "failed"
    assert "damaged" in forecast.why


# --- money -----------------------------------------------------------------------------------


class Charging(two_stage.Scripted):
    """Two dollars a request."""

    price = Price(prompt=1.0, completion=1.0)
    spent = 0.0

    def cost_of(self, _request: Request) -> float | None:
        """The same whatever is asked."""
        return 2.0

    def spend_from(self, budget: Budget) -> None:
        """It is never asked here."""


def test_cost_is_what_the_models_say(tmp_path: Path) -> None:
    def open_charging(name: str, options: ModelOptions) -> Model:
        return Charging(name, options)

    registry.add("models", "charging", open_charging)
    each = two_stages(tmp_path, "scripted:a", "charging:b")
    workload = look(tmp_path, each).workload
    assert workload is not None
    assert workload.cost == 2.0 * 15 * 3, "only one reader is paid"


# --- limits ----------------------------------------------------------------------------------


AHEAD = SweepForecast(
    runs=3,
    workload=Workload(
        requests=Counter(score=60, draw=40),
        bytes_read=4000,
        tokens_written=500,
        images=80,
        cost=3.0,
    ),
    seconds=7200.0,
    unknown=1,
)


@pytest.mark.parametrize(
    ("name", "most", "said"),
    [
        ("max_requests", 100, "100 requests, but max_requests is 99"),
        ("max_tokens", 1500, "1,500 tokens, but max_tokens is 1,499"),
        ("max_images", 80, "80 images, but max_images is 79"),
        (
            "max_cost",
            5,
            r"may cost \$3.00 in addition to the \$2.00 already spent, but max_cost is \$4.00",
        ),
        ("max_hours", 2, "about 2 hours, but max_hours is 1"),
    ],
)
def test_what_is_over_a_limit_is_refused(name: str, most: int, said: str) -> None:
    check_limits(SweepLimits(**{name: most}), AHEAD, spent=2.0)
    with pytest.raises(InputError, match=said):
        check_limits(SweepLimits(**{name: most - 1}), AHEAD, spent=2.0)


def test_all_together_is_the_sum(tmp_path: Path) -> None:
    forecaster = Forecaster(tmp_path / "runs")
    one = forecaster.forecast(two_stages(tmp_path))
    two = forecaster.forecast(two_stages(tmp_path, writer="scripted:v"))
    assert one.workload is not None
    assert two.workload is not None
    assert one.workload == two.workload
    ahead = total_forecast([one, two, RunForecast(one.sweep_run, "cannot", "needs wings")])
    assert ahead.runs == ahead.unknown == 2
    assert ahead.seconds is None
    assert ahead.workload.left == 2 * one.workload.left
    assert ahead.workload.bytes_read == 2 * one.workload.bytes_read
