"""The tagger's network in NumPy, for inference without PyTorch.

A word is its embedding plus a character CNN with filters of width two to five, plus what a list of
word frequencies says of it. A two-layer bidirectional LSTM adds context; its output and the word
itself predict the outcome.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

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

    word: int = 384
    letter: int = 32
    context: int = 256  # in each direction
    layers: int = 2
    filters: tuple[int, ...] = (2, 3, 4, 5)


def expected_shapes(
    shape: NetworkShape, sizes: tuple[int, int], outcomes: int, features: int = 0
) -> dict[str, tuple[int, ...]]:
    """The shape of each array of weights, by the numbers of words, letters and outcomes, and of
    what a list of frequencies says of a word.
    """
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
    if features:
        for name, size in (("related", features), ("related_out", shape.word)):
            shapes[f"{name}.weight"] = (shape.word, size)
            shapes[f"{name}.bias"] = (shape.word,)
    for layer in range(shape.layers):
        gates, size = 4 * shape.context, shape.word if layer == 0 else 2 * shape.context
        for way in DIRECTIONS:
            shapes[f"context.weight_ih_l{layer}{way}"] = (gates, size)
            shapes[f"context.weight_hh_l{layer}{way}"] = (gates, shape.context)
            shapes[f"context.bias_ih_l{layer}{way}"] = (gates,)
            shapes[f"context.bias_hh_l{layer}{way}"] = (gates,)
    return shapes


class _Layer(NamedTuple):
    """One LSTM layer: what makes the inputs of the gates, and the recurrent weights each way."""

    inputs: FloatArray
    bias: FloatArray
    recurrent: tuple[FloatArray, ...]


class Network:
    """A trained network."""

    def __init__(self, weights: Weights, shape: NetworkShape) -> None:
        self._weights, self._shape = weights, shape
        self._layers = [_layer(weights, layer) for layer in range(shape.layers)]

    def vectors(
        self, words: NDArray[np.int64], letters: NDArray[np.int64], features: FloatArray | None
    ) -> FloatArray:
        """All that can be computed of a word without its sentence, a row for each: the word, and
        the inputs of the first layer.
        """
        weights = self._weights
        seen = weights["words.weight"][words] + _character_features(weights, self._shape, letters)
        if features is not None:
            related = _linear(features, weights["related.weight"], weights["related.bias"])
            seen += _linear(
                np.maximum(related, 0), weights["related_out.weight"], weights["related_out.bias"]
            )
        word = _layer_norm(seen, weights["norm.weight"], weights["norm.bias"])
        first = self._layers[0]
        return np.concatenate([word, _linear(word, first.inputs, first.bias)], axis=1)

    def logits(self, vectors: FloatArray) -> FloatArray:
        """For one sentence: a row for each word, a column for each outcome, before normalising."""
        word, inputs = np.split(vectors, [self._shape.word], axis=1)
        read = _lstm(self._layers[0], inputs)
        for layer in self._layers[1:]:
            read = _lstm(layer, _linear(read, layer.inputs, layer.bias))
        joined = np.concatenate([read, word], axis=1)
        return _linear(joined, self._weights["out.weight"], self._weights["out.bias"])


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


def _layer(weights: Weights, layer: int) -> _Layer:
    """The weights of both directions; those of the three sigmoid gates halved, see `_lstm`."""
    names = [f"l{layer}{way}" for way in DIRECTIONS]
    size = weights[f"context.weight_hh_{names[0]}"].shape[1]
    scale = np.full((4 * size, 1), 0.5, np.float32)
    scale[2 * size : 3 * size] = 1
    bias = [
        weights[f"context.bias_ih_{name}"] + weights[f"context.bias_hh_{name}"] for name in names
    ]
    return _Layer(
        np.concatenate([scale * weights[f"context.weight_ih_{name}"] for name in names]),
        np.concatenate([scale[:, 0] * each for each in bias]),
        tuple(
            np.ascontiguousarray((scale * weights[f"context.weight_hh_{name}"]).T) for name in names
        ),
    )


def _lstm(layer: _Layer, inputs: FloatArray) -> FloatArray:
    """The output of both directions of a layer at each word.

    The sigmoid of x is (tanh(x / 2) + 1) / 2, so that one tanh serves all four gates.
    """
    size = len(layer.recurrent[0])
    output = np.empty((len(inputs), 2 * size), np.float32)
    half = np.float32(0.5)
    order = range(len(inputs))
    for way, recurrent in enumerate(layer.recurrent):
        own = slice(4 * size * way, 4 * size * (way + 1))
        state = cell = np.zeros(size, np.float32)
        for index in reversed(order) if way else order:
            gates = np.tanh(inputs[index, own] + state @ recurrent)
            opened = gates * half + half
            write, forget, show = opened[:size], opened[size : 2 * size], opened[3 * size :]
            cell = forget * cell + write * gates[2 * size : 3 * size]
            state = show * np.tanh(cell)
            output[index, size * way : size * (way + 1)] = state
    return output
