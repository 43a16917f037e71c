"""Find numbers in an answer that are NaN or infinite, before they are stored.

JSON has no such numbers: they would be written as null, which means that there is no number, and
the answer would count as given.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from epicene.core.records import Choice, Completions, Failed, Scores, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.core.records import Answer


def finite_or_failed(answer: Answer) -> Answer:
    """The answer, or `Failed` with the first number in it that is not finite."""
    for name, numbers in _numbers(answer):
        for index, number in enumerate(numbers):
            if number is not None and not math.isfinite(number):
                return Failed(
                    reason="the model's answer contains a number that is not finite: "
                    f"{name}[{index}] = {number}"
                )
    return answer


def _numbers(answer: Answer) -> Iterator[tuple[str, Sequence[float | None]]]:
    """The numbers of an answer, by name; whole numbers are always finite."""
    match answer:
        case Scores():
            for index, text in enumerate(answer.texts):
                yield f"texts[{index}].logprobs", text.logprobs
                if isinstance(text.drawn, tuple):
                    yield f"texts[{index}].drawn", text.drawn
        case Texts():
            yield "temperature", [answer.temperature]
        case Completions():
            yield "completions.logprob", [each.logprob for each in answer.completions]
            yield "completions.with_after", [each.with_after for each in answer.completions]
        case Choice():
            yield "logprobs", answer.logprobs
