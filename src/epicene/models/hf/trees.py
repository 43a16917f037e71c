"""Rows of tokens as a forest in which every distinct beginning of a row is one node.

The nodes stand in depth-first order, so the nodes below one are the stretch behind it: node i
sees node j exactly if j <= i < ends[j]. One number a node is all that a mask is made of, and it
is made on the device. Everything here is arithmetic on whole arrays, no loop runs over tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Ints: TypeAlias = NDArray[np.int64]

# Widths of a pack that are weighed against each other.
_WIDTHS = (64, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096)
# A beginning that many rows share is worth a pass of its own from this length on, and is cut to a
# multiple of this, so that batches that differ a little share it all the same.
_SHARED = 32
_STEP = 16


@dataclass(frozen=True)
class Table:
    """Rows in lexicographic order as one matrix, and how much each shares with the row before."""

    tokens: Ints  # (rows, widest), -1 behind the end of a row
    lengths: Ints
    shared: Ints  # of the first row 0

    def part(self, rows: slice, skipped: int) -> Table:
        """Some neighbouring rows without their first tokens, which all of them share."""
        shared = self.shared[rows] - skipped
        shared[0] = 0
        lengths = self.lengths[rows] - skipped
        return Table(self.tokens[rows, skipped : skipped + lengths.max()], lengths, shared)


def table(reads: Sequence[tuple[int, ...]]) -> Table:
    """The matrix of rows that are in order already."""
    lengths = np.fromiter(map(len, reads), np.int64, len(reads))
    columns = np.arange(lengths.max())
    tokens = np.full((len(reads), len(columns)), -1, np.int64)
    tokens[columns < lengths[:, None]] = np.fromiter(
        chain.from_iterable(reads), np.int64, int(lengths.sum())
    )
    differs = np.ones((len(reads), len(columns) + 1), bool)
    differs[1:, :-1] = tokens[1:] != tokens[:-1]
    shared = np.minimum(differs.argmax(1), lengths)
    shared[0] = 0
    return Table(tokens, lengths, shared)


@dataclass(frozen=True)
class Pack:
    """Neighbouring rows that are run together, and their nodes."""

    rows: slice
    nodes: slice

    @property
    def size(self) -> int:
        """How many nodes it has."""
        return int(self.nodes.stop - self.nodes.start)


@dataclass(frozen=True)
class Forest:
    """All nodes of some rows, pack after pack; a beginning is one node in each pack that has it."""

    tokens: Ints
    depths: Ints  # how many tokens of its row stand before it
    ends: Ints
    paths: Ints  # (rows, widest): which node stands for a row's token
    packs: tuple[Pack, ...]


def grow(rows: Table, width: int, depth: int = 0) -> Forest:
    """The forest of rows in packs of at most `width` nodes, or of one longer row.

    `depth` is how many tokens stand before every row.
    """
    firsts = _cut(rows, width)
    shared = rows.shared.copy()
    shared[firsts] = 0
    new = rows.lengths - shared
    starts = np.cumsum(new) - new
    total = int(new.sum())
    columns = np.arange(rows.tokens.shape[1])
    numbers = np.arange(len(starts))[:, None]
    opens = shared[:, None] <= columns  # the row opens its own node here, if it is long enough
    mine = opens & (columns < rows.lengths[:, None])
    # The node of a row's token was opened by the last row that opens here.
    opener = np.maximum.accumulate(np.where(opens, numbers, 0), axis=0)
    paths = starts[opener] + columns - shared[opener]
    # It ends where a later row first opens here.
    later = np.where(opens, starts[:, None], total)
    later = np.minimum.accumulate(later[::-1], axis=0)[::-1]
    after = np.full_like(later, total)
    after[:-1] = later[1:]
    bounds = [*starts[firsts].tolist(), total]
    edges = [*firsts, len(starts)]
    return Forest(
        tokens=rows.tokens[mine],
        depths=np.broadcast_to(columns + depth, mine.shape)[mine],
        ends=after[mine],
        paths=paths,
        packs=tuple(
            Pack(slice(edges[i], edges[i + 1]), slice(bounds[i], bounds[i + 1]))
            for i in range(len(firsts))
        ),
    )


def best_width(rows: Table, depth: int, attention: float) -> int:
    """The width of packs at which the rows cost least.

    Narrow packs repeat what rows share, wide ones pay for attention: `attention` is what it costs
    a token to look at one other, as a share of all else it costs.
    """

    def cost(width: int) -> float:
        firsts = _cut(rows, width)
        sizes = np.add.reduceat(rows.lengths - rows.shared, firsts) + rows.shared[firsts]
        widest = int(sizes.max())
        return len(sizes) * widest * (1 + attention * (widest + depth))

    return min(_WIDTHS, key=cost)


def _cut(rows: Table, width: int) -> list[int]:
    """The first row of each pack."""
    new = rows.lengths - rows.shared
    sums = np.cumsum(new)
    firsts = [0]
    while True:
        first = firsts[-1]
        # What the first row repeats counts against the pack.
        room = width + int(sums[first] - rows.lengths[first])
        behind = max(first + 1, int(np.searchsorted(sums, room, side="right")))
        if behind >= len(new):
            return firsts
        firsts.append(behind)


@dataclass(frozen=True)
class Stretch:
    """Neighbouring rows, and how many first tokens of theirs are run once for all of them."""

    rows: slice
    shared: int


def stretches(rows: Table, unwanted: Ints, worth: int) -> list[Stretch]:
    """Where many rows share a long beginning in which nothing is wanted.

    `unwanted` is how many first tokens of a row may be run apart from it. A stretch is made where
    at least `worth` nodes come behind the shared beginning; the rows between such stretches
    stand together.
    """
    opens = np.minimum(rows.shared, unwanted) < _SHARED
    opens[0] = True
    firsts = np.flatnonzero(opens)
    behinds = np.append(firsts[1:], len(opens))
    nodes = np.add.reduceat(rows.lengths - rows.shared, firsts)
    found: list[Stretch] = []
    reached = 0
    for run in np.flatnonzero((behinds - firsts > 1) & (nodes >= worth)).tolist():
        first, behind = int(firsts[run]), int(behinds[run])
        shared = int(min(rows.shared[first + 1 : behind].min(), unwanted[first:behind].min()))
        shared = shared // _STEP * _STEP
        if nodes[run] - shared < worth:
            continue
        if reached < first:
            found.append(Stretch(slice(reached, first), 0))
        found.append(Stretch(slice(first, behind), shared))
        reached = behind
    if reached < len(opens):
        found.append(Stretch(slice(reached, len(opens)), 0))
    return found
