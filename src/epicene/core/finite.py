"""Find numbers in an answer that are NaN or infinite, before they are stored.

JSON has no such numbers: they would be written as null, which means that there is no number, and
the answer would count as given. Version 0.1.0 did this; the nulls it wrote are detected.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, get_args

from epicene.core.records import Choice, Completions, Failed, Images, Masking, Scores, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.core.records import Answer

    Number = float | None


def finite_or_failed(answer: Answer) -> Answer:
    """The answer, or `Failed` with the first number in it that is not finite.

    A sum is finite only if all its numbers are, and is faster than checking each number.
    """
    for numbers in _numbers(answer):
        try:
            finite = math.isfinite(sum(numbers))  # type: ignore[arg-type]
        except TypeError:  # None is among them
            finite = all(number is None or _is_finite(number) for number in numbers)
        if not finite:
            return Failed(reason=_describe(answer))
    return answer


def find_lost_number(answer: Answer) -> str:
    """Where a stored answer has a null instead of a number; "" if nowhere.

    Only the first token of a text may lack a score, if nothing precedes it and it is not masked.
    """
    match answer:
        case Scores():
            masked = answer.method.partition(" ")[0] in get_args(Masking)
            first = 0 if masked or (answer.method == "causal" and answer.conditioned_on) else 1
            for index, text in enumerate(answer.texts):
                if None in text.logprobs[first:]:
                    token = text.logprobs.index(None, first)
                    return f"texts[{index}].logprobs[{token}]"
        case Completions(method="causal"):
            for index, each in enumerate(answer.completions):
                if each.with_after is None:
                    return f"completions[{index}].with_after"
    return ""


def _numbers(answer: Answer) -> Iterator[Sequence[Number]]:
    """All numbers of an answer, in a few sequences."""
    if isinstance(answer, Scores):
        for text in answer.texts:
            yield text.logprobs
            if isinstance(text.drawn, tuple):
                yield text.drawn
            yield (sum(text.starts), sum(text.ends), text.words, text.characters)
    elif isinstance(answer, Texts):
        yield (answer.temperature or 0, *[text.tokens + text.thinking for text in answer.texts])
    elif isinstance(answer, Completions):
        yield [each.logprob + each.tokens + (each.with_after or 0) for each in answer.completions]
    elif isinstance(answer, Choice):
        yield answer.logprobs
    elif isinstance(answer, Images):
        yield [image.width + image.height + (image.seed or 0) for image in answer.images]


def _is_finite(number: object) -> bool:
    return isinstance(number, (int, float)) and math.isfinite(number)


def _describe(answer: Answer) -> str:
    """Which number is not finite."""
    import msgspec

    def walk(value: object, path: str) -> Iterator[str]:
        if isinstance(value, msgspec.Struct):
            for name in value.__struct_fields__:
                yield from walk(getattr(value, name), f"{path}.{name}" if path else name)
        elif isinstance(value, (tuple, list)):
            for index, each in enumerate(value):
                yield from walk(each, f"{path}[{index}]")
        elif isinstance(value, float) and not math.isfinite(value):
            yield f"{path} = {value}"

    where = next(walk(answer, ""), "the sum of its numbers is too large for a number")
    return f"the model's answer contains a number that is not finite: {where}"
