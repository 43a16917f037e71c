"""The forward pass of a causal model over many rows of tokens: a padded batch.

Rows are padded on the right under an attention mask, so what a row gets never depends on its
neighbours. Planning (which rows, and what for) is elsewhere; another way to run the same rows
replaces this file alone.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from epicene.models.hf.memory import TooLargeError, halving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from epicene.models.hf.loading import Loaded

# In one pass: padded tokens and bytes of float32 logits, on a CPU and on an accelerator.
_TOKENS = (4096, 65_536)
_LOGITS = (1 << 28, 1 << 32)
# Bytes of logits turned into log-probabilities at a time.
_SOFTMAX = 1 << 26


class _Runnable(Protocol):
    @property
    def read(self) -> tuple[int, ...]:
        """The tokens the model reads."""

    @property
    def wanted(self) -> range:
        """The positions whose predictions are wanted."""


A = TypeVar("A", bound=_Runnable)
R = TypeVar("R")


@dataclass(frozen=True)
class Row:
    """Tokens of which those from `first` on are to be scored, each given all before it."""

    ids: tuple[int, ...]
    first: int

    @property
    def read(self) -> tuple[int, ...]:
        """All but the last, which is only predicted."""
        return self.ids[:-1]

    @property
    def wanted(self) -> range:
        """A token is predicted at the position before its own."""
        return range(self.first - 1, len(self.ids) - 1)


@dataclass(frozen=True)
class Stem:
    """Tokens of which the `top` best next ones are wanted, perhaps with a space before them."""

    read: tuple[int, ...]
    top: int
    spaced: bool = False

    @property
    def wanted(self) -> range:
        """The last position."""
        return range(len(self.read) - 1, len(self.read))


class Forward:
    """Runs rows through the model in passes that fit in memory."""

    def __init__(self, loaded: Loaded, notes: dict[str, Any]) -> None:
        self._model = loaded.model
        self._device = loaded.device
        asked = loaded.options.batch_size
        self._rows = None if asked == "auto" else asked
        on_accelerator = loaded.device.type != "cpu"
        self._tokens, self._logits = _TOKENS[on_accelerator], _LOGITS[on_accelerator]
        self.vocabulary: int = loaded.model.get_output_embeddings().weight.shape[0]
        self._keeps = "logits_to_keep" in inspect.signature(loaded.model.forward).parameters
        self._notes = notes
        notes.update(rows=0, tokens=0)

    def score(self, rows: Iterable[Row]) -> Iterator[dict[Row, list[float] | TooLargeError]]:
        """The log-probabilities of the scored tokens, one pass at a time; equal rows run once."""
        yield from self._passes(set(rows), self._scored)

    def continuations(
        self, stems: Iterable[Stem], allowed: Callable[[Stem], Any]
    ) -> dict[Stem, list[tuple[int, float]] | TooLargeError]:
        """For each stem its best allowed next tokens with their log-probabilities, best first.

        `allowed` gives a boolean tensor over the vocabulary.
        """

        def best(stem: Stem, logits: Any) -> list[tuple[int, float]]:
            spread = logits[0].float().log_softmax(-1)
            permitted = allowed(stem).to(spread.device)
            spread = spread.masked_fill(~permitted, -math.inf)
            values, tokens = spread.topk(min(stem.top, int(permitted.sum())))
            return list(zip(tokens.tolist(), values.tolist(), strict=True))

        found: dict[Stem, list[tuple[int, float]] | TooLargeError] = {}
        for done in self._passes(set(stems), best):
            found.update(done)
        return found

    def _passes(
        self, rows: Iterable[A], finish: Callable[[A, Any], R]
    ) -> Iterator[dict[A, R | TooLargeError]]:
        """Cut rows into passes, longest first so that memory fails early, and run them."""
        ordered = sorted(rows, key=lambda row: (-len(row.read), row.wanted.start, row.read))
        while ordered:
            count = self._how_many(ordered)
            batch, ordered = ordered[:count], ordered[count:]
            self._notes["rows"] += count
            self._notes["tokens"] += sum(len(row.read) for row in batch)
            yield dict(zip(batch, self._fitting(batch, finish), strict=True))

    def _fitting(
        self, batch: Sequence[A], finish: Callable[[A, Any], R]
    ) -> list[R | TooLargeError]:
        def run(part: Sequence[A]) -> list[R | TooLargeError]:
            return list(self._run(part, finish))

        return halving(run, batch, self._notes, lambda row: len(row.read), lambda error: error)

    def _how_many(self, rows: Sequence[A]) -> int:
        """How many rows from the front make one pass, one at least; lengths fall."""
        columns: set[int] = set()
        for count, row in enumerate(rows):
            columns.update(row.wanted)
            tokens = (count + 1) * len(rows[0].read)
            logits = (count + 1) * len(columns) * self.vocabulary * 4
            full = tokens > self._tokens or logits > self._logits or count == self._rows
            if count and full:
                return count
        return len(rows)

    def _run(self, rows: Sequence[A], finish: Callable[[A, Any], R]) -> list[R]:
        """One pass: `finish` gets each row with the logits at its wanted positions."""
        import torch

        columns = sorted({column for row in rows for column in row.wanted})
        place = {column: index for index, column in enumerate(columns)}
        width = max(len(row.read) for row in rows)
        ids = torch.zeros(len(rows), width, dtype=torch.long)
        mask = torch.zeros(len(rows), width, dtype=torch.long)
        for line, row in enumerate(rows):
            ids[line, : len(row.read)] = torch.tensor(row.read)
            mask[line, : len(row.read)] = 1
        with torch.inference_mode():
            logits = self._logits_at(columns, ids.to(self._device), mask.to(self._device))
            return [
                finish(row, logits[line, place[row.wanted.start] :][: len(row.wanted)])
                for line, row in enumerate(rows)
            ]

    def _logits_at(self, columns: Sequence[int], ids: Any, mask: Any) -> Any:
        import torch

        kept = torch.tensor(columns, device=self._device)
        settings = {"logits_to_keep": kept} if self._keeps else {}
        out = self._model(input_ids=ids, attention_mask=mask, use_cache=False, **settings)
        return out.logits if self._keeps else out.logits[:, kept.to(out.logits.device)]

    def _scored(self, row: Row, logits: Any) -> list[float]:
        """The log-probability of each scored token, by a softmax in float32."""
        import torch

        targets = torch.tensor(row.ids[row.first :], device=logits.device)
        lines = max(1, _SOFTMAX // (4 * logits.shape[-1]))
        found: list[float] = []
        for part, target in zip(logits.split(lines), targets.split(lines), strict=True):
            spread = part.float().log_softmax(-1)
            found += spread.gather(-1, target[:, None]).squeeze(-1).tolist()
        return found
