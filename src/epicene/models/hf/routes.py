"""Three ways to run the same rows: as packed trees, behind a shared beginning, as a padded batch.

A route cuts rows into passes and runs a pass; what it gives is the wanted cells, and which of
them are whose. What is made of the cells is not its business.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain, groupby
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.models.hf.network import Cells, Network
    from epicene.models.hf.rows import Runnable
    from epicene.models.hf.trees import Ints

# Tokens of one pass, padding counted, on a CPU and on an accelerator.
TOKENS = (4096, 65_536)
# Without a head of its own a model makes logits of all of them: bytes of these.
_LOGITS = (1 << 28, 1 << 32)

A = TypeVar("A", bound="Runnable")
Unit = TypeVar("Unit")


@dataclass(frozen=True)
class Ran(Generic[A]):
    """A pass that was run. Row after row, `places` numbers the cell of each wanted position."""

    rows: Sequence[A]
    cells: Cells
    places: Ints
    tokens: int


@dataclass(frozen=True)
class Pass(Generic[A, Unit]):
    """What can be run at once, and in parts where it does not fit in memory."""

    units: Sequence[Unit]
    size: Callable[[Unit], int]
    rows: Callable[[Unit], Sequence[A]]
    run: Callable[[Sequence[Unit]], Ran[A]]
    plain: bool = False  # each row for itself: there is no cheaper way to fall back to


class Route(Protocol):
    """A way to run rows."""

    name: str

    def passes(self, rows: Sequence[A]) -> Iterator[Pass[A, Any]]:
        """The passes that run all rows."""


class Limits:
    """How much one pass may hold."""

    def __init__(self, network: Network, rows: int | None) -> None:
        on_accelerator = network.device.type != "cpu"
        self.rows = rows
        self.tokens = TOKENS[on_accelerator]
        if not network.has_head:
            self.tokens = min(
                self.tokens, max(1, _LOGITS[on_accelerator] // (4 * network.vocabulary))
            )

    def cut(
        self,
        units: Sequence[Unit],
        size: Callable[[Unit], int],
        rows: Callable[[Unit], int] = lambda _: 1,
    ) -> Iterator[Sequence[Unit]]:
        """Units whose sizes fall, as many together as fit, one at least."""
        while units:
            count = max(1, self.tokens // max(1, size(units[0])))
            if self.rows is not None:
                held = accumulate(map(rows, units[:count]))
                count = max(1, sum(number <= self.rows for number in held))
            yield units[:count]
            units = units[count:]


class Padded:
    """Rows side by side, padded on the right under an attention mask, or all of one length."""

    def __init__(self, network: Network, limits: Limits, *, of_one_length: bool = False) -> None:
        self._network = network
        self._limits = limits
        self._of_one_length = of_one_length
        self.name = "batches of one length" if of_one_length else "padded batch"

    def passes(self, rows: Sequence[A]) -> Iterator[Pass[A, A]]:
        """Longest first, so that memory fails early."""
        ordered = sorted(rows, key=lambda row: (-len(row.read), row.wanted.start, row.read))
        for _, alike in groupby(ordered, _length if self._of_one_length else lambda _: 0):
            for units in self._limits.cut(list(alike), _length):
                yield Pass(units, _length, lambda row: (row,), self._run, plain=True)

    def _run(self, rows: Sequence[A]) -> Ran[A]:
        ids, mask = right_padded([row.read for row in rows])
        width = ids.shape[1]
        wanted = [
            np.arange(row.wanted.start, row.wanted.stop) + line * width
            for line, row in enumerate(rows)
        ]
        where, places = np.unique(np.concatenate(wanted), return_inverse=True)
        send = self._network.send
        states = self._network.states(
            {"input_ids": send(ids), "attention_mask": send(mask), "use_cache": False}, send(where)
        )
        return Ran(rows, self._network.cells(states), places, int(mask.sum()))


class ByLength:
    """A route for rows up to a length; longer ones in batches of their own length.

    Some models choose their positions by the longest text of a batch.
    """

    def __init__(self, route: Route, network: Network, limits: Limits, longest: int) -> None:
        self.name = route.name
        self._route, self._longest = route, longest
        self._alone = Padded(network, limits, of_one_length=True)

    def passes(self, rows: Sequence[A]) -> Iterator[Pass[A, Any]]:
        """Those of any length first."""
        steady = [row for row in rows if len(row.read) <= self._longest]
        if steady:
            yield from self._route.passes(steady)
        yield from self._alone.passes([row for row in rows if len(row.read) > self._longest])


def _length(row: Runnable) -> int:
    return len(row.read)


def right_padded(reads: Sequence[Sequence[int]], filler: int = 0) -> tuple[Ints, Ints]:
    """Rows as one matrix, and which of it is theirs."""
    lengths = np.fromiter(map(len, reads), np.int64, len(reads))
    theirs = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(theirs.shape, filler, np.int64)
    ids[theirs] = np.fromiter(chain.from_iterable(reads), np.int64, int(lengths.sum()))
    return ids, theirs.astype(np.int64)
