"""Kernels for NVIDIA GPUs in Triton, which comes with the CUDA builds of PyTorch.

Each does in one pass over memory what PyTorch does in several. `fused` says where they are used;
this module is imported only there, because it needs Triton.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

# What takes the place of -inf in sums, so that two of them differ by nought.
_LOWEST: Any = tl.constexpr(-1e30)


@triton.jit
def _larger(one, other):
    return tl.maximum(one, other, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def _part_maxima(numbers, out, stride, parts, PART: tl.constexpr, COUNT: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1) * COUNT + tl.arange(0, COUNT)
    columns = part[:, None] * PART + tl.arange(0, PART)[None, :]
    inside = part < parts
    found = tl.load(numbers + row * stride + columns, mask=inside[:, None], other=float("-inf")).to(
        tl.float32
    )
    tl.store(out + row * parts + part, tl.reduce(found, 1, _larger), mask=inside)


def part_maxima(numbers: Any, part: int) -> Any:
    """The largest number of each part of every row, or NaN; parts are a power of two wide."""
    rows, size = numbers.shape
    parts = size // part
    out = torch.empty(rows, parts, dtype=numbers.dtype, device=numbers.device)
    _part_maxima[rows, triton.cdiv(parts, 64)](
        numbers, out, numbers.stride(0), parts, PART=part, COUNT=64
    )
    return out


@triton.jit
def _logsumexp(numbers, out, stride, size, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    largest = tl.full([BLOCK], _LOWEST, tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, size, BLOCK):
        column = start + tl.arange(0, BLOCK)
        found = tl.load(numbers + row * stride + column, mask=column < size, other=float("-inf"))
        found = found.to(tl.float32)
        found = tl.where(found < _LOWEST, _LOWEST, found)  # a NaN stays
        larger = tl.maximum(largest, found)
        total = total * tl.exp(largest - larger) + tl.exp(found - larger)
        largest = larger
    top = tl.max(largest, 0)
    tl.store(out + row, top + tl.log(tl.sum(total * tl.exp(largest - top), 0)))


def logsumexp(numbers: Any) -> Any:
    """The logarithm of the sum of exponentials of every row, in float32."""
    out = torch.empty(len(numbers), dtype=torch.float32, device=numbers.device)
    _logsumexp[(len(numbers),)](
        numbers, out, numbers.stride(0), numbers.shape[1], BLOCK=4096, num_warps=8
    )
    return out


@triton.jit
def _norm(states, weight, out, size, epsilon, FROM_ONE: tl.constexpr, BLOCK: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    inside = column < size
    found = tl.load(states + row * size + column, mask=inside, other=0.0).to(tl.float32)
    found = found * tl.rsqrt(tl.sum(found * found, 0) / size + epsilon)
    own = tl.load(weight + column, mask=inside)
    if FROM_ONE:
        found = found * (1.0 + own.to(tl.float32))
    else:
        # Rounded before and after, as the library does it.
        found = found.to(own.dtype).to(tl.float32) * own.to(tl.float32)
    tl.store(out + row * size + column, found.to(out.dtype.element_ty), mask=inside)


def norm(states: Any, weight: Any, epsilon: float, *, from_one: bool) -> Any:
    """The norm by the root mean square of contiguous states; `from_one` adds 1 to the weights."""
    size = states.shape[-1]
    out = torch.empty_like(states)
    block = triton.next_power_of_2(size)
    _norm[(states.numel() // size,)](
        states, weight, out, size, epsilon, FROM_ONE=from_one, BLOCK=block,
        num_warps=min(16, max(1, block // 512)),
    )  # fmt: skip
    return out


@triton.jit
def _rotate(
    states, out, cos, sin, states_row, states_head, states_token, out_row, out_head, out_token,
    turn_row, turn_token, tokens, heads, HEADS: tl.constexpr, HALF: tl.constexpr,
):  # fmt: skip
    row, token = (tl.program_id(0) // tokens).to(tl.int64), tl.program_id(0) % tokens
    head, column = tl.arange(0, HEADS)[:, None], tl.arange(0, HALF)[None, :]
    at = row * states_row + head * states_head + token * states_token + column
    to = row * out_row + head * out_head + token * out_token + column
    turn = row * turn_row + token * turn_token + column
    inside = head < heads
    kind = out.dtype.element_ty
    first = tl.load(states + at, mask=inside).to(tl.float32)
    second = tl.load(states + at + HALF, mask=inside).to(tl.float32)
    # Products are rounded, as the library does it.
    one = (first * tl.load(cos + turn)).to(kind).to(tl.float32)
    other = (second * tl.load(sin + turn)).to(kind).to(tl.float32)
    tl.store(out + to, (one - other).to(kind), mask=inside)
    one = (second * tl.load(cos + turn + HALF)).to(kind).to(tl.float32)
    other = (first * tl.load(sin + turn + HALF)).to(kind).to(tl.float32)
    tl.store(out + to + HALF, (one + other).to(kind), mask=inside)


def rotate(states: Any, cos: Any, sin: Any) -> Any:
    """States (rows, heads, tokens, size) turned by their positions (rows or 1, tokens, size)."""
    rows, heads, tokens, size = states.shape
    out = states.new_empty(rows, tokens, heads, size).transpose(1, 2)
    _rotate[(rows * tokens,)](
        states, out, cos, sin, *states.stride()[:3], *out.stride()[:3],
        cos.stride(0) * (len(cos) > 1), cos.stride(1), tokens, heads,
        HEADS=triton.next_power_of_2(heads), HALF=size // 2,
    )  # fmt: skip
    return out


@triton.jit
def _silu_product(gate, up, out, size, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    opened = tl.load(gate + at, mask=inside).to(tl.float32)
    opened = opened * tl.sigmoid(opened)
    product = opened.to(gate.dtype.element_ty) * tl.load(up + at, mask=inside)
    tl.store(out + at, product, mask=inside)


def silu_product(gate: Any, up: Any) -> Any:
    """silu(gate) * up, for contiguous tensors."""
    out = torch.empty_like(gate)
    _silu_product[(triton.cdiv(gate.numel(), 2048),)](gate, up, out, gate.numel(), BLOCK=2048)
    return out


@triton.jit
def _attended(queries, keys, values, seen, largest, total, mixed, scale):
    """One block of keys and values added to the softmax so far."""
    weights = tl.where(seen, tl.dot(queries, tl.trans(keys)) * scale, _LOWEST)
    larger = tl.maximum(largest, tl.max(weights, 1))
    weights = tl.where(seen, tl.exp(weights - larger[:, None]), 0.0)
    shrunk = tl.exp(largest - larger)
    total = total * shrunk + tl.sum(weights, 1)
    mixed = mixed * shrunk[:, None] + tl.dot(weights.to(values.dtype), values)
    return larger, total, mixed


@triton.jit
def _attend_rows(
    query, key, value, out, lengths, scale, query_row, query_head, key_row, key_head, key_column,
    out_row, out_head, GROUP: tl.constexpr, QUERIES: tl.constexpr, SIZE: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    row, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    length = tl.load(lengths + row)
    member, size = tl.arange(0, QUERIES)[:, None], tl.arange(0, SIZE)[None, :]
    heads = head * GROUP + member
    own = member < GROUP
    queries = tl.load(query + row * query_row + heads * query_head + size, mask=own, other=0.0)
    largest = tl.full([QUERIES], _LOWEST, tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    mixed = tl.zeros([QUERIES, SIZE], tl.float32)
    for start in range(0, length, BLOCK):
        column = start + tl.arange(0, BLOCK)
        at = row * key_row + head * key_head + column[:, None] * key_column + size
        inside = column[:, None] < length
        keys = tl.load(key + at, mask=inside, other=0.0)
        values = tl.load(value + at, mask=inside, other=0.0)
        seen = (column < length)[None, :] & own
        largest, total, mixed = _attended(queries, keys, values, seen, largest, total, mixed, scale)
    mixed = mixed / total[:, None]
    tl.store(
        out + row * out_row + heads * out_head + size, mixed.to(out.dtype.element_ty), mask=own
    )


def attend_rows(query: Any, key: Any, value: Any, lengths: Any, scale: float) -> Any:
    """Attention of one token per row to the first `lengths` keys of the row.

    Queries are (rows, heads, 1, size); keys and values (rows, shared heads, columns, size) with
    equal strides. The result is (rows, 1, heads, size).
    """
    rows, heads, _, size = query.shape
    shared = key.shape[1]
    out = torch.empty(rows, 1, heads, size, dtype=query.dtype, device=query.device)
    _attend_rows[rows, shared](
        query, key, value, out, lengths, scale, *query.stride()[:2], *key.stride()[:3],
        out.stride(0), out.stride(2), GROUP=heads // shared,
        QUERIES=max(16, triton.next_power_of_2(heads // shared)), SIZE=size, BLOCK=32,
        num_warps=2, num_stages=3,
    )  # fmt: skip
    return out


@triton.jit
def _attend_tree(
    query, key, value, out, first_key, first_value, ends, scale,
    query_pack, query_head, query_node, key_pack, key_head, key_node, first_head, first_node,
    out_pack, out_head, out_node, nodes, shared, heads,
    GROUP: tl.constexpr, SIZE: tl.constexpr, QUERIES: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    # Packs and heads come first: the second axis of a grid takes 65,535 at most.
    pack, head = (tl.program_id(0) // heads).to(tl.int64), tl.program_id(0) % heads
    begin = tl.program_id(1) * QUERIES
    node, size = begin + tl.arange(0, QUERIES), tl.arange(0, SIZE)[None, :]
    own = node[:, None] < nodes
    queries = tl.load(
        query + pack * query_pack + head * query_head + node[:, None] * query_node + size,
        mask=own, other=0.0,
    )  # fmt: skip
    largest = tl.full([QUERIES], _LOWEST, tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    mixed = tl.zeros([QUERIES, SIZE], tl.float32)
    for start in range(0, shared, BLOCK):
        column = start + tl.arange(0, BLOCK)
        at = (head // GROUP) * first_head + column[:, None] * first_node + size
        inside = column[:, None] < shared
        keys = tl.load(first_key + at, mask=inside, other=0.0)
        values = tl.load(first_value + at, mask=inside, other=0.0)
        seen = (column < shared)[None, :] & own
        largest, total, mixed = _attended(queries, keys, values, seen, largest, total, mixed, scale)
    for start in range(0, tl.minimum(begin + QUERIES, nodes), BLOCK):
        column = start + tl.arange(0, BLOCK)
        end = tl.load(ends + pack * nodes + column, mask=column < nodes, other=0)
        if tl.max(end, 0) > begin:  # else none of the queries is below one of these nodes
            at = pack * key_pack + (head // GROUP) * key_head + column[:, None] * key_node + size
            inside = column[:, None] < nodes
            keys = tl.load(key + at, mask=inside, other=0.0)
            values = tl.load(value + at, mask=inside, other=0.0)
            seen = (column[None, :] <= node[:, None]) & (node[:, None] < end[None, :])
            largest, total, mixed = _attended(
                queries, keys, values, seen, largest, total, mixed, scale
            )
    mixed = mixed / total[:, None]
    tl.store(
        out + pack * out_pack + head * out_head + node[:, None] * out_node + size,
        mixed.to(out.dtype.element_ty), mask=own,
    )  # fmt: skip


def attend_tree(
    query: Any, key: Any, value: Any, first: tuple[Any, Any] | None, ends: Any, scale: float
) -> Any:
    """Attention in packs of a prefix forest: node i sees node j if j <= i < ends[j].

    Queries are (packs, heads, nodes, size); keys and values (packs, shared heads, nodes, size);
    `ends` (packs, nodes) are contiguous. All nodes see all of `first`, the keys and values
    (1, shared heads, tokens, size) of a shared prefix. The result is (packs, nodes, heads, size).
    """
    packs, heads, nodes, size = query.shape
    if value.stride() != key.stride():
        value = torch.empty_strided(
            key.shape, key.stride(), dtype=key.dtype, device=key.device
        ).copy_(value)
    first_key, first_value = first or (key[:1, :, :0], value[:1, :, :0])
    out = torch.empty(packs, nodes, heads, size, dtype=query.dtype, device=query.device)
    wide = size > 64
    _attend_tree[packs * heads, triton.cdiv(nodes, 64 if wide else 128)](
        query, key, value, out, first_key, first_value, ends, scale,
        *query.stride()[:3], *key.stride()[:3], *first_key.stride()[1:3],
        out.stride(0), out.stride(2), out.stride(1), nodes, first_key.shape[2], heads,
        GROUP=heads // key.shape[1], SIZE=size, QUERIES=64 if wide else 128, BLOCK=64,
        num_warps=4, num_stages=2,
    )  # fmt: skip
    return out
