"""Whether a model can write with rows that come and go: tried out before it does.

How a model finds its positions and masks is its own affair, and one that finds them wrongly gives
no error but other texts. So a few rows of known tokens are read as `continuous` would read them
(padded, expanded, joined, dropped), and what the model then predicts is held against a plain pass
over each row whole.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from epicene.models.hf import caches
from epicene.models.hf.caches import Piece
from epicene.models.hf.decoding import padded
from epicene.models.hf.positions import steady_length
from epicene.models.hf.routes import right_padded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.models.hf.loading import Loaded
    from epicene.models.hf.stepping import Rows, Stepper

# Layers that attend to all before them or to a window, by what the library calls them.
_KNOWN_LAYERS = {"full_attention", "sliding_attention"}
# A window up to here is tried out, in a cache that is wider than it; past that the cache would be
# too large to be tried with.
_WIDEST = 4096
# How far predictions may lie apart, in nats, in the mean over the vocabulary: always; so many
# times as far as a row alone and in a padded batch, which in a small number format is far from
# nothing; never.
_SLACK, _NOISE, _WRONG = 1e-4, 4, 0.5
_SPREAD = 7919  # a prime, so that the tokens tried lie all over the vocabulary


# What of a padded batch a model bears: anything, prompts of one length, nothing.
Company: TypeAlias = Literal["padded", "of prompts of one length", "one by one"]


class Proof(NamedTuple):
    """What was found: why not, if not, and up to how many tokens a row."""

    obstacle: str = ""
    longest: int | None = None


class _Seen(NamedTuple):
    """What is predicted after token `place` of row `row`."""

    row: int
    place: int
    logits: Any


def prove(loaded: Loaded, stepper: Stepper) -> Proof:
    """Try it out."""
    import torch

    config = loaded.model.config.get_text_config(decoder=True)
    odd = set(getattr(config, "layer_types", None) or ()) - _KNOWN_LAYERS
    if odd:
        return Proof(f"it has layers of {', '.join(sorted(odd))}")
    try:
        with torch.inference_mode():
            return _try(loaded, stepper, config)
    except Exception as error:
        # Whatever a family trips over is a reason to leave it on the plain path.
        return Proof(f"{type(error).__name__}: {error}".splitlines()[0])


def _try(loaded: Loaded, stepper: Stepper, config: Any) -> Proof:
    rows = _rows(loaded.model.get_input_embeddings().weight.shape[0])
    cache, logits = stepper.read([rows[0][:6], rows[1][:2]])
    if reason := caches.obstacle(cache):
        return Proof(reason)
    windows = caches.windows(cache)
    # A row that is no longer than a window does not meet it.
    limits = [window for window in windows if window > _WIDEST]
    # Where rotary positions change for every token, a cache is void.
    limits += [length for length in [steady_length(config)] if length is not None]
    beside = max((window for window in windows if window <= _WIDEST), default=0)
    truth = _plain(loaded, rows)
    seen = [_Seen(0, 5, logits[0]), _Seen(1, 1, logits[1])]
    seen += _continued(stepper, rows, cache, beside)
    apart = _furthest((each.logits, truth[each.row, each.place]) for each in seen)
    if apart > _SLACK and apart > min(_NOISE * _noise(loaded, rows, truth), _WRONG):
        return Proof(f"its predictions came out {apart:.2g} nats apart")
    return Proof(longest=min(limits, default=None))


def _rows(vocabulary: int) -> list[tuple[int, ...]]:
    """Three rows of different length, and a fourth that opens as the third does."""
    tokens = [(number * _SPREAD) % vocabulary for number in range(1, 23)]
    opening = tokens[13:17]
    return [
        tuple(tokens[:9]),
        tuple(tokens[9:13]),
        (*opening, tokens[17]),
        (*opening, *tokens[18:]),
    ]


def _plain(loaded: Loaded, rows: Sequence[Sequence[int]]) -> Any:
    """The logits of all rows whole, as scoring reads them: padded on the right, no cache."""
    import torch

    ids, mask = (torch.from_numpy(each).to(loaded.device) for each in right_padded(rows))
    return loaded.model(input_ids=ids, attention_mask=mask, use_cache=False).logits


def _continued(
    stepper: Stepper, rows: Sequence[Sequence[int]], cache: Any, window: int
) -> Iterator[_Seen]:
    """What is predicted after two rows were begun, two joined them and two were dropped.

    A window is met by a row in a cache wider than that, which has no token but the row's.
    """

    def step(writing: Rows, *places: tuple[int, int]) -> Iterator[_Seen]:
        import torch

        tokens = torch.tensor([rows[row][place] for row, place in places])
        logits = stepper.step(writing, tokens.to(writing.padding.device))
        return (_Seen(*where, line) for where, line in zip(places, logits, strict=True))

    writing = stepper.rows([Piece(cache, [0, 1])], [6, 2], room=1)
    yield from step(writing, (0, 6), (1, 2))
    joining, logits = stepper.read([rows[2][:4]])
    yield from (_Seen(row, 3, logits[0]) for row in (2, 3))
    pieces = [Piece(writing.cache, [1, 0]), Piece(joining, [0, 0])]
    writing = stepper.rows(pieces, [3, 7, 4, 4], room=1)
    yield from step(writing, (1, 3), (0, 7), (2, 4), (3, 4))
    writing = stepper.rows([Piece(writing.cache, [3, 1])], [5, 8], room=1)
    yield from step(writing, (3, 5), (0, 8))
    if window:
        writing = stepper.rows([Piece(writing.cache, [0])], [6], room=1, width=window + 2)
        yield from step(writing, (3, 6))
        writing = stepper.rows([Piece(writing.cache, [0])], [7], room=1)
        yield from step(writing, (3, 7))


def prove_batches(loaded: Loaded) -> Company:
    """Beside which others a text comes out of the library's `generate` as it does alone."""
    import torch

    rows = _rows(loaded.model.get_input_embeddings().weight.shape[0])
    short, long = rows[1], rows[0]
    alone = _generated(loaded, [short[:2]], short[2:])
    slack = _SLACK if loaded.model.dtype == torch.float32 else _WRONG / 10

    def same(other: Sequence[int]) -> bool:
        try:
            beside = _generated(loaded, [short[:2], other], short[2:])
        except Exception:  # whatever a family stumbles over
            return False
        return _furthest(zip(beside, alone, strict=True)) <= slack

    if not same(long[:2]):
        return "one by one"
    return "padded" if same(long) else "of prompts of one length"


