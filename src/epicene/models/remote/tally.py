"""What was sent, what came back and what it cost, for the manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from epicene.models.purse import Purse

if TYPE_CHECKING:
    from epicene.models.prices import Price


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
    pictures: int = 0
    refused: int = 0  # pictures that a filter kept back
    shorter_than_asked: int = 0
    models: set[str] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)


@dataclass
class Till:
    """What a model charges, has charged, and whose money it is."""

    price: Price
    purse: Purse = field(default_factory=Purse)
    charged: float | None = None
    doubtful: float = 0.0  # perhaps charged, for replies that never came

    def charge(self, amount: float | None) -> None:
        """A reply was paid for, whether or not it held an answer."""
        if amount is not None:
            self.charged = (self.charged or 0.0) + amount
            self.purse.charge(amount)

    def doubt(self, worth: float) -> None:
        """What was asked for may be charged although it never came: the limit counts it."""
        self.doubtful += worth
        self.purse.charge(worth)
