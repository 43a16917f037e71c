"""Query a masked model at single positions, with the queries of many requests batched together.

Only the queried positions go through the head (`logprobs`). A check on a short row shows whether
padding changes nothing; if it does, a batch holds rows of one length only.

A query plan is a generator that yields queries and is sent their results. The plans of many
requests run side by side, so that their rows share batches and equal rows are computed once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice, takewhile
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
    from collections.abc import Iterator, MutableMapping

    from epicene.models.hf.loading import LoadedModel

# Logits of one pass.
_LOGITS = 1 << 27


class PositionQuery(NamedTuple):
    """A position of a masked row, and what is wanted there.

    The log-probabilities of `tokens`, or with `top` those of the likeliest ordinary tokens, which
    are NaN where one of the logits is not finite.
    """

    row: tuple[int, ...]
    position: int
    tokens: tuple[int, ...] = ()
    top: int = 0


class TokenLogprobs(NamedTuple):
    """Tokens and their log-probabilities, as asked, or best first."""

    tokens: Sequence[int]
    logprobs: Sequence[float]


# What comes back for a query: the error where its row alone does not fit in memory.
QueryResult: TypeAlias = TokenLogprobs | TooLargeError


@dataclass(slots=True)
class _MaskedRow:
    """A distinct row and the queries, by their numbers, that look at it."""

    ids: tuple[int, ...]
    queries: list[int] = field(default_factory=list)
    positions: dict[int, None] = field(default_factory=dict)


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

    def begin(self, queries: Sequence[PositionQuery]) -> Callable[[], list[QueryResult]]:
        """Queue all passes on the device; the returned function waits for the results."""
        rows: dict[tuple[int, ...], _MaskedRow] = {}
        for number, query in enumerate(queries):
            row = rows.get(query.row)
            if row is None:
                row = rows[query.row] = _MaskedRow(query.row)
            row.queries.append(number)
            row.positions[query.position] = None
        self._notes["rows"] = self._notes.get("rows", 0) + len(rows)
        waiting = sorted(rows.values(), key=lambda row: (-len(row.ids), row.ids))
        launched = []
        while waiting:
            batch, results = self._next(waiting, queries)
            launched.append((batch, results))
            waiting = waiting[len(batch) :]

        def collect() -> list[QueryResult]:
            found: dict[int, QueryResult] = {}
            for batch, results in launched:
                if isinstance(results, TooLargeError):
                    numbers = [number for row in batch for number in row.queries]
                    found.update(dict.fromkeys(numbers, results))
                else:
                    found.update(self._collected(batch, results, queries))
            return [found[number] for number in range(len(queries))]

        return collect

    def _collected(
        self,
        batch: Sequence[_MaskedRow],
        results: Callable[[], Iterator[TokenLogprobs]],
        queries: Sequence[PositionQuery],
    ) -> dict[int, QueryResult]:
        """The results of a batch; a row that is not finite beside padding is run by itself."""
        values = retry_on_oom(lambda: list(results()))
        numbers = [number for row in batch for number in row.queries]
        found: dict[int, QueryResult] = dict(zip(numbers, values, strict=True))
        padded = len({len(row.ids) for row in batch}) > 1
        if not padded or _are_finite(values):
            return found
        for row in batch:
            if not _are_finite([found[number] for number in row.queries]):
                ((_, alone),) = run_chunks_that_fit(
                    lambda part: self._run(part, queries), [row], self._notes
                )
                if isinstance(alone, TooLargeError):
                    found.update(dict.fromkeys(row.queries, alone))
                else:
                    found.update(zip(row.queries, alone(), strict=True))
        return found

    def _next(
        self, waiting: Sequence[_MaskedRow], queries: Sequence[PositionQuery]
    ) -> tuple[Sequence[_MaskedRow], Callable[[], Iterator[TokenLogprobs]] | TooLargeError]:
        """Run as many rows from the front as should fit, and fewer where memory runs out."""
        batch, results = next(
            run_chunks_that_fit(
                lambda part: self._run(part, queries),
                waiting[: self._how_many(waiting)],
                self._notes,
                lambda row: len(row.ids),
            )
        )
        if isinstance(results, TooLargeError):
            # All rows as long as this would fail, one by one, and each attempt takes its time.
            batch = [row for row in waiting if len(row.ids) == len(waiting[0].ids)]
        return batch, results

    def _how_many(self, rows: Sequence[_MaskedRow]) -> int:
        """How many rows from the front make a batch; lengths fall."""
        longest = len(rows[0].ids)
        retry_on_oom(lambda: self._runner.has_head)  # the first time it runs the model
        if self._batch_size == "auto":
            fitting = PASS_TOKENS[self._device.type != "cpu"] // longest
            if not self._runner.has_head:
                # It makes logits of all positions.
                fitting = min(fitting, _LOGITS // (longest * self._runner.vocabulary))
        else:
            fitting = self._batch_size
        batch = rows[: max(1, fitting)]
        if len(batch[-1].ids) == longest or self._may_pad:
            return len(batch)
        return sum(1 for _ in takewhile(lambda row: len(row.ids) == longest, batch))

    def _run(
        self, rows: Sequence[_MaskedRow], queries: Sequence[PositionQuery]
    ) -> Callable[[], Iterator[TokenLogprobs]]:
        import torch

        cells = [(r, position) for r, row in enumerate(rows) for position in row.positions]
        cell = {place: number for number, place in enumerate(cells)}
        wanted = [
            (cell[r, queries[number].position], queries[number])
            for r, row in enumerate(rows)
            for number in row.queries
        ]
        tokens = [query.tokens for _, query in wanted]
        reading = logprobs.TokenQueries(
            self._runner,
            self._runner.lazy_logits(self._states([row.ids for row in rows], cells)),
            np.repeat([number for number, _ in wanted], list(map(len, tokens))),
            list(chain.from_iterable(tokens)),
        )
        likeliest = [
            (number, cell, query.top) for number, (cell, query) in enumerate(wanted) if query.top
        ]
        named: list[Any] = []
        best: dict[int, tuple[list[int], list[float]]] = {}
        with torch.inference_mode():
            for part in reading.parts():
                named.append(logprobs.token_logprobs(part))
                best.update(self._best(part.logits, part.start, likeliest))
            fetch = logprobs.copy_to_host(torch.cat(named))
        order = reading.order

        def results() -> Iterator[TokenLogprobs]:
            values = logprobs.in_original_order(order, fetch()).tolist()
            start = 0
            for number, (_, query) in enumerate(wanted):
                if query.top:
                    yield TokenLogprobs(*best[number])
                else:
                    yield TokenLogprobs(query.tokens, values[start : start + len(query.tokens)])
                    start += len(query.tokens)

        return results

    def _best(
        self, logits: Any, start: int, wanted: Sequence[tuple[int, int, int]]
    ) -> Iterator[tuple[int, tuple[list[int], list[float]]]]:
        """The likeliest ordinary tokens, for the queries at these positions.

        A query is its number, its index and how many tokens it wants.
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
            yield number, (some[:top], their[:top])

    def _special(self, size: int) -> list[int]:
        """Tokens that occur in no text: special ones, and rows that only pad the matrix."""
        special = {*self._tokenizer.all_special_ids, *range(len(self._tokenizer), size)}
        return sorted(token for token in special if token < size)

    def _states(self, rows: Sequence[Sequence[int]], cells: Sequence[tuple[int, int]]) -> Any:
        """The hidden states of rows, one per (row, position)."""
        ids, mask = pad_right(rows, self._tokenizer.pad_token_id or 0)
        lines, positions = np.array(cells, np.int64).T
        sent_ids, sent_mask = self._runner.send(np.stack([ids, mask]))
        return self._runner.states(
            {"input_ids": sent_ids, "attention_mask": sent_mask},
            self._runner.send(lines * ids.shape[1] + positions),
        )

    @cached_property
    def _may_pad(self) -> bool:
        """Whether a row gives the same beside a longer one; in some families padding matters."""
        row, longer = self._probe(2), self._probe(9)
        cells = [(0, position) for position in range(len(row))]

        def agree() -> bool:
            alone = self._runner.logits(self._states([row], cells))
            beside = self._runner.logits(self._states([row, longer], cells))
            return outputs_agree(self._runner.model, beside, alone)

        same = retry_on_oom(agree)
        self._notes["batches"] = "padded" if same else "of one length"
        return same

    def _probe(self, words: int) -> list[int]:
        return list(self._tokenizer(f"{self._tokenizer.mask_token}{' x' * words}")["input_ids"])


def _are_finite(results: Sequence[QueryResult]) -> bool:
    return all(
        math.isfinite(value)
        for result in results
        if isinstance(result, TokenLogprobs)
        for value in result.logprobs
    )


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
        read = reader.begin(next(work))
    except StopIteration as end:
        nothing: list[T] = end.value
        return lambda: nothing

    def finish() -> list[T]:
        results = read()
        try:
            while True:
                results = reader.begin(work.send(results))()
        except StopIteration as end:
            answers: list[T] = end.value
            return answers

    return finish
