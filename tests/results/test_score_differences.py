"""Scores of sums, such as F0.5 and BLEU, paired between two runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from epicene.core.records import Estimate
from epicene.results.compare import compare_runs
from epicene.results.score_differences import score_table
from epicene.stats.intervals import clustered_difference
from epicene.suites import Results
from epicene.suites.apgc.metrics import SUM_SCORES
from epicene.suites.headline_metrics import SumScore
from runs.conftest import run_suite

F_HALF = SumScore(
    "F0.5",
    lambda results: results.frame,
    SUM_SCORES[0].counts,
    SUM_SCORES[0].statistic,
    (0.0, 1.0),
)


def frame(seed: int, items: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    correct = rng.integers(0, 3, size=items)
    return pl.DataFrame(
        {
            "item": [f"i{n}" for n in range(items)],
            "name": ["x"] * items,
            "group": [f"g{n // 2}" for n in range(items)],
            "correct": correct,
            "proposed": correct + rng.integers(0, 2, size=items),
            "gold": correct + rng.integers(0, 2, size=items),
        }
    )


def results(judgements: pl.DataFrame) -> Results[Any]:
    return Results(judgements, None, ())


def test_f_half_is_paired_over_the_items_both_have() -> None:
    first, second = frame(1, 60), frame(2, 50)
    table = score_table([F_HALF], (results(first), results(second)), ("a", "b"))
    assert table is not None
    (row,) = table.rows
    old, new, difference, p, holm, n = (c for c in row.cells if isinstance(c, Estimate))
    shared = first.head(50)
    sums = {name: float(shared[name].to_numpy().sum()) for name in F_HALF.counts}
    assert old.value == pytest.approx(
        1.25 * sums["correct"] / (0.25 * sums["gold"] + sums["proposed"])
    )
    # As a ratio of sums it has another way to the same difference.
    expected = clustered_difference(
        1.25 * second["correct"].to_numpy(),
        1.25 * shared["correct"].to_numpy(),
        shared["group"].to_list(),
        first_denominators=(0.25 * second["gold"] + second["proposed"]).to_numpy(),
        second_denominators=(0.25 * shared["gold"] + shared["proposed"]).to_numpy(),
        bounds=(-1, 1),
    )
    assert (difference.value, difference.low, difference.high) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )
    assert difference.value == pytest.approx((new.value or 0) - (old.value or 0))
    assert difference.low is not None
    assert difference.high is not None
    assert p.value is not None
    assert (p.value < 0.05) == (not difference.low <= 0 <= difference.high)
    assert holm.value == p.value  # one row
    assert n.value == 50


def test_nothing_shared_is_no_table() -> None:
    other = frame(2, 10).with_columns(item=pl.col("item") + "'")
    assert score_table([F_HALF], (results(frame(1, 10)), results(other)), ("a", "b")) is None
    assert score_table([F_HALF], (results(frame(1, 0)), results(other)), ("a", "b")) is None
    assert score_table([], (results(frame(1, 10)),) * 2, ("a", "b")) is None


def test_compare_has_f_half_and_bleu_of_apgc(tmp_path: Path) -> None:
    first, second = (
        run_suite("apgc", tmp_path / model, model, settings={"tasks": "rewriting"}, limit=12)
        for model in ("copy", "rules")
    )
    (table,) = (t for t in compare_runs(first, second).tables if t.name == "scores")
    assert [row.keys[0] for row in table.rows] == ["F0.5 of edits", "BLEU of rewritings"]
