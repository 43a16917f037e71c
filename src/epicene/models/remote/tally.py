"""What was sent, what came back and what it cost, for the manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from epicene.models.purse import Purse

if TYPE_CHECKING:
    from epicene.models.prices import Price
    from epicene.models.remote.server import Server


@dataclass
class Tally:
    """Counts over the model's life. Only the thread that sends writes them."""

    sent: int = 0
    heard: int = 0  # replies of any status: whether somebody is there at all
    answered: int = 0
    retries: int = 0
    moved: int = 0  # to another server: the first went away, or its reply was no answer
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

    def charge(self, amount: float) -> None:
        """A reply was paid for, whether or not it held an answer."""
        self.charged = (self.charged or 0.0) + amount
        self.purse.charge(amount)

    def doubt(self, worth: float) -> None:
        """What was asked for may be charged although it never came: the limit counts it."""
        self.doubtful += worth
        self.purse.charge(worth)


class Trial:
    """One attempt at a request, and what becomes of the dollars that it is worth.

    From when it is sent until its cost is told it may be charged for. One that ends in between (no
    reply, one that cannot be read, called off) counts as if it were, with all that it is worth.
    """

    def __init__(
        self,
        till: Till,
        worth: float,
        failed_at: Server | None,
        turned_down: dict[Server, str],
    ) -> None:
        self.gone = 0.0
        # Where the attempt before this one failed; who turned the request down, or replied to it
        # with what is no answer, and how.
        self.failed_at = failed_at
        self.turned_down = turned_down
        self.server: Server | None = None  # where this one is sent
        self._till = till
        self._worth = worth
        self._untold = False

    def sent(self) -> None:
        """It is on its way."""
        self._untold = True

    def turned_away(self) -> None:
        """Nobody took it, so nobody charges for it."""
        self._untold = False

    def cost(self, amount: float | None) -> None:
        """What it cost, if that is known, whether or not it brought an answer."""
        if amount is not None:
            self._till.charge(amount)
            self.gone += amount
            self._untold = False

    def close(self) -> None:
        """It has ended, however."""
        if self._untold:
            self._till.doubt(self._worth)
            self.gone += self._worth
            self._untold = False
