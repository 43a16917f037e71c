"""Key-value caches whose rows can join and leave, and the self-test of whether a model allows it.

Rows are right-aligned: the newest token of every row is in the last column, and shorter rows are
padded on the left. Windows and relative positions count columns back from the newest, so a row can
move to a cache of another width, or be joined with others, and still attend to what it attended to
alone.

How a model computes positions and masks depends on its code, and a model that computes them wrongly
raises no error but writes different texts. Before a model generates, a few rows of known tokens are
therefore read as `continuous_batching` reads them (padded, expanded, joined, dropped), and its
predictions are compared with a plain pass over each whole row.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from epicene.models.hf.batching import (
    NOISE_FACTOR,
    TOLERANCE,
    batch_independent_length,
    output_tolerance,
    retry_on_oom,
)
from epicene.models.hf.generation.decoding import pad_prompts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.models.hf.generation.stepper import Stepper
    from epicene.models.hf.loading import LoadedModel


class CacheRows(NamedTuple):
    """Rows of a cache, in the order wanted; one may be named several times.

    A cache that is `spent` is freed layer by layer as it is copied, so that at most one layer is
    held twice.
    """

    cache: Any
    rows: Sequence[int]
    spent: bool = True


def new_cache(model: Any) -> Any:
    """An empty cache as the library makes it for this model."""
    from transformers import DynamicCache

    return DynamicCache(config=model.config.get_text_config(decoder=True))


def cache_obstacle(cache: Any) -> str:
    """Why the rows of a filled cache cannot join and leave; empty if they can."""
    from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

    kinds = (DynamicLayer, DynamicSlidingWindowLayer)
    odd = {type(layer).__name__ for layer in cache.layers if type(layer) not in kinds}
    if odd:
        return f"the cache holds {', '.join(sorted(odd))}"
    if not cache.layers or not all(layer.is_initialized for layer in cache.layers):
        return "the model does not use the cache"
    return ""


def window_sizes(cache: Any) -> set[int]:
    """The lengths of the local windows among the layers."""
    return {layer.sliding_window for layer in cache.layers if layer.is_sliding}


def join_cache_rows(pieces: Sequence[CacheRows], width: int, spare: int) -> Any:
    """One cache of all the pieces' rows, `width` columns wide, with room for `spare` more."""
    from transformers import DynamicCache

    whole = DynamicCache()
    for number in range(len(pieces[0].cache.layers)):
        whole.layers.append(_joined_layer(pieces, number, width, spare))
        for piece in pieces:
            if piece.spent:
                piece.cache.layers[number] = None
    return whole


def _joined_layer(pieces: Sequence[CacheRows], number: int, width: int, spare: int) -> Any:
    """Layer `number` of the assembled cache."""
    old = [piece.cache.layers[number] for piece in pieces]
    roomy_full, roomy_sliding = _layer_classes()
    if old[0].is_sliding:
        layer = roomy_sliding(old[0].sliding_window)
        layer.cumulative_length = width
        held = min(width, old[0].sliding_window - 1)
    else:
        layer = roomy_full()
        held = width
    rows = [piece.rows for piece in pieces]
    layer.hold(
        _stack_rows([each.keys for each in old], rows, held, spare),
        _stack_rows([each.values for each in old], rows, held, spare),
        held,
        spare,
    )
    return layer


def _stack_rows(
    tensors: Sequence[Any], rows: Sequence[Sequence[int]], columns: int, spare: int
) -> Any:
    """Rows of several tensors stacked, each right-aligned at column `columns`."""
    import torch

    _, heads, _, size = tensors[0].shape
    whole = tensors[0].new_empty(sum(map(len, rows)), heads, columns + spare, size)
    first = 0
    for tensor, chosen in zip(tensors, rows, strict=True):
        taken = min(tensor.shape[-2], columns)
        block = whole[first : first + len(chosen)]
        # Never read, but a stray NaN would come through a weight of nought.
        block[:, :, : columns - taken] = 0
        at = torch.tensor(chosen, device=tensor.device)
        block[:, :, columns - taken : columns] = tensor[:, :, tensor.shape[-2] - taken :][at]
        first += len(chosen)
    return whole


