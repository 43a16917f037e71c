"""Tables on wordings, from judgements whose values are computed by hand."""

from __future__ import annotations

import dataclasses
from typing import Any

import polars as pl

from epicene.core.records import Estimate, Judgement, Table
from epicene.results.wordings import order_sentence, wording_differences, wording_tables
from epicene.runs.frames import judgement_frame
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


def test_values_and_their_range() -> None:
    """Three wordings of four items: 3/4, 1/4 and 2/4 right."""
    made = tables(results(one=["1110", "1000", "1100"]))
    assert set(made) == {"wordings"}
    assert row(made["wordings"], "right", "one") == {
        "wording 1": 0.75, "wording 2": 0.25, "wording 3": 0.5, "all wordings": 0.5, "range": 0.5,
    }  # fmt: skip


def test_no_table_of_one_wording() -> None:
    assert not tables(results(one=["1110"], two=["1000"]))


def test_a_run_in_one_wording_beside_one_in_two() -> None:
    both = results(one=["1110", "1000"], two=["1100"])
    made = tables(dataclasses.replace(both, frame=both.frame.filter(pl.col("wording") != "")))
    assert [row.keys[1] for row in made["wordings"].rows] == ["one"]
    both = results(one=["1110", "1000", "1100"], two=["1100", "1000"])
    beside = row(tables(both)["wordings"], "right", "two")
    assert (beside["wording 3"], beside["range"]) == (None, 0.25)


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
    parts = {
        name: dataclasses.replace(
            both, frame=both.frame.filter(pl.col("model").cast(pl.String) == name)
        )
        for name in positions
    }
    found = wording_differences(headline, parts, headline.item_scores(both), suite="genform")
    assert [each.keys for each in found] == [("right", "1"), ("right", "2")]
    assert [each.difference.value for each in found] == [-0.5, 0.25]
    assert [each.shared for each in found] == [4, 4]
    assert [value.value for value in found[0].values] == [0.75, 0.25]
    told = order_sentence("right", found)
    assert "second is ahead in 1 of 2 wordings and the first in 1: the order changes" in told
    single = results(first=["1110"], second=["1000"])
    alone = dict.fromkeys(positions, single)
    assert not wording_differences(headline, alone, headline.item_scores(single), suite="genform")
