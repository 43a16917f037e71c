"""The route of packed trees: every distinct token once.

A beginning that many rows of a batch share (an instruction, a few shots) is run once and its keys
and values are kept, so the next batches have it too.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from epicene.models.hf import trees
from epicene.models.hf.routes import Limits, Pass, Ran

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.models.hf.network import Network
    from epicene.models.hf.packing import Layout
    from epicene.models.hf.routes import A
    from epicene.models.hf.trees import Forest, Ints, Pack

# What a token pays to look at one other, against all else: arithmetic alone would be 1 in 6 times
# the hidden size, but attention under a mask runs far below the speed of a matrix product.
_ATTENTION = 0.6
# Numbers in one mask, on a CPU and on an accelerator.
_MASK = (1 << 25, 1 << 29)
# Nodes that must come behind a shared beginning to make it worth a pass of its own.
_WORTH = 256
# Bytes of keys and values of beginnings that are kept, on a CPU and on an accelerator.
_KEPT = (1 << 28, 1 << 31)


class Packed:
    """Rows as trees."""

    name = "packed trees"

    def __init__(
        self, network: Network, limits: Limits, layout: Layout, worth: int = _WORTH
    ) -> None:
        self._network, self._limits, self._layout = network, limits, layout
        self._worth = worth
        self._kept: OrderedDict[tuple[int, ...], list[tuple[Any, Any]]] = OrderedDict()
        hidden = network.model.config.get_text_config().hidden_size
        self._attention = _ATTENTION / hidden
        on_accelerator = network.device.type != "cpu"
        self._mask, self._room = _MASK[on_accelerator], _KEPT[on_accelerator]

    def passes(self, rows: Sequence[A]) -> Iterator[Pass[A, Pack]]:
        """Tree by tree."""
        rows = sorted(rows, key=lambda row: row.read)
        table = trees.table([row.read for row in rows])
        unwanted = np.fromiter((row.wanted.start for row in rows), np.int64, len(rows))
        for stretch in trees.stretches(table, unwanted, self._worth):
            part = table.part(stretch.rows, stretch.shared)
            width = trees.best_width(part, stretch.shared, self._attention)
            forest = trees.grow(part, width, stretch.shared)
            mine = rows[stretch.rows]
            shared = mine[0].read[: stretch.shared]
            run = partial(self._run, mine, forest, shared)
            packs = sorted(forest.packs, key=lambda pack: -pack.size)
            for units in self._cut(packs, len(shared)):
                yield Pass(units, partial(_size, len(shared)), partial(_rows, mine), run)

    def _cut(self, packs: Sequence[Pack], shared: int) -> Iterator[Sequence[Pack]]:
        """As many packs at once as tokens and masks allow."""
        for units in self._limits.cut(packs, partial(_size, shared), _count):
            widest = units[0].size
            count = max(1, self._mask // (widest * (widest + shared)))
            for start in range(0, len(units), count):
                yield units[start : start + count]

    def _run(
        self, rows: Sequence[A], forest: Forest, shared: tuple[int, ...], packs: Sequence[Pack]
    ) -> Ran[A]:
        import torch

        # Kernels for attention want widths that are a multiple of eight.
        width = -(-max(pack.size for pack in packs) // 8) * 8
        nodes = np.zeros((3, len(packs), width), np.int64)
        ids, depths, ends = nodes
        ends[:] = np.arange(1, width + 1)  # what only pads sees itself alone
        for line, pack in enumerate(packs):
            ids[line, : pack.size] = forest.tokens[pack.nodes]
            depths[line, : pack.size] = forest.depths[pack.nodes]
            ends[line, : pack.size] = forest.ends[pack.nodes] - pack.nodes.start
        chosen = np.concatenate([np.arange(pack.rows.start, pack.rows.stop) for pack in packs])
        mine = [rows[number] for number in chosen]
        where, places = np.unique(
            _wanted(mine, forest.paths[chosen], packs, width, len(shared)), return_inverse=True
        )
        send = self._network.send
        sent_ids, sent_depths, sent_ends = send(nodes)
        inputs = {
            "input_ids": sent_ids,
            "position_ids": sent_depths,
            "attention_mask": self._layout.masks(
                self._network, sent_depths, sent_ends, len(shared)
            ),
            "use_cache": False,
        }
        read = 0 if shared in self._kept else len(shared)
        with torch.inference_mode():
            if shared:
                inputs["past_key_values"] = self._behind(shared, len(packs))
            states = self._network.states(inputs, send(where))
        tokens = read + sum(pack.size for pack in packs)
        return Ran(mine, self._network.cells(states), places, tokens)

    def _behind(self, shared: tuple[int, ...], count: int) -> Any:
        """The keys and values of a shared beginning, for each of `count` packs."""
        from transformers import DynamicCache

        if shared not in self._kept:
            self._kept[shared] = self._keys_and_values(shared)
        self._kept.move_to_end(shared)
        layers = self._kept[shared]
        # Beginnings of one model differ in length alone, so all have as many bytes a token.
        each = sum(k.nbytes + v.nbytes for k, v in layers) / len(shared)
        while len(self._kept) > 1 and each * sum(map(len, self._kept)) > self._room:
            self._kept.popitem(last=False)
        return DynamicCache(
            [(k.expand(count, -1, -1, -1), v.expand(count, -1, -1, -1)) for k, v in layers]
        )

    def _keys_and_values(self, shared: tuple[int, ...]) -> list[tuple[Any, Any]]:
        from transformers import DynamicCache

        send = self._network.send
        depths = send(np.arange(len(shared))[None])
        ends = send(np.full((1, len(shared)), len(shared)))
        cache = DynamicCache()
        self._network.states(
            {
                "input_ids": send(np.array([shared])),
                "position_ids": depths,
                "attention_mask": self._layout.masks(self._network, depths, ends, 0),
                "past_key_values": cache,
                "use_cache": True,
            },
            send(np.zeros(0, np.int64)),
        )
        return [(layer.keys, layer.values) for layer in cache.layers]


def _size(shared: int, pack: Pack) -> int:
    """The tokens held for a pack, those of the shared beginning among them."""
    return shared + pack.size


def _count(pack: Pack) -> int:
    return int(pack.rows.stop - pack.rows.start)


def _rows(rows: Sequence[A], pack: Pack) -> Sequence[A]:
    return rows[pack.rows]


def _wanted(rows: Sequence[A], paths: Ints, packs: Sequence[Pack], width: int, shared: int) -> Ints:
    """Where each row's wanted positions lie in the batch, row after row."""
    lines = np.repeat(np.arange(len(packs)), [pack.rows.stop - pack.rows.start for pack in packs])
    offsets = lines * width - np.array([pack.nodes.start for pack in packs])[lines]
    first = np.fromiter((row.wanted.start for row in rows), np.int64, len(rows)) - shared
    behind = np.fromiter((row.wanted.stop for row in rows), np.int64, len(rows)) - shared
    columns = np.arange(paths.shape[1])
    mask = (columns >= first[:, None]) & (columns < behind[:, None])
    wanted: Ints = (paths + offsets[:, None])[mask]
    return wanted
