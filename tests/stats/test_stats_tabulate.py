"""Rows by values, and estimates of parts of a frame that is read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from epicene.stats import paired_agreement, tabulate

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.core.records import Estimate
    from epicene.stats.tabulate import PartEstimator

rng = np.random.default_rng(7)


def some(values: list[str | None], rows: int) -> pl.Series:
    return pl.Series(
        [values[place] for place in rng.integers(len(values), size=rows)], dtype=pl.String
    )


FRAME = pl.DataFrame(
    {
        "group": some(["t1", "t2", "t3", "t10", "t20"], 300),
        "outcome": some(["right", "wrong", "undetected", None], 300).cast(pl.Categorical),
        "value": [None if place % 7 == 0 else value for place, value in enumerate(rng.random(300))],
        "model": some(["b", "a"], 300).cast(pl.Categorical),
        "facet": some(["y", "x", "z", None], 300),
        "a": rng.integers(2, size=300),
        "b": rng.integers(2, size=300),
    }
)


def part(model: str, facet: str) -> pl.DataFrame:
    return FRAME.filter(pl.col("model") == model, pl.col("facet") == facet)


def test_rows_by_the_values_of_columns() -> None:
    found = tabulate.rows_by(FRAME, "model", "facet")
    assert list(found) == [(model, facet) for model in "ab" for facet in "xyz"]
    for (model, facet), rows in found.items():
        assert FRAME[rows].equals(part(model, facet))  # in order, and without the nulls


def test_values_that_do_not_occur_have_no_rows() -> None:
    found = tabulate.rows_by(FRAME, "model")
    assert not len(found["c",])
    assert list(found) == [("a",), ("b",)]
    assert not tabulate.rows_by(FRAME.clear(), "model", "facet")
    nothing = FRAME.with_columns(pl.lit(None, dtype=pl.Categorical).alias("facet"))
    assert not tabulate.rows_by(nothing, "facet")


@pytest.mark.parametrize(
    ("of_parts", "of_frame"),
    [
        (tabulate.accuracy_of_parts, tabulate.accuracy),
        (tabulate.undetected_share_of_parts, tabulate.undetected_share),
        (tabulate.mean_of_parts, tabulate.mean),
        (
            lambda frame: tabulate.share_of_parts(frame, pl.col("a") == 1),
            lambda frame: tabulate.share(frame, pl.col("a") == 1),
        ),
        (
            lambda frame: paired_agreement.raw_of_parts(frame, clustered=True),
            lambda frame: paired_agreement.raw(frame, clustered=True),
        ),
        (
            lambda frame: paired_agreement.mcc_of_parts(frame, clustered=False),
            lambda frame: paired_agreement.mcc(frame, clustered=False),
        ),
        (
            lambda frame: paired_agreement.kappa_of_parts(frame, clustered=True),
            lambda frame: paired_agreement.kappa(frame, clustered=True),
        ),
    ],
    ids=["accuracy", "undetected", "mean", "share", "raw", "mcc", "kappa"],
)
def test_parts_of_a_frame_are_estimated_as_frames_of_their_rows(
    of_parts: Callable[[pl.DataFrame], PartEstimator], of_frame: Callable[[pl.DataFrame], Estimate]
) -> None:
    found = tabulate.rows_by(FRAME, "model", "facet")
    keys = [*found, ("c", "x")]
    estimates = of_parts(FRAME)([found[key] for key in keys])
    assert estimates == [of_frame(part(*key)) for key in keys]
    assert of_parts(FRAME)([]) == []


def test_rows_without_an_outcome() -> None:
    numbers = FRAME.with_columns(pl.lit(None, dtype=pl.Categorical).alias("outcome"))
    assert tabulate.accuracy(numbers) == tabulate.NOTHING_JUDGED
    assert tabulate.undetected_share(numbers).why.startswith("these scores are numbers")


def test_groups_may_be_text_categories_or_numbers() -> None:
    expected = tabulate.accuracy(FRAME)
    number = pl.col("group").str.strip_prefix("t").cast(pl.Int64)
    for group in (pl.col("group").cast(pl.Categorical), number):
        assert tabulate.accuracy(FRAME.with_columns(group)) == expected


def test_an_accuracy_table_has_a_row_for_what_has_no_value() -> None:
    made = tabulate.accuracy_table(FRAME, name="t", title="T", rows=("facet",), columns="model")
    assert [row.keys for row in made.rows] == [("None",), ("x",), ("y",), ("z",)]
    assert [column.name for column in made.columns] == ["all", "a", "b", "undetected"]
    without = FRAME.filter(pl.col("facet").is_null())
    assert made.rows[0].cells[0] == tabulate.accuracy(without)
    assert made.rows[1].cells[2] == tabulate.accuracy(part("b", "x"))


def test_rows_of_a_table_are_measured_together() -> None:
    parts = tabulate.rows_by(FRAME, "model")
    measures = (tabulate.accuracy_of_parts(FRAME), tabulate.mean_of_parts(FRAME))
    made = tabulate.measured_rows(parts.items(), measures)
    assert [row.keys for row in made] == [("a",), ("b",)]
    for row in made:
        mine = FRAME.filter(pl.col("model") == row.keys[0])
        assert row.cells == (tabulate.accuracy(mine), tabulate.mean(mine))
    assert tabulate.measured_rows([], measures) == []


def test_a_mean_keeps_within_its_bounds() -> None:
    frame = pl.DataFrame({"group": ["a", "a", "b", "c"], "value": [0.0, 0.0, 0.0, 0.4]})
    wide, bounded = tabulate.mean(frame), tabulate.mean(frame, bounds=(0, 0.5))
    assert wide.value == bounded.value == pytest.approx(0.1)
    assert wide.low is not None
    assert bounded.low is not None
    assert bounded.high is not None
    assert wide.low < 0 < bounded.low < 0.1 < bounded.high < 0.5
