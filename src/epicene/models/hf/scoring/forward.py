"""Run rows through a causal model by the fastest route that passes a self-test.

A route is correct if it gives what each row gives alone. The tolerance is measured too: a row alone
against the same row in a padded batch, which differ noticeably in a low-precision dtype.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from epicene.models.hf.batching import (
    NOISE_FACTOR,
    TOLERANCE,
    TooLargeError,
    batch_independent_length,
    is_out_of_memory,
    position_limit,
    run_chunks_that_fit,
)
from epicene.models.hf.scoring import logprobs
from epicene.models.hf.scoring.logprobs import ModelRunner
from epicene.models.hf.scoring.prefix_routes import CachedPrefixRoute, PackedTreeRoute, mask_layout
from epicene.models.hf.scoring.routes import LengthSplitRoute, PaddedRoute, PassLimits, ScoringRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from epicene.models.hf.loading import LoadedModel
    from epicene.models.hf.scoring.routes import (
        ContinuationRow,
        ForwardPass,
        ForwardRow,
        PassResult,
        Route,
        RowScores,
    )

_MAX_NOISE = 0.25  # no number format makes so much noise
# How long the trunk of the probe is, at least; its branches go on from there.
_TRUNK = 48
_BRANCH = 8
# Shorter than a prefix that is run apart, so that the other rows share the whole trunk.
_EARLY_BRANCH = 24


def best_route(runner: ModelRunner, limits: PassLimits) -> tuple[Route, str]:
    """The first route that passes the self-test, and what was measured."""
    padded = PaddedRoute(runner, limits)
    rows = _probe_rows(runner)
    if rows is None:
        return padded, "the model reads too few tokens for a trial"
    try:
        alone = [value for row in rows for value in _route_scores(runner, padded, [row])]
        noise = _max_difference(alone, _route_scores(runner, padded, rows))
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        return padded, "there is no memory for a trial"
    measured = [f"padding is off by {noise:.0e}"]
    for variants in _candidate_routes(runner, limits):
        route = variants[-1]
        try:
            off = max(
                _max_difference(alone, _route_scores(runner, variant, rows)) for variant in variants
            )
        except Exception as error:  # families raise whatever they stumble over
            measured.append(f"{route.name} fail with {type(error).__name__}")
            continue
        measured.append(f"{route.name} by {off:.0e}")
        if off <= max(TOLERANCE, min(NOISE_FACTOR * noise, _MAX_NOISE)):
            break
    else:
        # A model whose scores depend on padding is run in batches without any.
        route = padded if noise <= _MAX_NOISE else PaddedRoute(runner, limits, of_one_length=True)
    return route, f"in a trial {', '.join(measured)} nat at most"


def _candidate_routes(runner: ModelRunner, limits: PassLimits) -> Iterator[list[Route]]:
    """The routes, best first; each with the variants to test, of which the last is used."""
    known = mask_layout(runner.model.config)
    if known is not None:
        yield [
            PackedTreeRoute(runner, limits, known, min_nodes=0),
            PackedTreeRoute(runner, limits, known),
        ]
    yield [CachedPrefixRoute(runner, limits)]


def _probe_rows(runner: ModelRunner) -> list[ScoringRow] | None:
    """Rows that branch early and late, longer than any local window of the model."""
    config = runner.model.config.get_text_config()
    reads = [position_limit(runner.model), batch_independent_length(config)]
    max_length = min((limit for limit in reads if limit is not None), default=1 << 30)
    trunk = min(max(_TRUNK, _largest_local_window(config) + 1), max_length - _BRANCH)
    if trunk < _BRANCH:
        return None
    draw = np.random.default_rng(0)
    vocabulary = min(runner.vocabulary, runner.model.get_input_embeddings().weight.shape[0])

    def tokens(count: int) -> tuple[int, ...]:
        return tuple(draw.integers(0, vocabulary, count).tolist())

    stem = tokens(trunk)
    return [
        ScoringRow(stem + tokens(_BRANCH), trunk - 2),
        ScoringRow(stem + tokens(_BRANCH // 2), trunk - 2),
        ScoringRow(stem[: min(trunk // 2, _EARLY_BRANCH)] + tokens(_BRANCH), 1),
        ScoringRow(tokens(_BRANCH), 1),
        ScoringRow(tokens(_BRANCH - 2), 1),
    ]


def _largest_local_window(config: Any) -> int:
    """How far back local layers look, by whatever name; 0 where none do."""
    names = ("sliding_window", "window_size", "attention_window", "attention_chunk_size")
    sizes = [getattr(config, name, None) for name in names]
    return max((size for size in sizes if isinstance(size, int)), default=0)


def _route_scores(runner: ModelRunner, route: Route, rows: list[ScoringRow]) -> list[float]:
    found: dict[ScoringRow, list[float]] = {}
    for some in route.passes(rows):
        ran = some.run(some.units)
        results = logprobs.score_tokens(runner, ran)()
        found |= {row: result.logprobs for row, result in zip(ran.rows, results, strict=True)}
    return [value for row in rows for value in found[row]]


def _max_difference(some: list[float], others: list[float]) -> float:
    """The largest difference; what is not a number is infinitely far."""
    distance = np.abs(np.array(some) - np.array(others)).max()
    return float(distance) if np.isfinite(distance) else float("inf")


if TYPE_CHECKING:
    A = TypeVar("A", bound=ForwardRow)
R = TypeVar("R")


class CausalForward:
    """Runs rows through the model in passes that fit in memory."""

    def __init__(self, loaded: LoadedModel, notes: dict[str, Any]) -> None:
        asked = loaded.options.batch_size
        self._rows = None if asked == "auto" else asked
        self._runner = ModelRunner(loaded, notes)
        self.vocabulary = self._runner.vocabulary
        # Whether work is queued on the device while the next batch is planned.
        self.can_prefetch = loaded.device.type == "cuda"
        self._notes = notes
        notes.update(rows=0, tokens=0, distinct_tokens=0)

    def score(
        self, rows: Iterable[ScoringRow]
    ) -> Iterator[dict[ScoringRow, RowScores | TooLargeError]]:
        """The log-probabilities of the scored tokens, part by part; equal rows run once.

        If the device works asynchronously, all parts are queued before this returns.
        """
        launched = self._launch(set(rows), partial(logprobs.score_tokens, self._runner))
        return _collect_results(list(launched) if self.can_prefetch else launched)

    def continuations(
        self, stems: Iterable[ContinuationRow], allowed: Callable[[ContinuationRow], Any]
    ) -> dict[ContinuationRow, list[tuple[int, float]] | TooLargeError]:
        """For each stem its best allowed next tokens with their log-probabilities, best first.

        `allowed` gives a boolean tensor over the vocabulary.
        """
        found: dict[ContinuationRow, list[tuple[int, float]] | TooLargeError] = {}
        finish = partial(logprobs.top_continuations, allowed, self._runner)
        for done in _collect_results(self._launch(set(stems), finish)):
            found.update(done)
        return found

    @cached_property
    def route(self) -> Route:
        """The route by which this model's rows are run."""
        route, why = best_route(self._runner, self._limits)
        max_length = batch_independent_length(self._runner.model.config)
        if max_length is not None:
            route = LengthSplitRoute(route, self._runner, self._limits, max_length)
        self._notes["path"] = route.name
        self._notes["path_because"] = why
        return route

    @cached_property
    def _limits(self) -> PassLimits:
        return PassLimits(self._runner, self._rows)

    def _launch(
        self, rows: Iterable[A], finish: Callable[[PassResult[A]], Callable[[], list[R]]]
    ) -> Iterator[tuple[Sequence[A], Callable[[], list[R]] | TooLargeError]]:
        ordered = list(rows)
        if not ordered:
            return
        for some in self.route.passes(ordered):
            for chunk, done in self._fitting(some, finish):
                if not isinstance(done, TooLargeError) or some.plain:
                    yield chunk, done
                    continue
                # A pack that does not fit, with its mask: its rows may, one by one.
                for single in PaddedRoute(self._runner, self._limits).passes(chunk):
                    yield from self._fitting(single, finish)

    def _fitting(
        self, some: ForwardPass[A, Any], finish: Callable[[PassResult[A]], Callable[[], list[R]]]
    ) -> Iterator[tuple[Sequence[A], Callable[[], list[R]] | TooLargeError]]:
        def run(units: Sequence[Any]) -> tuple[Sequence[A], Callable[[], list[R]]]:
            ran = some.run(units)
            later = finish(ran)
            self._notes["rows"] += len(ran.rows)
            self._notes["tokens"] += sum(len(row.read) for row in ran.rows)
            self._notes["distinct_tokens"] += ran.tokens
            return ran.rows, later

        for units, done in run_chunks_that_fit(run, some.units, self._notes, some.size):
            if isinstance(done, TooLargeError):
                yield [row for unit in units for row in some.rows(unit)], done
            else:
                yield done


def _collect_results(
    launched: Iterable[tuple[Sequence[A], Callable[[], list[R]] | TooLargeError]],
) -> Iterator[dict[A, R | TooLargeError]]:
    for rows, later in launched:
        if isinstance(later, TooLargeError):
            yield dict.fromkeys(rows, later)
        else:
            yield dict(zip(rows, later(), strict=True))
