"""One of the servers of a model, and what a look at it may find."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from epicene.models.remote.gate import Gate

if TYPE_CHECKING:
    from epicene.models.remote.address import Address


class AwayError(Exception):
    """A server was looked at and is not there, or not well."""


class UnlistedError(Exception):
    """A server was looked at and will not say which models it has."""


class Server:
    """One server. It lives as long as the model; its gate as long as an event loop."""

    def __init__(self, address: Address, concurrency: int) -> None:
        self.address = address
        self.room = float(max(1, round(concurrency * address.weight)))
        self.gate = Gate(int(self.room))
        self.away = ""  # why nothing is sent there; "" while it is well
        self.left_alone = ""  # why nothing was sent there when it was last away
        self.answered = 0
        self.went_away = 0
        self.failures = 0  # in a row
        # It turned down what another was asked then, and answered nothing since.
        self.doubted = False
        self.rest = 1  # how many looks it is left out of when it next fails too often
        self.left_out = 0  # and how many it still is now
        self.looking = asyncio.Lock()

    def open(self) -> None:
        """Begin in a new event loop, with the room that was found."""
        self.gate = Gate(self.gate.ceiling, self.room)
        self.looking = asyncio.Lock()
        self.welcome()

    def close(self) -> None:
        """Keep the room that was found."""
        self.room = self.gate.limit

    def leave(self, reason: str) -> None:
        """Send nothing there."""
        self.away = self.left_alone = self.address.redact(reason)

    def welcome(self) -> None:
        """Send there again."""
        self.away = ""
        self.left_out = 0


# The names of the models that a server lists, if it lists any.
Look: TypeAlias = Callable[[Server], Awaitable[frozenset[str]]]
