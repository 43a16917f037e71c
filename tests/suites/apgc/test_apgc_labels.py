"""Labels of sentences and words, and what parallel forms imply."""

from __future__ import annotations

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


def test_condensing_maps_n_to_b_and_drops_marks() -> None:
    assert parse_label("N!F!", "").condensed == "BF"


@pytest.mark.parametrize(
    ("label", "versions"),
    [
        ("BN", ["BN"]),
        ("F!B", ["F!B", "M!B"]),
        ("NM", ["NM", "NF"]),
        ("MF!", ["MF!", "FF!", "MM!", "FM!"]),
    ],
)
def test_the_versions_of_a_group(label: str, versions: list[str]) -> None:
    """The sentence itself, first person flipped, second flipped, both: the published order."""
    assert [str(each) for each in parse_label(label, "").versions] == versions


def test_a_word_that_both_persons_change_counts_as_the_second() -> None:
    assert WordLabel("1M", "2F").five_way == "2F"
    assert WordLabel("2F", "1M").five_way == "2F"
    assert WordLabel("B", "1M").five_way == "1M"
    assert WordLabel().five_way == "B"


FORMS = {
    "MM": "أنا سعيد بلقائك يا صديقي",
    "FM": "أنا سعيدة بلقائك يا صديقي",
    "MF": "أنا سعيد بلقائك يا صديقتي",
    "FF": "أنا سعيدة بلقائك يا صديقتي",
}


def test_word_labels_say_who_changes_the_word_and_which_gender_it_has() -> None:
    assert five_way_labels(SentenceLabel("F", "M"), FORMS) == ["B", "1F", "B", "B", "2M"]
    labels = word_labels(SentenceLabel("F", "M", first_many=True), FORMS)
    assert [str(label) for label in labels] == ["B+B", "1F!+B", "B+B", "B+B", "2M+B"]


@pytest.mark.parametrize(
    ("masculine", "feminine", "label"),
    [
        ("أراكم", "أراكن", "B+2M"),  # only the clitic changes
        ("تحبها", "تحبينها", "2M+B"),  # the same clitic on a base that changes
        ("لديك", "لديكي", "B+2M"),
        ("صديقكم", "صديقتكن", "2M+2M"),  # both change
        ("كتابه", "كتابها", "B+2M"),
    ],
)
def test_clitics_are_labelled_apart(masculine: str, feminine: str, label: str) -> None:
    forms = {"MM": masculine, "FM": masculine, "MF": feminine, "FF": feminine}
    assert [str(each) for each in word_labels(SentenceLabel("B", "M"), forms)] == [label]
    turned = word_labels(SentenceLabel("B", "F"), forms)
    assert [str(each) for each in turned] == [label.replace("2M", "2F")]


def test_a_word_that_the_two_persons_change_in_its_two_parts() -> None:
    forms = {"MM": "أخوكم", "FM": "أختكم", "MF": "أخوكن", "FF": "أختكن"}
    assert str(word_labels(SentenceLabel("M", "F"), forms)[0]) == "1M+2F"
