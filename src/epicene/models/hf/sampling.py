"""Choosing the next token of many rows, each by its own settings and its own noise.

The noise is one number in [0, 1) per row and step, made from the request, the seed, the sample
and the step alone: what a row draws depends neither on its neighbours nor on when it is run.
"""

from __future__ import annotations

import hashlib
import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

# Logits that tokens are drawn from at once; while they are drawn they are held several times.
_AT_ONCE = 1 << 26


@dataclass(frozen=True)
class Drawing:
    """The law that a token is drawn by: a temperature of 0 takes the likeliest."""

    temperature: float
    top_k: int | None = None
    top_p: float | None = None
    barred: tuple[int, ...] = ()  # tokens that may not come


@dataclass(frozen=True)
class Choosing:
    """How one row chooses: a temperature of 0 takes the likeliest token."""

    key: bytes
    seed: int
    sample: int
    temperature: float
    top_k: int | None = None
    top_p: float | None = None


def noise(choosing: Choosing, step: int) -> float:
    """A number evenly spread over (0, 1), the same wherever it is computed."""
    counter = struct.pack("<qqq", choosing.seed, choosing.sample, step)
    drawn = hashlib.blake2b(choosing.key + counter, digest_size=4, person=b"epicene").digest()
    return (int.from_bytes(drawn, "little") + 0.5) / 2**32


def choose(logits: Any, rows: Sequence[Choosing], step: int | Sequence[int]) -> Any:
    """The next token of every row; -inf marks what may not be chosen.

    `step` is how many tokens were written before, by every row or by each. A sampled row takes
    the first token, in the order of the vocabulary, at which the summed probability passes its
    noise.
    """
    chosen = logits.argmax(-1)
    steps = [step] * len(rows) if isinstance(step, int) else step
    sampled = [line for line, row in enumerate(rows) if row.temperature > 0]
    # Where all have a top k, the rest of the vocabulary need not be put in order.
    narrow = [line for line in sampled if rows[line].top_k]
    wide = [line for line in sampled if not rows[line].top_k]
    count = max(1, _AT_ONCE // logits.shape[-1])
    for group in (narrow, wide):
        for first in range(0, len(group), count):
            lines = group[first : first + count]
            noises = [noise(rows[line], steps[line]) for line in lines]
            chosen[lines] = _draw(logits[lines], [rows[line] for line in lines], noises)
    return chosen


def bar(logits: Any, lines: Sequence[int], tokens: Sequence[int]) -> None:
    """Let some rows choose none of these tokens."""
    import torch

    if lines and tokens:
        rows, barred = (torch.tensor(each, device=logits.device) for each in (lines, tokens))
        logits[rows[:, None], barred] = -math.inf


def _draw(logits: Any, rows: Sequence[Choosing], noises: Sequence[float]) -> Any:
    """A token of every row, by its noise."""
    import torch

    heat = torch.tensor([[row.temperature] for row in rows], device=logits.device)
    scaled = logits.float() / heat
    size = scaled.shape[-1]
    most = min(size, max(row.top_k or size for row in rows))
    tokens = _likeliest(scaled, most) if most < size else None
    if tokens is not None:
        scaled = scaled.gather(-1, tokens)
    summed = _restrict(scaled, rows).double().softmax(-1).cumsum(-1)
    drawn = torch.tensor(noises, dtype=torch.float64, device=logits.device)[:, None]
    places = torch.searchsorted(summed, drawn * summed[:, -1:], right=True)
    return (places if tokens is None else tokens.gather(-1, places)).squeeze(-1)


def _likeliest(logits: Any, count: int) -> Any:
    """So many tokens of every row, in the order of the vocabulary; of equal ones the first."""
    import torch

    least = logits.topk(count).values[:, -1:]
    above, equal = logits > least, logits == least
    wanted = count - above.sum(-1, keepdim=True)
    kept = above | (equal & (equal.cumsum(-1, dtype=torch.int32) <= wanted))
    size = logits.shape[-1]
    numbers = torch.arange(size, device=logits.device)
    return numbers.where(kept, size).topk(count, largest=False).values


def drawn(logits: Any, rows: Sequence[Drawing]) -> Any:
    """The log-probability of every token by each row's law; -inf for what is never drawn."""
    import torch

    logits = logits.float().clone()
    for line, row in enumerate(rows):
        logits[line, list(row.barred)] = -math.inf
    heat = torch.tensor([[row.temperature or 1.0] for row in rows], device=logits.device)
    spread = _restrict(logits / heat, rows).log_softmax(-1)
    for line, row in enumerate(rows):
        if row.temperature == 0:
            likeliest = logits[line].argmax()
            spread[line] = -math.inf
            spread[line, likeliest] = 0.0
    return spread


def _restrict(logits: Any, rows: Sequence[Choosing | Drawing]) -> Any:
    """Bar what lies outside each row's top k, then outside its top p."""
    import torch

    if not any(row.top_k or row.top_p is not None for row in rows):
        return logits
    values, order = logits.sort(dim=-1, descending=True, stable=True)
    size = logits.shape[-1]
    top_k = torch.tensor([[row.top_k or size] for row in rows], device=logits.device)
    top_p = torch.tensor(
        [[1.0 if row.top_p is None else row.top_p] for row in rows], device=logits.device
    )
    values = values.masked_fill(torch.arange(size, device=logits.device) >= top_k, -math.inf)
    probabilities = values.softmax(-1)
    before = probabilities.cumsum(-1) - probabilities
    # The likeliest token always stays; a top p of 1 bars nothing, whatever the rounding.
    outside = (before >= top_p) & (top_p < 1)
    outside[:, 0] = False
    values = values.masked_fill(outside, -math.inf)
    return torch.empty_like(logits).scatter_(-1, order, values)
