"""How many requests are sent at once: as many as the server can take.

Additive increase, multiplicative decrease, as in TCP: a round of replies without errors makes room
for one more, a rate-limit error halves the limit. Waiting requests are served in order.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


class _Waiter(NamedTuple):
    turn: asyncio.Future[None]
    fits: Callable[[], bool]


class WaitQueue:
    """A queue of waiting tasks. Lives in one event loop."""

    def __init__(self) -> None:
        self._waiting: deque[_Waiter] = deque()

    def __len__(self) -> int:
        """How many tasks wait."""
        return len(self._waiting)

    async def wait(
        self,
        pass_on: Callable[[], object],
        *,
        first: bool = False,
        fits: Callable[[], bool] = lambda: True,
    ) -> None:
        """Wait for a turn; if the task is cancelled after getting one, `pass_on` is called.

        `first` goes to the head of the queue. A turn that does not fit goes to the next in line.
        """
        waiting = _Waiter(asyncio.get_running_loop().create_future(), fits)
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
        """Wake the first task whose `fits` is true; returns whether there was one."""
        for index, (turn, fits) in enumerate(self._waiting):
            if not turn.done() and fits():
                del self._waiting[index]
                turn.set_result(None)
                return True
        return False


class AdaptiveSemaphore:
    """A semaphore whose size adapts, first come first served. Lives in one event loop."""

    def __init__(self, ceiling: int, limit: float | None = None) -> None:
        self.ceiling = ceiling
        self.limit = float(ceiling) if limit is None else limit
        self._active = 0
        self._round = 0
        self._paused_until = 0.0
        self._turns = WaitQueue()

    @property
    def active(self) -> int:
        """The number of slots in use."""
        return self._active

    @property
    def free(self) -> bool:
        """Whether a slot is free at once."""
        return self._active < int(self.limit) and not self._turns

    @property
    def pause_left(self) -> float:
        """Seconds until new slots are given out again."""
        return max(0.0, self._paused_until - asyncio.get_running_loop().time())

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Wait for a slot and hold it. Yields the round, to be passed to `shrink`."""
        await self._enter()
        try:
            await self._wait_out_pause()
            yield self._round
        finally:
            self._leave()

    def grow(self) -> None:
        """Record a reply without a rate-limit error, by a holder of a slot."""
        if self._active >= int(self.limit):  # only a limit that is reached can be too low
            self.limit = min(self.ceiling, self.limit + 1 / self.limit)
            self._admit()

    def shrink(self, round_: int) -> None:
        """Record a rate-limit error. Those of one round count once."""
        if round_ == self._round:
            self.limit = max(1.0, min(self.limit, self._active) / 2)
            self._round += 1

    def pause(self, seconds: float) -> None:
        """Give out no new slot for this many seconds."""
        now = asyncio.get_running_loop().time()
        self._paused_until = max(self._paused_until, now + seconds)

    async def _wait_out_pause(self) -> None:
        while left := self.pause_left:
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
