"""A sweep does all its runs, goes on after a failure and after a kill, and keeps one model."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import two_stage
from epicene.core import registry
from epicene.core.errors import RunError
from epicene.core.records import to_json
from epicene.models import (
    Model,
    ModelDescription,
    ModelOptions,
    ModelSpec,
    model_kind,
    open_model,
    parse_spec,
)
from epicene.runs.executors import CachingExecutor, Executor
from epicene.runs.manifest import Manifest
from epicene.runs.run import end_session
from epicene.runs.stored_run import read_run
from epicene.runs.summary import summarise
from epicene.runs.sweep.forecast import Forecaster
from epicene.runs.sweep.matrix import expand_plan
from epicene.runs.sweep.plan import read_plan
from epicene.runs.sweep.runner import RunState, SweepConfig, SweepState, run_sweep
from epicene.show.results_document import results_document
from runs.conftest import Silent
from runs.killable_runs import ForkServer
from sweep_plans import plan

TWO_WAYS = partial(plan, protocols=("epicene", "paper"), limit=8, reader="scripted:r")


class Told(Silent):
    """Remembers how the runs began and ended."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, int, int, int]] = []
        self.ended: list[RunState] = []
        self.said: list[str] = []

    def show_message(self, sentence: str) -> None:
        """Something a person should know."""
        self.said.append(sentence)

    def start_run(self, title: str, number: int, runs: int, requests: int) -> None:
        """A run begins."""
        self.begun.append((title, number, runs, requests))

    def finish_run(self, state: RunState) -> None:
        """The run ended."""
        self.ended.append(state)


class Opened:
    """Opens models, notes which, and breaks at one."""

    def __init__(self, broken: str = "") -> None:
        self.specs: list[str] = []
        self._broken = broken

    def __call__(self, spec: ModelSpec) -> Model:
        """Open one."""
        self.specs.append(spec.name)
        if self._broken and spec.name == self._broken:
            raise ValueError("no such luck")
        return open_model(spec)


class Heavy(two_stage.Scripted):
    """Notes when it is loaded and let go."""

    def __init__(self, name: str, options: ModelOptions, log: list[str]) -> None:
        super().__init__(name, options)
        self._log = log
        self._noted = 0
        log.append(f"+{name}")

    def notes(self) -> dict[str, object]:
        """A number that grows."""
        self._noted += 1
        return {"noted": self._noted}

    def close(self) -> None:
        """It is let go."""
        self._log.append(f"-{self._name}")


@pytest.fixture
def loads() -> list[str]:
    """What of the kind `heavy`, whose models are loaded on demand, was loaded and let go."""
    log: list[str] = []

    def foresee(name: str, options: ModelOptions) -> ModelDescription:
        model = two_stage.Scripted(name, options)
        return ModelDescription(model.identity, model.verbs)

    @model_kind(describe=foresee)
    def open_heavy(name: str, options: ModelOptions) -> Model:
        return Heavy(name, options, log)

    registry.add("models", "heavy", open_heavy)
    return log


def do_sweep(
    tmp_path: Path, text: str = "", executor: Executor = open_model, told: Told | None = None
) -> SweepState:
    """A whole sweep."""
    path = tmp_path / "plan.toml"
    path.write_text(text or TWO_WAYS(), encoding="utf-8")
    file = read_plan(path)
    runs = tmp_path / "out" / "runs"
    forecaster = Forecaster(runs, file.plan.limits.max_cost)
    forecasts = [forecaster.forecast(each) for each in expand_plan(file, runs)]
    config = SweepConfig("plan.toml", tmp_path / "out", forecasts, file.plan.limits)
    return run_sweep(config, told or Told(), executor)


def test_all_runs_are_done_and_those_of_a_model_together(tmp_path: Path) -> None:
    told = Told()
    state = do_sweep(tmp_path, told=told)
    assert [run.state for run in state.runs] == ["complete"] * 4
    assert [run.model for run in state.runs] == ["scripted:a"] * 2 + ["scripted:b"] * 2
    # The protocol `epicene` reads three samples and `paper` two, each of eight items.
    assert [run.answered for run in state.runs] == [8 + 24, 8 + 16] * 2
    assert [each[1:] for each in told.begun] == [(n, 4, 32 if n % 2 else 24) for n in (1, 2, 3, 4)]
    assert told.ended == list(state.runs)
    assert state.unfinished == ()
    written = json.loads((tmp_path / "out/sweep.json").read_bytes())
    assert written == json.loads(to_json(state))


