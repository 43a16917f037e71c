"""Run rows through a causal model by the fastest route that passes a self-test.

A route is correct if it gives what each row gives alone. The tolerance is measured too: a row alone
against the same row in a padded batch, which differ noticeably in a low-precision dtype.
"""

from __future__ import annotations

import math
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from epicene.models.hf.batching import (
    NOISE_FACTOR,
    TOLERANCE,
    NoMemoryError,
    TooLargeError,
    batch_independent_length,
    position_limit,
    retry_on_oom,
    run_chunks_that_fit,
)
from epicene.models.hf.fused import can_fuse
from epicene.models.hf.non_finite import NumberFormat
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
    except NoMemoryError:
        return padded, "there is no memory for a trial"
    if not np.isfinite(alone).all():
        # Nothing can be compared, so each row is run as it would be by itself.
        unshared = PaddedRoute(runner, limits, of_one_length=True)
        return unshared, "in a trial log-probabilities were not finite"
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
        kernel = known.window is None and can_fuse(runner.device, runner.model.dtype)
        for by_kernel in (True, False) if kernel else (False,):
            yield [
                PackedTreeRoute(runner, limits, known, min_nodes=0, kernel=by_kernel),
                PackedTreeRoute(runner, limits, known, kernel=by_kernel),
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
        found |= retry_on_oom(partial(_pass_scores, runner, some))
    return [value for row in rows for value in found[row]]


def _pass_scores(
    runner: ModelRunner, some: ForwardPass[ScoringRow, Any]
) -> dict[ScoringRow, list[float]]:
    ran = some.run(some.units)
    results = logprobs.score_tokens(runner, ran)()
    return {row: result.logprobs for row, result in zip(ran.rows, results, strict=True)}


def _max_difference(some: list[float], others: list[float]) -> float:
    """The largest difference; what is not a number is infinitely far."""
    distance = np.abs(np.array(some) - np.array(others)).max()
    return float(distance) if np.isfinite(distance) else float("inf")


if TYPE_CHECKING:
    A = TypeVar("A", bound=ForwardRow)
R = TypeVar("R")

if TYPE_CHECKING:
    # Rows, what collects their results, and whether they were run without padding beside them.
    _Launched: TypeAlias = tuple[Sequence[A], Callable[[], list[R]] | TooLargeError, bool]


class CausalForward:
    """Runs rows through the model in passes that fit in memory."""

    def __init__(self, loaded: LoadedModel, notes: dict[str, Any]) -> None:
        asked = loaded.options.batch_size
        self._rows = None if asked == "auto" else asked
        self._runner = ModelRunner(loaded, notes)
        self.vocabulary = self._runner.vocabulary
        # Whether work is queued on the device while the next batch is planned.
        self.can_prefetch = loaded.device.type == "cuda"
        self.number_format = NumberFormat.of(loaded)
        self._packed: PackedTreeRoute | None = None
        self._notes = notes
        notes.update(rows=0, tokens=0, distinct_tokens=0)

    def forget_prefixes(self) -> None:
        """Drop what is kept of shared prefixes: the model's weights may have changed."""
        if self._packed is not None:
            self._packed.forget_prefixes()

    def score(
        self, rows: Iterable[ScoringRow]
    ) -> Iterator[dict[ScoringRow, RowScores | TooLargeError]]:
        """The log-probabilities of the scored tokens, part by part; equal rows run once.

        A row that is not finite is so by itself, whatever it was run beside. If the device works
        asynchronously, all parts are queued before this returns.
        """
        finish = partial(logprobs.score_tokens, self._runner)
        launched = self._launch(set(rows), finish)
        return self._collect(
            list(launched) if self.can_prefetch else launched, finish, lambda row: row.finite
        )

    def continuations(
        self, stems: Iterable[ContinuationRow], allowed: Callable[[ContinuationRow], Any]
    ) -> dict[ContinuationRow, list[tuple[int, float]] | TooLargeError]:
        """For each stem its best allowed next tokens with their log-probabilities, best first.

        Of a stem whose predictions are not finite by itself, they are NaN.
        `allowed` gives a boolean tensor over the vocabulary.
        """
        found: dict[ContinuationRow, list[tuple[int, float]] | TooLargeError] = {}
        finish = partial(logprobs.top_continuations, allowed, self._runner)
        for done in self._collect(self._launch(set(stems), finish), finish, _are_finite):
            found.update(done)
        return found

    @cached_property
    def route(self) -> Route:
        """The route by which this model's rows are run."""
        route, why = best_route(self._runner, self._limits)
        self._packed = route if isinstance(route, PackedTreeRoute) else None
        max_length = batch_independent_length(self._runner.model.config)
        if max_length is not None:
            route = LengthSplitRoute(route, self._runner, self._limits, max_length)
        self._notes["path"] = route.name
        self._notes["path_because"] = why
        return route

    @cached_property
    def _limits(self) -> PassLimits:
        return retry_on_oom(lambda: PassLimits(self._runner, self._rows))

    def _launch(
        self, rows: Iterable[A], finish: Callable[[PassResult[A]], Callable[[], list[R]]]
    ) -> Iterator[_Launched[A, R]]:
        ordered = list(rows)
        if not ordered:
            return
        for some in self.route.passes(ordered):
            for chunk, done, unpadded in self._fitting(some, finish):
                if not isinstance(done, TooLargeError) or some.plain:
                    yield chunk, done, unpadded
                    continue
                # A pack that does not fit, with its mask: its rows may, one by one.
                for single in PaddedRoute(self._runner, self._limits).passes(chunk):
                    yield from self._fitting(single, finish)

    def _alone(
        self, row: A, finish: Callable[[PassResult[A]], Callable[[], list[R]]]
    ) -> Callable[[], list[R]] | TooLargeError:
        """One row by itself."""
        (single,) = PaddedRoute(self._runner, self._limits).passes([row])
        ((_, done, _),) = self._fitting(single, finish)
        return done

    def _collect(
        self,
        launched: Iterable[_Launched[A, R]],
        finish: Callable[[PassResult[A]], Callable[[], list[R]]],
        is_finite: Callable[[R], bool],
    ) -> Iterator[dict[A, R | TooLargeError]]:
        """The results; rows that came out not finite in company are run again by themselves."""
        for rows, later, unpadded in launched:
            if isinstance(later, TooLargeError):
                yield dict.fromkeys(rows, later)
                continue
            found: dict[A, R | TooLargeError] = {}
            for row, result in zip(rows, retry_on_oom(later), strict=True):
                found[row] = result
                if not unpadded and not is_finite(result):
                    again = self._alone(row, finish)
                    found[row] = again if isinstance(again, TooLargeError) else again()[0]
            yield found

    def _fitting(
        self, some: ForwardPass[A, Any], finish: Callable[[PassResult[A]], Callable[[], list[R]]]
    ) -> Iterator[_Launched[A, R]]:
        def run(units: Sequence[Any]) -> tuple[Sequence[A], Callable[[], list[R]]]:
            ran = some.run(units)
            later = finish(ran)
            self._notes["rows"] += len(ran.rows)
            self._notes["tokens"] += ran.read
            self._notes["distinct_tokens"] += ran.tokens
            return ran.rows, later

        for units, done in run_chunks_that_fit(run, some.units, self._notes, some.size):
            if isinstance(done, TooLargeError):
                yield [row for unit in units for row in some.rows(unit)], done, False
            else:
                rows, later = done
                yield rows, later, some.plain and len({len(row.read) for row in rows}) == 1


def _are_finite(best: Sequence[tuple[int, float]]) -> bool:
    return all(math.isfinite(logprob) for _, logprob in best)
