"""An answer is a choice only if it is that word."""

from __future__ import annotations

import pytest

from epicene.models.output_parsing import match_choice, question_with_choices

CHOICES = ("male", "female", "neither")


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("male", "male"),
        ("Female.", "female"),
        (" **FEMALE** \n", "female"),
        ("“Neither”", "neither"),
        ("ｍａｌｅ", "male"),
        ("a male", None),
        ("The person is male.", None),
        ("not male", None),
        ("male or female", None),
        ("man", None),
        ("males", None),
        ("", None),
        ("...", None),
    ],
)
def test_strictly_one_of_the_choices(text: str, choice: str | None) -> None:
    assert match_choice(text, CHOICES) == choice


def test_choices_that_fold_together_are_never_guessed_between() -> None:
    assert match_choice("Yes", ("yes", "YES!")) is None
    assert match_choice("女", ("男", "女")) == "女"


def test_a_question_that_names_its_choices_is_asked_as_it_stands() -> None:
    asked = "Is the person Male, female or neither?"
    assert question_with_choices(asked, CHOICES) == asked
    assert question_with_choices("Is she female?", ("male", "female")).endswith(
        "\nAnswer with one of these only: male, female."
    )
