"""How many requests may be under way at once: as many as the server bears.

Additive increase, multiplicative decrease, as in TCP: a round of replies without complaint makes
room for one more, a complaint halves the room.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from epicene.models.remote.turns import Turns

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Gate:
    """A semaphore whose size adapts, first come first served. Lives in one event loop."""

    def __init__(self, ceiling: int, limit: float | None = None) -> None:
        self.ceiling = ceiling
        self.limit = float(ceiling) if limit is None else limit
        self._active = 0
        self._round = 0
        self._quiet_until = 0.0
        self._turns = Turns()

    @property
    def active(self) -> int:
        """How many are under way."""
        return self._active

    @property
    def free(self) -> bool:
        """Whether somebody may set out at once."""
        return self._active < int(self.limit) and not self._turns

    @property
    def quiet(self) -> float:
        """How many seconds nobody new sets out."""
        return max(0.0, self._quiet_until - asyncio.get_running_loop().time())

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Wait for room and hold it. Yields the round, which `cut` wants back."""
        await self._enter()
        try:
            await self._rest()
            yield self._round
        finally:
            self._leave()

    def grow(self) -> None:
        """A reply came without complaint, to one that still holds its slot."""
        if self._active >= int(self.limit):  # room that nobody needs proves nothing
            self.limit = min(self.ceiling, self.limit + 1 / self.limit)
            self._admit()

    def cut(self, round_: int) -> None:
        """The server complained. Complaints of requests of one round count once."""
        if round_ == self._round:
            self.limit = max(1.0, min(self.limit, self._active) / 2)
            self._round += 1

    def pause(self, seconds: float) -> None:
        """Nobody new sets out for so long."""
        now = asyncio.get_running_loop().time()
        self._quiet_until = max(self._quiet_until, now + seconds)

    async def _rest(self) -> None:
        while left := self.quiet:
            await asyncio.sleep(left)

    async def _enter(self) -> None:
        if self.free:
            self._active += 1
            return
        await self._turns.wait(self._leave)

    def _leave(self) -> None:
        self._active -= 1
        self._admit()

    def _admit(self) -> None:
        while self._active < int(self.limit) and self._turns.give():
            self._active += 1
