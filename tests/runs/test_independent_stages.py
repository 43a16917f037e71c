"""A failure bars its item from what is built on the answer, and from nothing else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import two_stage
from epicene.core import registry
from epicene.core.records import Decoding, Generate, Judgement, Request
from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.execute import ProgressDisplay
from epicene.runs.manifest import Coverage, Manifest
from epicene.runs.run import run
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.suites import Answers, Role, Stage
from runs.conftest import Silent

STAGES = ("aside", "write", "reread")


def aside(
    item: two_stage.Opening, answers: Answers, _protocol: two_stage.TwoStages
) -> Iterator[Request]:
    """Something else, asked of the writer before it writes."""
    assert answers == ()
    yield Generate(item=item.id, name="aside", prompt=f"Who is {item.text}?", decoding=Decoding())


def judge(
    item: two_stage.Opening, answers: Answers, _protocol: two_stage.TwoStages
) -> Iterator[Judgement]:
    """How many answers of each stage a judge is shown."""
    assert not answers.failed
    for stage in STAGES:
        yield Judgement(item=item.id, name=stage, value=len(answers.where(stage=stage)))


suite = replace(
    two_stage.suite,
    name="aside",
    roles=(Role(name="writer", about=""), Role(name="reader", about="")),
    stages=(
        Stage(name="aside", role="writer", verbs=(Generate,), ask=aside),
        *two_stage.suite.stages,
    ),
    judge=judge,
)


@pytest.fixture(autouse=True)
def _known() -> None:
    registry.add("suites", suite.name, suite)


def done(
    folder: Path, writer: str = "scripted:w", display: ProgressDisplay | None = None
) -> Manifest:
    models = {"writer": [parse_spec(writer)], "reader": [parse_spec("scripted:r")]}
    config = RunConfig(suite=suite, protocol=suite.protocols["paper"], models=models, out=folder)
    _, manifest = run(config, display or Silent())
    return manifest


def shown(folder: Path) -> tuple[dict[str, list[float | None]], Coverage]:
    """How many answers of each stage the judge saw of each item."""
    judged = RunJudgements(read_run(folder))
    seen: dict[str, list[float | None]] = defaultdict(list)
    for each in judged:
        seen[each.item].append(each.value)
    return seen, judged.coverage


def test_a_failure_bars_only_what_is_built_on_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    manifest = done(folder, "scripted:w-failing")
    assert manifest.state == "incomplete"
    counts = {count.stage: count for count in manifest.counts}
    assert counts["aside"].failed > 0
    assert counts["aside"].reasons == ("told to fail",)
    assert counts["write"].total == 60
    assert counts["write"].failed > 0
    # Two continuations of each item that was written, whatever became of the aside.
    assert counts["reread"].total == 2 * (60 - counts["write"].failed)
    seen, coverage = shown(folder)
    kinds = Counter(map(tuple, seen.values()))
    neither = 60 - len(seen)  # of these items nothing is left to judge
    assert kinds[0, 1, 2] + neither == counts["aside"].failed
    assert kinds[1, 0, 0] + neither == counts["write"].failed
    assert kinds[1, 1, 2] == len(seen) - kinds[0, 1, 2] - kinds[1, 0, 0]
    assert min(kinds.values()) > 0
    assert coverage.judged == len(seen)
    assert not coverage.whole
    assert f"{len(seen)} of 60 items are judged" in str(coverage)


def test_resumed_after_failures_it_equals_a_run_that_never_failed(tmp_path: Path) -> None:
    done(tmp_path / "mended", "scripted:w-failing")
    assert done(tmp_path / "mended").state == "complete"
    done(tmp_path / "whole")
    assert shown(tmp_path / "mended") == shown(tmp_path / "whole")
    assert shown(tmp_path / "whole")[1].whole


def test_of_an_interrupted_run_the_stages_that_were_done_are_judged(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    class Stopping(Silent):
        def start(self, title: str, total: int, done: int) -> None:
            if title.startswith("write"):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        done(folder, display=Stopping())
    seen, coverage = shown(folder)
    assert list(seen.values()) == [[1, 0, 0]] * 60
    assert (coverage.judged, coverage.failed, coverage.not_begun) == (60, 0, 2)
    assert not coverage.whole
    assert "2 stages not started" in str(coverage)
