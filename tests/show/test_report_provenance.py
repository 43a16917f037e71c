"""What qualifies numbers, as notes and as columns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epicene.core.records import Column, Estimate, Row, Table
from epicene.results.summary import RunSummary
from epicene.runs.manifest import Coverage
from epicene.show.provenance import RUN_FIELDS, Provenance
from epicene.show.table_formats import long_csv, wide_csv
from epicene.suites import Protocol, RunInfo

EPICENE = Protocol(name="epicene", about="")


def run(model: str, judged: int, rate: float | None) -> RunSummary:
    info = RunInfo(run=model, model=model, protocol="epicene", identities={})
    covered = Coverage(items=30, judged=judged, requests=60, answered=2 * judged, failed=0)
    undetected = Estimate(value=rate, n=2 * judged if rate is not None else 0, why="no outcomes")
    return RunSummary(info=info, data="mine", metrics={}, undetected=undetected, coverage=covered)


def source(*runs: RunSummary) -> Provenance:
    return Provenance(
        suite="genform",
        protocol="epicene",
        method="GenForm, protocol epicene",
        undetected="undetected of all judgements: a 50.0 % of 24",
        further=("Data mine.",),
        runs={each.info.model: each for each in runs},
        protocols=dict.fromkeys((each.info.model for each in runs), EPICENE),
    )


A, B, C = run("a", 12, 0.5), run("b", 30, 0.0), run("c", 30, None)


def told(where: Provenance, row: Row, column: str = "") -> dict[str, object]:
    return dict(zip(RUN_FIELDS, where.fields(row, column), strict=True))


def test_notes_stand_below_those_of_the_table() -> None:
    table = Table(name="1", title="", levels=("m",), columns=(), rows=(), notes=("Its own.",))
    assert source(A).noted(table).notes == (
        "Its own.",
        "GenForm, protocol epicene · undetected of all judgements: a 50.0 % of 24.",
        "Data mine.",
    )
    assert source(A).with_undetected("").notes == ("GenForm, protocol epicene.", "Data mine.")


def test_a_row_is_of_the_run_that_it_or_its_column_names() -> None:
    where = source(A, B, C)
    assert told(where, Row(keys=("fr", "a"), cells=())) == {
        "run suite": "genform",
        "run protocol": "epicene",
        "run method": "protocol epicene · normalisers: none",
        "run data": "mine",
        "run items": 30,
        "run judged": 12,
        "run requests": 60,
        "run answered": 24,
        "run undetected": 0.5,
    }
    assert told(where, Row(keys=("fr",), cells=()), "b")["run judged"] == 30
    assert told(where, Row(keys=("c",), cells=()))["run undetected"] is None


def test_a_row_of_several_runs_has_them_together_and_one_of_none_has_all() -> None:
    where = source(A, B, C)
    both = told(where, Row(keys=("headline", "a", "b"), cells=()))
    assert (both["run items"], both["run judged"]) == (60, 42)
    assert both["run undetected"] == pytest.approx((0.5 * 24 + 0 * 60) / (24 + 60))
    assert told(where, Row(keys=("all",), cells=()))["run items"] == 90


def test_of_a_published_row_nothing_is_known_even_if_a_model_shares_its_name() -> None:
    row = Row(keys=("a",), cells=(), origin="published")
    assert set(told(source(A), row).values()) == {None}


def test_tables_of_different_runs_go_into_one_file() -> None:
    table = Table(
        name="profile",
        title="",
        levels=("model",),
        columns=(Column(name="right"),),
        rows=(Row(keys=("a",), cells=(Estimate(value=0.5, n=2),)),),
    )
    other = replace(source(A), suite="apgc")
    lines = long_csv([(table, source(A)), (table, other)]).splitlines()
    assert [line.split(",")[3] for line in lines] == ["run suite", "genform", "apgc"]
    assert "run suite" not in wide_csv(table)