def _generated(
    loaded: Loaded, prompts: Sequence[Sequence[int]], tokens: Sequence[int]
) -> list[Any]:
    """What is predicted for the first prompt and after each of the tokens it is continued by."""
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
            **padded(loaded, prompts),
            generation_config=GenerationConfig(
                max_new_tokens=len(tokens) + 1, do_sample=False, use_cache=True
            ),
            logits_processor=[choose],
        )
    return seen


def _noise(loaded: Loaded, rows: Sequence[Sequence[int]], together: Any) -> float:
    """How far predictions for rows alone lie from those for the rows together."""
    alone = [_plain(loaded, [row])[0] for row in rows]
    return _furthest(
        pair
        for own, line in zip(alone, together, strict=True)
        for pair in zip(own, line, strict=False)
    )


def _furthest(pairs: Iterable[tuple[Any, Any]]) -> float:
    """The largest distance between two predictions; what is no number is infinitely far."""
    found = [_distance(some, other) for some, other in pairs]
    return max(found) if all(map(math.isfinite, found)) else math.inf


def _distance(some: Any, other: Any) -> float:
    """Nats between two predictions, in the mean over the tokens that the second allows."""
    other = other.float().log_softmax(-1)
    allowed = other.isfinite()
    return float((some.float().log_softmax(-1) - other)[allowed].abs().mean())
