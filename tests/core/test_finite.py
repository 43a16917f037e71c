"""No answer with a number that is NaN or infinite passes; its failure names the number."""

from __future__ import annotations

import math
from typing import Any

import pytest

from epicene.core.finite import finite_or_failed
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


def scores(*logprobs: float | None, **fields: Any) -> Scores:
    text = TextScore(logprobs=logprobs, starts=(0,), ends=(1,), words=1, characters=1, **fields)
    return Scores(texts=(text,), method="causal")


def completions(logprob: float, with_after: float | None = None) -> Completions:
    one = Completion(text="x", logprob=logprob, tokens=1, with_after=with_after)
    return Completions(completions=(one,), method="causal")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_an_answer_with_such_a_number_fails_and_says_which(bad: float) -> None:
    cases: dict[str, Answer] = {
        "texts[0].logprobs[2]": scores(None, -1.5, bad),
        "texts[0].drawn[1]": scores(-1.0, drawn=(None, bad)),
        "completions.logprob[0]": completions(bad),
        "completions.with_after[0]": completions(-1.0, bad),
        "logprobs[1]": Choice(choice="a", logprobs=(-1.0, bad)),
        "temperature[0]": Texts(texts=(Text(text="a"),), temperature=bad),
    }
    for place, answer in cases.items():
        assert finite_or_failed(answer) == Failed(
            reason=f"the model's answer contains a number that is not finite: {place} = {bad}"
        )


@pytest.mark.parametrize(
    "answer",
    [
        scores(None, -1.0, drawn=(None, -1.0)),
        completions(-1.0),
        Choice(choice=None),
        Texts(texts=(Text(text="nan"),)),
        Images(images=(Image(seed=None),)),
        Failed(reason="nan"),
    ],
)
def test_other_answers_are_left_as_they_are(answer: Answer) -> None:
    assert finite_or_failed(answer) is answer
