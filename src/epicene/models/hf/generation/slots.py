"""Take steps with caches that stay in place: a CUDA graph per number of rows, replayed per token.

Each row has a slot of a few columns, filled from the left, and attends to as many of them as it has
tokens, so a layer with a local window is limited to rows of its length. Nothing that a step
computes depends on the host: the token of each row, its length and its keys are at the same address
in every step, so that the whole step can be recorded once and replayed, instead of launching a
thousand kernels per token from Python. The tokens that a step chose are looked at a few steps
later; what was computed for a text after its end is discarded.

Attention is a kernel of our own in half precision, where Triton is installed; everywhere else it is
the ordinary kernel under a mask. Models whose attention is anything else are found by the self-test
of `kv_cache`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from epicene.models.hf.attention import attending, grouped_sdpa
from epicene.models.hf.batching import is_out_of_memory, position_limit
from epicene.models.hf.fused import can_attend, is_current
from epicene.models.hf.generation.stepper import Stepper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.models.hf.generation.kv_cache import CacheRows
    from epicene.models.hf.loading import LoadedModel

# Columns are a multiple of this, so that a slightly longer text needs no new cache.
_COLUMN_STEP = 32
# Rows of a graph: powers of two up to this number, then its multiples.
_ROW_STEP = 128
# Finished rows are dropped when the graph for the rest has at most this share of the rows.
_DROP_TO = 3 / 4
# More graphs than this are all dropped: each holds the logits of its rows.
_MOST_GRAPHS = 24
# A cache is kept for the next batch if it takes at most this share of the memory that is free.
_KEPT_SHARE = 1 / 4


def graph_rows(count: int) -> int:
    """The rows of the graph that runs this many."""
    if count > _ROW_STEP:
        return -(-count // _ROW_STEP) * _ROW_STEP
    return 1 << (count - 1).bit_length()


def slot_obstacle(loaded: LoadedModel) -> str:
    """Why a model cannot be run in slots, as far as is known without trying."""
    devices = set((getattr(loaded.model, "hf_device_map", None) or {}).values())
    if not is_current(loaded.device):
        return "it is not on the current GPU"
    return "it is on several devices" if len(devices) > 1 else ""


@dataclass
class SlotRows:
    """The running rows: the first `count` slots of the cache."""

    cache: Any
    count: int


class SlotStepper(Stepper):
    """Runs one model in slots. Call it within `torch.inference_mode`."""

    lag = 3
    max_tested_window = 0  # a row never leaves a window

    def __init__(self, loaded: LoadedModel) -> None:
        super().__init__(loaded)
        self._slots: _Slots | None = None
        self._graphs: dict[int, tuple[Any, Any]] = {}  # by rows: the graph and its logits
        self._pool: Any = None
        self._stream: Any = None  # memory of the pool is used again only on one stream
        self._record = loaded.device.type == "cuda"
        self._max_columns = position_limit(loaded.model)

    def rows(
        self,
        pieces: Sequence[CacheRows],
        lengths: Sequence[int],
        rooms: Sequence[int],
        width: int = 0,  # noqa: ARG002 - a slot has no padding
    ) -> SlotRows:
        """Pieces as running rows, with the tokens each has read and may still read."""
        columns = max(length + room for length, room in zip(lengths, rooms, strict=True))
        slots = self._slots
        if slots is None or not slots.can_hold(graph_rows(len(lengths)), columns):
            self.release()
            rounded = -(-columns // _COLUMN_STEP) * _COLUMN_STEP
            if self._max_columns is not None:
                # A row that is finished is read on, up to its last column.
                rounded = max(columns, min(rounded, self._max_columns))
            slots = _Slots(graph_rows(len(lengths)), rounded, self._loaded)
            self._slots = slots
        slots.fill(pieces, lengths)
        return SlotRows(slots.cache, len(lengths))

    def step(self, rows: SlotRows, tokens: Any) -> Any:
        """Read one token per row; the next logits of each, valid until the next step."""
        assert self._slots is not None
        self._slots.tokens[: rows.count] = tokens
        count = graph_rows(rows.count)
        if count in self._graphs:
            graph, logits = self._graphs[count]
            graph.replay()
            return logits[: rows.count]
        logits = self._forward(count)[: rows.count]
        if self._record:
            self._capture(count)
        return logits

    def should_drop(
        self,
        rows: SlotRows,  # noqa: ARG002
        running: int,
        count: int,
        max_length: int | None,  # noqa: ARG002
    ) -> bool:
        """Whether a graph for the running ones alone would be much smaller."""
        return graph_rows(running) <= _DROP_TO * graph_rows(count)

    def release(self) -> None:
        """Free cache and graphs."""
        self._drop_graphs()
        self._slots = None

    def rest(self) -> None:
        """Free cache and graphs if others may need the memory before the next texts."""
        import torch

        if self._slots is not None and self._loaded.device.type == "cuda":
            free, _ = torch.cuda.mem_get_info(self._loaded.device)
            if self._slots.bytes > _KEPT_SHARE * free:
                self.release()

    def _drop_graphs(self) -> None:
        self._graphs.clear()
        self._pool = None

    def _forward(self, count: int) -> Any:
        """One step of the first `count` slots."""
        slots = self._slots
        assert slots is not None
        slots.advance(count)
        with attending(self._model, slots.attend):
            return self._run(slots.cache, slots.at[:, None], input_ids=slots.tokens[:count, None])

    def _capture(self, count: int) -> None:
        """Record the step of this many rows; where that fails, steps are launched one by one."""
        import torch

        if len(self._graphs) >= _MOST_GRAPHS:
            self._drop_graphs()
        graph = torch.cuda.CUDAGraph()
        stream = self._stream = self._stream or torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        self._pool = self._pool or torch.cuda.graph_pool_handle()
        try:
            # Not by `torch.cuda.graph`, which empties the allocator's cache first.
            with torch.cuda.stream(stream):
                graph.capture_begin(pool=self._pool, capture_error_mode="thread_local")
                try:
                    logits = self._forward(count)
                finally:
                    graph.capture_end()
        except RuntimeError as error:
            self._drop_graphs()
            if is_out_of_memory(error):
                raise
            self._record = False
            return
        torch.cuda.current_stream().wait_stream(stream)
        self._graphs[count] = graph, logits


class _Slots:
    """Keys and values of all rows, and what a step reads of each: its token and its length."""

    def __init__(self, rows: int, columns: int, loaded: LoadedModel) -> None:
        import torch
        from transformers import DynamicCache

        self.rows, self.columns = rows, columns
        self.cache = DynamicCache()
        device = loaded.device
        self.tokens = torch.zeros(rows, dtype=torch.long, device=device)
        self.lengths = torch.zeros(rows, dtype=torch.int32, device=device)
        self.numbers = torch.arange(rows, device=device)
        self.at = self.tokens  # in the step that runs, where each row's new key goes

    @property
    def bytes(self) -> int:
        """The size of keys and values."""
        return sum(layer.keys.nbytes + layer.values.nbytes for layer in self.cache.layers)

    def can_hold(self, rows: int, columns: int) -> bool:
        """Whether this many rows of this many tokens fit."""
        return rows <= self.rows and columns <= self.columns

    def fill(self, pieces: Sequence[CacheRows], lengths: Sequence[int]) -> None:
        """Put the pieces' rows into the first slots; a spent cache is freed layer by layer."""
        import torch

        device = self.lengths.device
        known = torch.tensor(lengths, dtype=torch.int32, device=device)
        rows = [torch.tensor(piece.rows, device=device) for piece in pieces]
        known_by_piece = known.split([len(piece.rows) for piece in pieces])
        for number in range(len(pieces[0].cache.layers)):
            parts = [
                _left_aligned(piece.cache.layers[number], own, read, max(lengths))
                for piece, own, read in zip(pieces, rows, known_by_piece, strict=True)
            ]
            if number == len(self.cache.layers):
                self.cache.layers.append(_slot_layer()(self, *parts[0]))
            for piece in pieces:
                if piece.spent and piece.cache is not self.cache:
                    piece.cache.layers[number] = None
            self.cache.layers[number].fill(parts)
        self.lengths.zero_()
        self.lengths[: len(lengths)] = known
        self.tokens.zero_()

    def advance(self, count: int) -> None:
        """Make room for the token that the first rows read next; finished rows may have none."""
        lengths = self.lengths[:count]
        lengths.add_(1).clamp_(max=self.columns)
        self.at = lengths.long() - 1

    def attend(self, layer: int, query: Any, key: Any, value: Any, scale: float) -> Any:  # noqa: ARG002
        """Attention of the newest token of each row to all tokens of the row."""
        import torch

        lengths = self.lengths[: len(query)]
        if can_attend(query, key, value):
            from epicene.models.hf.kernels import attend_rows

            return attend_rows(query, key, value, lengths, scale)
        columns = torch.arange(self.columns, device=query.device)
        mask = (columns < lengths[:, None])[:, None, None]
        return grouped_sdpa(query, key, value, mask, scale)


