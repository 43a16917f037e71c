"""What was sent, what came back and what it cost, for the manifest."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from epicene.errors import InputError

if TYPE_CHECKING:
    from epicene.models.openai_api.replies import Reply

PRICE_IN = "EPICENE_PRICE_IN"
PRICE_OUT = "EPICENE_PRICE_OUT"
_MILLION = 1_000_000


@dataclass
class Tally:
    """Counts over the model's life. Only the thread that sends writes them."""

    sent: int = 0
    heard: int = 0  # replies of any status: whether somebody is there at all
    answered: int = 0
    retries: int = 0
    rate_limited: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    shorter_than_asked: int = 0
    models: set[str] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)

    def count(self, reply: Reply) -> None:
        """Add a reply, whether or not it held an answer: it was paid for."""
        self.answered += 1
        if reply.model:
            self.models.add(reply.model)
        if reply.system_fingerprint:
            self.fingerprints.add(reply.system_fingerprint)
        if reply.usage:
            usage = reply.usage
            self.prompt_tokens += usage.prompt_tokens or usage.input_tokens or 0
            self.completion_tokens += usage.completion_tokens or usage.output_tokens or 0
            if usage.cost is not None:
                self.cost = (self.cost or 0.0) + usage.cost


@dataclass(frozen=True)
class Prices:
    """Prices per million tokens, where the user gave them."""

    prompt: float | None
    completion: float | None

    def cost(self, tally: Tally) -> float | None:
        """What the tokens cost by these prices; None where none was given."""
        if self.prompt is None and self.completion is None:
            return None
        used = tally.prompt_tokens * (self.prompt or 0.0)
        return (used + tally.completion_tokens * (self.completion or 0.0)) / _MILLION


def prices() -> Prices:
    """The prices of the environment."""
    return Prices(prompt=_price(PRICE_IN), completion=_price(PRICE_OUT))


def _price(variable: str) -> float | None:
    text = os.environ.get(variable, "").strip()
    if not text:
        return None
    try:
        price = float(text)
    except ValueError:
        price = -1.0
    if not 0 <= price < float("inf"):
        raise InputError(f"{variable} is {text!r}; it must be a price per million tokens.")
    return price
