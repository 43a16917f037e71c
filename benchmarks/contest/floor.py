"""The least arithmetic there is: every distinct token once, logits only where they are read.

At the rate of a large matrix product this takes a time that no program can beat.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contest.plain import Plain, Row


class Work(NamedTuple):
    """What a set of rows asks of a model."""

    tokens: int  # of all rows
    distinct: int  # that must be read once
    looked: int  # positions whose logits are wanted
    flops: float


def least(rows: Iterable[Row], plain: Plain) -> Work:
    """The least work for these rows."""
    return _tree(rows, plain) if plain.kind == "causal" else _sentences(rows, plain)


def _tree(rows: Iterable[Row], plain: Plain) -> Work:
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


def _sentences(rows: Iterable[Row], plain: Plain) -> Work:
    """A masked model reads each distinct row once."""
    rows = list(rows)
    distinct = {row.ids for row in rows}
    looked = {(row.ids, position) for row in rows for position, _ in row.wanted}
    tokens = sum(len(row.ids) for row in rows)
    return _work(
        plain,
        tokens,
        sum(map(len, distinct)),
        len(looked),
        sum(len(ids) ** 2 for ids in distinct),
    )


def _work(plain: Plain, tokens: int, distinct: int, looked: int, attended: int) -> Work:
    """Two operations per weight and token; attention reads keys and values of each pair."""
    model = plain.model
    config = model.config
    body = sum(p.numel() for _, p in _matrices(model.base_model))
    head = config.vocab_size * config.hidden_size
    width = config.hidden_size * config.num_hidden_layers
    return Work(
        tokens, distinct, looked, 2.0 * (distinct * body + looked * head + 2 * attended * width)
    )


def _matrices(body: Any) -> Iterable[tuple[str, Any]]:
    return [
        (name, weight)
        for name, weight in body.named_parameters()
        if weight.dim() == 2 and "embed" not in name
    ]


def matrix_rate(device: str, dtype: str) -> float:
    """Operations a second of a large matrix product, the best of several."""
    import torch

    size = 2048 if device == "cpu" else 8192
    left, right = (
        torch.randn(size, size, device=device, dtype=getattr(torch, dtype)) for _ in range(2)
    )
    best = float("inf")
    for _ in range(8):
        started = time.perf_counter()
        product = left @ right
        product[0, 0].item()  # waits for the device
        best = min(best, time.perf_counter() - started)
    return 2.0 * size**3 / best
