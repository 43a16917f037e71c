"""`epicene sweep`: all runs of a plan, resumed, limited in cost, and trials apart."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import two_stage
from app.conftest import Epicene
from epicene.app import session
from epicene.core import registry
from epicene.models import (
    Model,
    ModelDescription,
    ModelOptions,
    model_kind,
    open_model,
    parse_spec,
)
from epicene.models.http import model as remote
from epicene.models.openai.generation import PROBE
from epicene.runs.executors import CachingExecutor
from models.http.local_server import SHORT_WAITS, Asked, Reply, Server
from models.openai.openai_server import KEY, error
from sweep_plans import plan


def states(epicene: Epicene, *arguments: str, code: int = 0) -> dict[str, dict[str, Any]]:
    """The runs of the plan by model, after `epicene sweep`."""
    done = epicene("sweep", "plan.toml", "--json", *arguments)
    assert done.code == code, done.err
    return {run["title"].rpartition(" ")[2]: run for run in done.json["runs"]}


def test_a_sweep_is_counted_run_and_resumed(epicene: Epicene) -> None:
    Path("plan.toml").write_text(plan())
    counted = states(epicene, "--dry-run")
    assert {(run["state"], run["left"], run["cost"]) for run in counted.values()} == {
        ("new", 16, 0.0)
    }
    assert not Path("plan").exists(), "nothing is written by a dry run"
    done = states(epicene)
    assert [(run["state"], run["answered"]) for run in done.values()] == [("complete", 16)] * 2
    assert done["scripted:a"]["folder"] == "plan/runs/two-stage-epicene-scripted-a"
    assert states(epicene) == done
    again = epicene("sweep", "plan.toml")
    assert again.out.count("complete") == 2
    assert "`epicene report plan/runs/*`" in again.err


def test_a_run_that_fails_does_not_keep_the_others(epicene: Epicene) -> None:
    Path("plan.toml").write_text(plan("scripted:a-failing", "scripted:b", limit=30))
    done = states(epicene, code=1)
    assert [run["state"] for run in done.values()] == ["incomplete", "complete"]
    assert done["scripted:a-failing"]["why"] == "told to fail"
    # A model that cannot do what the suite asks, and a folder that holds something else.
    other = plan("sketch", "scripted:b", limit=30) + "[suites.settings]\nsamples = 9\n"
    Path("plan.toml").write_text(other)
    done = states(epicene, code=1)
    assert [run["state"] for run in done.values()] == ["failed", "failed"]
    assert "contains another run (different samples)" in done["scripted:b"]["why"]


def test_a_trial_never_pools_with_the_whole_runs(epicene: Epicene) -> None:
    """Each model would be counted twice."""
    Path("plan.toml").write_text(plan(limit=8))
    trial, whole = states(epicene, "--limit=2"), states(epicene)
    folders = [run["folder"] for run in (*trial.values(), *whole.values())]
    assert [Path(each).parent.as_posix() for each in folders] == ["plan/limit-2"] * 2 + [
        "plan/runs"
    ] * 2
    for command in ("tables", "report"):
        refused = epicene(command, *folders)
        assert refused.code == 2
        assert (
            f"{folders[0]} and {folders[2]} are one run with different limits (2 and 8), so its "
            "model would count twice; name only one of them."
        ) in refused.err
        assert epicene(command, *folders[2:]).code == 0


# --- one model for all its runs ----------------------------------------------------------------


class Heavy(two_stage.Scripted):
    """Notes when it is loaded and let go."""

    def __init__(self, name: str, options: ModelOptions, log: list[str]) -> None:
        super().__init__(name, options)
        self._log = log
        log.append(f"+{name}")

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


def test_a_model_is_loaded_once_for_all_its_runs(epicene: Epicene, loads: list[str]) -> None:
    Path("plan.toml").write_text(plan("heavy:a", "heavy:b", protocols=("epicene", "paper")))
    assert epicene("sweep", "plan.toml").code == 0
    assert loads == ["+a", "-a", "+b", "-b"]
    loads.clear()
    assert epicene("sweep", "plan.toml").code == 0
    assert loads == [], "what is complete needs no model"


def test_one_model_is_kept_until_another_is_wanted(loads: list[str]) -> None:
    executor = CachingExecutor(open_model)
    first = executor(parse_spec("heavy:a"))
    first.close()
    assert executor(parse_spec("heavy:a")) is first
    executor(parse_spec("heavy:b")).close()
    assert loads == ["+a", "+b", "-b"], "the first is in use, and a second one is not kept"
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
    epicene: Epicene, loads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Heavy, *_: object) -> Any:
        raise ValueError("no such luck")

    monkeypatch.setattr(Heavy, "answer", broken)
    Path("plan.toml").write_text(plan("heavy:a", protocols=("epicene", "paper")))
    done = epicene("sweep", "plan.toml", "--json")
    assert [(run["state"], run["why"]) for run in done.json["runs"]] == [
        ("failed", "ValueError: no such luck")
    ] * 2
    assert loads == ["+a", "-a"] * 2


# --- money ---------------------------------------------------------------------------------------

EACH = 8 * 0.20  # what a run costs: eight answers at 20 cents


def served(asked: Asked) -> Reply:
    """A short text, a thousand tokens read and a thousand written; the probe costs nothing."""
    if asked.prompt == PROBE:
        return error(400, "no tests")
    usage = {"prompt_tokens": 1000, "completion_tokens": 1000}
    return Reply(
        {"choices": [{"index": 0, "text": " so", "finish_reason": "length"}], "usage": usage}
    )


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server whose answers cost far more than can be foreseen."""
    monkeypatch.setattr(remote, "RetryPolicy", lambda: SHORT_WAITS)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server(served) as serving:
        yield serving


