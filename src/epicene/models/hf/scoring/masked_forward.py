"""Query a masked model at single positions, with the queries of many requests batched together.

A text is as many masked rows as it has tokens, so rows and lookups are whole arrays. Only the
queried positions go through the head (`logprobs`). A check on a short row shows whether padding
changes nothing; if it does, a batch holds rows of one length only.

A query plan is a generator that yields queries and is sent their results. The plans of many
requests run side by side, so that their rows share batches and equal rows are computed once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from epicene.models.hf.batching import (
    PASS_TOKENS,
    TooLargeError,
    outputs_agree,
    pad_right,
    position_limit,
    retry_on_oom,
    run_chunks_that_fit,
)
from epicene.models.hf.scoring import logprobs
from epicene.models.hf.scoring.logprobs import ModelRunner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, MutableMapping

    from numpy.typing import NDArray

    from epicene.models.hf.loading import LoadedModel
    from epicene.models.hf.scoring.masking import BoolArray, IntArray

    FloatArray: TypeAlias = NDArray[np.float64]

# Logits of one pass.
_LOGITS = 1 << 27


class PositionQuery(NamedTuple):
    """A position of a masked row, and what is wanted there.

    The log-probability of `token`, or with `top` those of the likeliest ordinary tokens, which are
    NaN where one of the logits is not finite.
    """

    row: tuple[int, ...]
    position: int
    token: int = 0
    top: int = 0


class TokenLogprobs(NamedTuple):
    """Tokens and their log-probabilities, as asked, or best first."""

    tokens: Sequence[int]
    logprobs: Sequence[float]


# What comes back for a query: the error where its row alone does not fit in memory.
QueryResult: TypeAlias = TokenLogprobs | TooLargeError


class RowTable:
    """Distinct masked rows, longest first, from matrices that hold rows of one length each."""

    def __init__(self, matrices: Iterable[IntArray]) -> None:
        self._matrices: list[IntArray] = []
        self._edges = [0]
        # The number of each given row among the distinct ones.
        self.numbers: list[IntArray] = []
        for matrix in sorted(matrices, key=lambda each: -each.shape[1]):
            # As bytes, because numpy compares long rows many times as slowly.
            rows = [row.tobytes() for row in matrix]
            number = {row: number for number, row in enumerate(sorted(set(rows)), self._edges[-1])}
            distinct = np.frombuffer(b"".join(number), matrix.dtype)
            self._matrices.append(distinct.reshape(-1, matrix.shape[1]))
            self.numbers.append(np.array([number[row] for row in rows], np.int64))
            self._edges.append(self._edges[-1] + len(number))
        sizes = [matrix.shape for matrix in self._matrices]
        self.lengths = np.repeat([length for _, length in sizes], [count for count, _ in sizes])

    def __len__(self) -> int:
        return self._edges[-1]

    def padded(self, rows: Sequence[int], filler: int) -> tuple[IntArray, IntArray]:
        """Contiguous rows as one matrix, and its attention mask."""
        start, stop = rows[0], rows[-1] + 1
        lengths = self.lengths[start:stop]
        ids = np.full((stop - start, int(lengths[0])), filler, np.int64)
        for matrix, edge in zip(self._matrices, self._edges, strict=False):
            own = slice(max(start, edge), min(stop, edge + len(matrix)))
            if own.start < own.stop:
                part = matrix[own.start - edge : own.stop - edge]
                ids[own.start - start : own.stop - start, : matrix.shape[1]] = part
        return ids, (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)


class Lookups(NamedTuple):
    """Positions of rows with a token to look up at each, or how many of the likeliest in `top`."""

    rows: IntArray
    positions: IntArray
    tokens: IntArray
    top: Mapping[int, int]  # by number

    def in_rows(self, rows: Sequence[int]) -> IntArray:
        """The numbers of the lookups in contiguous rows."""
        return np.flatnonzero((self.rows >= rows[0]) & (self.rows <= rows[-1]))


class Found(NamedTuple):
    """The log-probability of each lookup's token, the likeliest, and what was too large."""

    logprobs: FloatArray
    best: dict[int, TokenLogprobs]
    too_large: BoolArray


class _Pass(NamedTuple):
    """Rows of one batch, and what waits for the results of the lookups in them: their numbers,
    values and likeliest tokens. None if a row is too large.
    """

    rows: Sequence[int]
    results: Callable[[], tuple[IntArray, FloatArray, dict[int, TokenLogprobs]]] | None


