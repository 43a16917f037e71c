"""The kernels against PyTorch, run on the CPU by Triton's interpreter."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
import torch

pytest.importorskip("triton", reason="Triton is not installed")


@pytest.fixture(scope="module")
def kernels() -> Any:
    """The kernels; `tests/conftest.py` has them interpreted."""
    from epicene.models.hf import kernels

    return kernels


def numbers(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_the_largest_number_of_each_part(kernels: Any) -> None:
    rows = numbers(3, 64 * 70)
    rows[1, 65] = math.nan
    rows[2, :64] = -math.inf
    torch.testing.assert_close(
        kernels.part_maxima(rows, 64), rows.unflatten(-1, (-1, 64)).amax(-1), equal_nan=True
    )


def test_log_sums_of_exponentials(kernels: Any) -> None:
    rows = 20 * numbers(4, 5000)
    rows[1, ::2] = -math.inf
    rows[2, 17] = math.nan
    rows[3, 17] = math.inf
    found = kernels.logsumexp(rows)
    torch.testing.assert_close(found[:2], rows[:2].logsumexp(-1))
    assert not found[2:].isfinite().any()


@pytest.mark.parametrize("from_one", [False, True])
def test_norm_by_the_root_mean_square(kernels: Any, from_one: bool) -> None:
    states, weight = numbers(2, 3, 100), numbers(100, seed=1)
    expected = torch.nn.functional.rms_norm(states, (100,), weight + from_one, 1e-5)
    torch.testing.assert_close(kernels.norm(states, weight, 1e-5, from_one=from_one), expected)


@pytest.mark.parametrize("heads", [slice(0, 3), slice(3, 6)])
@pytest.mark.parametrize("positions", [1, 2])
def test_rotary_embeddings(kernels: Any, positions: int, heads: slice) -> None:
    # As models have them: heads in the middle, and queries and keys parts of one product.
    states = numbers(2, 5, 6, 16).transpose(1, 2)[:, heads]
    turns = numbers(positions, 5, 16, seed=1)
    cos, sin = turns.cos(), turns.sin()
    first, second = states.chunk(2, -1)
    turned = torch.cat([-second, first], -1)
    expected = states * cos[:, None] + turned * sin[:, None]
    torch.testing.assert_close(kernels.rotate(states, cos, sin), expected)


def test_gated_product(kernels: Any) -> None:
    gate, up = numbers(3, 1000), numbers(3, 1000, seed=1)
    torch.testing.assert_close(kernels.silu_product(gate, up), torch.nn.functional.silu(gate) * up)


@pytest.mark.parametrize("shared", [1, 2, 6])
def test_one_token_per_row_attends_to_its_row(kernels: Any, shared: int) -> None:
    query = numbers(4, 6, 1, 16)
    slots = numbers(2, 4, 70, shared, 16, seed=1)
    lengths = torch.tensor([1, 33, 64, 70], dtype=torch.int32)
    key, value = slots.transpose(2, 3)
    seen = torch.arange(70) < lengths[:, None]
    expected = torch.nn.functional.scaled_dot_product_attention(
        query,
        key.repeat_interleave(6 // shared, 1),
        value.repeat_interleave(6 // shared, 1),
        attn_mask=seen[:, None, None],
        scale=0.3,
    )
    found = kernels.attend_rows(query, key, value, lengths, 0.3)
    torch.testing.assert_close(found, expected.transpose(1, 2))


def tree_ends(nodes: int, seed: int) -> list[int]:
    """Where the nodes below each node end, of a random forest in depth-first order."""
    draw = random.Random(seed)
    ends = [0] * nodes
    path: list[int] = []
    for node in range(nodes):
        del path[draw.choice((-1, len(path), len(path), len(path) // 2)) :]
        path.append(node)
        for above in path:
            ends[above] = node + 1
    return ends


@pytest.mark.parametrize("prefix", [0, 70])
@pytest.mark.parametrize("size", [16, 128])
def test_nodes_attend_to_their_ancestors(kernels: Any, prefix: int, size: int) -> None:
    nodes, packs, heads, shared = 200, 2, 4, 2
    query = numbers(packs, nodes, heads, size).transpose(1, 2)
    key = numbers(packs, nodes, shared, size, seed=1).transpose(1, 2)
    value = numbers(packs, shared, nodes, size, seed=3)  # with strides of its own
    ends = torch.tensor([tree_ends(nodes, seed) for seed in range(packs)])
    first = tuple(numbers(2, 1, shared, prefix, size, seed=2)) if prefix else None
    place = torch.arange(nodes)
    seen = (place[:, None] >= place) & (place[:, None] < ends[:, None])
    assert 0.01 < seen.float().mean() < 0.4  # a forest, not a line
    keys, values = key, value
    if first:
        keys = torch.cat([first[0].expand(packs, -1, -1, -1), key], 2)
        values = torch.cat([first[1].expand(packs, -1, -1, -1), value], 2)
        seen = torch.cat([seen.new_ones(packs, nodes, prefix), seen], -1)
    expected = torch.nn.functional.scaled_dot_product_attention(
        query,
        keys.repeat_interleave(heads // shared, 1),
        values.repeat_interleave(heads // shared, 1),
        attn_mask=seen[:, None],
        scale=0.2,
    )
    found = kernels.attend_tree(query, key, value, first, ends, 0.2)
    torch.testing.assert_close(found, expected.transpose(1, 2), rtol=1e-4, atol=1e-5)