def test_a_limit_of_cost_is_for_all_runs_and_sessions(epicene: Epicene, server: Server) -> None:
    models = [
        f"openai:{name}?base_url={server.url}&concurrency=1&price=100/100&label={name}"
        for name in "ab"
    ]
    text = plan(*models, limit=8, max_cost="2.0") + "[suites.settings]\nitems = 8\nsamples = 1\n"
    Path("plan.toml").write_text(text)
    counted = epicene("sweep", "plan.toml", "--dry-run", "--json").json["runs"]
    assert all(0 < run["cost"] < EACH for run in counted)
    first, second = epicene("sweep", "plan.toml", "--json").json["runs"]
    assert (first["state"], second["state"]) == ("complete", "incomplete")
    assert first["spent"] >= EACH
    assert 0 < second["spent"] < EACH, "alone it would have had room for all"
    assert "The limit of $2.00 does not allow" in second["why"]
    asked = len(server.asked)
    first, second = epicene("sweep", "plan.toml", "--json").json["runs"]
    assert len(server.asked) - asked <= 2, "what earlier sessions spent stays in the books"
    _, second = epicene("sweep", "plan.toml", "--max-cost=10", "--json").json["runs"]
    assert second["state"] == "complete"


def test_money_without_a_limit_is_confirmed(
    epicene: Epicene, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    class Person(io.StringIO):
        def readline(self, *_: object) -> str:  # type: ignore[override]
            asked.append("asked")
            return "n"

    monkeypatch.setattr(sys, "stdin", Person())
    monkeypatch.setattr(session, "_is_terminal", lambda: True)
    Path("plan.toml").write_text(plan(f"openai:a?base_url={server.url}"))
    done = epicene("sweep", "plan.toml")
    assert done.code == 1
    assert "was not started" in done.err
    assert asked == ["asked"]
    assert "--max-cost" in done.err
    assert not Path("plan").exists()
    for arguments in (["--yes"], ["--dry-run"]):
        epicene("sweep", "plan.toml", *arguments)
    assert len(asked) == 1


def test_what_cannot_be_read_is_not_taken_for_free(epicene: Epicene, server: Server) -> None:
    Path("plan.toml").write_text(plan(f"openai:a?base_url={server.url}&price=1/1"))
    broken = Path("plan/limit-3/other")
    broken.mkdir(parents=True)
    (broken / "manifest.json").write_text("{")
    (broken / "answers.sqlite").write_bytes(b"no database at all " * 500)
    done = epicene("sweep", "plan.toml", "--max-cost=1", "--json")
    (run,) = done.json["runs"]
    assert run["state"] == "failed"
    assert f"The cost of {broken} cannot be read" in run["why"]
    assert server.asked == []


@pytest.mark.parametrize("arguments", [(), ("--paper", "gramvis")])
def test_plans_are_printed(epicene: Epicene, arguments: tuple[str, ...]) -> None:
    printed = epicene("sweep", "example", *arguments)
    assert printed.code == 0
    assert "[[models]]" in printed.out


def test_a_plan_has_to_be_named(epicene: Epicene) -> None:
    assert "--plan is missing; see `epicene sweep --help`" in epicene("sweep").err
    other = epicene("sweep", "example", "--paper=genfrom")
    assert "no plan of the paper of the suite 'genfrom'" in other.err
