"""Two routes that compute shared prefixes once: packed prefix trees and cached prefixes.

A packed row holds many texts; each token sees its ancestors alone, through a four-dimensional mask,
and its position is its depth. Some families accept such a mask and still look elsewhere (a local
window counted along the row, positions added to the scores), without an error and wrong by nats. So
only families that were measured are packed, windows come from the configuration, and every model
must pass the self-test in `forward`. A prefix that many rows share (an instruction, a few examples)
is run once and its keys and values are kept for later batches.

Models that attend but cannot be packed use cached prefixes: the keys and values of a prefix are
passed to every row that begins with it. Prefixes of one length are run together, so there is no
padding between a prefix and its continuation.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from epicene.models.hf.attention import attending
from epicene.models.hf.batching import pad_right
from epicene.models.hf.fused import can_attend
from epicene.models.hf.scoring import routes
from epicene.models.hf.scoring.routes import ForwardPass, PaddedRoute, PassLimits, PassResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.models.hf.scoring.logprobs import ModelRunner
    from epicene.models.hf.scoring.routes import (
        A,
        ForwardRow,
        IntArray,
        PrefixForest,
        PrefixTable,
        TreePack,
    )

# One mask for all layers, windowed by depth where the configuration has a window.
_ONE_MASK = frozenset(
    "deepseek_v3 falcon gemma gpt2 gpt_neox gptj llama mistral mixtral olmo2 opt phi3 qwen2 qwen3"
    " smollm3 stablelm starcoder2 xglm".split()
)
# A mask for each type of layer, given as a dictionary, where some layers have a window.
_BY_LAYER = frozenset("cohere2 gemma2 gemma3_text gpt_oss qwen2 qwen3 smollm3".split())
_KNOWN_LAYERS = frozenset({"full_attention", "sliding_attention"})


@dataclass(frozen=True)
class MaskLayout:
    """How a family's attention masks are built."""

    window: int | None = None
    by_layer: bool = False

    def masks(self, runner: ModelRunner, depths: Any, ends: Any, shared: int) -> Any:
        """The additive attention mask: (packs, 1, nodes, shared + nodes)."""
        import torch

        positions = torch.arange(depths.shape[1], device=depths.device)
        seen = (positions[:, None] >= positions) & (positions[:, None] < ends[:, None, :])
        if shared:
            first = seen.new_ones(*seen.shape[:2], shared)
            seen = torch.cat([first, seen], dim=-1)
        full = _additive_mask(seen, runner.model.dtype)
        if self.window is None:
            return full
        before = torch.arange(shared, device=depths.device).expand(len(depths), -1)
        distances = depths[:, :, None] - torch.cat([before, depths], dim=1)[:, None, :]
        local = _additive_mask(seen & (distances < self.window), runner.model.dtype)
        if not self.by_layer:
            return local
        return {"full_attention": full, "sliding_attention": local}


def _additive_mask(seen: Any, dtype: Any) -> Any:
    import torch

    mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
    return mask.masked_fill_(~seen, torch.finfo(dtype).min)[:, None]


def mask_layout(config: Any) -> MaskLayout | None:
    """The masks for a packed model; None if its family is not known to support packing."""
    config = config.get_text_config()
    family = config.model_type
    if getattr(config, "alibi", False):
        return None
    layers = set(getattr(config, "layer_types", None) or ())
    window = _sliding_window(config)
    if window is None:
        known = family in _ONE_MASK | _BY_LAYER and layers <= _KNOWN_LAYERS
        return MaskLayout() if known else None
    if layers:
        known = family in _BY_LAYER and layers <= _KNOWN_LAYERS
        return MaskLayout(window, by_layer=True) if known else None
    return MaskLayout(window) if family in _ONE_MASK else None


def _sliding_window(config: Any) -> int | None:
    """How far local layers look back, unless that is as far as the model reads at all."""
    window = getattr(config, "sliding_window", None)
    layers = getattr(config, "layer_types", None)
    if not window or (layers and "sliding_attention" not in layers):
        return None
    reads = getattr(config, "max_position_embeddings", None)
    return None if reads is not None and window >= reads else int(window)


