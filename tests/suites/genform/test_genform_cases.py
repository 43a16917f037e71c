"""Answers whose counts were worked out by hand (cases.json), through the suite's own judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from epicene.core.records import Judgement, Text, Texts
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.genform.gendered_terms import TermCounts
from epicene.suites.genform.items import Pair
from epicene.suites.genform.judge import judge
from epicene.suites.genform.protocol import PROTOCOLS
from epicene.suites.genform.words import TOKENISATIONS

WORKED = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))
CASES = WORKED["cases"]


def judged(case: dict[str, Any], protocol: str) -> Judgement:
    pair = Pair(id=case["pair"], **WORKED["pairs"][case["pair"]])
    answer = Texts(texts=(Text(text=case["answer"]),))
    given = AnsweredRequest("generation", "model", "given", f"generation {case['target']}", answer)
    (judgement,) = judge(pair, Answers([given]), PROTOCOLS[protocol])
    return judgement


@pytest.mark.parametrize("case", CASES, ids=[f"{c['pair']}-{n}" for n, c in enumerate(CASES)])
def test_counts_and_labels_are_those_worked_out_by_hand(case: dict[str, Any]) -> None:
    found = judged(case, "epicene")
    counts = {how: list(TermCounts.of(found.counts, how)) for how in TOKENISATIONS}
    assert counts == {how: case[how] for how in TOKENISATIONS}
    assert found.outcome == case["outcome"]
    assert found.label == case["label"]
    assert found.counts["others_changed"] == case.get("others_changed", 0)
    assert found.facets["cleaned"] == case.get("cleaned", "no")
    right, terms, union = case["epicene"]
    assert found.value == (right / union if terms else None)


@pytest.mark.parametrize("case", CASES, ids=[f"{c['pair']}-{n}" for n, c in enumerate(CASES)])
def test_the_paper_s_protocol_takes_words_between_spaces(case: dict[str, Any]) -> None:
    found = judged(case, "paper")
    right, terms, union = case["whitespace"]
    assert found.value == (right / union if terms else None)
    assert found.name == f"generation {case['target']}"
    assert found.group == case["pair"]


def test_every_language_and_kind_of_answer_is_among_the_cases() -> None:
    languages = {WORKED["pairs"][case["pair"]]["language"] for case in CASES}
    assert languages == {"fr", "ar", "hi"}
    assert {case["outcome"] for case in CASES} == {"right", "wrong", "undetected"}
    assert {case["label"] for case in CASES} == {"masculine", "feminine", "mixed", "neither", None}
