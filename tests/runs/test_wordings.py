"""Tables on wordings, from judgements whose values are computed by hand."""

from __future__ import annotations

import dataclasses
from typing import Any

import polars as pl
import pytest

from epicene.core.records import Estimate, Judgement, Table
from epicene.runs.frames import judgement_frame
from epicene.runs.wordings import HeadlineScores, wording_differences_table, wording_tables
from epicene.suites import Results, RunInfo
from epicene.suites.genform import suite as genform
from epicene.suites.headline_metrics import headline_metrics_of
from epicene.suites.wordings import marked

# Without headlines of its own, a suite has one: the share of right outcomes.
SUITE = dataclasses.replace(genform, headline_metrics=())
PROTOCOL = genform.protocols["epicene"]


def results(**models: list[str]) -> Results[Any]:
    """The results of models, given as a string of 1 and 0 for each wording, a figure per item."""
    infos = [RunInfo(run=name, model=name, protocol="epicene", identities={}) for name in models]
    frames = [
        judgement_frame(
            [
                Judgement(
                    item=marked(f"item-{item}", wording),
                    group=f"item-{item}",
                    language="fr",
                    name="generation feminine",
                    outcome="right" if figure == "1" else "wrong",
                    facets={"format": "generation", "wording": str(wording)},
                )
                for wording, figures in enumerate(models[info.model], start=1)
                for item, figure in enumerate(figures)
            ],
            info,
        )
        for info in infos
    ]
    return Results(pl.concat(frames, how="diagonal"), PROTOCOL, tuple(infos))


def row(table: Table, *keys: str) -> dict[str, Any]:
    (found,) = [row for row in table.rows if row.keys == keys]
    return {
        column.name: cell.value if isinstance(cell, Estimate) else cell
        for column, cell in zip(table.columns, found.cells, strict=True)
    }


def tables(given: Results[Any]) -> dict[str, Table]:
    return {table.name: table for table in wording_tables(SUITE, given)}


def test_values_best_and_worst_and_shares_of_variance() -> None:
    """Three wordings of four items: 3/4, 1/4 and 2/4 right.

    Item means 1, 2/3, 1/3, 0 and wordings 3/4, 1/4, 1/2. Mean squares: items
    3 × (1/4 + 1/36 + 1/36 + 1/4)/3 = 5/9; the residuals of all twelve cells sum to 3 − 5/3 − 1/2 =
    5/6 in squares, over 3 × 2 that is 5/36. Item: (5/9 − 5/36)/3 = 5/36. Wordings: 1/16 less
    (5/36)/4 = 1/36. All in 36ths: 5, 1, 5.
    """
    made = tables(results(one=["1110", "1000", "1100"]))
    assert set(made) == {"wordings", "prompt sensitivity"}
    assert row(made["wordings"], "right", "one") == {
        "wording 1": 0.75, "wording 2": 0.25, "wording 3": 0.5, "all wordings": 0.5,
    }  # fmt: skip
    found = row(made["prompt sensitivity"], "right", "one")
    assert (found["best"], found["best wording"]) == (0.75, "1")
    assert (found["worst"], found["worst wording"]) == (0.25, "2")
    assert found["best − worst"] == 0.5
    assert found["variance: item"] == pytest.approx(5 / 11)
    assert found["variance: wording"] == pytest.approx(1 / 11)
    assert found["variance: item × wording"] == pytest.approx(5 / 11)
    assert found["variance: sample"] is None
    assert found["SD between wordings"] == pytest.approx((1 / 36) ** 0.5)
    assert found["items"] == 4


def test_changes_of_rank() -> None:
    """Values: one 3/4, 1/4; two 2/4, 2/4; three 1/4, 1/4. One and two change order; in the second
    wording one and three share a rank."""
    made = tables(results(one=["1110", "1000"], two=["1100", "1100"], three=["1000", "1000"]))
    ranks = {model: row(made["wording ranks"], "right", model) for model in ("one", "two", "three")}
    assert [ranks[model]["wording 1"] for model in ranks] == [1, 2, 3]
    assert [ranks[model]["wording 2"] for model in ranks] == [2, 1, 2]
    assert [ranks[model]["all wordings"] for model in ranks] == [1, 1, 3]
    assert (ranks["one"]["best rank"], ranks["one"]["worst rank"]) == (1, 2)
    changed = row(made["rank changes"], "right")
    assert (changed["models"], changed["pairs of models"]) == (3, 3)
    assert changed["pairs that change order"] == 1
    # Of three pairs one agrees, one disagrees, one is tied in the second: (1 − 1)/√(3 × 2) = 0.
    assert changed["mean τ"] == pytest.approx(0)
    assert changed["lowest τ"] == pytest.approx(0)
    assert changed["first"] == "one (1), two (1)"


def test_the_same_order_in_every_wording() -> None:
    changed = row(
        tables(results(one=["1110", "1100"], two=["1000", "1000"]))["rank changes"], "right"
    )
    assert changed["pairs that change order"] == 0
    assert (changed["mean τ"], changed["first"]) == (1, "one (2)")


def test_no_table_of_one_wording() -> None:
    assert not tables(results(one=["1110"], two=["1000"]))


def test_a_run_in_one_wording_beside_one_in_two() -> None:
    both = results(one=["1110", "1000"], two=["1100"])
    made = tables(dataclasses.replace(both, frame=both.frame.filter(pl.col("wording") != "")))
    assert [row.keys[1] for row in made["wordings"].rows] == ["one"]
    assert set(made) == {"wordings", "prompt sensitivity"}


def test_no_table_where_no_headline_has_a_value() -> None:
    given = results(one=["1110", "1000"])
    nothing = pl.lit(None, dtype=given.frame["outcome"].dtype)
    assert not tables(dataclasses.replace(given, frame=given.frame.with_columns(outcome=nothing)))


def test_a_column_of_the_users_is_no_wording() -> None:
    """A facet `wording` of the data, with whatever in it, makes no tables."""
    given = results(one=["1110"])
    frame = given.frame.with_columns(wording=pl.lit("polite", dtype=pl.Categorical))
    assert not tables(dataclasses.replace(given, frame=frame))


def test_two_runs_in_every_wording() -> None:
    positions = ("first", "second")
    both = results(first=["1110", "1000"], second=["1000", "1100"])
    (headline,) = headline_metrics_of(SUITE, both)
    assert headline.item_scores is not None
    first, second = (
        dataclasses.replace(both, frame=both.frame.filter(pl.col("model").cast(pl.String) == name))
        for name in positions
    )
    scores = HeadlineScores(headline, (first, second), headline.item_scores(both))
    table = wording_differences_table([scores], positions, suite="genform")
    assert table is not None
    assert row(table, "right", "1")["difference"] == -0.5
    assert row(table, "right", "2")["difference"] == 0.25
    assert row(table, "right", "1")["judgements"] == 4
    assert (
        "second is ahead in 1 of 2 wordings and the first in 1: the order changes" in table.notes[1]
    )
    single = results(first=["1110"], second=["1000"])
    alone = HeadlineScores(headline, (single, single), headline.item_scores(single))
    assert wording_differences_table([alone], positions, suite="genform") is None
