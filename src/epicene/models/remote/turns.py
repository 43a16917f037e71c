"""Waiting for one's turn, first come first served."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Turns:
    """Those who wait. Lives in one event loop."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    async def wait(self, pass_on: Callable[[], object], *, first: bool = False) -> None:
        """Wait for a turn; one that comes in the moment of being called off is passed on.

        `first` goes before all who wait.
        """
        turn = asyncio.get_running_loop().create_future()
        if first:
            self._waiting.appendleft(turn)
        else:
            self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                pass_on()
            raise

    def give(self) -> bool:
        """Give a turn to who is first; whether there was anybody."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return True
        return False