def _left_aligned(layer: Any, rows: Any, lengths: Any, longest: int) -> tuple[Any, Any]:
    """Copies of keys and values of some rows: token by token from the left, `longest` columns."""
    import torch

    if isinstance(layer, _slot_layer()):
        return layer.keys[rows, :longest], layer.values[rows, :longest]
    # The library pads on the left, and a layer with a window holds only the last columns.
    held = layer.keys.shape[2]
    columns = torch.arange(longest, device=rows.device) - (lengths[:, None] - held)
    at = rows[:, None], columns.clamp(0, held - 1)
    return layer.keys.transpose(1, 2)[at], layer.values.transpose(1, 2)[at]


@cache
def _slot_layer() -> Any:
    """The class of the layers of a cache in slots."""
    from transformers.cache_utils import DynamicLayer

    class SlotLayer(DynamicLayer):  # type: ignore[misc]
        """Keys and values as rows × columns × heads × size."""

        def __init__(self, slots: _Slots, keys: Any, values: Any) -> None:
            super().__init__()
            self._slots = slots
            self.dtype, self.device, self.is_initialized = keys.dtype, keys.device, True
            self.keys, self.values = (
                each.new_zeros(slots.rows, slots.columns, *each.shape[2:])
                for each in (keys, values)
            )

        def fill(self, parts: Sequence[tuple[Any, Any]]) -> None:
            """Put rows into the first slots."""
            first = 0
            for keys, values in parts:
                rows = slice(first, first + len(keys))
                for own, filled in ((self.keys, keys), (self.values, values)):
                    own[rows, : keys.shape[1]] = filled
                    # Never read, but a NaN left there would come through a weight of nought.
                    own[rows, keys.shape[1] :] = 0
                first += len(keys)

        def update(self, keys: Any, values: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
            slots, count = self._slots, len(keys)
            at = slots.numbers[:count], slots.at
            self.keys[at], self.values[at] = keys[:, :, 0], values[:, :, 0]
            return self.keys[:count].transpose(1, 2), self.values[:count].transpose(1, 2)

    return SlotLayer
