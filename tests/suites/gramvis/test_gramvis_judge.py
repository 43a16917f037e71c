"""Judging images: each judge's words as a label, and the majority of the labels."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from epicene.suites.gramvis.items import LABELS, Label
from epicene.suites.gramvis.judge import majority_vote, parse_label
from suites.worked_cases import Case, each_case, read_cases


@each_case("gramvis", "answers")
def test_answers(case: Case) -> None:
    assert parse_label(case["said"], "strict") == case["strict"]
    assert parse_label(case["said"], "substring") == case["substring"]


def test_there_are_enough_answers_of_each_label() -> None:
    cases = read_cases("gramvis", "answers")["cases"]
    assert len({case["said"] for case in cases}) == len(cases) >= 60
    for label in (*LABELS, None):
        assert sum(case["strict"] == label for case in cases) >= 15


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
def test_no_answer_breaks_the_parsers(said: str) -> None:
    assert parse_label(said, "strict") in (*LABELS, None)
    assert parse_label(said, "substring") in (*LABELS, None)


@each_case("gramvis", "majority_votes")
def test_majority_votes(case: Case) -> None:
    assert majority_vote(case["votes"]) == (case["label"], case["agreement"])
