"""What people answer, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.studies.design.answers import (
    comparison_key,
    is_asked,
    matches_expected,
    response_problems,
)
from epicene.studies.design.schema import (
    AnswerValue,
    NoteQuestion,
    Response,
    Span,
    Study,
    StudyItem,
)
from study_examples import completion, en, forced_choice, image, label_and_rewrite, misgendering


def test_a_response_comes_back_from_json() -> None:
    response = Response(
        study="a-study",
        participant="p1",
        item="g1",
        answers={
            "label": "correct",
            "extraneous": (Span(start=22, end=25, label="noun"),),
            "tags": ("repetition",),
        },
        at=datetime(2026, 7, 1, 12, 0, tzinfo=UTC),
        seconds=4.5,
    )
    assert msgspec.json.decode(msgspec.json.encode(response), type=Response) == response


def test_an_expected_answer_may_be_spelled_in_either_canonical_way() -> None:
    composed, apart = "पढ\u093cता", "प\u095dता"
    assert composed != apart
    assert comparison_key(composed) == comparison_key(apart)
    assert comparison_key(("é",)) == comparison_key(("e\u0301",))
    item = StudyItem(id="c", fields={}, expected={"text": composed})
    for text, right in ((apart, True), ("पढता", False)):
        given = Response(study="s", participant="p", item="c", answers={"text": text})
        assert matches_expected(item, given) is right


@pytest.mark.parametrize(
    ("whole", "answers"),
    [
        (label_and_rewrite(), {"label": "BB"}),
        (label_and_rewrite(), {"label": "MB", "other": "أنا متعبة", "flags": ("hard",)}),
        (
            misgendering(),
            {"label": "correct", "extraneous": (Span(start=22, end=25, label="noun"),)},
        ),
        (misgendering(), {"label": "no-pronoun", "extraneous": (), "note": "short"}),
        (forced_choice(), {"better": "bad"}),
        (completion(), {"grammatical": "yes", "plausible": "no"}),
        (completion(), {"grammatical": "no", "error": ("case", "meaning"), "plausible": "no"}),
    ],
)
def test_responses_that_fit(whole: Study, answers: dict[str, AnswerValue]) -> None:
    assert list(response_problems(whole, whole.items[0], answers)) == []


@pytest.mark.parametrize(
    ("whole", "answers", "fault"),
    [
        (image(), {"gendr": "man"}, "there is no question 'gendr'; did you mean 'gender'?"),
        (image(), {}, "gender has no answer"),
        (image(), {"gender": "men"}, "gender has no choice 'men'"),
        (image(), {"gender": ("man",)}, "gender must have a text as its answer, not a list"),
        (label_and_rewrite(), {"label": "MB"}, "other has no answer"),
        (label_and_rewrite(), {"label": "MB", "other": "  "}, "other has an empty answer"),
        (label_and_rewrite(), {"label": "BB", "other": "أنا"}, "other should not have been asked"),
        (
            label_and_rewrite(),
            {"label": "MB", "other": "أنا"},
            "other has 1 words, but text has 2",
        ),
        (
            completion(),
            {"grammatical": "no", "error": (), "plausible": "no"},
            "error has an empty answer",
        ),
        (misgendering(), {"label": "correct", "tags": ("x",)}, "tags has no choice 'x'"),
        (
            misgendering(),
            {"label": "correct", "tags": "x"},
            "tags must have a list as its answer, not a text",
        ),
        (
            misgendering(),
            {"label": "correct", "tags": ("repetition", "repetition")},
            "tags contains the same answer twice",
        ),
        (
            misgendering(),
            {"label": "correct", "extraneous": (Span(start=22, end=250, label="noun"),)},
            "extraneous marks characters 22 to 250 of a text of 32",
        ),
        (
            misgendering(),
            {"label": "correct", "extraneous": (Span(start=22, end=25),)},
            "extraneous has no label ''",
        ),
        (
            misgendering(),
            {"label": "correct", "extraneous": ("man",)},
            "extraneous must be answered by marked characters, not by 'man'",
        ),
    ],
)
def test_responses_that_do_not_fit(
    whole: Study, answers: dict[str, AnswerValue], fault: str
) -> None:
    assert next(response_problems(whole, whole.items[0], answers)) == fault


def test_a_question_may_wait_for_tags() -> None:
    waiting = NoteQuestion(
        id="which", ask=en("Which one?"), when={"tags": ("wrong-case", "repetition")}
    )
    assert is_asked(waiting, {"tags": ("repetition",)})
    assert not is_asked(waiting, {"tags": ()})
    assert not is_asked(waiting, {})


def test_a_question_is_found_by_its_id() -> None:
    assert image().question("gender").ask == en("The person is")
    with pytest.raises(InputError, match="did you mean 'gender'"):
        image().question("gendre")
