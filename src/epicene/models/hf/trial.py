"""Which route a model bears, tried on itself before anything of it is trusted.

A route is right if it gives what each row gives alone. How far two right ways may differ is
measured too: a row alone against the same row in a padded batch, which in a small number format
is far from nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from epicene.models.hf import finishing
from epicene.models.hf.memory import out_of_memory
from epicene.models.hf.packed import Packed
from epicene.models.hf.packing import layout
from epicene.models.hf.positions import position_limit, steady_length
from epicene.models.hf.prefixed import Prefixed
from epicene.models.hf.routes import Limits, Padded
from epicene.models.hf.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.models.hf.network import Network
    from epicene.models.hf.routes import Route

# In nats, a token: what is always forgiven, and how many times the measured noise.
_SLACK = 1e-4
_NOISE = 4
_WRONG = 0.25  # no number format makes so much noise
# How long the trunk of the probe is, at least; its branches go on from there.
_TRUNK = 48
_BRANCH = 8
_EARLY = 24  # shorter than a beginning that is run apart, so that the trunk of the others is one


def best_route(network: Network, limits: Limits) -> tuple[Route, str]:
    """The first of the routes that gives what the plain path gives, and what was measured."""
    padded = Padded(network, limits)
    rows = _probe(network)
    if rows is None:
        return padded, "the model reads too few tokens for a trial"
    try:
        alone = [value for row in rows for value in _scores(network, padded, [row])]
        noise = _distance(alone, _scores(network, padded, rows))
    except (RuntimeError, MemoryError) as error:
        if not out_of_memory(error):
            raise
        return padded, "there is no memory for a trial"
    measured = [f"padding is off by {noise:.0e}"]
    for trials in _routes(network, limits):
        route = trials[-1]
        try:
            off = max(_distance(alone, _scores(network, trial, rows)) for trial in trials)
        except Exception as error:  # families raise whatever they stumble over
            measured.append(f"{route.name} fail with {type(error).__name__}")
            continue
        measured.append(f"{route.name} by {off:.0e}")
        if off <= max(_SLACK, min(_NOISE * noise, _WRONG)):
            break
    else:
        # A model that looks at its padding is run in batches that have none.
        route = padded if noise <= _WRONG else Padded(network, limits, of_one_length=True)
    return route, f"in a trial {', '.join(measured)} nat at most"


def _routes(network: Network, limits: Limits) -> Iterator[list[Route]]:
    """The routes, best first; of each what must be right, and last what will be used."""
    known = layout(network.model.config)
    if known is not None:
        yield [Packed(network, limits, known, worth=0), Packed(network, limits, known)]
    yield [Prefixed(network, limits)]


def _probe(network: Network) -> list[Row] | None:
    """Rows that branch early and late, longer than any local window of the model."""
    config = network.model.config.get_text_config()
    reads = [position_limit(network.model), steady_length(config)]
    longest = min((limit for limit in reads if limit is not None), default=1 << 30)
    trunk = min(max(_TRUNK, _local_window(config) + 1), longest - _BRANCH)
    if trunk < _BRANCH:
        return None
    draw = np.random.default_rng(0)
    vocabulary = min(network.vocabulary, network.model.get_input_embeddings().weight.shape[0])

    def tokens(count: int) -> tuple[int, ...]:
        return tuple(draw.integers(0, vocabulary, count).tolist())

    stem = tokens(trunk)
    return [
        Row(stem + tokens(_BRANCH), trunk - 2),
        Row(stem + tokens(_BRANCH // 2), trunk - 2),
        Row(stem[: min(trunk // 2, _EARLY)] + tokens(_BRANCH), 1),
        Row(tokens(_BRANCH), 1),
        Row(tokens(_BRANCH - 2), 1),
    ]


def _local_window(config: Any) -> int:
    """How far back local layers look, by whatever name; 0 where none do."""
    names = ("sliding_window", "window_size", "attention_window", "attention_chunk_size")
    sizes = [getattr(config, name, None) for name in names]
    return max((size for size in sizes if isinstance(size, int)), default=0)


def _scores(network: Network, route: Route, rows: list[Row]) -> list[float]:
    found: dict[Row, list[float]] = {}
    for some in route.passes(rows):
        ran = some.run(some.units)
        results = finishing.scored(network, ran)()
        found |= {row: result.logprobs for row, result in zip(ran.rows, results, strict=True)}
    return [value for row in rows for value in found[row]]


def _distance(some: list[float], others: list[float]) -> float:
    """The largest difference; what is not a number is infinitely far."""
    distance = np.abs(np.array(some) - np.array(others)).max()
    return float(distance) if np.isfinite(distance) else float("inf")
