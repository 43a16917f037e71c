"""Rows of tokens to run, the prefix forest over them, and the padded-batch route.

A route splits rows into passes and runs a pass; the result is the logits at the wanted positions,
and which of them belong to which row.

In a prefix forest every distinct prefix of a row is one node. Nodes are in depth-first order, so
the nodes below one are the range after it: node i sees node j exactly if j <= i < ends[j]. One
number per node defines the mask, which is built on the device. All operations are on whole arrays;
no loop runs over tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain, groupby
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from epicene.models.hf.batching import PASS_TOKENS, pad_right

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.models.hf.generation.decoding import SamplingDistribution
    from epicene.models.hf.scoring.logprobs import LazyLogits, ModelRunner


class ForwardRow(Protocol):
    """Tokens to run, and where predictions are wanted."""

    @property
    def read(self) -> tuple[int, ...]:
        """The tokens the model reads."""

    @property
    def wanted(self) -> range:
        """The positions whose predictions are wanted, without a gap."""


class ScoringRow(NamedTuple):
    """Tokens of which those from `first` on are to be scored, each given all before it.

    With `distribution` they are also scored under it.
    """

    ids: tuple[int, ...]
    first: int
    distribution: SamplingDistribution | None = None

    @property
    def read(self) -> tuple[int, ...]:
        """All but the last, which is only predicted."""
        return self.ids[:-1]

    @property
    def wanted(self) -> range:
        """A token is predicted at the position before its own."""
        return range(self.first - 1, len(self.ids) - 1)


class RowScores(NamedTuple):
    """The log-probabilities of a row's scored tokens, as they are and as they are stored.

    Under a distribution -inf stands for banned tokens. `finite` says that there is no other number
    among them that is NaN or infinite.
    """

    logprobs: list[float]
    rounded: list[float]
    drawn: list[float] | None = None
    finite: bool = True


@dataclass(frozen=True)
class ContinuationRow:
    """Tokens of which the `top` best next ones are wanted, perhaps with a space before them."""

    read: tuple[int, ...]
    top: int
    spaced: bool = False

    @property
    def wanted(self) -> range:
        """The last position."""
        return range(len(self.read) - 1, len(self.read))


IntArray: TypeAlias = NDArray[np.int64]
A = TypeVar("A", bound=ForwardRow)

# Widths of a pack that are weighed against each other.
_PACK_WIDTHS = (64, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096)
# A prefix that many rows share is worth a pass of its own from this length on, and is cut to a
# multiple of this, so that batches that differ a little share it too.
_MIN_SHARED_PREFIX = 32
_SHARED_PREFIX_STEP = 16


@dataclass(frozen=True)
class PrefixTable:
    """Rows in lexicographic order as one matrix, and how much each shares with the row before."""

    tokens: IntArray  # (rows, widest), -1 behind the end of a row
    lengths: IntArray
    shared: IntArray  # of the first row 0

    def part(self, rows: slice, skipped: int) -> PrefixTable:
        """Some neighbouring rows without their first tokens, which all of them share."""
        shared = self.shared[rows] - skipped
        shared[0] = 0
        lengths = self.lengths[rows] - skipped
        return PrefixTable(self.tokens[rows, skipped : skipped + lengths.max()], lengths, shared)


def in_order(rows: Sequence[A]) -> tuple[list[A], list[tuple[int, ...]]]:
    """Rows in lexicographic order, and what each reads."""
    reads = [row.read for row in rows]
    order = sorted(range(len(rows)), key=reads.__getitem__)
    return [rows[number] for number in order], [reads[number] for number in order]


def prefix_table(reads: Sequence[tuple[int, ...]]) -> PrefixTable:
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
    return PrefixTable(tokens, lengths, shared)


@dataclass(frozen=True)
class TreePack:
    """Neighbouring rows that are run together, and their nodes."""

    rows: slice
    nodes: slice

    @property
    def size(self) -> int:
        """How many nodes it has."""
        return int(self.nodes.stop - self.nodes.start)


@dataclass(frozen=True)
class PrefixForest:
    """All nodes of some rows, pack after pack; a prefix is one node in each pack that has it."""

    tokens: IntArray
    depths: IntArray  # how many tokens of its row precede it
    ends: IntArray
    paths: IntArray  # (rows, widest): the node of each token of a row
    packs: tuple[TreePack, ...]


def build_forest(rows: PrefixTable, width: int, depth: int = 0) -> PrefixForest:
    """The forest of rows in packs of at most `width` nodes, or of one longer row.

    `depth` is how many tokens precede every row.
    """
    firsts = _pack_starts(rows, width)
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
    return PrefixForest(
        tokens=rows.tokens[mine],
        depths=np.broadcast_to(columns + depth, mine.shape)[mine],
        ends=after[mine],
        paths=paths,
        packs=tuple(
            TreePack(slice(edges[i], edges[i + 1]), slice(bounds[i], bounds[i + 1]))
            for i in range(len(firsts))
        ),
    )


def best_pack_width(rows: PrefixTable, depth: int, attention: float) -> int:
    """The width of packs at which the rows cost least.

    Narrow packs repeat what rows share, wide ones pay for attention: `attention` is what it costs
    a token to look at one other, as a share of all else it costs.
    """

    def cost(width: int) -> float:
        firsts = _pack_starts(rows, width)
        sizes = np.add.reduceat(rows.lengths - rows.shared, firsts) + rows.shared[firsts]
        widest = int(sizes.max())
        return len(sizes) * widest * (1 + attention * (widest + depth))

    return min(_PACK_WIDTHS, key=cost)


def _pack_starts(rows: PrefixTable, width: int) -> list[int]:
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
class SharedPrefixGroup:
    """Neighbouring rows, and how many first tokens of theirs are run once for all of them."""

    rows: slice
    shared: int


def shared_prefix_groups(
    rows: PrefixTable, unwanted: IntArray, min_nodes: int
) -> list[SharedPrefixGroup]:
    """Groups of rows that share a long prefix in which nothing is wanted.

    `unwanted` is how many first tokens of a row may be run apart from it. A group is made if at
    least `min_nodes` nodes follow the shared prefix; the rows between such groups are one group.
    """
    opens = np.minimum(rows.shared, unwanted) < _MIN_SHARED_PREFIX
    opens[0] = True
    firsts = np.flatnonzero(opens)
    behinds = np.append(firsts[1:], len(opens))
    nodes = np.add.reduceat(rows.lengths - rows.shared, firsts)
    found: list[SharedPrefixGroup] = []
    reached = 0
    for run in np.flatnonzero((behinds - firsts > 1) & (nodes >= min_nodes)).tolist():
        first, behind = int(firsts[run]), int(behinds[run])
        shared = int(min(rows.shared[first + 1 : behind].min(), unwanted[first:behind].min()))
        shared = shared // _SHARED_PREFIX_STEP * _SHARED_PREFIX_STEP
        if nodes[run] - shared < min_nodes:
            continue
        if reached < first:
            found.append(SharedPrefixGroup(slice(reached, first), 0))
        found.append(SharedPrefixGroup(slice(first, behind), shared))
        reached = behind
    if reached < len(opens):
        found.append(SharedPrefixGroup(slice(reached, len(opens)), 0))
    return found


# Without a head of its own a model makes logits of all of them: bytes of these.
_PASS_LOGIT_BYTES = (1 << 28, 1 << 32)

Unit = TypeVar("Unit")


@dataclass(frozen=True)
class PassResult(Generic[A]):
    """The result of a pass; `positions` are the wanted indices into `logits`, row by row."""

    rows: Sequence[A]
    logits: LazyLogits
    positions: IntArray
    read: int  # tokens of all rows
    tokens: int  # as many as were run, which is fewer where rows share some


@dataclass(frozen=True)
class ForwardPass(Generic[A, Unit]):
    """Units that can be run in one pass, or in parts if they do not fit in memory."""

    units: Sequence[Unit]
    size: Callable[[Unit], int]
    rows: Callable[[Unit], Sequence[A]]
    run: Callable[[Sequence[Unit]], PassResult[A]]
    plain: bool = False  # each row for itself: there is no cheaper way to fall back to


class Route(Protocol):
    """A way to run rows."""

    name: str

    def passes(self, rows: Sequence[A]) -> Iterator[ForwardPass[A, Any]]:
        """The passes that run all rows."""


class PassLimits:
    """How much one pass may hold."""

    def __init__(self, runner: ModelRunner, rows: int | None) -> None:
        on_accelerator = runner.device.type != "cpu"
        self.rows = rows
        self.tokens = PASS_TOKENS[on_accelerator]
        if not runner.has_head:
            self.tokens = min(
                self.tokens, max(1, _PASS_LOGIT_BYTES[on_accelerator] // (4 * runner.vocabulary))
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


class PaddedRoute:
    """Rows side by side, padded on the right under an attention mask, or all of one length."""

    def __init__(
        self, runner: ModelRunner, limits: PassLimits, *, of_one_length: bool = False
    ) -> None:
        self._runner = runner
        self._limits = limits
        self._of_one_length = of_one_length
        self.name = "batches of one length" if of_one_length else "padded batch"

    def passes(self, rows: Sequence[A]) -> Iterator[ForwardPass[A, A]]:
        """Longest first, so that memory fails early."""
        ordered = sorted(rows, key=lambda row: (-len(row.read), row.wanted.start, row.read))
        for _, alike in groupby(ordered, _read_length if self._of_one_length else lambda _: 0):
            for units in self._limits.cut(list(alike), _read_length):
                yield ForwardPass(units, _read_length, lambda row: (row,), self._run, plain=True)

    def _run(self, rows: Sequence[A]) -> PassResult[A]:
        ids, mask = pad_right([row.read for row in rows])
        width = ids.shape[1]
        wanted = [
            np.arange(row.wanted.start, row.wanted.stop) + line * width
            for line, row in enumerate(rows)
        ]
        where, positions = np.unique(np.concatenate(wanted), return_inverse=True)
        send = self._runner.send
        states = self._runner.states(
            {"input_ids": send(ids), "attention_mask": send(mask), "use_cache": False}, send(where)
        )
        read = int(mask.sum())
        return PassResult(rows, self._runner.lazy_logits(states), positions, read, read)


class LengthSplitRoute:
    """A route for rows up to a length; longer ones in batches of their own length.

    Some models choose their positions by the longest text of a batch.
    """

    def __init__(
        self, route: Route, runner: ModelRunner, limits: PassLimits, max_length: int
    ) -> None:
        self.name = route.name
        self._route, self._max_length = route, max_length
        self._alone = PaddedRoute(runner, limits, of_one_length=True)

    def passes(self, rows: Sequence[A]) -> Iterator[ForwardPass[A, Any]]:
        """Those of any length first."""
        steady = [row for row in rows if len(row.read) <= self._max_length]
        if steady:
            yield from self._route.passes(steady)
        yield from self._alone.passes([row for row in rows if len(row.read) > self._max_length])


def _read_length(row: ForwardRow) -> int:
    return len(row.read)
