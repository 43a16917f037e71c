"""What is asked of the forward pass of a causal model: rows of tokens, and what is wanted there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from epicene.models.hf.sampling import Drawing


class Runnable(Protocol):
    """Tokens to run, and where predictions are wanted."""

    @property
    def read(self) -> tuple[int, ...]:
        """The tokens the model reads."""

    @property
    def wanted(self) -> range:
        """The positions whose predictions are wanted, without a gap."""


class Row(NamedTuple):
    """Tokens of which those from `first` on are to be scored, each given all before it.

    With `drawing` they are also scored by that law.
    """

    ids: tuple[int, ...]
    first: int
    drawing: Drawing | None = None

    @property
    def read(self) -> tuple[int, ...]:
        """All but the last, which is only predicted."""
        return self.ids[:-1]

    @property
    def wanted(self) -> range:
        """A token is predicted at the position before its own."""
        return range(self.first - 1, len(self.ids) - 1)


class Scored(NamedTuple):
    """The log-probabilities of a row's scored tokens, as they are and as they are stored.

    By its law -inf stands for what is barred.
    """

    logprobs: list[float]
    rounded: list[float]
    drawn: list[float] | None = None


@dataclass(frozen=True)
class Stem:
    """Tokens of which the `top` best next ones are wanted, perhaps with a space before them."""

    read: tuple[int, ...]
    top: int
    spaced: bool = False

    @property
    def wanted(self) -> range:
        """The last position."""
        return range(len(self.read) - 1, len(self.read))
