"""`epicene score gramvis`, from counts alone and from votes."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.conftest import Epicene
from epicene.core import registry
from epicene.suites.gramvis import suite
from suites.gramvis.gramvis_counts import vote_line, write_votes

HEAD = "Language,T2I_Model,Grammar_Gender,Bias_Type,Native_Word," + ",".join(
    f"Overall_{condition}_{outcome}"
    for condition in ("English", "Chinese", "Native")
    for outcome in ("Male", "Female", "Neither", "Error")
)


@pytest.fixture(autouse=True)
def _known() -> None:
    registry.add("suites", "gramvis", suite)


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    path = tmp_path / "counts.csv"
    rows = ["german,flux,male,occupation,der_star,4,12,0,0,8,8,0,0,12,4,0,0"]
    rows += ["german,flux,male,occupation,der_filmstar,0,8,0,0,8,8,0,0,1,7,8,0"]
    path.write_text("\n".join([HEAD, *rows]) + "\n", "utf-8")
    return path


def test_counts_need_no_answers(epicene: Epicene, counts: Path) -> None:
    done = epicene("score", "gramvis", "--data", counts, "--json")
    assert done.code == 0, done.err
    cell = done.json["tables"]["3"]["DE"]["flux"]["M"]["gendered_m"]
    assert done.json["protocol"] == "paper"
    assert cell["value"] == pytest.approx(13 / 24)


def test_the_other_protocol_is_named(epicene: Epicene, counts: Path) -> None:
    options = ("--protocol", "epicene", "--set", "mixed=false", "--json")
    done = epicene("score", "gramvis", "--data", counts, *options)
    cell = done.json["tables"]["3"]["DE"]["flux"]["M"]["gendered_m"]
    assert cell["value"] == pytest.approx((12 / 16 + 1 / 8) / 2)
    assert cell["low"] < cell["value"] < cell["high"]


def test_votes_bring_their_own_items(epicene: Epicene, tmp_path: Path) -> None:
    lines = [
        vote_line(judge=judge, word=word, condition=condition)
        for judge in "abc"
        for word in ("a", "b")
        for condition in ("english", "chinese", "gendered")
    ]
    path = write_votes(tmp_path / "votes.jsonl", lines)
    done = epicene("score", "gramvis", "--answers", path, "--json", "--items")
    assert done.code == 0, done.err
    assert done.json["data"] == "votes.jsonl"
    assert done.json["tables"]["3"]["DE"]["flux"]["M"]["gendered_m"]["value"] == 1
    assert done.json["tables"]["judges"]["all"]["unanimous"]["value"] == 1
    assert len(done.json["items"]) == len(lines) + 6


def test_a_table_for_a_person(epicene: Epicene, counts: Path) -> None:
    done = epicene("score", "gramvis", "--data", counts)
    assert done.code == 0, done.err
    assert "Bias scores" in done.out


def test_some_tables_alone(epicene: Epicene, counts: Path) -> None:
    done = epicene("score", "gramvis", "--data", counts, "--table", "14", "-t", "3")
    assert (done.code, "Bias scores" in done.out, "Words by" in done.out) == (0, True, False)
    done = epicene("score", "gramvis", "--data", counts, "--table", "14", "--json")
    assert (set(done.json["tables"]), "english_effect_M" in done.json["metrics"]) == ({"14"}, True)
    done = epicene("score", "gramvis", "--data", counts, "--table", "20")
    assert (done.code, "no table '20'" in done.err, done.out) == (2, True, "")


def test_nothing_to_score_is_said(epicene: Epicene) -> None:
    done = epicene("score", "gramvis")
    assert done.code == 2
    assert "--answers" in done.err
    other = epicene("score", "reflexives")
    assert other.code == 2
    assert "name the file of answers with --answers" in other.err
