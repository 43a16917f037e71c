"""What models charge: a small table with its date, or what the user says."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from epicene.errors import OptionError
from epicene.records import Record

_MILLION = 1_000_000
Dollars: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]
Tokens: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]


class Price(Record, frozen=True, kw_only=True):
    """What a model charges, in US dollars: a picture, a million tokens read, a million written.

    None where that is not known. `picture` is the most tokens that one takes which is looked at.
    """

    image: Dollars | None = None
    prompt: Dollars | None = None
    completion: Dollars | None = None
    picture: Tokens | None = None
    origin: str = ""

    def covers(self, verb: str) -> bool:
        """Whether what that verb takes has a price."""
        if verb == "draw":
            return self.image is not None
        return self.prompt is not None and self.completion is not None

    def images(self, count: int) -> float | None:
        """What so many pictures cost."""
        return None if self.image is None else count * self.image

    def tokens(self, prompt: int, completion: int) -> float | None:
        """What so many tokens cost."""
        if self.prompt is None or self.completion is None:
            return None
        return (prompt * self.prompt + completion * self.completion) / _MILLION

    def __str__(self) -> str:
        parts = []
        if self.image is not None:
            parts.append(f"{dollars(self.image)} an image")
        if self.prompt is not None and self.completion is not None:
            read, written = dollars(self.prompt), dollars(self.completion)
            parts.append(f"{read} a million tokens read and {written} written")
        return f"{', '.join(parts)} ({self.origin})" if parts else "not known"


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    models: dict[str, Price]
    checked: str = ""


def dollars(amount: float) -> str:
    """An amount as people write it: cents at least, and no more digits than it has."""
    cents, exact = f"{amount:.2f}", f"{amount:.6f}".rstrip("0")
    return f"${cents if len(exact) < len(cents) else exact}"


def find_price(kind: str, name: str, stated: str = "", *, listed: bool) -> Price:
    """What `KIND:NAME` charges: as the user states it, else as the table has it.

    The table is for providers' own servers (`listed`); what another server charges only its owner
    knows.
    """
    known = _own_table().models.get(f"{kind}:{name}") if listed else None
    return _over(read_price(stated, kind, name), known) if stated else known or Price()


def read_price(stated: str, kind: str, name: str) -> Price:
    """`AMOUNT` an image, `READ/WRITTEN` a million tokens, or a TOML file laid out like ours."""
    if stated.endswith(".toml"):
        table = _read_table(Path(stated))
        return _from(table.models.get(f"{kind}:{name}", Price()), Path(stated).name)
    try:
        amounts = [float(amount) for amount in stated.split("/")]
    except ValueError:
        amounts = []
    if len(amounts) not in (1, 2) or not all(0 <= amount < math.inf for amount in amounts):
        raise OptionError(
            "price",
            f"The price {stated!r} is none: write dollars an image (0.04), dollars a million "
            "tokens read and written (2.50/10), or a TOML file (prices.toml).",
        )
    if len(amounts) == 1:
        return Price(image=amounts[0], origin="as given")
    return Price(prompt=amounts[0], completion=amounts[1], origin="as given")


def _over(stated: Price, known: Price | None) -> Price:
    """What is stated, and the rest as it is known."""
    if known is None:
        return stated
    changes = {
        field: value
        for field, value in msgspec.structs.asdict(stated).items()
        if value not in (None, "")
    }
    return msgspec.structs.replace(known, **changes)


@cache
def _own_table() -> _Table:
    text = files("epicene.models").joinpath("prices.toml").read_text(encoding="utf-8")
    table = msgspec.convert(tomllib.loads(text), _Table)
    origin = f"table of {table.checked}"
    return _Table({name: _from(price, origin) for name, price in table.models.items()})


def _from(price: Price, origin: str) -> Price:
    return msgspec.structs.replace(price, origin=origin)


@cache
def _read_table(path: Path) -> _Table:
    try:
        table = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _Table)
    except OSError as error:
        reason = f"Could not read {path}: {error.strerror or error}."
        raise OptionError("price", reason) from error
    except (ValueError, msgspec.ValidationError) as error:
        raise OptionError(
            "price",
            f'{path} is no table of prices ({error}); it has parts like [models."KIND:NAME"] with '
            "image, or prompt and completion, in dollars.",
        ) from error
    return table
