"""What requests amount to: how many of each verb, tokens, pictures and money."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from epicene.records import Draw, Fill, Generate, Look, Prompt, Request, Score, Translate, verb
from epicene.runs.imagined import BYTES_A_TOKEN

if TYPE_CHECKING:
    from collections.abc import Callable


Part: TypeAlias = tuple[str, str]  # a stage and a verb


@dataclass
class Tally:
    """Requests that are left to be asked, and how many are answered.

    `later` of them hang on answers that are not there yet, and are about the most. `cost` is the
    most that all should cost, None where a price is not known.
    """

    answered: int = 0
    requests: Counter[str] = field(default_factory=Counter)  # by verb
    parts: Counter[Part] = field(default_factory=Counter)  # the same by stage and verb
    later: int = 0
    bytes_read: int = 0
    tokens_written: int = 0
    images: int = 0
    cost: float | None = 0.0

    @property
    def left(self) -> int:
        """How many requests are to be asked."""
        return self.requests.total()

    @property
    def tokens_read(self) -> int:
        """About how many tokens the requests have, as models differ in what a token is."""
        return -(-self.bytes_read // BYTES_A_TOKEN)

    def __add__(self, other: Tally) -> Tally:
        """Both together."""
        known = self.cost is not None and other.cost is not None
        return Tally(
            answered=self.answered + other.answered,
            requests=self.requests + other.requests,
            parts=self.parts + other.parts,
            later=self.later + other.later,
            bytes_read=self.bytes_read + other.bytes_read,
            tokens_written=self.tokens_written + other.tokens_written,
            images=self.images + other.images,
            cost=(self.cost or 0.0) + (other.cost or 0.0) if known else None,
        )

    def add(
        self,
        request: Request,
        cost_of: Callable[[Request], float | None] | None,
        *,
        stage: str,
        later: bool,
    ) -> None:
        """One more is to be asked in that stage."""
        self.requests[verb(request)] += 1
        self.parts[stage, verb(request)] += 1
        self.later += later
        self.bytes_read += _bytes_read(request)
        self.tokens_written += _tokens_written(request)
        self.images += request.shots if isinstance(request, Draw) else 0
        if cost_of is not None:
            each = cost_of(request)
            self.cost = None if self.cost is None or each is None else self.cost + each


def _bytes_read(request: Request) -> int:
    match request:
        case Score():
            return len(request.texts) * _length(request.context) + sum(map(_length, request.texts))
        case Fill():
            around = _length(request.before) + _length(request.after)
            return around * max(1, len(request.choices)) + sum(map(_length, request.choices))
        case Generate():
            return _length(request.prompt) * request.samples
        case Translate():
            return _length(request.text)
        case Draw():
            return _length(request.prompt) * request.shots
        case Look():
            return _length(request.question) + sum(map(_length, request.choices))


def _tokens_written(request: Request) -> int:
    """The most, where texts are written."""
    match request:
        case Generate():
            return request.samples * request.decoding.max_new_tokens
        case Translate():
            return request.decoding.max_new_tokens
        case _:
            return 0


def _length(prompt: Prompt) -> int:
    if isinstance(prompt, str):
        return len(prompt.encode())
    return sum(len(message.content.encode()) for message in prompt)
