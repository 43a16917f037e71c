"""`random` prefers the acceptable sentence of every second pair of the starter set."""

from __future__ import annotations

import polars as pl
import pytest

from epicene.core.records import Estimate
from epicene.models import parse_spec
from epicene.results.summary import Summary, summarise
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.stats.tabulate import rows_where
from epicene.suites import choose_protocol
from epicene.suites.alternations import suite
from epicene.suites.alternations.items import VARIANTS
from epicene.suites.alternations.metrics import accuracy, main_scores
from runs.conftest import Silent

SEEDS = range(5)


@pytest.fixture(scope="module")
def guessed(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    """The whole starter set, guessed at several times."""
    folders = []
    for seed in SEEDS:
        order = RunConfig(
            suite=suite,
            protocol=choose_protocol(suite, "epicene", {"formats": "acceptability"}, None),
            models={"model": [parse_spec(f"random:{seed}")]},
            under=tmp_path_factory.mktemp("runs"),
        )
        folder, manifest = run(order, Silent())
        assert manifest.state == "complete"
        folders.append(folder)
    return summarise([read_run(folder) for folder in folders])


def holds_chance(found: Estimate, widest: float) -> bool:
    assert found.low is not None
    assert found.high is not None
    # An interval that held everything would hold chance too.
    assert found.high - found.low < widest
    return found.low <= 0.5 <= found.high


def test_nineteen_intervals_of_twenty_hold_chance(guessed: Summary) -> None:
    held = []
    for one in guessed.runs:
        assert one.metrics["ties"].value == 0
        held.append(holds_chance(one.metrics["accuracy"], 0.15))
        for variant in VARIANTS:
            assert one.metrics[f"accuracy {variant}"].n == 56
            held.append(holds_chance(one.metrics[f"accuracy {variant}"], 0.28))
    # Of 25 intervals at 95 %, six or more miss once in a thousand times.
    assert len(held) == 25
    assert held.count(False) <= 5


@pytest.mark.parametrize("measure", ["sum", "per token", "per word", "per character"])
def test_all_guesses_together(guessed: Summary, measure: str) -> None:
    frame = rows_where(guessed.results.frame, format="acceptability", measure=measure)
    assert len(frame) == len(SEEDS) * main_scores(guessed.results)["item"].n_unique()
    # Guesses of different seeds are independent: a group is a verb guessed at once.
    apart = frame.with_columns(pl.concat_str("model", "group").alias("group"))
    found = accuracy(apart)
    assert found.value == pytest.approx(0.5, abs=4 * (0.25 / found.n) ** 0.5)
