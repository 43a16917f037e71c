"""What a run may spend: money is put aside before a request is sent, and charged when it comes."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from epicene.errors import RunError
from epicene.models import Model
from epicene.models.prices import Price, dollars

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from epicene.records import Request

_PENNY_DUST = 1e-9  # what adding up fractions of a cent may be off by


@dataclass(eq=False)
class _Aside:
    """What a request may still cost."""

    left: float


# That of the request which the present task, or the one that made it, works for.
_own: ContextVar[_Aside | None] = ContextVar("_own", default=None)


class OverCostLimitError(RunError):
    """The next request could cost more than is left."""


class Purse:
    """Dollars spent over all models and sessions of a run, and how many it may spend.

    Models of a run answer one after the other, so one event loop uses it at a time.
    """

    def __init__(self, limit: float | None = None, spent: float = 0.0) -> None:
        self.limit = limit
        self.spent = spent
        self._aside: list[_Aside] = []
        self._waiting: list[asyncio.Future[None]] = []

    def fits(self, amount: float) -> bool:
        """Whether so much can be spent whatever becomes of the requests under way."""
        if self.limit is None:
            return True
        aside = sum(each.left for each in self._aside)
        return self.spent + aside + amount <= self.limit + _PENNY_DUST

    def take_more(self, amount: float) -> bool:
        """Set so much more aside for the request under way, if there is room for it."""
        if not self.fits(amount):
            return False
        if aside := _own.get():
            aside.left += amount
        return True

    def charge(self, amount: float) -> None:
        """Money is gone: what the request under way has set aside, as far as that goes."""
        self.spent += amount
        if aside := _own.get():
            aside.left = max(0.0, aside.left - amount)

    @asynccontextmanager
    async def set_aside(self, amount: float) -> AsyncIterator[None]:
        """Wait until so much can be spent, and keep it from others meanwhile.

        Where it cannot be even with nothing else under way, the run ends: what is paid for has
        been answered by then.
        """
        while not self.fits(amount):
            if not self._aside:
                raise self._over(amount)
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        aside = _Aside(amount)
        self._aside.append(aside)
        token = _own.set(aside)
        try:
            yield
        finally:
            _own.reset(token)
            self._aside.remove(aside)
            waiting, self._waiting = self._waiting, []
            for turn in waiting:
                if not turn.done():
                    turn.set_result(None)

    def _over(self, amount: float) -> OverCostLimitError:
        assert self.limit is not None
        return OverCostLimitError(
            f"The limit of {dollars(self.limit)} leaves no room for the next request, which may "
            f"cost {dollars(amount)}: {dollars(self.spent)} is spent, and every answer is kept; "
            "run the same command with a higher --max-cost to go on."
        )


def paid(model: Model) -> Paid | None:
    """The model, if its answers cost money.

    Its class is asked, not the model: a model asked for all that it has may load its weights.
    """
    return cast("Paid", model) if hasattr(type(model), "spend_from") else None


class Paid(Model, Protocol):
    """A model whose answers cost money."""

    @property
    def price(self) -> Price:
        """What it charges."""

    @property
    def spent(self) -> float | None:
        """What it has charged since it was opened; None if that is not known."""

    def cost_of(self, request: Request) -> float | None:
        """The most that a request should cost; None if that is not known."""

    def spend_from(self, purse: Purse) -> None:
        """Pay from this purse from now on."""
