"""Whether a model can write with rows that come and go: tried out before it does.

How a model finds its positions and masks is its own affair, and one that finds them wrongly gives
no error but other texts. So a few rows of known tokens are read as `continuous` would read them
(padded, expanded, joined, dropped), and what the model then predicts is held against a plain pass
over each row whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.models.hf import caches
from epicene.models.hf.caches import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.models.hf.loading import Loaded
    from epicene.models.hf.stepping import Stepper

# Layers that attend to all before them or to a window, by what the library calls them.
_KNOWN_LAYERS = {"full_attention", "sliding_attention"}
# A window up to here is tried out in a cache that is wider; of four rows, so it may not be any.
_WIDEST = 4096
# How far predictions may lie apart, in nats, in the mean over the vocabulary: in float32, and in
# a format that makes differences of that kind by itself.
_EXACT, _ROUGH = 1e-3, 0.1
_SPREAD = 7919  # a prime, so that the tokens tried lie all over the vocabulary


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
    import torch

    rows = _rows(loaded.model.get_input_embeddings().weight.shape[0])
    cache, logits = stepper.read([rows[0][:6], rows[1][:2]])
    if reason := caches.obstacle(cache):
        return Proof(reason)
    windows = caches.windows(cache)
    # A row that is no longer than a window does not meet it.
    limits = [window for window in windows if window > _WIDEST] + _rotary_limits(config)
    beside = max((window for window in windows if window <= _WIDEST), default=0)
    truth = _plain(loaded, rows)
    seen = [_Seen(0, 5, logits[0]), _Seen(1, 1, logits[1])]
    seen += _continued(stepper, rows, cache, beside + 2 if beside else 0)
    allowed = _EXACT if loaded.model.dtype == torch.float32 else _ROUGH
    for each in seen:
        apart = _distance(each.logits, truth[each.row, each.place])
        if not apart <= allowed:
            return Proof(f"its predictions came out {apart:.2g} nats apart")
    return Proof(longest=min(limits, default=None))


def _rotary_limits(config: Any) -> list[int]:
    """Lengths at which rotary positions change for every token, so that a cache is void."""
    laws = getattr(config, "rope_parameters", None) or {}
    each = [laws, *(law for law in laws.values() if isinstance(law, dict))]
    return [
        law["original_max_position_embeddings"]
        for law in each
        if law.get("rope_type") == "longrope"
    ]


def _rows(vocabulary: int) -> list[tuple[int, ...]]:
    """Three rows of different length, and a fourth that opens as the third does."""
    tokens = [(number * _SPREAD) % vocabulary for number in range(1, 23)]
    opening = tokens[14:18]
    return [
        tuple(tokens[:9]),
        tuple(tokens[9:14]),
        (*opening, *tokens[18:20]),
        (*opening, *tokens[20:22]),
    ]


def _plain(loaded: Loaded, rows: Sequence[Sequence[int]]) -> Any:
    """The logits of all rows whole, as scoring reads them: padded on the right, no cache."""
    import torch

    width = max(map(len, rows))
    ids = torch.tensor([[*row, *[0] * (width - len(row))] for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
    inputs = {"input_ids": ids.to(loaded.device), "attention_mask": mask.to(loaded.device)}
    return loaded.model(use_cache=False, **inputs).logits


def _continued(
    stepper: Stepper, rows: Sequence[Sequence[int]], cache: Any, width: int
) -> Iterator[_Seen]:
    """What is predicted after two rows were begun, two joined them and one was dropped."""

    def step(writing: Any, places: Sequence[tuple[int, int]]) -> Iterator[_Seen]:
        import torch

        tokens = torch.tensor([rows[row][place] for row, place in places])
        logits = stepper.step(writing, tokens.to(writing.padding.device))
        return (_Seen(*where, line) for where, line in zip(places, logits, strict=True))

    writing = stepper.rows([Piece(cache, [0, 1])], [6, 2], room=1)
    yield from step(writing, [(0, 6), (1, 2)])
    joining, logits = stepper.read([rows[2][:4]])
    yield from (_Seen(row, 3, logits[0]) for row in (2, 3))
    pieces = [Piece(writing.cache, [1, 0]), Piece(joining, [0, 0])]
    writing = stepper.rows(pieces, [3, 7, 4, 4], room=1, width=width)
    yield from step(writing, [(1, 3), (0, 7), (2, 4), (3, 4)])
    writing = stepper.rows([Piece(writing.cache, [1, 2, 3])], [8, 5, 5], room=1)
    yield from step(writing, [(0, 8), (2, 5), (3, 5)])


def _distance(logits: Any, truth: Any) -> float:
    """Nats between two predictions, in the mean over the tokens that the true one allows."""
    truth = truth.float().log_softmax(-1)
    allowed = truth.isfinite()
    return float((logits.log_softmax(-1) - truth)[allowed].abs().mean())
