"""The forward pass of a causal model over many rows of tokens: a padded batch.

Rows are padded on the right under an attention mask, so what a row gets never depends on its
neighbours. Planning (which rows, and what for) is elsewhere; another way to run the same rows
replaces this file alone.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

from epicene.models.hf import sampling
from epicene.models.hf.memory import TooLargeError, halving

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.models.hf.loading import Loaded

# In one pass: padded tokens and bytes of float32 logits, on a CPU and on an accelerator.
_TOKENS = (4096, 65_536)
_LOGITS = (1 << 28, 1 << 32)
# Bytes of logits turned into log-probabilities at a time; to be sorted, a row is held four times.
_SOFTMAX = 1 << 26
_SORTING = 1 << 24


class _Runnable(Protocol):
    @property
    def read(self) -> tuple[int, ...]:
        """The tokens the model reads."""

    @property
    def wanted(self) -> range:
        """The positions whose predictions are wanted."""


A = TypeVar("A", bound=_Runnable)
R = TypeVar("R")

# What makes results of a pass: rows, logits at some columns, where each row's columns begin.
_Finish: TypeAlias = Callable[[Sequence[A], Any, Sequence[int]], list[R]]


@dataclass(frozen=True)
class Row:
    """Tokens of which those from `first` on are to be scored, each given all before it.

    With `drawing` they are also scored by that law.
    """

    ids: tuple[int, ...]
    first: int
    drawing: sampling.Drawing | None = None

    @property
    def read(self) -> tuple[int, ...]:
        """All but the last, which is only predicted."""
        return self.ids[:-1]

    @property
    def wanted(self) -> range:
        """A token is predicted at the position before its own."""
        return range(self.first - 1, len(self.ids) - 1)


class Scored(NamedTuple):
    """The log-probabilities of a row's scored tokens; by its law, -inf for what is barred."""

    logprobs: list[float]
    drawn: list[float] | None = None


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

    def score(self, rows: Iterable[Row]) -> Iterator[dict[Row, Scored | TooLargeError]]:
        """The log-probabilities of the scored tokens, one pass at a time; equal rows run once."""
        yield from self._passes(set(rows), _scored)

    def continuations(
        self, stems: Iterable[Stem], allowed: Callable[[Stem], Any]
    ) -> dict[Stem, list[tuple[int, float]] | TooLargeError]:
        """For each stem its best allowed next tokens with their log-probabilities, best first.

        `allowed` gives a boolean tensor over the vocabulary.
        """
        found: dict[Stem, list[tuple[int, float]] | TooLargeError] = {}
        for done in self._passes(set(stems), partial(_continued, allowed)):
            found.update(done)
        return found

    def _passes(
        self, rows: Iterable[A], finish: _Finish[A, R]
    ) -> Iterator[dict[A, R | TooLargeError]]:
        """Cut rows into passes, longest first so that memory fails early, and run them."""
        ordered = sorted(rows, key=lambda row: (-len(row.read), row.wanted.start, row.read))
        while ordered:
            count = self._how_many(ordered)
            batch, ordered = ordered[:count], ordered[count:]
            self._notes["rows"] += count
            self._notes["tokens"] += sum(len(row.read) for row in batch)
            results = self._fitting(batch, finish)
            yield dict(zip(batch, results, strict=True))

    def _fitting(self, batch: Sequence[A], finish: _Finish[A, R]) -> list[R | TooLargeError]:
        def run(part: Sequence[A]) -> list[R | TooLargeError]:
            results = self._run(part, finish)
            return [*results]

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

    def _run(self, rows: Sequence[A], finish: _Finish[A, R]) -> list[R]:
        """One pass over padded rows."""
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
            return finish(rows, logits, [place[row.wanted.start] for row in rows])

    def _logits_at(self, columns: Sequence[int], ids: Any, mask: Any) -> Any:
        """The logits of every row at some columns."""
        import torch

        kept = torch.tensor(columns, device=self._device)
        settings = {"logits_to_keep": kept} if self._keeps else {}
        out = self._model(input_ids=ids, attention_mask=mask, use_cache=False, **settings)
        return out.logits if self._keeps else out.logits[:, kept.to(out.logits.device)]


def _scored(rows: Sequence[Row], logits: Any, begins: Sequence[int]) -> list[Scored]:
    """The log-probability of each scored token, by a softmax in float32."""
    import torch

    count, columns, vocabulary = logits.shape
    targets = torch.zeros(count, columns, dtype=torch.long)
    for line, (row, begin) in enumerate(zip(rows, begins, strict=True)):
        targets[line, begin : begin + len(row.wanted)] = torch.tensor(row.ids[row.first :])
    lines = max(1, _SOFTMAX // (4 * vocabulary))
    found = [
        part.float().log_softmax(-1).gather(-1, target[:, None])
        for part, target in zip(
            logits.flatten(0, 1).split(lines),
            targets.flatten().to(logits.device).split(lines),
            strict=True,
        )
    ]
    table = torch.cat(found).view(count, columns).tolist()
    return [
        Scored(
            scores[begin : begin + len(row.wanted)],
            None if row.drawing is None else _drawn(row, row.drawing, line[begin:]),
        )
        for row, begin, scores, line in zip(rows, begins, table, logits, strict=True)
    ]


def _drawn(row: Row, drawing: sampling.Drawing, logits: Any) -> list[float]:
    """The log-probability of each scored token by the row's own law."""
    import torch

    count = len(row.wanted)
    lines = max(1, _SORTING // (4 * logits.shape[-1]))
    targets = torch.tensor(row.ids[row.first :], device=logits.device)
    found = [
        sampling.drawn(part, [drawing] * len(part)).gather(-1, target[:, None])
        for part, target in zip(logits[:count].split(lines), targets.split(lines), strict=True)
    ]
    logprobs: list[float] = torch.cat(found).flatten().tolist()
    return logprobs


def _continued(
    allowed: Callable[[Stem], Any], stems: Sequence[Stem], logits: Any, begins: Sequence[int]
) -> list[list[tuple[int, float]]]:
    """The best next tokens of each stem."""
    import torch

    last = logits[range(len(stems)), begins].float().log_softmax(-1)
    permitted = torch.stack([allowed(stem) for stem in stems]).to(last.device)
    last = last.masked_fill(~permitted, -math.inf)
    values, tokens = last.topk(min(max(stem.top for stem in stems), last.shape[-1]))
    return [
        [(token, value) for token, value in zip(*best, strict=True) if value > -math.inf][
            : stem.top
        ]
        for stem, *best in zip(stems, tokens.tolist(), values.tolist(), strict=True)
    ]
