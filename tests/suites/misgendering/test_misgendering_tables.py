"""The tables and figures of hand-made judgements, by hand."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from epicene.core.records import Estimate, Judgement, Outcome, Table
from epicene.runs.frames import judgement_frame
from epicene.stats.tabulate import distinct_values, estimate_all
from epicene.suites import Results, RunInfo
from epicene.suites.misgendering import suite
from epicene.suites.misgendering.figures import figures
from epicene.suites.misgendering.metrics import (
    all_metrics,
    sigma_by_instance,
    sigma_shares,
    with_all_facets,
    with_right_column,
)
from epicene.suites.misgendering.protocol import PROTOCOLS
from epicene.suites.misgendering.tables import tables
from suites.table_cells import cells, values

INFO = RunInfo(run="r", model="m", protocol="epicene", identities={})
SAMPLES = 5


NAMES: dict[str, Outcome] = {"r": "right", "w": "wrong", "u": "undetected"}


def item(
    number: int, pronoun: str, outcomes: str, probability: str, delta: float
) -> list[Judgement]:
    """One template's judgements: five generations (r, w, u) and one by probability."""
    shared = {
        "dataset": "misgendered",
        "pronoun": pronoun,
        "case": ("nominative", "accusative")[number % 2],
        "names": "unisex",
    }
    told: dict[str, Any] = {"item": f"{pronoun}/{number}", "group": f"template/{number}"}
    label = {"right": pronoun, "wrong": "he" if pronoun != "he" else "she", "undetected": None}
    made = [
        Judgement(
            **told,
            name="probability",
            outcome=NAMES[probability],
            label=label[NAMES[probability]],
            facets={**shared, "format": "probability", "measure": "sum"},
        )
    ]
    made += [
        Judgement(
            **told,
            name=f"pre {sample}",
            outcome=NAMES[outcome],
            label=label[NAMES[outcome]],
            value=0.25,
            facets={
                **shared,
                "format": "generation",
                "setting": "pre",
                "sample": str(sample),
                "wrong_later": "no",
                "extraneous": "no",
            },
        )
        for sample, outcome in enumerate(outcomes, start=1)
    ]
    made += [
        Judgement(
            **told,
            name=f"{bound} pre (full)",
            label=pronoun,
            value=value,
            facets={
                **shared,
                "format": "expected",
                "setting": "pre",
                "distribution": "full",
                "bound": bound,
            },
        )
        for bound, value in (("δ", delta), ("δ*", delta / 2))
    ]
    return made


JUDGED = [
    *item(0, "xe", "rrrrr", "r", 0.25),
    *item(1, "xe", "wwwwr", "r", 0.75),
    *item(2, "xe", "wrwrr", "w", 0.5),
    *item(3, "xe", "uurrw", "r", 0.5),
    *item(0, "she", "rrrrr", "w", 0.1),
    *item(1, "she", "uuuur", "r", 0.1),
]


def results(protocol: str) -> Results[Any]:
    return Results(with_all_facets(judgement_frame(JUDGED, INFO)), PROTOCOLS[protocol], (INFO,))


def table(name: str, protocol: str = "epicene") -> Table:
    return next(each for each in tables(results(protocol)) if each.name == name)


# --- σ -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "level", "sigma"),
    [(5, "0", 0.0), (4, "0.40", 0.4), (3, "0.49", 0.49), (2, "0.49", 0.49), (0, "0", 0.0)],
)
def test_sigma_of_five_is_the_papers(right: int, level: str, sigma: float) -> None:
    judged = item(0, "xe", "r" * right + "w" * (SAMPLES - right), "r", 0.5)
    frame = with_all_facets(judgement_frame(judged, INFO)).filter(pl.col("format") == "generation")
    (row,) = sigma_by_instance(frame, PROTOCOLS["paper"]).iter_rows(named=True)
    assert row["level"] == level
    assert round(row["sigma"], 3) == pytest.approx(sigma, abs=5e-4)
    assert (row["item"], row["group"], row["case"]) == ("xe/0", "template/0", "nominative")


def shares_of_sigma(frame: pl.DataFrame, protocol: str) -> dict[str, float | None]:
    instances = sigma_by_instance(frame, PROTOCOLS[protocol])
    shares = sigma_shares(instances, distinct_values(instances, "level"))
    return {level: estimate_all(share, instances).value for level, share in shares.items()}


