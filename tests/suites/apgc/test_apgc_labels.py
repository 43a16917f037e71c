"""Labels of sentences and words, and what parallel forms imply."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.errors import InputError
from epicene.suites.apgc.items import (
    SentenceLabel,
    WordLabel,
    five_way_labels,
    parse_label,
    parse_word_label,
    word_labels,
)
from suites.metric_cases import for_each_case

LETTERS = st.sampled_from("MFBN")


@given(LETTERS, LETTERS, st.booleans(), st.booleans())
def test_a_label_is_read_as_it_is_written(
    first: str, second: str, first_many: bool, second_many: bool
) -> None:
    label = SentenceLabel(first, second, first_many, second_many)
    assert parse_label(str(label), "here") == label


@pytest.mark.parametrize("text", ["", "M", "MMM", "m!B", "M!!B", "!MB", "XB", "M B"])
def test_what_is_no_label_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="here has the label"):
        parse_label(text, "here")


@pytest.mark.parametrize("text", ["", "3M", "1B", "B+", "1F+X", "M", "1F+B+B"])
def test_what_is_no_word_label_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="here has the word label"):
        parse_word_label(text, "here")


@for_each_case("apgc", "sentence_labels")
def test_condensed_labels_and_the_labels_of_a_group(case: dict[str, Any]) -> None:
    label = parse_label(case["label"], "")
    assert label.condensed == case["condensed"]
    assert [str(each) for each in label.versions] == case["versions"]


def test_a_word_that_both_persons_change_counts_as_the_second() -> None:
    assert WordLabel("1M", "2F").five_way == "2F"
    assert WordLabel("2F", "1M").five_way == "2F"
    assert WordLabel("B", "1M").five_way == "1M"
    assert WordLabel().five_way == "B"


@for_each_case("apgc", "word_labels")
def test_word_labels_say_who_changes_the_word_and_which_gender_it_has(case: dict[str, Any]) -> None:
    label = parse_label(case["label"], "")
    labels = word_labels(label, case["forms"])
    assert [str(each) for each in labels] == case["words"].split()
    assert five_way_labels(label, case["forms"]) == case["five_way"].split()
