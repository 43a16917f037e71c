"""No answer with a number that is NaN or infinite gets by, whoever gave it."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.finite import find_lost_number, finite_or_failed
from epicene.core.records import (
    Answer,
    Choice,
    Completion,
    Completions,
    Failed,
    Image,
    Images,
    Scores,
    Text,
    Texts,
    TextScore,
)

BAD = (math.nan, math.inf, -math.inf)


def text_score(**fields: Any) -> TextScore:
    given: dict[str, Any] = {"logprobs": (None, -1.5, 0.0), "drawn": (None, -1.0, None)}
    sizes = {"starts": (0, 1, 2), "ends": (1, 2, 3), "words": 1, "characters": 3}
    return TextScore(**{**given, **sizes, **fields})


def scores(**fields: Any) -> Scores:
    return Scores(texts=(text_score(), text_score(**fields)), method="causal")


def completions(**fields: Any) -> Completions:
    sound: dict[str, Any] = {"text": "x", "logprob": -1.0, "tokens": 1}
    both = Completion(**sound), Completion(**{**sound, **fields})
    return Completions(completions=both, method="causal")


@pytest.mark.parametrize("bad", BAD)
def test_an_answer_with_such_a_number_fails_and_says_which(bad: float) -> None:
    cases: dict[str, Answer] = {
        "texts[1].logprobs[2]": scores(logprobs=(None, -1.5, bad)),
        "texts[1].logprobs[0]": scores(logprobs=(bad, -1.5)),
        "texts[1].drawn[1]": scores(drawn=(None, bad)),
        "texts[1].starts[0]": scores(starts=(bad,)),
        "texts[1].words": scores(words=bad),
        "completions[1].logprob": completions(logprob=bad),
        "completions[1].with_after": completions(with_after=bad),
        "logprobs[1]": Choice(choice="a", logprobs=(-1.0, bad)),
        "temperature": Texts(texts=(Text(text="a"),), temperature=bad),
        "texts[0].tokens": Texts(texts=(Text(text="a", tokens=bad),)),  # type: ignore[arg-type]
        "images[0].width": Images(images=(Image(width=bad),)),  # type: ignore[arg-type]
    }
    for place, answer in cases.items():
        assert finite_or_failed(answer) == Failed(
            reason=f"the model's answer contains a number that is not finite: {place} = {bad}"
        )


def test_opposite_infinities_do_not_cancel_out() -> None:
    assert isinstance(finite_or_failed(scores(logprobs=(math.inf, -math.inf))), Failed)


@given(st.lists(st.none() | st.floats(-1e6, 0), max_size=6), st.floats(-1e6, 0))
def test_finite_answers_are_left_as_they_are(logprobs: list[float | None], other: float) -> None:
    drawn = tuple(logprobs)
    for answer in (
        scores(logprobs=drawn, drawn=drawn),
        completions(logprob=other, with_after=None),
        Choice(choice=None, logprobs=(other, other)),
        Texts(texts=(Text(text="nan", tokens=3),), temperature=None),
        Images(images=(Image(seed=None), Image(seed=2**31))),
        Failed(reason="nan"),
    ):
        assert finite_or_failed(answer) is answer


NULL = (None, -1.5)  # nothing is before the first token
LOST = (-1.5, None)


@pytest.mark.parametrize(
    ("method", "conditioned_on", "logprobs", "found"),
    [
        ("causal", "", NULL, ""),
        ("causal", "", LOST, "texts[1].logprobs[1]"),
        ("causal", "", (None, None), "texts[1].logprobs[1]"),
        ("causal", "<s>", (-2.0, -1.5), ""),
        ("causal", "<s>", NULL, "texts[1].logprobs[0]"),
        ("causal (echo)", "<s>", NULL, ""),
        ("causal (echo)", "", LOST, "texts[1].logprobs[1]"),
        ("3-gram", "", NULL, ""),
        ("within-word (epicene words)", "", NULL, "texts[1].logprobs[0]"),
        ("original (tokenizer words)", "", (-1.0,), ""),
    ],
)
def test_a_null_that_was_a_number_is_found(
    method: str, conditioned_on: str, logprobs: tuple[float | None, ...], found: str
) -> None:
    texts = text_score(logprobs=(-1.0, -2.0)), text_score(logprobs=logprobs)
    answer = Scores(texts=texts, method=method, conditioned_on=conditioned_on)
    assert find_lost_number(answer) == found


def test_a_completion_has_both_scores_where_the_model_gives_both() -> None:
    assert find_lost_number(completions(with_after=-2.0)) == "completions[0].with_after"
    both = Completion(text="x", logprob=-1.0, tokens=1, with_after=-2.0)
    assert not find_lost_number(Completions(completions=(both,), method="causal"))
    alone = Completion(text="x", logprob=-1.0, tokens=1)
    assert not find_lost_number(Completions(completions=(alone,), method="masked, left to right"))
