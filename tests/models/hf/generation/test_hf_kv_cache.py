"""Caches whose rows come and go, against the library's own layers and plain slices."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

from epicene.models.hf.generation.kv_cache import (
    CacheRows,
    cache_obstacle,
    join_cache_rows,
    window_sizes,
)

HEADS, SIZE = 2, 3


def states(rows: int, columns: int, seed: int = 0) -> tuple[Any, Any]:
    """Keys and values; values are of another size, as some models have them."""
    draw = torch.Generator().manual_seed(seed)
    return (
        torch.randn(rows, HEADS, columns, SIZE, generator=draw),
        torch.randn(rows, HEADS, columns, SIZE + 1, generator=draw),
    )


def filled(rows: int, columns: int, window: int, seed: int = 0) -> Any:
    """A cache of the library's, one full layer and one with a window."""
    cache = DynamicCache()
    cache.layers = [DynamicLayer(), DynamicSlidingWindowLayer(window)]
    for layer in cache.layers:
        layer.update(*states(rows, columns, seed))
    return cache


@given(
    columns=st.integers(1, 9),
    window=st.integers(2, 8),
    spare=st.integers(0, 3),
    steps=st.integers(1, 12),
)
def test_it_goes_on_as_the_librarys_own(columns: int, window: int, spare: int, steps: int) -> None:
    own = filled(3, columns, window)
    copied = join_cache_rows([CacheRows(filled(3, columns, window), [0, 1, 2])], columns, spare)
    assert copied.is_sliding == own.is_sliding
    for step in range(steps):
        for ours, theirs in zip(copied.layers, own.layers, strict=True):
            assert ours.get_mask_sizes(1) == theirs.get_mask_sizes(1)
            new = states(3, 1, seed=step + 1)
            for mine, other in zip(ours.update(*new), theirs.update(*new), strict=True):
                assert torch.equal(mine, other)
            assert ours.get_seq_length() == theirs.get_seq_length() == columns + step + 1


@given(
    widths=st.lists(st.integers(1, 9), min_size=1, max_size=3),
    window=st.integers(2, 8),
    wider=st.integers(-3, 5),
    data=st.data(),
)
def test_rows_of_several_caches_stand_flush_right(
    widths: list[int], window: int, wider: int, data: st.DataObject
) -> None:
    caches = [filled(2, width, window, seed) for seed, width in enumerate(widths)]
    rows = [data.draw(st.lists(st.integers(0, 1), min_size=1, max_size=3)) for _ in caches]
    width = max(1, max(widths) + wider)
    pieces = [CacheRows(cache, chosen) for cache, chosen in zip(caches, rows, strict=True)]
    for number, layer in enumerate(join_cache_rows(pieces, width, spare=1).layers):
        held = min(width, window - 1) if number else width
        line = 0
        for seed, (columns, chosen) in enumerate(zip(widths, rows, strict=True)):
            keys, values = states(2, columns, seed)
            reach = min(held, columns, window - 1) if number else min(held, columns)
            for row in chosen:
                for ours, theirs in ((layer.keys, keys), (layer.values, values)):
                    assert ours.shape[-2] == held
                    kept = theirs[row][:, columns - reach :]
                    assert torch.equal(ours[line][:, held - reach :], kept)
                    assert not ours[line][:, : held - reach].any()
                line += 1


def test_what_is_spent_is_let_go_of_and_what_is_not_stays() -> None:
    spent, kept = filled(1, 3, 4), filled(1, 2, 4)
    before = [layer.keys.clone() for layer in kept.layers]
    whole = join_cache_rows([CacheRows(spent, [0]), CacheRows(kept, [0, 0], spent=False)], 3, 2)
    assert spent.layers == [None, None]
    whole.layers[0].keys.zero_()
    assert all(map(torch.equal, before, (layer.keys for layer in kept.layers)))


def test_which_caches_can_be_taken_apart() -> None:
    class Odd(DynamicLayer):  # type: ignore[misc]
        """Keeps something besides."""

    cache = filled(1, 2, 4)
    assert (cache_obstacle(cache), window_sizes(cache)) == ("", {4})
    cache.layers.append(DynamicLayer())
    assert cache_obstacle(cache) == "the model does not use the cache"
    cache.layers.append(Odd())
    assert cache_obstacle(cache) == "the cache holds Odd"
