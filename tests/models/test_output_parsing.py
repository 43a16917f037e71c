"""What a model wrote: stop strings, thinking, and the choice it names."""

from __future__ import annotations

import pytest

from epicene.models.output_parsing import (
    cut_at_stop,
    match_choice,
    question_with_choices,
    strip_thinking,
)

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


@pytest.mark.parametrize(
    ("stop", "shown"),
    [
        ((), "one, two. three"),
        (("!",), "one, two. three"),
        ((".",), "one, two"),
        ((". ", ","), "one"),
        (("one",), ""),
    ],
)
def test_a_text_ends_before_its_first_stop_string(stop: tuple[str, ...], shown: str) -> None:
    assert cut_at_stop("one, two. three", stop) == shown


@pytest.mark.parametrize(
    ("text", "shown", "count"),
    [
        ("She was late.", "She was late.", 0),
        (" she", " she", 0),
        ("<think>\nwho?\n</think>\n\nShe was.", "She was.", 4),
        ("<think>\n\n</think>\n\nShe was.", "She was.", 0),
        ("who was it?</think>She was.", "She was.", 11),
        ("<think>and then it was cut", "", 19),
        ("<think>a</think>She <think>bc</think>was.", "She was.", 3),
        ("a < b and <thinking>", "a < b and <thinking>", 0),
    ],
)
def test_thinking_is_removed_and_counted(text: str, shown: str, count: int) -> None:
    assert strip_thinking(text) == (shown, count)
