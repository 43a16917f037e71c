"""NaN and infinite numbers: which number it is, and what the user can do about it.

They come from broken weights, or from a number format that is too narrow for the model (float16
ends at 65,504). If stored, they would be read as "not scored" and not counted, so the request fails
instead.

Padding is masked by a weight of 0, and 0 × NaN is NaN: the numbers of one row can spoil those of
another row that is padded or packed with it. A row that is not finite in a batch is therefore run
again by itself before its request fails.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from epicene.models import UnanswerableError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from epicene.models.hf.loading import LoadedModel
    from epicene.models.hf.scoring.routes import RowScores

T = TypeVar("T")
R = TypeVar("R")

_SHOWN = 60  # characters of a text in a message
_WIDE_FORMATS = frozenset({"float32", "float64"})


@dataclass(frozen=True)
class NumberFormat:
    """The number format a model computes in."""

    dtype: str
    quantized: str = ""

    @classmethod
    def of(cls, loaded: LoadedModel) -> NumberFormat:
        """The format of a loaded model."""
        return cls(str(loaded.model.dtype).removeprefix("torch."), loaded.options.quantize)

    def __str__(self) -> str:
        return f"{self.dtype}, {self.quantized}" if self.quantized else self.dtype

    def advice(self, value: float) -> str:
        """What to do about a number that came out as `value`."""
        if self.quantized:
            return "try without --quantize"
        if self.dtype not in _WIDE_FORMATS:
            return "try --dtype float32"
        if value == -math.inf:
            return "the model gives it zero probability, so it cannot be compared"
        return "the model's weights are broken; download or convert them again"


class NonFiniteError(UnanswerableError):
    """A number of the model is NaN or infinite; `what` says which one."""

    def __init__(self, what: str, value: float, number_format: NumberFormat) -> None:
        advice = number_format.advice(value)
        super().__init__(f"{what} came out as {value} in {number_format}; {advice}")


def check_logprobs(
    logprobs: Sequence[float], tokens: Callable[[int], str], text: str, number_format: NumberFormat
) -> None:
    """Raise `NonFiniteError` at the first log-probability that is not finite.

    `tokens` gives the text of a token by its index, `text` is what they are the tokens of.
    """
    for index, logprob in enumerate(logprobs):
        if not math.isfinite(logprob):
            place = f"token {index + 1} of {len(logprobs)} ({tokens(index)!r}) of {shorten(text)}"
            raise NonFiniteError(f"the log-probability of {place}", logprob, number_format)


def check_scores(
    scored: RowScores, tokens: Callable[[int], str], text: str, number_format: NumberFormat
) -> None:
    """Raise `NonFiniteError` if one of a row's numbers is not finite.

    When scored as it would be sampled, a token may have no probability.
    """
    if not scored.finite:
        drawn = [0.0 if p == -math.inf else p for p in scored.drawn or ()]
        for logprobs in (scored.logprobs, drawn):
            check_logprobs(logprobs, tokens, text, number_format)


def shorten(text: str, *, end: bool = False) -> str:
    """A text in quotation marks, cut to its beginning or its end."""
    if len(text) <= _SHOWN:
        return repr(text)
    return f"…{text[-_SHOWN:]!r}" if end else f"{text[:_SHOWN]!r}…"


def non_finite_rows(logits: Any) -> dict[int, float]:
    """The rows from which no token can be chosen, by their number, with the value found there.

    A token that may not be chosen has -inf; NaN, +inf and a row of nothing but -inf are errors.
    """
    best = logits.amax(-1)
    return {line: value for line, value in enumerate(best.tolist()) if not math.isfinite(value)}


def rerun_alone(
    run: Callable[[Sequence[T]], Iterable[R]],
    rows: Sequence[T],
    results: Sequence[R],
    length: Callable[[T], Hashable],
) -> list[R]:
    """The results, with each row run again by itself that is not finite beside rows of another
    length."""
    if len(set(map(length, rows))) < 2:
        return list(results)
    return [
        next(iter(run([row]))) if isinstance(result, NonFiniteError) else result
        for row, result in zip(rows, results, strict=True)
    ]
