"""Reading a masked model at single positions: masked rows in, log-probabilities out.

Only the positions asked about go through the head, whose matrix is as large as the vocabulary:
the rest of its work is thrown away by everyone. Where a head lies differs by family, so nothing
here names one; the body's output is cut to the wanted positions on its way to whatever head
follows. That this changes nothing is proved on a short row, and so is that padding changes
nothing; where one of them does, the whole output is taken, or rows of one length alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from epicene.models.hf.memory import TooLargeError, halving
from epicene.models.hf.positions import position_limit

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping, Sequence

    from epicene.models.hf.loading import Loaded

# What one pass may hold: padded tokens of all rows (on a CPU, on an accelerator), and numbers
# that leave the head.
_TOKENS = (4_096, 32_768)
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
        self._model = loaded.model
        self._tokenizer = loaded.tokenizer
        self._device = loaded.device
        self._batch_size = loaded.options.batch_size
        self._notes = notes
        self.longest = _longest(loaded.model, loaded.tokenizer)

    def read(self, asks: Sequence[Ask]) -> list[Result]:
        """What was found for each ask, in their order."""
        rows: dict[tuple[int, ...], _Row] = {}
        for number, ask in enumerate(asks):
            row = rows.setdefault(ask.row, _Row(ask.row))
            row.asks.append(number)
            row.positions[ask.position] = None
        self._notes["rows"] = self._notes.get("rows", 0) + len(rows)
        found: dict[int, Result] = {}
        waiting = sorted(rows.values(), key=lambda row: (-len(row.ids), row.ids))
        while waiting:
            batch, results = self._next(waiting, asks)
            for row, answers in zip(batch, results, strict=True):
                found.update(zip(row.asks, answers, strict=True))
            waiting = waiting[len(batch) :]
        return [found[number] for number in range(len(asks))]

    def _next(
        self, waiting: Sequence[_Row], asks: Sequence[Ask]
    ) -> tuple[Sequence[_Row], Sequence[Sequence[Result]]]:
        """Run as many rows from the front as should fit, and fewer where memory runs out."""
        batch = waiting[: self._how_many(waiting)]
        try:
            return batch, halving(
                lambda part: self._run(part, asks), batch, self._notes, lambda row: len(row.ids)
            )
        except TooLargeError as error:
            # All rows as long as this would fail, one by one, and each attempt takes its time.
            longest = [row for row in waiting if len(row.ids) == len(waiting[0].ids)]
            return longest, [[error] * len(row.asks) for row in longest]

    def _how_many(self, rows: Sequence[_Row]) -> int:
        """How many rows from the front make a batch; lengths fall."""
        longest = len(rows[0].ids)
        tokens = _TOKENS[self._device.type != "cpu"]
        vocabulary = self._model.config.get_text_config().vocab_size
        logits = 0
        for count, row in enumerate(rows):
            logits += vocabulary * (len(row.positions) if self._cuts_before_head else longest)
            if self._batch_size == "auto":
                full = (count + 1) * longest > tokens or logits > _LOGITS
            else:
                full = count == self._batch_size
            if count and (full or (len(row.ids) != longest and not self._may_pad)):
                return count
        return len(rows)

    def _run(self, rows: Sequence[_Row], asks: Sequence[Ask]) -> list[list[Found]]:
        cells = [(r, position) for r, row in enumerate(rows) for position in row.positions]
        cell = {place: number for number, place in enumerate(cells)}
        logprobs = self._logprobs([row.ids for row in rows], cells)
        wanted = [
            (cell[r, asks[number].position], asks[number])
            for r, row in enumerate(rows)
            for number in row.asks
        ]
        named = self._named(logprobs, [pair for pair in wanted if not pair[1].top])
        best = self._best(logprobs, [pair for pair in wanted if pair[1].top])
        found = iter([next(best) if ask.top else next(named) for _, ask in wanted])
        return [[next(found) for _ in row.asks] for row in rows]

    def _named(self, logprobs: Any, wanted: Sequence[tuple[int, Ask]]) -> Iterator[Found]:
        """The log-probabilities of the tokens asked for, read off in one go."""
        import torch

        cells = [cell for cell, ask in wanted for _ in ask.tokens]
        tokens = [token for _, ask in wanted for token in ask.tokens]
        index = torch.tensor([cells, tokens], dtype=torch.long, device=logprobs.device)
        values = iter(logprobs[index[0], index[1]].tolist())
        for _, ask in wanted:
            yield Found(ask.tokens, [next(values) for _ in ask.tokens])

    def _best(self, logprobs: Any, wanted: Sequence[tuple[int, Ask]]) -> Iterator[Found]:
        """The likeliest tokens that are not special."""
        import torch

        if not wanted:
            return
        cells = torch.tensor([cell for cell, _ in wanted], device=logprobs.device)
        ordinary = logprobs[cells]
        special = self._special(ordinary.shape[1])
        ordinary[:, special] = -torch.inf
        count = min(max(ask.top for _, ask in wanted), ordinary.shape[1] - len(special))
        values, tokens = ordinary.topk(count, dim=1)
        for (_, ask), some, their in zip(wanted, tokens.tolist(), values.tolist(), strict=True):
            yield Found(some[: ask.top], their[: ask.top])

    def _special(self, size: int) -> list[int]:
        """The tokens that no text holds: special ones, and the lines that only pad the matrix."""
        special = {*self._tokenizer.all_special_ids, *range(len(self._tokenizer), size)}
        return sorted(token for token in special if token < size)

    def _logprobs(self, rows: Sequence[Sequence[int]], cells: Sequence[tuple[int, int]]) -> Any:
        """Float32 log-probabilities over the vocabulary, one line per (row, position)."""
        import torch

        logits = self._logits(rows, cells, cut=self._cuts_before_head)
        with torch.inference_mode():
            return logits.float().log_softmax(-1)

    def _logits(
        self, rows: Sequence[Sequence[int]], cells: Sequence[tuple[int, int]], cut: bool
    ) -> Any:
        import torch

        longest = max(map(len, rows))
        padding = self._tokenizer.pad_token_id or 0
        ids = [[*row, *[padding] * (longest - len(row))] for row in rows]
        mask = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
        inputs = {
            "input_ids": torch.tensor(ids, device=self._device),
            "attention_mask": torch.tensor(mask, device=self._device),
        }
        where = torch.tensor(cells, dtype=torch.long)

        def kept(values: Any) -> Any:
            line, position = where.to(values.device).T
            return values[line, position]

        def keep(_body: Any, _inputs: Any, output: Any) -> Any:
            output["last_hidden_state"] = kept(output.last_hidden_state).unsqueeze(0)
            return output

        with torch.inference_mode():
            if not cut:
                return kept(self._model(**inputs).logits)
            hook = self._model.base_model.register_forward_hook(keep)
            try:
                return self._model(**inputs).logits[0]
            finally:
                hook.remove()

    @cached_property
    def _cuts_before_head(self) -> bool:
        """Whether the head gives the same for some positions alone as among the others."""
        row = self._probe(2)
        cells = [(0, len(row) - 1), (0, 0)]
        whole = self._logits([row], cells, cut=False)
        try:
            same = self._agree(self._logits([row], cells, cut=True), whole)
        except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError):
            same = False
        self._notes["head"] = "wanted positions alone" if same else "all positions"
        return same

    @cached_property
    def _may_pad(self) -> bool:
        """Whether a row gives the same beside a longer one; some families look at padding."""
        row, longer = self._probe(2), self._probe(9)
        cells = [(0, position) for position in range(len(row))]
        alone = self._logits([row], cells, cut=False)
        same = self._agree(self._logits([row, longer], cells, cut=False), alone)
        self._notes["batches"] = "padded" if same else "of one length"
        return same

    def _probe(self, words: int) -> list[int]:
        return list(self._tokenizer(f"{self._tokenizer.mask_token}{' x' * words}")["input_ids"])

    def _agree(self, some: Any, others: Any) -> bool:
        import torch

        slack = 1e-4 if self._model.dtype == torch.float32 else 5e-2
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
