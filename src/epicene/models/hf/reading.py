"""Reading a masked model at single positions: masked rows in, log-probabilities out.

Only the positions asked about go through the head (network.py). That padding changes nothing is
proved on a short row; where it does, rows of one length alone make a batch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from epicene.models.hf import finishing
from epicene.models.hf.memory import TooLargeError, fitting
from epicene.models.hf.network import Network
from epicene.models.hf.positions import position_limit
from epicene.models.hf.routes import right_padded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping, Sequence

    from epicene.models.hf.loading import Loaded

# What one pass may hold: padded tokens of all rows (on a CPU, on an accelerator), and logits.
_TOKENS = (4_096, 65_536)
_LOGITS = 1 << 27


class Ask(NamedTuple):
    """A position of a masked row, and what is wanted there.

    The log-probabilities of `tokens`, or with `top` those of the likeliest ordinary tokens.
    """

    row: tuple[int, ...]
    position: int
    tokens: tuple[int, ...] = ()
    top: int = 0


class Found(NamedTuple):
    """Tokens and their log-probabilities, as asked, or best first."""

    tokens: Sequence[int]
    logprobs: Sequence[float]


# What comes back for an ask: the error where its row alone does not fit in memory.
Result: TypeAlias = Found | TooLargeError


@dataclass
class _Row:
    """A distinct row and the asks, by their numbers, that look at it."""

    ids: tuple[int, ...]
    asks: list[int] = field(default_factory=list)
    positions: dict[int, None] = field(default_factory=dict)


class MaskedReader:
    """Runs masked rows through a model, each distinct row once, in batches that fit."""

    def __init__(self, loaded: Loaded, notes: MutableMapping[str, Any]) -> None:
        self._network = Network(loaded, notes)
        self._tokenizer = loaded.tokenizer
        self._device = loaded.device
        self._batch_size = loaded.options.batch_size
        self._notes = notes
        self.longest = _longest(loaded.model, loaded.tokenizer)

    @property
    def runs_ahead(self) -> bool:
        """Whether work can be put on the device and left there."""
        return bool(self._device.type == "cuda")

    def begin(self, asks: Sequence[Ask]) -> Callable[[], list[Result]]:
        """Hand all passes to the device; what is returned waits for what each ask found."""
        rows: dict[tuple[int, ...], _Row] = {}
        for number, ask in enumerate(asks):
            row = rows.setdefault(ask.row, _Row(ask.row))
            row.asks.append(number)
            row.positions[ask.position] = None
        self._notes["rows"] = self._notes.get("rows", 0) + len(rows)
        waiting = sorted(rows.values(), key=lambda row: (-len(row.ids), row.ids))
        launched = []
        while waiting:
            batch, results = self._next(waiting, asks)
            launched.append((batch, results))
            waiting = waiting[len(batch) :]

        def collect() -> list[Result]:
            found: dict[int, Result] = {}
            for batch, results in launched:
                mine = [number for row in batch for number in row.asks]
                if isinstance(results, TooLargeError):
                    found.update(dict.fromkeys(mine, results))
                else:
                    found.update(zip(mine, results(), strict=True))
            return [found[number] for number in range(len(asks))]

        return collect

    def _next(
        self, waiting: Sequence[_Row], asks: Sequence[Ask]
    ) -> tuple[Sequence[_Row], Callable[[], Iterator[Found]] | TooLargeError]:
        """Run as many rows from the front as should fit, and fewer where memory runs out."""
        batch, results = next(
            fitting(
                lambda part: self._run(part, asks),
                waiting[: self._how_many(waiting)],
                self._notes,
                lambda row: len(row.ids),
            )
        )
        if isinstance(results, TooLargeError):
            # All rows as long as this would fail, one by one, and each attempt takes its time.
            batch = [row for row in waiting if len(row.ids) == len(waiting[0].ids)]
        return batch, results

    def _how_many(self, rows: Sequence[_Row]) -> int:
        """How many rows from the front make a batch; lengths fall."""
        longest = len(rows[0].ids)
        tokens = _TOKENS[self._device.type != "cpu"]
        logits = 0
        for count, row in enumerate(rows):
            # Without a head of its own a model makes logits of all positions.
            logits += 0 if self._network.has_head else longest * self._network.vocabulary
            if self._batch_size == "auto":
                full = (count + 1) * longest > tokens or logits > _LOGITS
            else:
                full = count == self._batch_size
            if count and (full or (len(row.ids) != longest and not self._may_pad)):
                return count
        return len(rows)

    def _run(self, rows: Sequence[_Row], asks: Sequence[Ask]) -> Callable[[], Iterator[Found]]:
        import torch

        cells = [(r, position) for r, row in enumerate(rows) for position in row.positions]
        cell = {place: number for number, place in enumerate(cells)}
        wanted = [
            (cell[r, asks[number].position], asks[number])
            for r, row in enumerate(rows)
            for number in row.asks
        ]
        reading = finishing.Reading(
            self._network,
            self._network.cells(self._states([row.ids for row in rows], cells)),
            np.array([number for number, ask in wanted for _ in ask.tokens], np.int64),
            [token for _, ask in wanted for token in ask.tokens],
        )
        likeliest = [
            (number, cell, ask.top) for number, (cell, ask) in enumerate(wanted) if ask.top
        ]
        named: list[Any] = []
        best: dict[int, tuple[list[int], list[float]]] = {}
        with torch.inference_mode():
            for part in reading.parts():
                named.append(finishing.log_probabilities(part))
                best.update(self._best(part.logits, part.start, likeliest))
            fetch = finishing.copied(torch.cat(named))
        order = reading.order

        def results() -> Iterator[Found]:
            values = finishing.as_asked(order, fetch()).tolist()
            start = 0
            for number, (_, ask) in enumerate(wanted):
                if ask.top:
                    yield Found(*best[number])
                else:
                    yield Found(ask.tokens, values[start : start + len(ask.tokens)])
                    start += len(ask.tokens)

        return results

    def _best(
        self, logits: Any, start: int, wanted: Sequence[tuple[int, int, int]]
    ) -> Iterator[tuple[int, tuple[list[int], list[float]]]]:
        """The likeliest tokens that are not special, for asks that want some of these cells.

        An ask is its number, its cell and how many tokens it wants.
        """
        import torch

        mine = [
            (number, cell - start, top)
            for number, cell, top in wanted
            if start <= cell < start + len(logits)
        ]
        if not mine:
            return
        lines = torch.tensor([line for _, line, _ in mine], device=logits.device)
        ordinary = logits[lines].log_softmax(-1, dtype=torch.float32)
        special = self._special(ordinary.shape[1])
        ordinary[:, special] = -torch.inf
        count = min(max(top for _, _, top in mine), ordinary.shape[1] - len(special))
        values, tokens = ordinary.topk(count, dim=1)
        for (number, _, top), some, their in zip(
            mine, tokens.tolist(), values.tolist(), strict=True
        ):
            yield number, (some[:top], their[:top])

    def _special(self, size: int) -> list[int]:
        """The tokens that no text holds: special ones, and the lines that only pad the matrix."""
        special = {*self._tokenizer.all_special_ids, *range(len(self._tokenizer), size)}
        return sorted(token for token in special if token < size)

    def _states(self, rows: Sequence[Sequence[int]], cells: Sequence[tuple[int, int]]) -> Any:
        """What the body makes of rows, one line per (row, position)."""
        ids, mask = right_padded(rows, self._tokenizer.pad_token_id or 0)
        lines, positions = np.array(cells, np.int64).T
        sent_ids, sent_mask = self._network.send(np.stack([ids, mask]))
        return self._network.states(
            {"input_ids": sent_ids, "attention_mask": sent_mask},
            self._network.send(lines * ids.shape[1] + positions),
        )

    @cached_property
    def _may_pad(self) -> bool:
        """Whether a row gives the same beside a longer one; some families look at padding."""
        row, longer = self._probe(2), self._probe(9)
        cells = [(0, position) for position in range(len(row))]
        alone = self._network.logits(self._states([row], cells))
        beside = self._network.logits(self._states([row, longer], cells))
        same = self._agree(beside, alone)
        self._notes["batches"] = "padded" if same else "of one length"
        return same

    def _probe(self, words: int) -> list[int]:
        return list(self._tokenizer(f"{self._tokenizer.mask_token}{' x' * words}")["input_ids"])

    def _agree(self, some: Any, others: Any) -> bool:
        import torch

        slack = 1e-4 if self._network.model.dtype == torch.float32 else 5e-2
        same = some.shape == others.shape and torch.allclose(
            some.float(), others.float(), rtol=slack, atol=slack
        )
        return bool(same)


def _longest(model: Any, tokenizer: Any) -> int:
    """How many tokens, special ones included, the model can read."""
    limit = position_limit(model)
    return int(
        tokenizer.model_max_length if limit is None else min(limit, tokenizer.model_max_length)
    )
