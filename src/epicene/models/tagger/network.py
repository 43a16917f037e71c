"""The tagger's network in NumPy, for inference without PyTorch.

A word is its embedding plus a character CNN with filters of width two to five. A two-layer
bidirectional LSTM adds context; its output and the word itself predict the outcome.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from epicene.core.records import Record
from epicene.models.tagger.encoding import MAX_LETTERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

FloatArray: TypeAlias = "NDArray[np.float32]"
Weights: TypeAlias = "Mapping[str, FloatArray]"

DIRECTIONS = ("", "_reverse")


class NetworkShape(Record, frozen=True, kw_only=True):
    """How wide the network is."""

    word: int = 256
    letter: int = 32
    context: int = 128  # in each direction
    layers: int = 2
    filters: tuple[int, ...] = (2, 3, 4, 5)


def expected_shapes(
    shape: NetworkShape, sizes: tuple[int, int], outcomes: int
) -> dict[str, tuple[int, ...]]:
    """The shape of each array of weights, by the numbers of words, letters and outcomes."""
    words, letters = sizes
    found = shape.word // len(shape.filters)
    shapes: dict[str, tuple[int, ...]] = {
        "words.weight": (words, shape.word),
        "letters.weight": (letters, shape.letter),
        "places.weight": (MAX_LETTERS, shape.letter),
        "norm.weight": (shape.word,),
        "norm.bias": (shape.word,),
        "out.weight": (outcomes, 2 * shape.context + shape.word),
        "out.bias": (outcomes,),
    }
    for number, width in enumerate(shape.filters):
        shapes[f"filters.{number}.weight"] = (found, shape.letter, width)
        shapes[f"filters.{number}.bias"] = (found,)
    for layer in range(shape.layers):
        gates, size = 4 * shape.context, shape.word if layer == 0 else 2 * shape.context
        for way in DIRECTIONS:
            shapes[f"context.weight_ih_l{layer}{way}"] = (gates, size)
            shapes[f"context.weight_hh_l{layer}{way}"] = (gates, shape.context)
            shapes[f"context.bias_ih_l{layer}{way}"] = (gates,)
            shapes[f"context.bias_hh_l{layer}{way}"] = (gates,)
    return shapes


def logits(
    weights: Weights, shape: NetworkShape, words: NDArray[np.int64], letters: NDArray[np.int64]
) -> FloatArray:
    """For one sentence: a row for each word, a column for each outcome, before normalising."""
    seen = _layer_norm(
        weights["words.weight"][words] + _character_features(weights, shape, letters),
        weights["norm.weight"],
        weights["norm.bias"],
    )
    read = seen
    for layer in range(shape.layers):
        both = [_lstm(weights, f"l{layer}{way}", read, way != "") for way in DIRECTIONS]
        read = np.concatenate(both, axis=1)
    joined = np.concatenate([read, seen], axis=1)
    return _linear(joined, weights["out.weight"], weights["out.bias"])


def softmax(odds: FloatArray) -> FloatArray:
    """Each row as probabilities."""
    powers = np.exp(odds - odds.max(axis=1, keepdims=True))
    normalised: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return normalised


def _linear(values: FloatArray, weight: FloatArray, bias: FloatArray) -> FloatArray:
    return values @ weight.T + bias


def _layer_norm(values: FloatArray, weight: FloatArray, bias: FloatArray) -> FloatArray:
    centred = values - values.mean(axis=1, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(1e-5))
    scaled: FloatArray = centred / scale * weight + bias
    return scaled


def _character_features(
    weights: Weights, shape: NetworkShape, letters: NDArray[np.int64]
) -> FloatArray:
    """The strongest that each filter finds anywhere in each word."""
    seen = weights["letters.weight"][letters] + weights["places.weight"]
    found = []
    for number, width in enumerate(shape.filters):
        weight, bias = weights[f"filters.{number}.weight"], weights[f"filters.{number}.bias"]
        around = np.pad(seen, ((0, 0), (width // 2, width // 2), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(around, width, axis=1)
        # windows: word, position, letter's vector, position in the window; as the filters have it
        flat = windows.reshape(*windows.shape[:2], -1)
        values = flat @ weight.reshape(len(weight), -1).T + bias
        found.append(np.maximum(values, 0).max(axis=1))
    together: FloatArray = np.concatenate(found, axis=1)
    return together


def _lstm(weights: Weights, name: str, values: FloatArray, backwards: bool) -> FloatArray:
    """The output of one direction of one layer at each word."""
    inputs = _linear(
        values,
        weights[f"context.weight_ih_{name}"],
        weights[f"context.bias_ih_{name}"] + weights[f"context.bias_hh_{name}"],
    )
    recurrent = weights[f"context.weight_hh_{name}"].T
    size = len(recurrent)
    state = cell = np.zeros(size, np.float32)
    output = np.empty((len(values), size), np.float32)
    for index in reversed(range(len(values))) if backwards else range(len(values)):
        gates = inputs[index] + state @ recurrent
        write, forget, show = (
            _sigmoid(gates[part * size : (part + 1) * size]) for part in (0, 1, 3)
        )
        cell = forget * cell + write * np.tanh(gates[2 * size : 3 * size])
        state = show * np.tanh(cell)
        output[index] = state
    return output


def _sigmoid(values: FloatArray) -> FloatArray:
    # By way of tanh, which does not overflow.
    between: FloatArray = np.float32(0.5) * (np.tanh(np.float32(0.5) * values) + np.float32(1))
    return between
