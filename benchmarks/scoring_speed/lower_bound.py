"""The least arithmetic there is: every distinct token once, logits only where they are read.

At the rate of a large matrix product this takes a time that no program can beat.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from epicene.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scoring_speed.plain import Plain, Row


class Work(Record, frozen=True, kw_only=True):
    """What a set of rows asks of a model."""

    tokens: int  # of all rows
    distinct: int  # that must be read once
    looked: int  # positions whose logits are wanted
    flops: float


def least(rows: Sequence[Row], plain: Plain) -> Work:
    """The least work for these rows."""
    return _tree(rows, plain) if plain.kind == "causal" else _sentences(rows, plain)


def _tree(rows: Sequence[Row], plain: Plain) -> Work:
    """A causal model reads the same beginning once: rows make a tree."""
    nodes: dict[tuple[int, int], int] = {}
    looked: set[int] = set()
    tokens = depths = 0
    for row in rows:
        tokens += len(row.ids)
        wanted = {position for position, _ in row.wanted}
        node = -1
        for depth, token in enumerate(row.ids):
            before = len(nodes)
            node = nodes.setdefault((node, token), before)
            depths += (depth + 1) * (len(nodes) > before)
            if depth in wanted:
                looked.add(node)
    return _work(plain, tokens, len(nodes), len(looked), depths)


def _sentences(rows: Sequence[Row], plain: Plain) -> Work:
    """A masked model reads each distinct row once."""
    looked = {(row.ids, position) for row in rows for position, _ in row.wanted}
    lengths = [len(ids) for ids in {ids for ids, _ in looked}]
    attended = sum(length**2 for length in lengths)
    return _work(plain, sum(len(row.ids) for row in rows), sum(lengths), len(looked), attended)


def _work(plain: Plain, tokens: int, distinct: int, looked: int, attended: int) -> Work:
    """Two operations per weight and token; attention reads a key and a value per pair."""
    config = plain.model.config
    body = sum(weight.numel() for weight in _matrices(plain.model.base_model))
    head = config.vocab_size * config.hidden_size
    width = config.hidden_size * config.num_hidden_layers
    return Work(
        tokens=tokens,
        distinct=distinct,
        looked=looked,
        flops=2.0 * (distinct * body + looked * head + 2 * attended * width),
    )


def _matrices(body: Any) -> Iterator[Any]:
    """All that tokens are multiplied with; embeddings are only looked up."""
    for name, weight in body.named_parameters():
        if weight.dim() == 2 and "embed" not in name:
            yield weight


def matrix_rate(device: str, dtype: str) -> float:
    """Operations a second of a large matrix product, the best of several.

    On a CPU the seconds of all cores count, as they do for contenders.
    """
    import torch

    clock = time.process_time if device == "cpu" else time.perf_counter
    size = 1024 if device == "cpu" else 8192
    left, right = (
        torch.randn(size, size, device=device, dtype=getattr(torch, dtype)) for _ in range(2)
    )
    best = float("inf")
    for _ in range(8):
        started = clock()
        product = left @ right
        product[0, 0].item()  # waits for the device
        best = min(best, clock() - started)
    return 2.0 * size**3 / best
