"""Waiting for one's turn, first come first served."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class _Waiting(NamedTuple):
    turn: asyncio.Future[None]
    fits: Callable[[], bool]


class Turns:
    """Those who wait. Lives in one event loop."""

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    async def wait(
        self,
        pass_on: Callable[[], object],
        *,
        first: bool = False,
        fits: Callable[[], bool] = lambda: True,
    ) -> None:
        """Wait for a turn; one that comes in the moment of being called off is passed on.

        `first` goes before all who wait. A turn goes past one whom it does not fit.
        """
        waiting = _Waiting(asyncio.get_running_loop().create_future(), fits)
        if first:
            self._waiting.appendleft(waiting)
        else:
            self._waiting.append(waiting)
        try:
            await waiting.turn
        except asyncio.CancelledError:
            if waiting.turn.cancelled():
                self._waiting.remove(waiting)
            else:
                pass_on()
            raise

    def give(self) -> bool:
        """Give a turn to the first whom it fits; whether there was anybody."""
        for place, (turn, fits) in enumerate(self._waiting):
            if not turn.done() and fits():
                del self._waiting[place]
                turn.set_result(None)
                return True
        return False