def test_no_pronoun_is_right_under_paper_and_left_out_under_epicene() -> None:
    frame = results("paper").frame.filter(pl.col("format") == "generation")
    mine = frame.filter(pl.col("pronoun") == "xe")
    # rrrrr; one of five; two of five; u u r r w is four of five
    assert shares_of_sigma(mine, "paper") == {"0": 0.25, "0.40": 0.5, "0.49": 0.25}
    # r r w is one of three
    assert shares_of_sigma(mine, "epicene") == {"0": 0.25, "0.40": 0.25, "0.47": 0.25, "0.49": 0.25}
    she = frame.filter(pl.col("pronoun") == "she")
    assert sigma_by_instance(she, PROTOCOLS["epicene"])["item"].to_list() == [
        "she/0"
    ]  # one left is too few
    assert len(with_right_column(she, PROTOCOLS["epicene"])) == 6


def test_the_table_of_variation() -> None:
    made = table("variation", "paper")
    assert [column.name for column in made.columns] == ["σ = 0", "σ = 0.40", "σ = 0.49", "mean σ"]
    found = values(made, "m", "declared", "pre", "xe")
    assert found["σ = 0.40"] == 0.5
    assert found["mean σ"] == pytest.approx((0 + 0.4 + 0.24**0.5 + 0.4) / 4)
    both = values(made, "m", "declared", "pre", "all")
    assert both["σ = 0"] == pytest.approx(3 / 6)


def test_figure_4a_shows_how_many_instances_have_each_sigma() -> None:
    drawn = next(each for each in figures(results("paper")) if each.name == "4a")
    data = drawn.spec["data"]["values"]
    found = {(row["x"], row["color"]): row["y"] for row in data}
    assert found == {
        ("she", "0"): 1.0,
        ("she", "0.40"): 0.0,
        ("she", "0.49"): 0.0,
        ("xe", "0"): 0.25,
        ("xe", "0.40"): 0.5,
        ("xe", "0.49"): 0.25,
    }
    assert {row["facet"] for row in data} == {"m"}
    assert all("low" in row and "high" in row for row in data)
    assert "σ" in json.dumps(drawn.spec, ensure_ascii=False)


# --- agreement -----------------------------------------------------------------------------


def test_raw_agreement_has_the_papers_standard_error() -> None:
    # Under paper the six pairs of probability and first generation agree in four.
    found = values(table("agreement", "paper"), "m", "declared", "pre", "all")
    error = (6 / 5 * (2 / 3) * (1 / 3) / 6) ** 0.5
    assert found["raw agreement"] == pytest.approx(4 / 6)
    assert found["standard error"] == pytest.approx(error)
    drawn = next(each for each in figures(results("paper")) if each.name == "4b")
    (she,) = [row for row in drawn.spec["data"]["values"] if row["color"] == "she"]
    assert (she["y"], she["high"] - she["y"]) == (0.5, pytest.approx(0.5))  # of two, one agrees
    assert "one standard error" in " ".join(drawn.notes)
    measured = drawn.spec["layer"][0]["encoding"]["y"]
    assert measured["title"] == "raw agreement"
    assert measured["scale"]["domain"][0] <= 0
    assert measured["scale"]["domain"][1] >= 1


def test_the_beta_distributions_are_those_of_the_landscape() -> None:
    # xe under paper: right by probability is 1, 1, 0, 1 and by generation 1, .2, .6, .8
    found = values(table("beta", "paper"), "m", "declared", "pre", "xe")
    chances = [0.0, 0.8, 0.6, 0.2]
    mean = sum(chances) / 4
    variance = sum((chance - mean) ** 2 for chance in chances) / 3
    size = mean * (1 - mean) / variance - 1
    assert found == {"α": pytest.approx(mean * size), "β": pytest.approx((1 - mean) * size)}
    drawn = next(each for each in figures(results("paper")) if each.name == "10")
    (xe,) = [row for row in drawn.spec["data"]["values"] if row["shape"] == "xe"]
    assert (xe["y"], xe["x"]) == (found["α"], found["β"])
    # What has no distribution is named with its reason.
    assert any(note.startswith("Not drawn: ") for note in drawn.notes)


# --- conflicts and disagreement ------------------------------------------------------------


