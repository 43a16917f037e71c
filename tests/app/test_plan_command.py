"""`epicene plan`: from rates, from one pilot run, from two; and wrong input."""

from __future__ import annotations

from pathlib import Path

import pytest

import epicene as api
from app.conftest import Epicene

GENERATION = "right pronoun by generation"


def test_given_rates_and_annotators(epicene: Epicene) -> None:
    options = ("--rate", "0.8", "--difference", "0.1", "--group-size", "1")
    made = epicene("plan", "alternations", *options, "--json").json
    needs = made["tables"]["plan"]["share right"]
    # Connor (1987) with Miettinen's correction: 305 pairs.
    assert needs["items needed"]["value"] == pytest.approx(305, rel=0.04)
    assert needs["power"]["value"] == pytest.approx(0.8, abs=0.02)
    assert needs["items at hand"]["value"] == 422
    assert made["comparisons"] == 1
    assert "components" not in made["tables"]
    more = epicene("plan", "alternations", *options, "--models", "4", "--json").json
    assert more["comparisons"] == 6
    assert more["tables"]["plan"]["share right"]["items needed"]["value"] > 420
    people = epicene("plan", "alternations", *options, "--samples=3", "--agreement=0.6", "--json")
    rows = people.json["tables"]["samples"]["share right"]
    ratio = rows["1"]["items"]["value"] / rows["3"]["items"]["value"]
    assert ratio == pytest.approx(1 / (0.6 + 0.4 / 3), rel=0.01)


def test_what_few_items_find(epicene: Epicene) -> None:
    options = ("--rate", "0.8", "--group-size", "1", "--json")
    few = epicene("plan", "alternations", "--items", "5", *options).json["tables"]["plan"]
    assert few["share right"]["detectable difference"]["value"] is None
    assert (
        "cannot detect any difference, however large"
        in few["share right"]["detectable difference"]["why"]
    )
    some = epicene("plan", "alternations", "--items", "305", *options).json["tables"]["plan"]
    found = some["share right"]["detectable difference"]["value"]
    assert found == pytest.approx(0.1, rel=0.05)


def test_a_suite_without_right_and_wrong_has_no_plan(epicene: Epicene) -> None:
    done = epicene("plan", "gramvis")
    assert done.code == 2
    assert "No headline of gramvis has" in done.err


def test_a_pilot_run_gives_rates_correlations_and_components(epicene: Epicene) -> None:
    for seed in (1, 2):
        epicene("run", "misgendering", f"--model=random:{seed}", "--limit=3", f"--out={seed}")
    shown = epicene("plan", "misgendering", "--from", "1")
    assert shown.code == 0, shown.err
    assert "more samples reduce only sample" in shown.out
    command = ("plan", "misgendering", "--difference=0.02", "--json", "--from=1")
    tables = epicene(*command).json["tables"]
    parts = tables["components"][GENERATION]
    assert set(parts) == {"group", "item", "sample"}
    assert sum(each["share of variance"]["value"] for each in parts.values()) == pytest.approx(1)
    assumed = tables["assumptions"][GENERATION]
    assert assumed["samples"]["value"] == 5
    accuracy = epicene("tables", "1", "--json").json["metrics"]["accuracy_generation"]["value"]
    assert assumed["first model"]["value"] == pytest.approx(accuracy)
    pair = epicene(*command, "--from=2").json
    one, two = (
        made["plan"][GENERATION]["items needed"]["value"] for made in (tables, pair["tables"])
    )
    # Two random models answer independently of each other, as is assumed of one run.
    assert 0.5 < one / two < 2
    coupled = epicene(*command, "--correlation=0.8").json
    assert coupled["tables"]["plan"][GENERATION]["items needed"]["value"] < one


def test_a_pilot_without_errors_says_nothing_of_correlations(epicene: Epicene) -> None:
    """They are assumed, as without a run: independent answers would make the plan too cheap."""
    asked = ("--set=formats=generation", "--set=samples=2", "--limit=3", "--out=right")
    epicene("run", "misgendering", "--model=planted?rate=1", *asked)
    made = epicene("plan", "misgendering", "--from=right", "--json").json
    row = made["tables"]["assumptions"][GENERATION]
    assert row["correlation in a group"]["value"] == 0.3
    assert row["correlation of samples"]["value"] == 0.6
    assert "components" not in made["tables"]
    told = epicene("plan", "misgendering", "--from=right").out
    assert f"Answers do not vary on “{GENERATION}”" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--difference", "5"), "--difference must be between 0 and 1, not 5; write 0.05 for 5 %."),
        (("--rate", "1.5"), "--rate must be between 0 and 1, not 1.5."),
        (("--items", "1"), "--items must be at least 2, not 1."),
        (("--models", "1"), "--models must be at least 2, not 1."),
        (("--group-size", "0"), "--group-size must be at least 1, not 0."),
        (("--power", "1"), "--power must be between 0 and 1"),
        (("--difference", "0.0001"), "more than a million groups"),
        (("--rate", "0.9", "--difference", "0.95"), "cannot change by -0.95"),
        (("--from", "missing"), "missing is not a run folder"),
        (
            ("--from", "run", "--rate", "0.5"),
            "cannot be combined with --from: it is taken",
        ),
        (
            ("--from", "run", "--data", "x"),
            "--group-size and --data cannot be combined with --from: both are taken from the run",
        ),
        (("--from", "run") * 3, "--from takes one run or two, not 3."),
        (("--from", "run", "--from", "run"), "The two runs never differ"),
        (("--from", "other"), "other is a run of genform, not of alternations."),
    ],
)
def test_wrong_input(epicene: Epicene, arguments: tuple[str, ...], told: str) -> None:
    if "run" in arguments:
        epicene("run", "alternations", "--model=random", "--limit=2", "--out=run")
    if "other" in arguments:
        epicene("run", "genform", "--model=copy", "--limit=1", "--out=other")
    done = epicene("plan", "alternations", *arguments)
    assert done.code == 2
    assert told in done.err


def test_from_python(epicene: Epicene) -> None:
    plan = api.plan("alternations", rate=0.8, difference=0.1, group_size=1)
    assert plan.items == plan.headlines["share right"].items
    assert repr(plan) == f"<Plan of alternations: {plan.items} items find 10 points>"
    assert plan.table("plan")["items needed"].to_list() == [plan.items]
    epicene("run", "alternations", "--model=random", "--limit=4", "--out=run")
    pilot = api.plan("alternations", pilot=api.load("run"))
    assert "acceptable sentence likelier" in pilot.headlines
    with pytest.raises(
        api.InputError, match=r"^--rate cannot be combined with --from: it is taken from the run\.$"
    ):
        api.plan("alternations", pilot=Path("run"), rate=0.5)