# What a token pays to look at one other, against all else: arithmetic alone would be 1 in 6 times
# the hidden size, but attention under a mask runs far below the speed of a matrix product. The
# kernel, in second place, skips most of what a token does not see.
_ATTENTION_COST = (0.6, 0.1)
# Numbers in one mask, on a CPU and on an accelerator.
_MASK_NUMBERS = (1 << 25, 1 << 29)
# Nodes that must follow a shared prefix to make it worth a pass of its own.
_MIN_NODES_AFTER_PREFIX = 256
# Bytes of keys and values of prefixes that are kept, on a CPU and on an accelerator.
_KEPT_PREFIX_BYTES = (1 << 28, 1 << 31)


class PackedTreeRoute:
    """Rows packed as prefix trees."""

    name = "packed trees"

    def __init__(
        self,
        runner: ModelRunner,
        limits: PassLimits,
        layout: MaskLayout,
        min_nodes: int = _MIN_NODES_AFTER_PREFIX,
        *,
        kernel: bool = False,  # attend by a kernel instead of under a mask
    ) -> None:
        self._runner, self._limits, self._layout = runner, limits, layout
        self._min_nodes, self._kernel = min_nodes, kernel
        self._kept: OrderedDict[tuple[int, ...], list[tuple[Any, Any]]] = OrderedDict()
        hidden = runner.model.config.get_text_config().hidden_size
        self._attention = _ATTENTION_COST[kernel] / hidden
        on_accelerator = runner.device.type != "cpu"
        self._mask = sys.maxsize if kernel else _MASK_NUMBERS[on_accelerator]
        self._room = _KEPT_PREFIX_BYTES[on_accelerator]

    def forget_prefixes(self) -> None:
        """Drop the keys and values that are kept: the model's weights may have changed."""
        self._kept.clear()

    def passes(self, rows: Sequence[A]) -> Iterator[ForwardPass[A, TreePack]]:
        """The passes of each group, largest packs first."""
        rows, reads = routes.in_order(rows)
        table = routes.prefix_table(reads)
        unwanted = np.fromiter((row.wanted.start for row in rows), np.int64, len(rows))
        for stretch in routes.shared_prefix_groups(table, unwanted, self._min_nodes):
            part = table.part(stretch.rows, stretch.shared)
            width = routes.best_pack_width(part, stretch.shared, self._attention)
            forest = routes.build_forest(part, width, stretch.shared)
            mine = rows[stretch.rows]
            shared = mine[0].read[: stretch.shared]
            wanted = unwanted[stretch.rows] - stretch.shared, part.lengths
            run = partial(self._run, mine, forest, wanted, shared)
            packs = sorted(forest.packs, key=lambda pack: -pack.size)
            for units in self._cut(packs, len(shared)):
                yield ForwardPass(
                    units, partial(_pack_tokens, len(shared)), partial(_pack_rows, mine), run
                )

    def _cut(self, packs: Sequence[TreePack], shared: int) -> Iterator[Sequence[TreePack]]:
        """Packs in passes as large as tokens and masks allow."""
        for units in self._limits.cut(packs, partial(_pack_tokens, shared), _pack_row_count):
            widest = units[0].size
            count = max(1, self._mask // (widest * (widest + shared)))
            for start in range(0, len(units), count):
                yield units[start : start + count]

    def _run(
        self,
        rows: Sequence[A],
        forest: PrefixForest,
        wanted: tuple[IntArray, IntArray],  # where it begins and ends in each row
        shared: tuple[int, ...],
        packs: Sequence[TreePack],
    ) -> PassResult[A]:
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
        mine = [rows[number] for number in chosen.tolist()]
        firsts, behinds = (each[chosen] for each in wanted)
        where, positions = np.unique(
            _wanted_in_packs(firsts, behinds, forest.paths[chosen], packs, width),
            return_inverse=True,
        )
        send = self._runner.send
        sent_ids, sent_depths, sent_ends = send(nodes)
        inputs = {"input_ids": sent_ids, "position_ids": sent_depths, "use_cache": False}
        read = 0 if shared in self._kept else len(shared)
        with torch.inference_mode():
            first = self._kept_prefix(shared) if shared else None
            if self._kernel:
                with attending(self._runner.model, partial(_attend_in_tree, sent_ends, first)):
                    states = self._runner.states(inputs, send(where))
            else:
                inputs["attention_mask"] = self._layout.masks(
                    self._runner, sent_depths, sent_ends, len(shared)
                )
                if first:
                    inputs["past_key_values"] = _expanded_cache(first, len(packs))
                states = self._runner.states(inputs, send(where))
        tokens = read + sum(pack.size for pack in packs)
        alone = int(behinds.sum()) + len(mine) * len(shared)
        return PassResult(mine, self._runner.lazy_logits(states), positions, alone, tokens)

    def _kept_prefix(self, shared: tuple[int, ...]) -> list[tuple[Any, Any]]:
        """The keys and values of a shared prefix, layer by layer."""
        if shared not in self._kept:
            self._kept[shared] = self._keys_and_values(shared)
        self._kept.move_to_end(shared)
        layers = self._kept[shared]
        # Every token of a prefix has the same number of bytes.
        each = sum(k.nbytes + v.nbytes for k, v in layers) / len(shared)
        while len(self._kept) > 1 and each * sum(map(len, self._kept)) > self._room:
            self._kept.popitem(last=False)
        return layers

    def _keys_and_values(self, shared: tuple[int, ...]) -> list[tuple[Any, Any]]:
        from transformers import DynamicCache

        send = self._runner.send
        depths = send(np.arange(len(shared))[None])
        ends = send(np.full((1, len(shared)), len(shared)))
        cache = DynamicCache()
        self._runner.states(
            {
                "input_ids": send(np.array([shared])),
                "position_ids": depths,
                "attention_mask": self._layout.masks(self._runner, depths, ends, 0),
                "past_key_values": cache,
                "use_cache": True,
            },
            send(np.zeros(0, np.int64)),
        )
        return [(layer.keys, layer.values) for layer in cache.layers]


def _attend_in_tree(
    ends: Any,
    prefix: Sequence[tuple[Any, Any]] | None,
    layer: int,
    query: Any,
    key: Any,
    value: Any,
    scale: float,
) -> Any:
    """Attention in packs by a kernel.

    A mask has a number for each pair of nodes, and the library copies shared keys once per head
    and once per pack. The kernel needs one number per node, skips what no query sees, and reads the
    keys of a shared prefix where they are.
    """
    from epicene.models.hf.kernels import attend_tree

    if not can_attend(query, key, value):
        raise NotImplementedError("its heads have a size of their own")
    return attend_tree(query, key, value, prefix[layer] if prefix else None, ends, scale)


def _expanded_cache(layers: Sequence[tuple[Any, Any]], count: int) -> Any:
    """Keys and values of one row, as the cache of `count` rows."""
    from transformers import DynamicCache

    return DynamicCache(
        [(k.expand(count, -1, -1, -1), v.expand(count, -1, -1, -1)) for k, v in layers]
    )


def _pack_tokens(shared: int, pack: TreePack) -> int:
    """The tokens held for a pack, including the shared prefix."""
    return shared + pack.size


def _pack_row_count(pack: TreePack) -> int:
    return int(pack.rows.stop - pack.rows.start)


def _pack_rows(rows: Sequence[A], pack: TreePack) -> Sequence[A]:
    return rows[pack.rows]


def _wanted_in_packs(
    firsts: IntArray, behinds: IntArray, paths: IntArray, packs: Sequence[TreePack], width: int
) -> IntArray:
    """The index in the batch of each wanted position, row by row."""
    lines = np.repeat(np.arange(len(packs)), [pack.rows.stop - pack.rows.start for pack in packs])
    offsets = lines * width - np.array([pack.nodes.start for pack in packs])[lines]
    columns = np.arange(paths.shape[1])
    mask = (columns >= firsts[:, None]) & (columns < behinds[:, None])
    wanted: IntArray = (paths + offsets[:, None])[mask]
    return wanted


@dataclass(frozen=True)
class _PrefixGroup:
    """Rows with a common prefix, and its length."""

    rows: tuple[Any, ...]
    shared: int

    @property
    def widest(self) -> int:
        """The tokens of its longest row after the prefix."""
        return max(len(row.read) for row in self.rows) - self.shared

    @property
    def size(self) -> int:
        """The tokens held for it, with the prefix once per row."""
        return len(self.rows) * (self.shared + self.widest)


class CachedPrefixRoute:
    """Rows after cached prefixes."""

    name = "shared beginnings"

    def __init__(self, runner: ModelRunner, limits: PassLimits) -> None:
        self._runner, self._limits = runner, limits
        self._padded = PaddedRoute(runner, limits)

    def passes(self, rows: Sequence[A]) -> Iterator[ForwardPass[A, Any]]:
        """Prefixes of one length together; rows that share nothing as a padded batch."""
        ordered, reads = routes.in_order(rows)
        families = [
            _PrefixGroup(tuple(ordered[part.rows]), part.shared)
            for part in _prefix_groups(routes.prefix_table(reads))
        ]
        if single := [row for family in families if not family.shared for row in family.rows]:
            yield from self._padded.passes(single)
        shared = [family for family in families if family.shared]
        shared.sort(key=lambda family: (-family.shared, -family.size))
        for _, alike in groupby(shared, key=lambda family: family.shared):
            for units in self._limits.cut(list(alike), lambda f: f.size, lambda f: len(f.rows)):
                yield ForwardPass(units, lambda family: family.size, lambda f: f.rows, self._run)

    def _run(self, families: Sequence[_PrefixGroup]) -> PassResult[Any]:
        import torch
        from transformers import DynamicCache

        shared = families[0].shared
        rows = [row for family in families for row in family.rows]
        owner = np.repeat(np.arange(len(families)), [len(family.rows) for family in families])
        cache = DynamicCache()
        prefixes = np.array([family.rows[0].read[:shared] for family in families])
        rests, mask = pad_right([row.read[shared:] or (0,) for row in rows])
        first, second = _wanted_in_prefix_and_rest(rows, owner, shared, rests.shape[1])
        where_first, positions_first = np.unique(first, return_inverse=True)
        where_second, positions_second = np.unique(second, return_inverse=True)
        send = self._runner.send
        with torch.inference_mode():
            states = [
                self._runner.states(
                    self._inputs(prefixes, np.ones_like(prefixes), 0, cache), send(where_first)
                )
            ]
            # Indices on the CPU: each layer may be on another device.
            cache.batch_select_indices(torch.from_numpy(owner))
            seen = np.concatenate([np.ones((len(rows), shared), np.int64), mask], axis=1)
            states.append(
                self._runner.states(self._inputs(rests, seen, shared, cache), send(where_second))
            )
        positions = _merge_positions(
            rows, shared, positions_first, positions_second + len(where_first)
        )
        read = sum(len(row.read) for row in rows)
        tokens = prefixes.size + read - shared * len(rows)
        logits = self._runner.lazy_logits(torch.cat(states))
        return PassResult(rows, logits, positions, read, tokens)

    def _inputs(self, ids: Any, mask: Any, depth: int, cache: Any) -> dict[str, Any]:
        send = self._runner.send
        inputs = {
            "input_ids": send(ids),
            "attention_mask": send(mask),
            "past_key_values": cache,
            "use_cache": True,
        }
        if "position_ids" in self._runner.parameters:
            inputs["position_ids"] = send(np.arange(depth, depth + ids.shape[1])[None])
        return inputs


def _prefix_groups(rows: PrefixTable) -> Iterator[routes.SharedPrefixGroup]:
    """Neighbours taken together as long as that saves more tokens than stopping would."""
    first, shared = 0, 0
    for number in range(1, len(rows.lengths) + 1):
        behind = int(rows.shared[number]) if number < len(rows.lengths) else 0
        count = number - first  # rows taken so far
        joint = behind if count == 1 else min(shared, behind)
        if joint and count * joint >= (count - 1) * shared:
            shared = joint
            continue
        yield routes.SharedPrefixGroup(slice(first, number), shared if count > 1 else 0)
        first, shared = number, 0


def _wanted_in_prefix_and_rest(
    rows: Sequence[ForwardRow], owner: Any, shared: int, width: int
) -> tuple[IntArray, IntArray]:
    """The indices of wanted positions in the prefixes, and in what follows them."""
    first: list[int] = []
    second: list[int] = []
    for line, row in enumerate(rows):
        wanted = row.wanted
        cut = min(max(wanted.start, shared), wanted.stop)
        first += range(owner[line] * shared + wanted.start, owner[line] * shared + cut)
        base = line * width - shared
        second += range(base + cut, base + wanted.stop)
    return np.array(first, np.int64), np.array(second, np.int64)


def _merge_positions(rows: Sequence[ForwardRow], shared: int, first: Any, second: Any) -> Any:
    """Row by row, the positions in the prefix, then those after it."""
    parts = []
    at, other = 0, 0
    for row in rows:
        inside = min(max(row.wanted.start, shared), row.wanted.stop) - row.wanted.start
        behind = len(row.wanted) - inside
        parts += [first[at : at + inside], second[other : other + behind]]
        at, other = at + inside, other + behind
    return np.concatenate(parts)
