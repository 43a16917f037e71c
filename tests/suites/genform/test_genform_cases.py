"""Answers and metrics that were worked out by hand (cases/*.json)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from epicene.core.records import Judgement, Text, Texts
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.genform import metrics
from epicene.suites.genform.gendered_terms import TermCounts
from epicene.suites.genform.items import Pair
from epicene.suites.genform.judge import judge
from epicene.suites.genform.protocol import PROTOCOLS
from epicene.suites.genform.words import TOKENISATIONS
from suites.metric_cases import for_each_case, read_cases

FILE = read_cases("genform", "answers")
PAIRS, CASES = FILE["pairs"], FILE["cases"]


def judged(case: dict[str, Any], protocol: str) -> Judgement:
    pair = Pair(id=case["pair"], **PAIRS[case["pair"]])
    answer = Texts(texts=(Text(text=case["answer"]),))
    name = f"generation {case['target']}"
    answers = Answers([AnsweredRequest("generation", "model", "given", name, answer)])
    (judgement,) = judge(pair, answers, PROTOCOLS[protocol])
    return judgement


@for_each_case("genform", "answers")
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


@for_each_case("genform", "answers")
def test_the_paper_s_protocol_takes_words_between_spaces(case: dict[str, Any]) -> None:
    found = judged(case, "paper")
    right, terms, union = case["whitespace"]
    assert found.value == (right / union if terms else None)
    assert found.name == f"generation {case['target']}"
    assert found.group == case["pair"]


def test_every_language_and_kind_of_answer_is_among_the_cases() -> None:
    languages = {PAIRS[case["pair"]]["language"] for case in CASES}
    assert languages == {"fr", "ar", "hi"}
    assert {case["outcome"] for case in CASES} == {"right", "wrong", "undetected"}
    assert {case["label"] for case in CASES} == {"masculine", "feminine", "mixed", "neither", None}


METRICS = {
    "SGA": metrics.sga,
    "GIoU": metrics.giou,
    "CGA": metrics.cga,
    "delta_SGA": metrics.delta_sga,
    "interference": metrics.interference,
    "exact": metrics.exact,
    "left_alone": metrics.left_alone,
}


@for_each_case("genform", "metrics")
def test_metrics_are_those_worked_out_by_hand(case: dict[str, Any]) -> None:
    targets, right, terms, union = map(np.array, zip(*case["answers"], strict=True))
    none = np.zeros(len(right), dtype=bool)
    answers = metrics.AnswerArrays(
        group=np.arange(len(right)),
        masculine=targets == "m",
        right=right,
        terms=terms,
        union=union,
        scored=terms > 0,
        others_changed=none,
        undetected=none,
        cleaned=none,
    )
    for name, measure in METRICS.items():
        assert measure(answers).value == pytest.approx(case[name]), name
