"""What is made of the cells of a pass: log-probabilities of tokens, or the likeliest tokens.

The work is put on the device at once and its outcome copied back behind it; nobody waits before
it is asked for.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from epicene.models.hf import sampling
from epicene.models.hf.rows import Row, Scored, Stem
from epicene.records import DECIMALS

if TYPE_CHECKING:
    from epicene.models.hf.network import Cells, Network
    from epicene.models.hf.routes import Ran
    from epicene.models.hf.trees import Ints

Later: TypeAlias = Callable[[], list[Any]]

# Bytes of log-probabilities made at a time, on a CPU (of the size of a cache) and elsewhere.
_SOFTMAX = (1 << 23, 1 << 31)
# Bytes of logits sorted at a time for a law: a row is then held four times.
_SORTING = 1 << 24


class Reading:
    """Tokens asked about in cells, in the order in which the head comes to the cells."""

    def __init__(self, network: Network, cells: Cells, places: Ints, tokens: Sequence[int]) -> None:
        # Cell after cell, so that a part of the cells has a stretch of them.
        self.order = np.argsort(places, kind="stable")
        self._cells = cells
        self._places = places[self.order]
        asked = np.stack([self._places, np.array(tokens, np.int64)[self.order]])
        self._lines, self._tokens = network.send(asked)

    def parts(self) -> Iterator[Part]:
        """All of it, as the head makes logits."""
        for cells, logits in self._cells.parts():
            mine = slice(*np.searchsorted(self._places, (cells.start, cells.stop)).tolist())
            yield Part(
                start=cells.start,
                logits=logits,
                mine=mine,
                places=self._places[mine] - cells.start,
                lines=self._lines[mine].to(logits.device) - cells.start,
                tokens=self._tokens[mine].to(logits.device),
            )


class Part(NamedTuple):
    """Some cells: where they start, their logits, and which tokens are asked about in which."""

    start: int
    logits: Any
    mine: slice  # of the ordered tokens
    places: Ints  # the line of each
    lines: Any  # the same on the device
    tokens: Any


def as_asked(order: Ints, values: Any) -> Any:
    """Values of ordered tokens in the order in which they were asked for."""
    found = np.empty(len(order))
    found[order] = values
    return found


def scored(network: Network, ran: Ran[Row]) -> Callable[[], list[Scored]]:
    """The log-probability of each scored token, by a softmax in float32."""
    import torch

    rows = ran.rows
    tokens = list(chain.from_iterable(row.ids[row.first :] for row in rows))
    reading = Reading(network, ran.cells, ran.places, tokens)
    # What waits to be collected holds this alone: the states would fill the device.
    order = reading.order
    laws = _laws(rows, order)
    found: list[Any] = []
    drawn: dict[sampling.Drawing, list[Any]] = {law: [] for law in laws}
    with torch.inference_mode():
        for part in reading.parts():
            found.append(log_probabilities(part))
            for law, wanted in laws.items():
                mine = part.mine
                some = wanted[(wanted >= mine.start) & (wanted < mine.stop)] - mine.start
                drawn[law].append(_drawn(law, part, some))
        fetch = copied(torch.cat(found))
        fetch_drawn = {law: copied(torch.cat(values)) for law, values in drawn.items()}

    def collect() -> list[Scored]:
        values = as_asked(order, fetch())
        by_law = np.full(len(tokens), np.nan)
        for law, wanted in laws.items():
            by_law[order[wanted]] = fetch_drawn[law]()
        plain, rounded, lawful = values.tolist(), values.round(DECIMALS).tolist(), by_law.tolist()
        results, start = [], 0
        for row in rows:
            end = start + len(row.wanted)
            results.append(
                Scored(
                    plain[start:end],
                    rounded[start:end],
                    None if row.drawing is None else lawful[start:end],
                )
            )
            start = end
        return results

    return collect


def log_probabilities(part: Part) -> Any:
    """Of the tokens asked about, by a softmax in float32, a few lines at a time."""
    import torch

    logits = part.logits
    at_once = max(1, _SOFTMAX[logits.device.type != "cpu"] // (4 * logits.shape[-1]))
    if len(logits) <= at_once:
        return logits.log_softmax(-1, dtype=torch.float32)[part.lines, part.tokens]
    found = torch.empty(len(part.tokens), dtype=torch.float32, device=logits.device)
    for start in range(0, len(logits), at_once):
        few = slice(*np.searchsorted(part.places, (start, start + at_once)).tolist())
        spread = logits[start : start + at_once].log_softmax(-1, dtype=torch.float32)
        found[few] = spread[part.lines[few] - start, part.tokens[few]]
    return found


def _laws(rows: Sequence[Row], order: Ints) -> dict[sampling.Drawing, Ints]:
    """For each law by which tokens are also scored, which of the ordered tokens."""
    owners = np.repeat(np.arange(len(rows)), [len(row.wanted) for row in rows])[order]
    numbers = defaultdict(list)
    for number, row in enumerate(rows):
        if row.drawing is not None:
            numbers[row.drawing].append(number)
    return {law: np.flatnonzero(np.isin(owners, mine)) for law, mine in numbers.items()}


def _drawn(law: sampling.Drawing, part: Part, some: Ints) -> Any:
    """The log-probabilities of some tokens by a law, a few lines at a time."""
    import torch

    logits, lines, tokens = part.logits, part.lines, part.tokens
    chosen = torch.from_numpy(some).to(logits.device)
    at_once = max(1, _SORTING // (4 * logits.shape[-1]))
    found = [
        sampling.drawn(logits[lines[few]], [law] * len(few)).gather(-1, tokens[few][:, None])[:, 0]
        for few in chosen.split(at_once)
        if len(few)
    ]
    return torch.cat(found) if found else logits.new_zeros(0, dtype=torch.float32)


def continued(
    allowed: Callable[[Stem], Any], network: Network, ran: Ran[Stem]
) -> Callable[[], list[list[tuple[int, float]]]]:
    """The best allowed next tokens of each stem, best first."""
    import torch

    del network
    best: dict[int, tuple[list[int], list[float]]] = {}
    with torch.inference_mode():
        for part, logits in ran.cells.parts():
            spread = logits.float().log_softmax(-1)
            mine = np.flatnonzero((ran.places >= part.start) & (ran.places < part.stop)).tolist()
            permitted = torch.stack([allowed(ran.rows[number]) for number in mine])
            lines = spread[ran.places[mine] - part.start].masked_fill(
                ~permitted.to(spread.device), -math.inf
            )
            top = min(max(ran.rows[number].top for number in mine), lines.shape[-1])
            values, tokens = lines.topk(top)
            best.update(zip(mine, zip(tokens.tolist(), values.tolist(), strict=True), strict=True))
    results = [
        [(token, value) for token, value in zip(*best[number], strict=True) if value > -math.inf][
            : stem.top
        ]
        for number, stem in enumerate(ran.rows)
    ]
    return lambda: results


def copied(values: Any) -> Callable[[], Any]:
    """Numbers on their way back; what is returned waits for them."""
    if values.device.type != "cuda":
        return lambda: values.double().numpy()
    import torch

    home = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
    home.copy_(values, non_blocking=True)
    there = torch.cuda.Event()
    there.record(torch.cuda.current_stream(values.device))

    def fetch() -> Any:
        there.synchronize()
        return home.double().numpy()

    return fetch
