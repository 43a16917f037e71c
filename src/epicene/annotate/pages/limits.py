"""How much one link may ask for: so many requests at once, then so many a second."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 20_000  # links that are remembered


class Buckets:
    """A bucket of tokens for each name, filled at a steady rate."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> bool:
        """Whether one more request is within the limit."""
        now = self._clock()
        level, then = self._levels.pop(name, (self._burst, now))
        level = min(self._burst, level + (now - then) * self._rate)
        allowed = level >= 1
        self._levels[name] = (level - allowed, now)
        if len(self._levels) > _MOST:  # the one that was quiet longest is full again by now
            self._levels.popitem(last=False)
        return allowed