@cache
def _layer_classes() -> tuple[Any, Any]:
    """Layers that append in place; the library's own copy all they hold at every token."""
    from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

    class Roomy:
        """Holds columns `first` to `end` of two tensors that are wider than that."""

        def hold(self, keys: Any, values: Any, columns: int, spare: int) -> None:
            self.dtype, self.device, self.is_initialized = keys.dtype, keys.device, True
            self._all_keys, self._all_values = keys, values
            self._first, self._end, self._spare = 0, columns, spare
            self._show()

        def _show(self) -> None:
            columns = slice(self._first, self._end)
            self.keys = self._all_keys[:, :, columns]
            self.values = self._all_values[:, :, columns]

        def _append(self, keys: Any, values: Any) -> None:
            if self._end + keys.shape[-2] > self._all_keys.shape[-2]:
                self._widen(keys.shape[-2])
            columns = slice(self._end, self._end + keys.shape[-2])
            self._all_keys[:, :, columns] = keys
            self._all_values[:, :, columns] = values
            self._end = columns.stop
            self._show()

        def _widen(self, needed: int) -> None:
            import torch

            more = (0, 0, 0, max(needed, self._spare))
            self._all_keys = torch.nn.functional.pad(self.keys, more)
            self._all_values = torch.nn.functional.pad(self.values, more)
            self._first, self._end = 0, self._end - self._first

    class RoomyFull(Roomy, DynamicLayer):  # type: ignore[misc]
        def update(self, keys: Any, values: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
            self._append(keys, values)
            return self.keys, self.values

    class RoomySliding(Roomy, DynamicSlidingWindowLayer):  # type: ignore[misc]
        def update(self, keys: Any, values: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
            self._append(keys, values)
            self.cumulative_length += keys.shape[-2]
            seen = self.keys, self.values
            self._first = max(self._first, self._end - self.sliding_window + 1)
            self._show()
            return seen

    return RoomyFull, RoomySliding


# Layers that attend to all before them or to a window, by what the library calls them.
_KNOWN_LAYERS = {"full_attention", "sliding_attention"}
# No noise explains predictions that are further apart, in nats, in the mean over the vocabulary.
_MAX_DISTANCE = 0.5
_TOKEN_STEP = 7919  # a prime, so that the probes cover the whole vocabulary


# Which padded batches a model supports: any, prompts of one length, none.
BatchSupport: TypeAlias = Literal["padded", "of prompts of one length", "one by one"]


class CacheCheck(NamedTuple):
    """The result of the self-test: why it failed, if it did, and the longest row."""

    obstacle: str = ""
    max_length: int | None = None


class _Prediction(NamedTuple):
    """What is predicted after token `position` of row `row`."""

    row: int
    position: int
    logits: Any


def check_continuous_batching(loaded: LoadedModel, stepper: Stepper) -> CacheCheck:
    """Whether a model can generate by continuous batching, by a self-test."""
    import torch

    config = loaded.model.config.get_text_config(decoder=True)
    odd = set(getattr(config, "layer_types", None) or ()) - _KNOWN_LAYERS
    if odd:
        return CacheCheck(f"it has layers of {', '.join(sorted(odd))}")
    try:
        with torch.inference_mode():
            return retry_on_oom(lambda: _run_check(loaded, stepper, config))
    except Exception as error:
        # Whatever a family trips over is a reason to leave it on the plain path.
        return CacheCheck(f"{type(error).__name__}: {error}".splitlines()[0])


def _run_check(loaded: LoadedModel, stepper: Stepper, config: Any) -> CacheCheck:
    rows = _probe_rows(loaded.model.get_input_embeddings().weight.shape[0])
    cache, logits = stepper.read([rows[0][:6], rows[1][:2]])
    if reason := cache_obstacle(cache):
        return CacheCheck(reason)
    windows = window_sizes(cache)
    # A row that is no longer than a window does not meet it.
    limits = [window for window in windows if window > stepper.max_tested_window]
    beside = max(windows - set(limits), default=0)
    # Where rotary positions change for every token, a cache is void.
    limits += [length for length in [batch_independent_length(config)] if length is not None]
    truth = stepper.plain_logits(rows)
    seen = [_Prediction(0, 5, logits[0]), _Prediction(1, 1, logits[1])]
    seen += _cached_predictions(stepper, rows, cache, beside)
    apart = _max_distance((each.logits, truth[each.row, each.position]) for each in seen)
    if apart > TOLERANCE and apart > min(
        NOISE_FACTOR * _batch_noise(stepper, rows, truth), _MAX_DISTANCE
    ):
        found = f"{apart:.2g} nats apart" if math.isfinite(apart) else "not finite"
        return CacheCheck(f"its predictions came out {found}")
    return CacheCheck(max_length=min(limits, default=None))


def _probe_rows(vocabulary: int) -> list[tuple[int, ...]]:
    """Three rows of different length, and a fourth that opens as the third does."""
    tokens = [(number * _TOKEN_STEP) % vocabulary for number in range(1, 23)]
    opening = tokens[13:17]
    return [
        tuple(tokens[:9]),
        tuple(tokens[9:13]),
        (*opening, tokens[17]),
        (*opening, *tokens[18:]),
    ]


def _cached_predictions(
    stepper: Stepper, rows: Sequence[Sequence[int]], cache: Any, window: int
) -> Iterator[_Prediction]:
    """Predictions after two rows were started, two joined them and two were dropped.

    A window is met by a row in a cache wider than that, which has no token but the row's.
    """

    def step(batch: Any, *positions: tuple[int, int]) -> Iterator[_Prediction]:
        import torch

        tokens = torch.tensor([rows[row][position] for row, position in positions])
        logits = stepper.step(batch, tokens.to(stepper.device)).clone()
        return (_Prediction(*where, line) for where, line in zip(positions, logits, strict=True))

    batch = stepper.rows([CacheRows(cache, [0, 1])], [6, 2], [1, 1])
    yield from step(batch, (0, 6), (1, 2))
    joining, logits = stepper.read([rows[2][:4]])
    yield from (_Prediction(row, 3, logits[0]) for row in (2, 3))
    pieces = [CacheRows(batch.cache, [1, 0]), CacheRows(joining, [0, 0])]
    batch = stepper.rows(pieces, [3, 7, 4, 4], [1] * 4)
    yield from step(batch, (1, 3), (0, 7), (2, 4), (3, 4))
    batch = stepper.rows([CacheRows(batch.cache, [3, 1])], [5, 8], [1, 1])
    yield from step(batch, (3, 5), (0, 8))
    if window:
        batch = stepper.rows([CacheRows(batch.cache, [0])], [6], [1], width=window + 2)
        yield from step(batch, (3, 6))
        batch = stepper.rows([CacheRows(batch.cache, [0])], [7], [1])
        yield from step(batch, (3, 7))


def check_padded_batches(loaded: LoadedModel) -> BatchSupport:
    """In which batches the library's `generate` gives a text as it does alone."""

    rows = _probe_rows(loaded.model.get_input_embeddings().weight.shape[0])
    short, long = rows[1], rows[0]
    alone = retry_on_oom(lambda: _generate_logits(loaded, [short[:2]], short[2:]))
    slack = output_tolerance(loaded.model)

    def distance(other: Sequence[int]) -> float:
        beside = _generate_logits(loaded, [short[:2], other], short[2:])
        return _max_distance(zip(beside, alone, strict=True))

    def same(other: Sequence[int]) -> bool:
        try:
            return retry_on_oom(lambda: distance(other)) <= slack
        except Exception:  # whatever a family stumbles over
            return False

    if not same(long[:2]):
        return "one by one"
    return "padded" if same(long) else "of prompts of one length"


def _generate_logits(
    loaded: LoadedModel, prompts: Sequence[Sequence[int]], tokens: Sequence[int]
) -> list[Any]:
    """The logits after the first prompt, and after each of the tokens that continue it."""
    import torch
    from transformers import GenerationConfig

    seen: list[Any] = []

    def choose(_: Any, scores: Any) -> Any:
        only = torch.full_like(scores, -math.inf)
        only[:, tokens[len(seen)] if len(seen) < len(tokens) else 0] = 0.0
        seen.append(scores[0].clone())
        return only

    with torch.inference_mode():
        loaded.model.generate(
            **pad_prompts(loaded, prompts),
            generation_config=GenerationConfig(
                max_new_tokens=len(tokens) + 1, do_sample=False, use_cache=True
            ),
            logits_processor=[choose],
        )
    return seen


def _batch_noise(stepper: Stepper, rows: Sequence[Sequence[int]], together: Any) -> float:
    """How far predictions for single rows are from those for all rows together."""
    alone = [stepper.plain_logits([row])[0] for row in rows]
    return _max_distance(
        pair
        for own, line in zip(alone, together, strict=True)
        for pair in zip(own, line, strict=False)
    )


def _max_distance(pairs: Iterable[tuple[Any, Any]]) -> float:
    """The largest distance between two predictions; what is no number is infinitely far."""
    found = [_mean_distance(some, other) for some, other in pairs]
    return max(found) if all(map(math.isfinite, found)) else math.inf


def _mean_distance(some: Any, other: Any) -> float:
    """Nats between two predictions, in the mean over the tokens that the second allows."""
    other = other.float().log_softmax(-1)
    allowed = other.isfinite()
    return float((some.float().log_softmax(-1) - other)[allowed].abs().mean())
