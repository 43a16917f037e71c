"""What judges say, read by the published rule and by the strict one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.suites.gramvis.items import LABELS, Label
from epicene.suites.gramvis.judge import parse_label

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "answers.json").read_text("utf-8")
)


def test_there_are_enough_cases() -> None:
    assert len({case["said"] for case in CASES}) == len(CASES) >= 60
    for label in (*LABELS, None):
        assert sum(case["strict"] == label for case in CASES) >= 15


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["said"])[:40])
def test_answers(case: dict[str, Any]) -> None:
    assert parse_label(case["said"], "strict") == case["strict"]
    assert parse_label(case["said"], "substring") == case["substring"]


@given(
    st.sampled_from(LABELS),
    st.text(" \n\t", max_size=3),
    st.sampled_from(["", ".", "!", "**", '"']),
    st.booleans(),
)
def test_a_bare_choice_is_that_choice(label: Label, space: str, mark: str, loud: bool) -> None:
    word = label.upper() if loud else label
    said = f"{space}{mark}{word}{mark}{space}"
    assert parse_label(said, "strict") == label
    assert parse_label(said, "substring") == label


@given(st.text(max_size=60))
def test_no_answer_breaks_the_reading(said: str) -> None:
    assert parse_label(said, "strict") in (*LABELS, None)
    assert parse_label(said, "substring") in (*LABELS, None)
