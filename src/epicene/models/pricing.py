"""Prices of hosted models, and the budget of a run.

Money is reserved before a request is sent and charged when its reply arrives.
"""

from __future__ import annotations

import asyncio
import math
import tomllib
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, TypeAlias, cast

import msgspec

from epicene.core.errors import OptionError, RunError
from epicene.core.records import Record
from epicene.models import Model

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from epicene.core.records import Request

_MILLION = 1_000_000
Dollars: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]  # which infinity is not
Tokens: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=10**9)]


class Price(Record, frozen=True, kw_only=True):
    """What a model charges, in US dollars: per image drawn, per million prompt and new tokens, or
    per image looked at.

    None if unknown. `picture` is the most prompt tokens that an image counts as.
    """

    image: Dollars | None = None
    prompt: Dollars | None = None
    completion: Dollars | None = None
    picture: Tokens | None = None
    look: Dollars | None = None
    origin: str = ""

    def covers(self, verb: str) -> bool:
        """Whether the price of that verb is known."""
        if verb == "draw":
            return self.image is not None
        if verb == "look" and self.look is not None:
            return True
        return self.prompt is not None and self.completion is not None

    def images(self, count: int) -> float | None:
        """The cost of drawn images; None if unknown."""
        return None if self.image is None else count * self.image

    def tokens(self, prompt: int, completion: int) -> float | None:
        """The cost of tokens; None if unknown."""
        if self.prompt is None or self.completion is None:
            return None
        return (prompt * self.prompt + completion * self.completion) / _MILLION

    def __str__(self) -> str:
        parts = []
        if self.image is not None:
            parts.append(f"{format_dollars(self.image)} per image")
        if self.prompt is not None and self.completion is not None:
            read, written = format_dollars(self.prompt), format_dollars(self.completion)
            parts.append(f"{read} per million tokens read and {written} written")
        return f"{', '.join(parts)} ({self.origin})" if parts else "not known"


class _PriceTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    models: dict[str, Price]
    checked: str = ""


def format_dollars(amount: float) -> str:
    """An amount with cents, and with more digits only if needed."""
    cents, exact = f"{amount:.2f}", f"{amount:.6f}".rstrip("0")
    return f"${cents if len(exact) < len(cents) else exact}"


def find_price(kind: str, name: str, stated: str = "", *, listed: bool) -> Price:
    """The price of `KIND:NAME`: as given by the user, or from `prices.toml`.

    The file has prices of providers' own servers (`listed`) only.
    """
    known = _default_table().models.get(f"{kind}:{name}") if listed else None
    return _override(parse_price(stated, kind, name), known) if stated else known or Price()


def parse_price(stated: str, kind: str, name: str) -> Price:
    """`AMOUNT` per image, `READ/WRITTEN` per million tokens, or a TOML file like `prices.toml`."""
    if stated.endswith(".toml"):
        table = _read_table(Path(stated))
        return _with_origin(table.models.get(f"{kind}:{name}", Price()), Path(stated).name)
    try:
        amounts = [float(amount) for amount in stated.split("/")]
    except ValueError:
        amounts = []
    if len(amounts) not in (1, 2) or not all(0 <= amount < math.inf for amount in amounts):
        raise OptionError(
            "price",
            f"The price {stated!r} is invalid: write dollars per image (0.04), dollars per million "
            "tokens read and written (2.50/10), or a TOML file (prices.toml).",
        )
    if len(amounts) == 1:
        return Price(image=amounts[0], origin="as given")
    return Price(prompt=amounts[0], completion=amounts[1], origin="as given")


def _override(stated: Price, known: Price | None) -> Price:
    """The stated prices, and the known ones for the rest."""
    if known is None:
        return stated
    changes = {
        field: value
        for field, value in msgspec.structs.asdict(stated).items()
        if value not in (None, "")
    }
    return msgspec.structs.replace(known, **changes)


@cache
def _default_table() -> _PriceTable:
    text = files("epicene.models").joinpath("prices.toml").read_text(encoding="utf-8")
    table = msgspec.convert(tomllib.loads(text), _PriceTable)
    origin = f"table of {table.checked}"
    return _PriceTable({name: _with_origin(price, origin) for name, price in table.models.items()})


