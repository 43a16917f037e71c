"""How long a sweep will take is told by what earlier runs took, the start apart, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import two_stage
from epicene.core import registry
from epicene.models import (
    Batch,
    ImageStore,
    Model,
    ModelDescription,
    ModelOptions,
    NumberedAnswers,
    model_kind,
)
from epicene.runs.run import run
from run_folders import edit_manifest
from runs.conftest import Silent
from runs.test_sweep_estimate import look, sweep_run, two_stages

BOTH = {"writer": ["scripted:w"], "reader": ["scripted:a", "scripted:b"]}


def timed(folder: Path, *timings: dict[str, Any], **session: Any) -> None:
    """Make a manifest say how long its session took."""
    usual = {"role": "r", "model": "m", "planning": 0.0, "starting": 0.0}
    edit_manifest(
        folder,
        lambda manifest: manifest["sessions"][0].update(
            timings=[usual | each for each in timings], **session
        ),
    )


def verb_timing(verb: str, answered: int, first: int, **seconds: float) -> dict[str, Any]:
    """One verb's part of a session."""
    stage = {"generate": "write", "score": "reread"}[verb]
    return {"stage": stage, "verb": verb, "answered": answered, "first": first, **seconds}


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    """A run of 15 items: 15 generations and 90 scores."""
    folder, _ = run(two_stages(tmp_path).config, Silent())
    return folder


def ahead(tmp_path: Path) -> float | None:
    """How long 20 generations and 120 scores are said to take, by the same models."""
    forecast = look(tmp_path, sweep_run(tmp_path, "two-stage", BOTH, {"items": "20"}, 20))
    assert forecast.workload is not None
    assert forecast.workload.parts == {("write", "generate"): 20, ("reread", "score"): 120}
    return forecast.seconds


def test_time_is_measured_verb_by_verb_and_without_the_start(tmp_path: Path, trial: Path) -> None:
    for starting in (0.0, 1000.0):
        timed(
            trial,
            # Eight of fifteen came in 16 s after the first: two seconds each, and 3 s of planning.
            verb_timing("generate", 15, 7, planning=3.0, starting=starting, going_on=16.0),
            # Two readers: 80 of 90 in 10 s and 10 s.
            verb_timing("score", 45, 5, going_on=10.0),
            verb_timing("score", 45, 5, going_on=10.0),
        )
        assert ahead(tmp_path) == pytest.approx(20 * (3 + 15 * 2) / 15 + 120 * 20 / 80)
    assert look(tmp_path, two_stages(tmp_path, writer="scripted:v")).seconds is None


def test_a_trial_too_short_to_tell_tells_nothing(tmp_path: Path, trial: Path) -> None:
    for going_on, known in ((1.0, True), (0.9, False)):
        timed(
            trial,
            verb_timing("generate", 15, 7, planning=0.5, starting=90.0, going_on=going_on),
            verb_timing("score", 90, 5, going_on=0.5),
        )
        assert (ahead(tmp_path) is not None) == known


def test_what_came_all_at_once_counts_with_its_start_if_it_is_the_smaller_part(
    tmp_path: Path, trial: Path
) -> None:
    at_once = verb_timing("generate", 15, 12, planning=1.0, starting=6.0, going_on=2.0)
    timed(trial, at_once, verb_timing("score", 90, 10, going_on=8.0))
    assert ahead(tmp_path) == pytest.approx(20 * 9 / 15 + 120 * 9 / 90)
    timed(trial, at_once, verb_timing("score", 90, 10, going_on=7.9))
    assert ahead(tmp_path) is None, "most of it might be the start"


def test_a_verb_that_was_never_asked_takes_nobody_knows_how_long(
    tmp_path: Path, trial: Path
) -> None:
    timed(trial, verb_timing("score", 90, 10, going_on=80.0))
    assert ahead(tmp_path) is None


def test_sessions_that_say_nothing_are_passed_over(tmp_path: Path, trial: Path) -> None:
    timed(trial, ended="")
    assert ahead(tmp_path) is None, "nobody knows how long a killed session was"
    # As an earlier version wrote it.
    edit_manifest(trial, lambda manifest: manifest["sessions"][0].pop("timings"))
    assert ahead(tmp_path) is None


def test_a_run_says_how_long_each_verb_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr("epicene.runs.execute.monotonic", clock)
    each = two_stages(tmp_path, "slow-start:a")
    slow_start(clock)
    _, manifest = run(each.config, Silent())
    written, read = manifest.sessions[-1].timings
    assert (written.stage, written.role, written.model) == ("write", "writer", "scripted-w")
    assert (written.verb, written.answered, written.first) == ("generate", 15, 7)
    assert written.planning == written.starting == written.going_on == 0
    assert (read.stage, read.role, read.verb) == ("reread", "reader", "score")
    # Seven batches of the 45 scores: 40 s until the first of them is answered, and 2 s for each.
    assert (read.answered, read.first, read.starting, read.going_on) == (45, 7, 42, 12)
    assert read.planning == 0, "loading is not in it"


class Clock:
    """Seconds that pass only when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """What it shows."""
        return self.now


def slow_start(clock: Clock) -> None:
    """The kind `slow-start`: 500 s to be loaded, 40 s to warm up, 2 s for every batch."""

    class Slow(two_stage.Scripted):
        def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
            clock.now += 40
            for answered in super().answer(batches, files):
                clock.now += 2
                yield answered

    def foresee(name: str, options: ModelOptions) -> ModelDescription:
        model = two_stage.Scripted(name, options)
        return ModelDescription(model.identity, model.verbs)

    @model_kind(describe=foresee)
    def open_slow(name: str, options: ModelOptions) -> Model:
        clock.now += 500
        return Slow(name, options)

    registry.add("models", "slow-start", open_slow)