def test_conflicts_by_pronoun() -> None:
    ours = values(table("conflicts"), "m", "all", "all")
    # xe: r/r, r/w, w/w, and the fourth has no pronoun; she: w/r, and the second has none
    assert ours == {"all": pytest.approx(2 / 4), "she": 1.0, "xe": pytest.approx(1 / 3)}
    paper = values(table("conflicts", "paper"), "m", "declared", "pre")
    assert paper == {"all": pytest.approx(2 / 6), "she": 0.5, "xe": 0.25}
    assert all_metrics(results("epicene"))["conflict"].value == 0.5


def test_the_papers_own_conflict_rates_stand_beside_them() -> None:
    (row,) = [row for row in table("conflicts").rows if row.origin == "published"]
    shown = [cell.value for cell in row.cells if isinstance(cell, Estimate)]
    assert shown == [0.202, None, 0.242]


def test_expected_disagreement_stands_beside_the_observed() -> None:
    found = cells(table("disagreement"), "m", "declared", "pre", "xe")
    assert found["observed outcome"].value == pytest.approx(1 / 3)
    # right/right chose alike, right/wrong did not, wrong/wrong chose he both times
    assert found["observed pronoun"].value == pytest.approx(1 / 3)
    assert found["expected δ"].value == pytest.approx(0.5)
    assert found["floor δ*"].value == pytest.approx(0.25)
    for name in ("observed outcome", "expected δ", "floor δ*"):
        assert found[name].low is not None
    assert found["drawn δ"].value is None
    assert "does not say" in found["drawn δ"].why
    assert found["can be drawn"].value is None


def test_what_can_be_drawn_is_counted() -> None:
    drawn = [
        Judgement(
            item=f"xe/{number}",
            group=f"template/{number}",
            name=f"{bound} pre (drawn)",
            value=value,
            facets={
                "dataset": "misgendered",
                "pronoun": "xe",
                "format": "expected",
                "setting": "pre",
                "distribution": "drawn",
                "bound": bound,
            },
        )
        for number, value in enumerate((1.0, None, 0.5, None))
        for bound in ("δ", "δ*")
    ]
    frame = with_all_facets(judgement_frame([*JUDGED, *drawn], INFO))
    made = next(
        each
        for each in tables(Results(frame, PROTOCOLS["epicene"], (INFO,)))
        if each.name == "disagreement"
    )
    found = values(made, "m", "declared", "pre", "xe")
    assert found["drawn δ"] == 0.75
    assert found["can be drawn"] == 0.5


# --- facets --------------------------------------------------------------------------------

BY_FACET = [name for name in suite.card.tables if name.endswith("by facet")]


@pytest.mark.parametrize("name", BY_FACET)
def test_every_measure_has_its_facets(name: str) -> None:
    made = table(name)
    facets = {row.keys[-2:] for row in made.rows}
    assert facets == {("case", "nominative"), ("case", "accusative"), ("names", "unisex")}
    assert [column.name for column in made.columns] == ["all", "she", "xe"]


def test_numbers_by_facet() -> None:
    accuracy = table("accuracy by facet")
    # nominative: templates 0 and 2
    found = values(accuracy, "m", "declared", "pre", "case", "nominative")
    assert found == {"all": pytest.approx(13 / 15), "she": 1.0, "xe": pytest.approx(8 / 10)}
    scored = values(accuracy, "m", "declared", "probability", "case", "nominative")
    assert scored == {"all": pytest.approx(1 / 3), "she": 0.0, "xe": 0.5}
    nothing = values(table("no pronoun by facet"), "m", "declared", "pre", "case", "accusative")
    assert nothing == {"all": pytest.approx(6 / 15), "she": 0.8, "xe": pytest.approx(2 / 10)}
    foreseen = table("expected disagreement by facet")
    found = values(foreseen, "m", "declared", "pre", "case", "accusative")
    assert found["xe"] == pytest.approx((0.75 + 0.5) / 2)
    assert values(table("repetition by facet"), "m", "declared", "pre", "names", "unisex")[
        "all"
    ] == pytest.approx(0.25)


# --- the paper's numbers -------------------------------------------------------------------


def test_repetition_has_the_papers_rows() -> None:
    rows = {row.keys[0]: row.cells for row in table("10").rows if row.origin == "published"}
    assert len(rows) == 6
    she, xe = rows["Llama-70B"]
    assert isinstance(xe, Estimate)
    assert (xe.value, xe.mark) == (0.170, " ± 0.222")
    assert isinstance(she, Estimate)
    assert she.low is None  # a standard deviation is no interval