def test_a_model_is_loaded_once_for_all_its_runs(tmp_path: Path, loads: list[str]) -> None:
    text = TWO_WAYS("heavy:a", "heavy:b")
    state = do_sweep(tmp_path, text)
    assert [run.state for run in state.runs] == ["complete"] * 4
    assert loads == ["+a", "-a", "+b", "-b"]
    loads.clear()
    assert do_sweep(tmp_path, text).unfinished == ()
    assert loads == [], "what is done needs no model"


def test_again_nothing_is_opened_and_no_session_is_added(tmp_path: Path) -> None:
    before = do_sweep(tmp_path)
    opened, told = Opened(), Told()
    state = do_sweep(tmp_path, executor=opened, told=told)
    assert opened.specs == []
    assert told.begun == []
    assert [run.answered for run in state.runs] == [run.answered for run in before.runs]
    for run in state.runs:
        assert len(read_run(Path(run.folder)).manifest.sessions) == 1


def test_a_run_that_fails_does_not_keep_the_others(tmp_path: Path) -> None:
    state = do_sweep(tmp_path, executor=Opened(broken="a"))
    assert [run.state for run in state.runs] == ["failed", "failed", "complete", "complete"]
    assert state.runs[0].why == "ValueError: no such luck"
    assert [run.title for run in state.unfinished] == [run.title for run in state.runs[:2]]
    mended = do_sweep(tmp_path)
    assert [run.state for run in mended.runs] == ["complete"] * 4


def test_failed_requests_leave_a_run_incomplete_with_the_reason(tmp_path: Path) -> None:
    text = TWO_WAYS("scripted:a", "scripted:b-failing", limit=30)
    state = do_sweep(tmp_path, text)
    assert [run.state for run in state.runs] == ["complete"] * 2 + ["incomplete"] * 2
    assert state.runs[2].why == "told to fail"
    assert state.runs[2].failed > 0


def test_stopped_by_hand_it_says_where(tmp_path: Path) -> None:
    class Stopping(Told):
        def advance(self, answered: int, failed: int) -> None:
            if len(self.begun) == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        do_sweep(tmp_path, told=Stopping())
    written = json.loads((tmp_path / "out/sweep.json").read_bytes())
    states = [run["state"] for run in written["runs"]]
    assert states == ["complete", "interrupted", "open", "open"]
    assert written["ended"] == ""


def test_no_run_begins_when_the_hours_are_over(tmp_path: Path) -> None:
    told = Told()
    state = do_sweep(tmp_path, TWO_WAYS(limits="max_hours = 0"), told=told)
    assert [run.state for run in state.runs] == ["open"] * 4
    assert told.said == ["max_hours has passed; 4 runs are left."]
    assert len(state.unfinished) == 4


def test_a_run_whose_manifest_breaks_meanwhile_does_not_keep_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Breaking(Told):
        def advance(self, answered: int, failed: int) -> None:
            if len(self.begun) == 1:
                (manifest,) = tmp_path.glob("out/runs/*/manifest.json")
                manifest.write_text("{", encoding="utf-8")
                raise OSError("the disk is gone")

    def finished(manifest: Manifest, *rest: Any) -> Manifest:
        if manifest.models["writer"][0].label == "scripted-a":
            raise RunError("the disk is gone")
        return end_session(manifest, *rest)

    monkeypatch.setattr("epicene.runs.run.end_session", finished)
    state = do_sweep(tmp_path, plan(), told=Breaking())
    assert [each.state for each in state.runs] == ["failed", "complete"]
    assert state.runs[0].why == "OSError: the disk is gone"


# --- the model that is kept --------------------------------------------------------------------


