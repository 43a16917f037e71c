"""`random` is right once in as many times as there are pronoun sets, by every format."""

from __future__ import annotations

import polars as pl
import pytest

from epicene.core.records import Estimate
from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.frames import judgement_frame
from epicene.runs.run import run
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.stats.tabulate import accuracy, mean, rows_where, undetected_share
from epicene.suites import choose_protocol
from epicene.suites.misgendering import suite
from epicene.suites.misgendering.metrics import (
    conversion_judgements,
    generation_judgements,
    probability_judgements,
)
from runs.conftest import Silent

SETS = ("he", "she", "they", "xe")
CHANCE = 1 / len(SETS)


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """A part of the starter set, guessed at by `random` with several seeds."""
    frames = []
    settings = {"pronouns": ",".join(SETS), "samples": "2"}
    for seed in range(4):
        order = RunConfig(
            suite=suite,
            protocol=choose_protocol(suite, "epicene", settings, None),
            models={"model": [parse_spec(f"random:{seed}")]},
            limit=120,
            under=tmp_path_factory.mktemp("runs"),
        )
        folder, manifest = run(order, Silent())
        assert manifest.state == "complete"
        finished = read_run(folder)
        frames.append(judgement_frame(RunJudgements(finished), finished.info))
    return pl.concat(frames, how="diagonal")


def is_chance(found: Estimate) -> bool:
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    # An interval that held everything would hold chance too.
    assert found.high - found.low < 0.12
    return found.low <= CHANCE <= found.high


@pytest.mark.parametrize("measure", ["sum", "per token", "per word", "per character"])
def test_by_probability(frame: pl.DataFrame, measure: str) -> None:
    scored = frame.filter((pl.col("format") == "probability") & (pl.col("measure") == measure))
    assert is_chance(accuracy(scored))


@pytest.mark.parametrize("setting", ["pre", "post", "open"])
def test_by_generation(frame: pl.DataFrame, setting: str) -> None:
    assert is_chance(accuracy(generation_judgements(frame, setting=setting)))
    assert undetected_share(generation_judgements(frame, setting=setting)).value == 0


def test_by_probability_of_its_own_generations(frame: pl.DataFrame) -> None:
    assert is_chance(accuracy(conversion_judgements(frame)))


def test_every_pronoun_is_chosen_as_often(frame: pl.DataFrame) -> None:
    for judged in (
        probability_judgements(frame),
        generation_judgements(frame),
        conversion_judgements(frame),
    ):
        chosen = dict(judged["label"].cast(pl.String).value_counts().iter_rows())
        assert set(chosen) == set(SETS)
        for count in chosen.values():
            wide = 5 * (len(judged) * CHANCE * (1 - CHANCE)) ** 0.5
            assert abs(count - CHANCE * len(judged)) < wide


def test_the_formats_choose_apart_as_often_as_chance_has_it(frame: pl.DataFrame) -> None:
    """Two guesses differ three times in four; so does the likeliest next word from a guess."""
    first = generation_judgements(frame, setting="pre").filter(pl.col("sample") == "1")
    both = probability_judgements(frame).join(first, on=["model", "item"], suffix="_2")
    apart = (both["label"].cast(pl.String) != both["label_2"].cast(pl.String)).mean()
    assert apart == pytest.approx(1 - CHANCE, abs=0.08)
    foreseen = rows_where(frame, bound="δ", distribution="drawn", setting="pre")
    found = mean(foreseen)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 1 - CHANCE <= found.high
