"""Before a run starts its model, requests, time and cost are shown, and a long run is confirmed."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from epicene.runs.workload import Workload

import epicene.app.run as shown
from app.conftest import Epicene
from epicene.app import session
from epicene.models import parse_spec
from epicene.runs import estimate, workload
from epicene.runs.config import RunConfig
from epicene.runs.estimate import RunEstimate
from epicene.suites import find_suite


def estimated(
    *, left: int = 10, seconds: float | None = None, cost: float | None = 0.0, **config: Any
) -> RunEstimate:
    suite = find_suite("misgendering")
    order = RunConfig(
        suite=suite,
        protocol=suite.protocols["epicene"],
        models={"model": [parse_spec("random")]},
        **config,
    )
    work = Workload(cost=cost)
    work.requests["score"] = left
    return RunEstimate(order, {"model": ["toy"]}, work, seconds)


@pytest.mark.parametrize(
    ("found", "long"),
    [
        (estimated(left=5000), False),
        (estimated(left=5001), True),
        (estimated(left=5001, seconds=599), False),
        (estimated(seconds=601), True),
        (estimated(cost=1.0), False),
        (estimated(cost=1.01), True),
        (estimated(cost=1.01, max_cost=5.0), False),
        (estimated(cost=None), False),
    ],
)
def test_which_runs_are_long(found: RunEstimate, long: bool) -> None:
    assert found.is_long is long


def test_the_sentence_says_what_will_happen() -> None:
    (sentence,) = shown.estimate_sentences(estimated(seconds=90, cost=0.5), default_model=False)
    assert sentence == (
        "misgendering, protocol epicene, on toy: 10 requests left (10 score); time: 1.5 min "
        "based on earlier runs; cost: at most $0.50."
    )
    sentence, advice = shown.estimate_sentences(estimated(left=9000, cost=None), default_model=True)
    assert "on toy (the default; choose another with --model): 9,000 requests" in sentence
    assert "time: shown with the progress after the first answers" in sentence
    assert "cost: unknown" in sentence
    assert "--limit 20" in advice


def test_the_default_model_is_shown(epicene: Epicene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "DEFAULT_MODEL", "random")
    done = epicene("run", "reflexives", "--out", "run")
    assert done.code == 0
    first = done.err.splitlines()[0]
    assert "on random (the default; choose another with --model): 48 requests left" in first
    # Nothing is left of it, so there is nothing to say.
    assert "requests left" not in epicene("run", "reflexives", "--out", "run").err


def test_the_time_is_that_of_earlier_runs(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workload.MeasuredTimes, "seconds", lambda *_: 7200.0)
    done = epicene("run", "reflexives", "-m", "random")
    assert "based on earlier runs" in done.err.splitlines()[0]


def test_counting_ends_in_time(epicene: Epicene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "_COUNTING_SECONDS", -1.0)
    monkeypatch.setattr(workload, "WINDOW_SIZE", 5)
    done = epicene("run", "reflexives", "-m", "random")
    assert done.code == 0
    assert "more than 10 requests left" in done.err
    assert "This may take a long time" in done.err


# --- confirmation ------------------------------------------------------------------------------


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything is a terminal, and every run is long; the questions that were asked."""
    asked: list[str] = []

    class Person(io.StringIO):
        def readline(self, *_: object) -> str:  # type: ignore[override]
            asked.append("asked")
            return "n"

    monkeypatch.setattr(sys, "stdin", Person())
    monkeypatch.setattr(session, "_is_terminal", lambda: True)
    monkeypatch.setattr(estimate, "MANY_REQUESTS", 0)
    return asked


def test_a_long_run_is_confirmed(epicene: Epicene, terminal: list[str]) -> None:
    done = epicene("run", "reflexives", "-m", "random", "--out", "run")
    assert done.code == 1
    assert terminal == ["asked"]
    assert "The run was not started, and nothing was sent." in done.err
    assert not Path("run").exists()


def test_with_yes_nothing_is_asked(epicene: Epicene, terminal: list[str]) -> None:
    done = epicene("run", "reflexives", "-m", "random", "--out", "run", "--yes")
    assert done.code == 0, done.err
    assert not terminal


def test_a_short_run_is_not_confirmed(
    epicene: Epicene, terminal: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimate, "MANY_REQUESTS", 5000)
    assert epicene("run", "reflexives", "-m", "random", "--out", "run").code == 0
    assert not terminal


def test_without_a_terminal_nothing_is_asked(
    epicene: Epicene, terminal: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_is_terminal", lambda: False)
    done = epicene("run", "reflexives", "-m", "random", "--out", "run")
    assert done.code == 0
    assert not terminal
    assert "48 requests left" in done.err
    assert "This may take a long time" in done.err


def test_a_dry_run_lists_what_would_be_asked_and_asks_nothing(
    epicene: Epicene, tmp_path: Path
) -> None:
    command = ("run", "gramvis", "-m", "drawer=random", "-m", "judges=random:1", "--limit", "2")
    done = epicene(*command, "--out", "run", "--dry-run")
    assert done.code == 0
    lines = done.out.splitlines()
    assert sum(line.startswith("draw ") for line in lines) == 6
    assert sum(line.startswith("look: ") for line in lines) == 1  # the question, once
    assert "at most 30 requests left (6 draw, 24 look)" in done.err
    assert not (tmp_path / "run").exists()
    shown = [json.loads(line) for line in epicene(*command, "--dry-run", "--json").out.splitlines()]
    assert [each["verb"] for each in shown].count("draw") == 6
    assert {"stage", "verb", "item", "name", "text"} == shown[0].keys()
    assert epicene(*command, "--out", "run", "-y").code == 0
    again = epicene(*command, "--out", "run", "--dry-run")
    assert "0 requests left" in again.err