def test_one_model_is_kept_until_another_is_wanted(loads: list[str]) -> None:
    executor = CachingExecutor(open_model)
    first = executor(parse_spec("heavy:a"))
    first.close()
    again = executor(parse_spec("heavy:a"))
    assert again is first
    assert again.notes() == {"before_this_run": {"noted": 1}, "with_this_run": {"noted": 2}}
    beside = executor(parse_spec("heavy:b"))
    assert loads == ["+a", "+b"], "the first is in use"
    beside.close()
    assert loads == ["+a", "+b", "-b"], "a second one is not kept"
    again.close()
    executor(parse_spec("scripted:r")).close()
    assert executor(parse_spec("heavy:a")) is first, "what takes no room does not turn it out"
    first.close()
    executor(parse_spec("heavy:a?label=other"))
    assert loads == ["+a", "+b", "-b", "-a", "+a"], "let go before another takes its place"
    executor.evict()
    assert loads[-1] == "-a"


@pytest.mark.parametrize("spec", ["ngram", "random", "openai:x?base_url=http://localhost:1/v1"])
def test_one_that_learns_is_paid_or_takes_no_time_belongs_to_its_run(spec: str) -> None:
    executor = CachingExecutor(open_model)
    one = executor(parse_spec(spec))
    one.close()
    assert executor(parse_spec(spec)) is not one


def test_a_model_that_broke_is_loaded_anew(
    tmp_path: Path, loads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Heavy, *_: object) -> Any:
        raise RunError("out of memory")

    monkeypatch.setattr(Heavy, "answer", broken)
    state = do_sweep(tmp_path, TWO_WAYS("heavy:a", "scripted:b"))
    assert [run.state for run in state.runs] == ["failed", "failed", "complete", "complete"]
    assert state.runs[0].why == "out of memory"
    assert loads == ["+a", "-a", "+a", "-a"]


# --- killed ------------------------------------------------------------------------------------


@pytest.fixture
def fork_server(tmp_path: Path) -> Iterator[ForkServer]:
    """A fork_server that knows the sweep."""
    process = ForkServer(
        tmp_path / "asked.log",
        tmp_path / "errors.log",
        "epicene.runs.sweep.runner",
        "epicene.show.run_report",
        "polars",
    )
    yield process
    process.close()


def tables(out: Path) -> dict[str, bytes]:
    """The tables of every run in a folder."""
    found = {}
    for folder in sorted((out / "runs").iterdir()):
        found[folder.name] = to_json(results_document(summarise([read_run(folder)])))
    return found


def test_killed_in_the_middle_it_goes_on_and_ends_the_same(
    tmp_path: Path, fork_server: ForkServer
) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        TWO_WAYS("scripted:a-slow", "scripted:b", reader="scripted:r-slow", limit=30),
        encoding="utf-8",
    )
    command = ["sweep", str(path), "--out"]
    log, errors = tmp_path / "asked.log", tmp_path / "errors.log"
    assert fork_server.run([*command, str(tmp_path / "whole")]) == 0, errors.read_text()
    every = log.read_text(encoding="utf-8").splitlines()
    log.unlink()

    out = tmp_path / "killed"
    state = out / "sweep.json"
    kills = 0
    for run in range(4):  # in the middle of every run, and of its second stage too

        def here(run: int = run) -> bool:
            states = json.loads(state.read_bytes())["runs"] if state.exists() else []
            if not states or states[run]["state"] != "running":
                return False
            time.sleep(0.05 * (1 + run % 3))
            return True

        kills += fork_server.run([*command, str(out)], kill_when=here) == -signal.SIGKILL
    assert kills >= 3, errors.read_text()
    assert fork_server.run([*command, str(out)]) == 0, errors.read_text()
    assert tables(out) == tables(tmp_path / "whole")
    ended = json.loads(state.read_bytes())
    assert [run["state"] for run in ended["runs"]] == ["complete"] * 4
    assert Path(ended["report"]).is_file()
    # A batch that was under way is computed again, and nothing else: seven requests a kill.
    asked = log.read_text(encoding="utf-8").splitlines()
    assert set(asked) == set(every)
    assert len(asked) - len(every) <= 7 * kills
