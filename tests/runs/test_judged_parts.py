"""An item is judged on those of its formats that are complete, whatever became of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from epicene.core import registry
from epicene.core.records import Failed, Score
from epicene.models import Batch, ImageStore, Model, ModelOptions, NumberedAnswers, parse_spec
from epicene.models.reference import open_random
from epicene.results.matching import match_items
from epicene.results.missing import missing_judgements
from epicene.results.summary import summarise
from epicene.runs.config import RunConfig
from epicene.runs.manifest import Manifest
from epicene.runs.run import run
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.suites import choose_protocol, find_suite
from runs.conftest import Silent

SETTINGS = {"pronouns": "he,xe", "samples": "2"}


class NoScores:
    """Guesses, until it is asked for scores: then they fail, or the run is stopped."""

    stops = False

    def __init__(self, name: str, options: ModelOptions) -> None:
        self._inner: Model = open_random("", options)
        self._fails = name == "failing"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        for batch in batches:
            if isinstance(batch[0][1], Score) and self.stops:
                raise KeyboardInterrupt
            if isinstance(batch[0][1], Score) and self._fails:
                yield [(number, Failed(reason="no scores today")) for number, _ in batch]
            else:
                yield from self._inner.answer(iter([batch]), files)


def done(folder: Path, model: str = "no-scores") -> Manifest:
    registry.add("models", "no-scores", NoScores)
    suite = find_suite("misgendering")
    config = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", SETTINGS, None),
        models={"model": [parse_spec(model)]},
        limit=4,
        out=folder,
    )
    return run(config, Silent())[1]


def formats(folder: Path) -> tuple[Counter[str], RunJudgements]:
    """How many judgements there are of each format."""
    judged = RunJudgements(read_run(folder))
    return Counter(each.facets["format"] for each in judged), judged


def test_scores_that_failed_do_not_cost_the_generations(tmp_path: Path) -> None:
    assert done(tmp_path / "run", "no-scores:failing").state == "incomplete"
    found, judged = formats(tmp_path / "run")
    assert found == {"generation": 40}
    assert judged.coverage.judged == judged.coverage.items == 12
    assert "12 of 12 items are judged (some only in part)" in str(judged.coverage)
    metrics = summarise([read_run(tmp_path / "run")]).metrics
    assert any("accuracy_generation" in name for name in metrics)


def test_of_a_run_that_was_stopped_what_is_complete_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped at its first score: the second stage is not begun, and all texts are there."""
    monkeypatch.setattr(NoScores, "stops", True)
    with pytest.raises(KeyboardInterrupt):
        done(tmp_path / "run")
    found, judged = formats(tmp_path / "run")
    assert found == {"generation": 40}
    assert judged.coverage.judged == 12
    assert judged.coverage.not_begun == 1


def test_finished_later_it_equals_a_run_that_never_failed(tmp_path: Path) -> None:
    done(tmp_path / "mended", "no-scores:failing")
    whole = done(tmp_path / "whole")
    assert done(tmp_path / "mended").counts == whole.counts
    assert formats(tmp_path / "mended")[0] == formats(tmp_path / "whole")[0]
    assert formats(tmp_path / "mended")[1].coverage.whole


def test_what_is_missing_is_known(tmp_path: Path) -> None:
    """The judgements that a ranking must count as missing are those of the scores."""
    done(tmp_path / "run", "no-scores:failing")
    stored = read_run(tmp_path / "run")
    missing = missing_judgements([stored], match_items([stored]))
    assert {"probability", "converted"} <= set(missing["format"].cast(str))
