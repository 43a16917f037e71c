"""Tables over groups and a crossed factor, and over random draws, of stored runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import epicene
from epicene.core.errors import EpiceneWarning, InputError
from epicene.core.records import Estimate, Table
from epicene.runs.compare import compare_runs
from epicene.runs.paired_differences import (
    MetricDifference,
    changes_of_suites_table,
    pairwise_differences,
)
from epicene.runs.stored_run import stored_items
from epicene.stats.hypothesis_tests import holm
from epicene.stats.two_way import crossed_mean
from epicene.suites import DataSource
from epicene.suites.misgendering.items import Instance
from runs.conftest import run_suite

SETTINGS = {"formats": "generation", "samples": "3", "pronouns": "she,they"}


def texts(folder: Path) -> DataSource:
    """Thirty templates by four names."""
    rows = [f"{{name}} lost {{mask}} key number {number}.,dependent" for number in range(30)]
    path = folder / "templates.csv"
    path.write_text("\n".join(["template,case", *rows]))
    return DataSource(path=path)


def cell(table: Table, row: int, column: int) -> Estimate:
    found = table.rows[row].cells[column]
    assert isinstance(found, Estimate)
    return found


def test_headlines_and_differences_over_names(tmp_path: Path) -> None:
    runs = [
        run_suite(
            "misgendering",
            tmp_path / f"r{rate}",
            f"planted?rate={rate}",
            settings=SETTINGS,
            source=texts(tmp_path),
        )
        for rate in (0.9, 0.6)
    ]
    results = epicene.tables([run.folder for run in runs], crossed="name")
    frame = results.table("crossed")
    assert frame["model"].n_unique() == 2
    # The same from the items themselves.
    items = {item.id: item for item in stored_items(runs[0]) if isinstance(item, Instance)}
    scores = epicene.load(runs[0].folder).items()
    part = scores.filter(scores["format"] == "generation")
    values = (part["outcome"] == "right").to_numpy().astype(float)
    names = [items[item].name or f"none of {group}" for item, group in part["item", "group"].rows()]
    expected = crossed_mean(values, part["group"].to_list(), names)
    row = frame.filter(
        (frame["headline"] == "right pronoun by generation") & frame["model"].str.contains("0.9")
    )
    assert row["over groups and name"][0] == expected.value
    assert row["over groups and name low"][0] == expected.low
    assert row["over groups and name groups"][0] == expected.groups
    assert row["values of name"][0] == len({items[i].name for i in part["item"]} - {""})

    compared = compare_runs(runs[0], runs[1], crossed="name")
    table = next(each for each in compared.tables if each.name == "crossed")
    one, both = cell(table, 0, 0), cell(table, 0, 1)
    assert one.value == pytest.approx(both.value)
    assert both.low is not None
    assert one.low is not None
    assert both.low <= one.low
    assert cell(table, 0, 2).value is not None


def test_a_facet_may_be_crossed_and_others_are_refused(tmp_path: Path) -> None:
    run = run_suite("alternations", tmp_path / "r", "random", limit=10, languages=("hi",))
    assert len(epicene.tables(run.folder, crossed="verb").table("crossed"))
    for field, why in (
        ("verbs", "no field of items or facet 'verbs'; known: after,"),
        ("measure", "varies within items"),
        ("method", "two values of 'method'"),
    ):
        with pytest.raises(InputError, match=why):
            epicene.tables(run.folder, crossed=field).table("crossed")
    with pytest.raises(
        InputError, match="reports differences; it cannot be combined with `agreement`"
    ):
        epicene.compare(run.folder, run.folder, agreement=True, crossed="verb")


def test_draws_of_one_run_and_of_several(tmp_path: Path) -> None:
    runs = [
        run_suite(
            "misgendering",
            tmp_path / f"seed{seed}",
            "planted?rate=0.7",
            settings={**SETTINGS, "seed": str(seed)},
            source=texts(tmp_path),
        )
        for seed in (1, 2)
    ]
    alone = epicene.tables(runs[0].folder, draws=True).table("draws")
    assert alone["draws"].to_list() == [3]
    with pytest.warns(EpiceneWarning, match="differ in settings"):
        together = epicene.tables([run.folder for run in runs], draws=True).table("draws")
    assert together["draws"].to_list() == [6]
    assert together["prompts"].to_list() == alone["prompts"].to_list()
    for frame in (alone, together):
        (row,) = frame.iter_rows(named=True)
        assert row["these items low"] < 0.7 < row["these items high"]
        assert row["over groups and draws low"] <= row["over groups low"]
        assert row["lowest draw"] < row["over groups"] < row["highest draw"]
        assert 0 < row["prompts that change"] < 1
    other = run_suite(
        "misgendering", tmp_path / "other", "random", settings=SETTINGS, source=texts(tmp_path)
    )
    with pytest.raises(InputError, match="are runs of different models"):
        epicene.tables([runs[0].folder, other.folder], draws=True).table("draws")
    less = run_suite(
        "misgendering",
        tmp_path / "less",
        "planted?rate=0.7",
        settings={**SETTINGS, "samples": "2"},
        source=texts(tmp_path),
    )
    with pytest.raises(
        InputError, match=r"samples: .* Draws must be repeated under the same method"
    ):
        epicene.tables([runs[0].folder, less.folder], draws=True).table("draws")
    once = run_suite("genform", tmp_path / "once", "copy", limit=3)
    with pytest.raises(InputError, match="drawn twice"):
        epicene.tables(once.folder, draws=True).table("draws")


def test_one_correction_over_all_suites() -> None:
    rng = np.random.default_rng(1)
    found = []
    for suite, chances in (("A", (0.7, 0.5)), ("B", (0.7, 0.68))):
        frame = pl.concat(
            pl.DataFrame(
                {
                    "model": model,
                    "item": [str(n) for n in range(80)],
                    "name": "",
                    "group": [str(n // 2) for n in range(80)],
                    "outcome": (right := rng.random(80) < chance).astype(str),
                    "score": right.astype(float),
                }
            ).with_columns(outcome=pl.col("outcome").replace({"True": "right", "False": "wrong"}))
            for model, chance in zip("xy", chances, strict=True)
        )
        (change,) = pairwise_differences(frame, ["x", "y"], suite=suite)
        found.append((suite, [MetricDifference("right", change)]))
    table = changes_of_suites_table(found)
    assert table is not None
    raw = [cell(table, row, 1).value for row in (0, 1)]
    assert [cell(table, row, 2).value for row in (0, 1)] == list(holm(raw))
    assert changes_of_suites_table(found[:1]) is None
