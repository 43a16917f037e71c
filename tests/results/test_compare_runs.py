"""Two runs are compared as a report does it: same figures, same intervals, same tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import reflexives
from epicene.core.records import Estimate, Row, Table
from epicene.results.compare import Comparison, compare_agreement, compare_runs
from epicene.results.summary import summarise
from epicene.runs.stored_run import StoredRun, read_run
from epicene.show.model_comparison import compare_models
from epicene.show.model_profiles import headline_results
from epicene.stats.tabulate import mean
from epicene.suites import Results
from epicene.suites.headline_metrics import HeadlineMetric
from runs.conftest import Runner, run_suite


def ran(suite: str, model: str, out: Path, protocol: str = "epicene", limit: int = 3) -> StoredRun:
    return run_suite(suite, out, model, protocol, limit=limit)


def table(found: Comparison, name: str) -> Table:
    (made,) = [each for each in found.tables if each.name == name]
    return made


def row(found: Comparison, name: str, *keys: str) -> dict[str, Estimate]:
    made = table(found, name)
    (cells,) = [each.cells for each in made.rows if each.keys == keys]
    return {
        column.name.partition(":")[0]: cell
        for column, cell in zip(made.columns, cells, strict=True)
        if isinstance(cell, Estimate)
    }


@pytest.mark.parametrize("suite", ["alternations", "genform", "misgendering"])
def test_it_begins_with_the_rows_of_the_report(suite: str, tmp_path: Path) -> None:
    first = ran(suite, "random:1?label=one", tmp_path / "one")
    second = ran(suite, "random:2?label=two", tmp_path / "two")
    found = compare_runs(first, second)
    summary = summarise([first, second])
    entries = [entry for entry in headline_results(summary) if not entry.language]
    reported = compare_models(summary, [first, second]).changes
    assert reported is not None
    assert found.tables[0].name == "changes"
    shown = found.tables[0].rows
    assert shown == tuple(
        Row(keys=each.keys[:1], cells=(*entry.estimates.values(), *each.cells))
        for each, entry in zip(reported.rows, entries, strict=True)
    )
    assert any(each.value for each in row(found, "changes", *shown[0].keys).values())
    for each in shown:
        assert found.metrics[f"change_{each.keys[0]}"] == each.cells[2]


def test_it_says_what_could_have_been_found_where_nothing_was(tmp_path: Path) -> None:
    one, two = (ran("genform", f"random:{seed}", tmp_path / str(seed), limit=10) for seed in (1, 2))
    found = compare_runs(one, two)
    (headline,) = [each.keys[0] for each in table(found, "changes").rows]
    told = row(found, "detectable", headline)
    change = row(found, "changes", headline)["difference"]
    least = told["detectable difference"].value
    assert told["difference"] == change
    assert least is not None
    assert change.low is not None
    assert change.high is not None
    # 2.8 standard errors, at the upper 80 % limit of the variance; an interval is 3.92 wide.
    assert 1 < least / ((change.high - change.low) * 2.8 / 3.92) < 1.5
    summary = summarise([one, two])
    reported = compare_models(summary, [one, two]).detectable
    assert reported is not None
    assert reported.rows[0].cells == table(found, "detectable").rows[0].cells
    good = ran("genform", "rules", tmp_path / "rules", limit=10)
    assert "detectable" not in [each.name for each in compare_runs(one, good).tables]
    assert compare_models(summarise([one, good]), [one, good]).detectable is None


def test_finer_rows_have_a_correction_of_their_own_and_add_up_nothing(tmp_path: Path) -> None:
    first = ran("misgendering", "random:1?label=one", tmp_path / "one")
    second = ran("misgendering", "random:2?label=two", tmp_path / "two")
    found = compare_runs(first, second)
    names = [each.keys[0] for each in table(found, "difference").rows]
    assert {"probability", "probability (per token)", "pre 1", "δ pre (full)"} <= set(names)
    assert "all" not in names
    assert "difference_all" not in found.metrics
    for made in (table(found, "changes"), table(found, "difference")):
        column = [each.name for each in made.columns].index("p (Holm)")
        told = [each.cells[column - 1 : column + 1] for each in made.rows]
        raw = [each[0].value for each in told if isinstance(each[0], Estimate)]
        adjusted = [each[1].value for each in told if isinstance(each[1], Estimate)]
        assert len(raw) == len(made.rows)
        least = min(p for p in raw if p is not None)
        assert min(p for p in adjusted if p is not None) == pytest.approx(
            min(1.0, len(raw) * least)
        )


def test_judgements_without_an_outcome_do_not_count_as_unchanged(tmp_path: Path) -> None:
    first = ran("misgendering", "random:1?label=one", tmp_path / "one")
    second = ran("misgendering", "random:2?label=two", tmp_path / "two")
    found = compare_runs(first, second)
    frame = summarise([first, second]).results.frame.with_columns(
        pl.col("name", "outcome").cast(pl.String)
    )
    one, two = frame.partition_by("run", maintain_order=True)
    both = one.join(two, on=["item", "name"], suffix="_2")
    told = both.filter(pl.col("outcome").is_not_null() & pl.col("outcome_2").is_not_null())
    assert found.shared == len(both) > found.outcomes == len(told)
    moved = told.filter(pl.col("outcome") != pl.col("outcome_2"))
    assert len(found.changed) == len(moved) > 0
    assert all(each["first"] and each["second"] for each in found.changed)


def test_a_suite_without_headlines_has_all_its_outcomes_together(tmp_path: Path) -> None:
    first = ran("reflexives", "random:1?label=one", tmp_path / "one", limit=12)
    second = ran("reflexives", "random:2?label=two", tmp_path / "two", limit=12)
    found = compare_runs(first, second)
    everything, right = row(found, "difference", "all"), row(found, "changes", "right")
    for name in ("first", "second", "difference"):
        assert everything[name] == right[name]
    for run_, place in ((first, "first"), (second, "second")):
        metrics = summarise([run_]).runs[0].metrics
        shown = row(found, "difference", "probability")[place]
        assert shown == metrics["accuracy_probability"]
        assert shown.low is not None


def test_a_run_s_own_figure_is_that_of_its_tables(do_run: Runner, tmp_path: Path) -> None:
    """Whatever the other run lacks; the difference is over what both have."""
    whole = read_run(do_run(out=tmp_path / "whole")[0])
    broken = read_run(do_run(writer="scripted:v-failing", out=tmp_path / "broken")[0])
    found = compare_runs(whole, broken)
    assert 0 < found.shared < 360
    shown = row(found, "difference", "all")
    for each, place in ((whole, "first"), (broken, "second")):
        alone = summarise([each]).runs[0].metrics["accuracy"]
        assert shown[place] == alone == row(found, "changes", "right")[place]
    assert (shown["first"].n, shown["second"].n) == (360, found.shared)
    assert shown["difference"].n == shown["judgements"].value == found.shared
    left, right = (summarise([each]).results.frame for each in (whole, broken))
    keys = ["item", "name"]
    cast = [frame.with_columns(pl.col(keys).cast(pl.String)) for frame in (left, right)]
    shares = [
        (one.join(other, on=keys, how="semi")["outcome"] == "right").mean()
        for one, other in (cast, cast[::-1])
    ]
    assert isinstance(shares[0], float)
    assert isinstance(shares[1], float)
    assert shown["difference"].value == pytest.approx(shares[1] - shares[0])
    assert [each.coverage is not None and each.coverage.whole for each in found.runs] == [
        True,
        False,
    ]


def by_protocol(results: Results[Any]) -> pl.DataFrame:
    """Every judgement with a figure that only its protocol decides."""
    figure = 1.0 if results.protocol.name == "paper" else 0.25
    return results.frame.with_columns(score=pl.lit(figure))


def test_runs_of_two_protocols_are_each_read_under_their_own(tmp_path: Path) -> None:
    headline = HeadlineMetric(
        "own", lambda results: mean(by_protocol(results), "score"), by_protocol
    )
    suite = replace(reflexives.suite, headline_metrics=(headline,))
    first, second = (
        replace(ran("reflexives", "random", tmp_path / name, name), suite=suite)
        for name in ("paper", "epicene")
    )
    found = compare_runs(first, second)
    shown = row(found, "changes", "own")
    values = [shown[name].value for name in ("first", "second", "difference")]
    assert values == [1.0, 0.25, -0.75]
    assert "protocol (paper paper, epicene epicene)" in found.notes[0]
    assert "first_token: paper tokenizer-default, epicene bos" in found.notes[0]


def test_a_run_against_itself_and_runs_of_one_label(tmp_path: Path) -> None:
    one = ran("reflexives", "random", tmp_path / "one")
    other = ran("reflexives", "random", tmp_path / "other", "paper")
    same = compare_runs(one, one)
    assert row(same, "changes", "right")["difference"].value == 0
    assert same.changed == []
    assert [each.info.model for each in same.runs] == ["random", "random"]
    assert table(compare_agreement(one, one), "agreement").title == "Agreement of random and random"
    told = [each.info.model for each in compare_runs(one, other).runs]
    assert told == ["random (one)", "random (other)"]


def test_an_answer_judged_in_several_ways_is_undetected_once(tmp_path: Path) -> None:
    done = ran("misgendering", "random:1?label=one", tmp_path / "one")
    for found in (compare_runs(done, done), compare_agreement(done, done)):
        names = summarise([done]).results.frame.filter(pl.col("outcome").is_not_null())["name"]
        once = [name for name in names.cast(pl.String) if not name.startswith("probability (")]
        assert found.runs[0].undetected.n == len(once) < len(names)
    named = compare_agreement(done, done, names=("probability (per token)", "probability"))
    assert named.runs[0].undetected.n == named.runs[1].undetected.n > 0
