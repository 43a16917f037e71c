"""`epicene plan`: from one pilot run, from a run of each model; and wrong input."""

from __future__ import annotations

import pytest

import epicene as api
from app.conftest import Epicene

HEADLINE = "gendered terms right (SGA)"
JUDGES = "judges=random:1,random:2,random:3"


@pytest.fixture
def pilots(epicene: Epicene) -> Epicene:
    """Two runs of genform by models that answer independently of each other."""
    for seed in (1, 2):
        model = f"planted:{seed}?rate=0.8"
        epicene("run", "genform", "-m", model, "-l", "fr", "--limit=60", f"--out={seed}")
    return epicene


def test_one_pilot_and_two(pilots: Epicene) -> None:
    one, two = (
        pilots("plan", *runs, "--difference=0.1", "--json").json["tables"]["plan"][HEADLINE]
        for runs in (("1",), ("1", "2"))
    )
    # Two models that answer independently, as is assumed of one run.
    assert 0.6 < one["items needed"]["value"] / two["items needed"]["value"] < 1.7
    # Two independent judgements a sentence: (1.96 + 0.84)² × 2 × 0.8 × 0.2 / 2 / 0.1² = 126.
    assert 110 < one["groups needed"]["value"] < 260
    for each in (one, two):
        needed = each["items needed"]
        assert needed["low"] < needed["value"] < needed["high"]
    finer = pilots("plan", "1", "--difference=0.05", "--json").json["tables"]["plan"][HEADLINE]
    assert 3 < finer["groups needed"]["value"] / one["groups needed"]["value"] < 4
    many = f"--items={finer['items needed']['value']}"
    found = pilots("plan", "1", many, "--json").json["tables"]["plan"][HEADLINE]
    assert found["detectable difference"]["value"] == pytest.approx(0.05, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("1", "--difference=5"), "--difference must be between 0 and 1, not 5; write 0.05 for"),
        (("1", "--power=1"), "--power must be between 0 and 1"),
        (("1", "--items=1"), "--items must be at least 2, not 1."),
        (("missing",), "missing is not a run folder"),
        (("few",), "groups of items say too little about how much answers vary; a plan needs a "),
        (("1", "other"), "only runs of the same suite can be compared"),
        (("drawn",), "drawn has no headline with right and wrong outcomes"),
    ],
)
def test_wrong_input(pilots: Epicene, arguments: tuple[str, ...], told: str) -> None:
    pilots("run", "genform", "-m", "copy", "-l", "fr", "--limit=3", "--out=few")
    if "other" in arguments:
        pilots("run", "alternations", "-m", "random", "--limit=2", "--out=other")
    if "drawn" in arguments:
        pilots("run", "gramvis", "-m", "drawer=sketch", "-m", JUDGES, "--limit=1", "--out=drawn")
    done = pilots("plan", *arguments)
    assert done.code == 2
    assert told in done.err


def test_from_python(pilots: Epicene) -> None:
    plan = api.plan("1", difference=0.1)
    assert plan.items == plan.headlines[HEADLINE].items.value
    assert repr(plan) == f"<Plan of genform: {plan.items} items find 10 points>"
    assert plan.table("plan")["items needed"].to_list() == [plan.items]
    with pytest.raises(api.InputError, match=r"^--difference must be between 0 and 1, not 2;"):
        api.plan(api.load("1"), difference=2)