class MaskedForward:
    """Runs masked rows through a model, each distinct row once, in batches that fit."""

    def __init__(self, loaded: LoadedModel, notes: MutableMapping[str, Any]) -> None:
        self._runner = ModelRunner(loaded, notes)
        self._tokenizer = loaded.tokenizer
        self._device = loaded.device
        self._batch_size = loaded.options.batch_size
        self._notes = notes
        self.max_length = _max_row_tokens(loaded.model, loaded.tokenizer)

    @property
    def can_prefetch(self) -> bool:
        """Whether work is queued on the device while the next batch is planned."""
        return bool(self._device.type == "cuda")

    def begin_queries(self, queries: Sequence[PositionQuery]) -> Callable[[], list[QueryResult]]:
        """Queue all passes on the device; the returned function waits for the results."""
        by_length: dict[int, list[int]] = {}
        for number, query in enumerate(queries):
            by_length.setdefault(len(query.row), []).append(number)
        lengths = sorted(by_length, reverse=True)
        table = RowTable(
            np.array([queries[number].row for number in by_length[length]]) for length in lengths
        )
        rows = np.empty(len(queries), np.int64)
        for length, numbers in zip(lengths, table.numbers, strict=True):
            rows[by_length[length]] = numbers
        wanted = Lookups(
            rows,
            np.array([query.position for query in queries], np.int64),
            np.array([query.token for query in queries], np.int64),
            {number: query.top for number, query in enumerate(queries) if query.top},
        )
        fetch = self.begin(table, wanted)

        def collect() -> list[QueryResult]:
            values, best, too_large = fetch()
            return [
                TooLargeError()
                if missing
                else best.get(number) or TokenLogprobs((queries[number].token,), (value,))
                for number, (missing, value) in enumerate(
                    zip(too_large.tolist(), values.tolist(), strict=True)
                )
            ]

        return collect

    def begin(self, table: RowTable, wanted: Lookups) -> Callable[[], Found]:
        """Queue all passes on the device; the returned function waits for the results."""
        self._notes["rows"] = self._notes.get("rows", 0) + len(table)

        def run(rows: Sequence[int]) -> _Pass:
            return _Pass(rows, self._run(table, rows, wanted))

        passes: list[_Pass] = []
        waiting = range(len(table))
        while waiting:
            front = waiting[: self._how_many(table.lengths[waiting[0] :])]
            passes.append(self._fitting(run, front, waiting, table.lengths))
            waiting = waiting[len(passes[-1].rows) :]

        def collect() -> Found:
            count = len(wanted.rows)
            found = Found(np.full(count, math.nan), {}, np.zeros(count, np.bool_))
            for done in passes:
                broken = _keep(done, wanted, found)
                # A row that is not finite beside padding is run by itself.
                if len(broken) and len(set(table.lengths[done.rows].tolist())) > 1:
                    for row in np.unique(wanted.rows[broken]).tolist():
                        only = range(row, row + 1)
                        alone = self._fitting(run, only, only, table.lengths)
                        _keep(alone, wanted, found)
            return found

        return collect

    def _fitting(
        self,
        run: Callable[[Sequence[int]], _Pass],
        rows: Sequence[int],
        waiting: Sequence[int],
        lengths: IntArray,
    ) -> _Pass:
        """Run as many rows from the front of those that wait as fit in memory."""
        part, done = next(
            run_chunks_that_fit(run, rows, self._notes, lambda row: int(lengths[row]))
        )
        if not isinstance(done, TooLargeError):
            return done
        # All rows as long as this would fail, one by one, and each attempt takes its time.
        alike = int(np.count_nonzero(lengths[waiting] == lengths[part[0]]))
        return _Pass(waiting[:alike], None)

    def _how_many(self, lengths: IntArray) -> int:
        """How many rows from the front make a batch; lengths fall."""
        longest = int(lengths[0])
        retry_on_oom(lambda: self._runner.has_head)  # the first time it runs the model
        if self._batch_size == "auto":
            fitting = PASS_TOKENS[self._device.type != "cpu"] // longest
            if not self._runner.has_head:
                # It makes logits of all positions.
                fitting = min(fitting, _LOGITS // (longest * self._runner.vocabulary))
        else:
            fitting = self._batch_size
        batch = lengths[: max(1, fitting)]
        if batch[-1] == longest or self._may_pad:
            return len(batch)
        return int(np.count_nonzero(batch == longest))

    def _run(
        self, table: RowTable, rows: Sequence[int], wanted: Lookups
    ) -> Callable[[], tuple[IntArray, FloatArray, dict[int, TokenLogprobs]]]:
        """Queue one pass; the returned function waits for the results of the lookups in it."""
        import torch

        ids, mask = table.padded(rows, self._filler)
        numbers = wanted.in_rows(rows)
        lines = wanted.rows[numbers] - rows[0]
        cells, cell = np.unique(
            lines * ids.shape[1] + wanted.positions[numbers], return_inverse=True
        )
        reading = logprobs.TokenQueries(
            self._runner,
            self._runner.lazy_logits(self._states(ids, mask, cells)),
            cell,
            wanted.tokens[numbers],
        )
        likeliest = [
            (at, int(cell[at]), wanted.top[number])
            for at, number in enumerate(numbers.tolist() if wanted.top else ())
            if number in wanted.top
        ]
        named: list[Any] = []
        best: dict[int, TokenLogprobs] = {}
        with torch.inference_mode():
            for part in reading.parts():
                named.append(logprobs.token_logprobs(part))
                best.update(self._best(part.logits, part.start, likeliest))
            fetch = logprobs.copy_to_host(torch.cat(named))
        order = reading.order

        def results() -> tuple[IntArray, FloatArray, dict[int, TokenLogprobs]]:
            values = logprobs.in_original_order(order, fetch())
            for at, found in best.items():
                values[at] = min(found.logprobs, default=0.0)  # not finite if one of them is not
            return numbers, values, {int(numbers[at]): found for at, found in best.items()}

        return results

    def _best(
        self, logits: Any, start: int, wanted: Sequence[tuple[int, int, int]]
    ) -> Iterator[tuple[int, TokenLogprobs]]:
        """The likeliest ordinary tokens, for the queries at these positions.

        A query is its number, its position and how many tokens it wants.
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
        broken = ordinary.isnan().any(-1)
        ordinary[:, special] = -torch.inf
        ordinary[broken] = torch.nan
        count = min(max(top for _, _, top in mine), ordinary.shape[1] - len(special))
        values, tokens = ordinary.topk(count, dim=1)
        for (number, _, top), some, their in zip(
            mine, tokens.tolist(), values.tolist(), strict=True
        ):
            yield number, TokenLogprobs(some[:top], their[:top])

    def _special(self, size: int) -> list[int]:
        """Tokens that occur in no text: special ones, and rows that only pad the matrix."""
        special = {*self._tokenizer.all_special_ids, *range(len(self._tokenizer), size)}
        return sorted(token for token in special if token < size)

    def _states(self, ids: IntArray, mask: IntArray, cells: IntArray) -> Any:
        """The hidden states of cells, which are numbered along all rows."""
        sent_ids, sent_mask = self._runner.send(np.stack([ids, mask]))
        return self._runner.states(
            {"input_ids": sent_ids, "attention_mask": sent_mask}, self._runner.send(cells)
        )

    @property
    def _filler(self) -> int:
        return self._tokenizer.pad_token_id or 0

    @cached_property
    def _may_pad(self) -> bool:
        """Whether a row gives the same beside a longer one; in some families padding matters."""
        row, longer = self._probe(2), self._probe(9)
        cells = np.arange(len(row))

        def agree() -> bool:
            alone, beside = (
                self._runner.logits(self._states(*pad_right(rows, self._filler), cells))
                for rows in ([row], [row, longer])
            )
            return outputs_agree(self._runner.model, beside, alone)

        same = retry_on_oom(agree)
        self._notes["batches"] = "padded" if same else "of one length"
        return same

    def _probe(self, words: int) -> list[int]:
        return list(self._tokenizer(f"{self._tokenizer.mask_token}{' x' * words}")["input_ids"])


def _keep(done: _Pass, wanted: Lookups, found: Found) -> IntArray:
    """Put a pass's results among the others; the lookups whose numbers are not finite."""
    if done.results is None:
        numbers = wanted.in_rows(done.rows)
        found.too_large[numbers] = True
        return numbers[:0]
    numbers, values, best = retry_on_oom(done.results)
    found.logprobs[numbers] = values
    found.best.update(best)
    return numbers[~np.isfinite(values)]


def _max_row_tokens(model: Any, tokenizer: Any) -> int:
    """How many tokens, special ones included, the model can read."""
    limit = position_limit(model)
    return int(
        tokenizer.model_max_length if limit is None else min(limit, tokenizer.model_max_length)
    )


T = TypeVar("T")

QueryPlan: TypeAlias = Generator[list[PositionQuery], Sequence[TokenLogprobs], T]


def run_side_by_side(
    plans: Sequence[QueryPlan[T]],
) -> Generator[list[PositionQuery], Sequence[QueryResult], list[T]]:
    """Run plans side by side; their return values, in order."""
    done: dict[int, T] = {}
    found: dict[int, Sequence[QueryResult] | None] = dict.fromkeys(range(len(plans)))
    while found:
        asked: dict[int, list[PositionQuery]] = {}
        for number, results in found.items():
            try:
                asked[number] = _advance(plans[number], results)
            except StopIteration as end:
                done[number] = end.value
        if not asked:
            break
        everything = iter((yield [query for queries in asked.values() for query in queries]))
        found = {
            number: list(islice(everything, len(queries))) for number, queries in asked.items()
        }
    return [done[number] for number in range(len(plans))]


def _advance(plan: QueryPlan[T], results: Sequence[QueryResult] | None) -> list[PositionQuery]:
    """Start a plan or send it what was found; rows too large for memory are thrown into it."""
    if results is None:
        return next(plan)
    for result in results:
        if isinstance(result, TooLargeError):
            return plan.throw(result)
    return plan.send([result for result in results if isinstance(result, TokenLogprobs)])


def start_plans(plans: Sequence[QueryPlan[T]], reader: MaskedForward) -> Callable[[], list[T]]:
    """Run plans; the returned function waits for them and gives their return values, in order.

    Their first queries are queued when this returns.
    """
    work = run_side_by_side(plans)
    try:
        read = reader.begin_queries(next(work))
    except StopIteration as end:
        nothing: list[T] = end.value
        return lambda: nothing

    def finish() -> list[T]:
        results = read()
        try:
            while True:
                results = reader.begin_queries(work.send(results))()
        except StopIteration as end:
            answers: list[T] = end.value
            return answers

    return finish