def _with_origin(price: Price, origin: str) -> Price:
    return msgspec.structs.replace(price, origin=origin)


@cache
def _read_table(path: Path) -> _PriceTable:
    try:
        table = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _PriceTable)
    except OSError as error:
        reason = f"Could not read {path}: {error.strerror or error}."
        raise OptionError("price", reason) from error
    except (ValueError, msgspec.ValidationError) as error:
        raise OptionError(
            "price",
            f'{path} is not a price table ({error}); it has tables like [models."KIND:NAME"] with '
            "image, or prompt and completion, in dollars.",
        ) from error
    return table


_ROUNDING = 1e-9  # of sums of fractions of a cent


@dataclass(eq=False)
class _Reservation:
    """The maximum amount that a request in flight may still cost."""

    left: float


# The reservation of the request that the current task, or its parent, works for.
_current: ContextVar[_Reservation | None] = ContextVar("_current", default=None)


class CostLimitError(RunError):
    """The next request could cost more than is left."""


class Budget:
    """The dollars spent over all models and sessions of a run, and their limit.

    Models of a run answer in turn, so only one event loop uses it at a time.
    """

    def __init__(self, limit: float | None = None, spent: float = 0.0) -> None:
        self.limit = limit
        self.spent = spent
        self._reserved: list[_Reservation] = []
        self._waiting: list[asyncio.Future[None]] = []

    def fits(self, amount: float) -> bool:
        """Whether the limit allows this amount beside the requests in flight."""
        if self.limit is None:
            return True
        reserved = sum(each.left for each in self._reserved)
        return self.spent + reserved + amount <= self.limit + _ROUNDING

    def reserve_more(self, amount: float) -> bool:
        """Reserve more for the current request, if the limit allows; returns whether it does."""
        if not self.fits(amount):
            return False
        if reservation := _current.get():
            reservation.left += amount
        return True

    def charge(self, amount: float) -> None:
        """Spend an amount, from the current request's reservation as far as that goes."""
        if not 0 <= amount < math.inf:
            raise ValueError(f"{amount} is not a valid cost")
        self.spent += amount
        if reservation := _current.get():
            reservation.left = max(0.0, reservation.left - amount)

    @asynccontextmanager
    async def reserve(self, amount: float) -> AsyncIterator[None]:
        """Wait until the limit allows this amount, and reserve it inside the block.

        If it does not even with nothing else in flight, the run ends; all paid requests are
        answered by then.
        """
        while not self.fits(amount):
            if not self._reserved:
                raise self._over(amount)
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        reservation = _Reservation(amount)
        self._reserved.append(reservation)
        token = _current.set(reservation)
        try:
            yield
        finally:
            _current.reset(token)
            self._reserved.remove(reservation)
            waiting, self._waiting = self._waiting, []
            for turn in waiting:
                if not turn.done():
                    turn.set_result(None)

    def _over(self, amount: float) -> CostLimitError:
        assert self.limit is not None
        return CostLimitError(
            f"The limit of {format_dollars(self.limit)} does not allow the next request, which "
            f"may cost {format_dollars(amount)}: {format_dollars(self.spent)} has been spent. All "
            "answers are stored; run the same command with a higher --max-cost to resume."
        )


def as_paid(model: Model) -> PaidModel | None:
    """The model, if its answers cost money.

    By its class, not the model itself, whose attributes may load its weights.
    """
    return cast("PaidModel", model) if hasattr(type(model), "spend_from") else None


class PaidModel(Model, Protocol):
    """A model whose answers cost money."""

    @property
    def price(self) -> Price:
        """What it charges."""

    @property
    def spent(self) -> float | None:
        """What it has charged since it was opened; None if unknown."""

    def cost_of(self, request: Request) -> float | None:
        """The expected maximum cost of a request; None if unknown."""

    def spend_from(self, budget: Budget) -> None:
        """Charge all further requests to this budget."""
