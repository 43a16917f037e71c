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
    from collections.abc import Mapping, Sequence

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

    inputs: FloatArray  # transposed
    bias: FloatArray
    recurrent: FloatArray  # by direction


class _Letters(NamedTuple):
    """What each letter, and each place in a word, adds to all filters at a distance from it."""

    letters: FloatArray  # by distance and letter
    places: FloatArray  # by distance and place
    bias: FloatArray
    last: NDArray[np.bool_]  # the filters that also look at the place after the last


class Network:
    """A trained network."""

    def __init__(self, weights: Weights, shape: NetworkShape) -> None:
        self._weights, self._shape = weights, shape
        # BLAS multiplies a few rows by them in half the time.
        self._transposed = {
            name: np.ascontiguousarray(weights[f"{name}.weight"].T)
            for name in ("related", "related_out", "out")
            if f"{name}.weight" in weights
        }
        self._letters = _letters(weights, shape)
        self._layers = [_layer(weights, layer) for layer in range(shape.layers)]

    def vectors(
        self, words: NDArray[np.int64], letters: NDArray[np.int64], features: FloatArray | None
    ) -> FloatArray:
        """All that can be computed of a word without its sentence, a row for each: the word, and
        the inputs of the first layer.
        """
        weights = self._weights
        seen = weights["words.weight"][words] + _character_features(self._letters, letters)
        if features is not None:
            there = np.flatnonzero(features.any(axis=0))  # few of them
            related = features[:, there] @ self._transposed["related"][there]
            known = np.maximum(related + weights["related.bias"], 0)
            seen += _linear(known, self._transposed["related_out"], weights["related_out.bias"])
        word = _layer_norm(seen, weights["norm.weight"], weights["norm.bias"])
        first = self._layers[0]
        return np.concatenate([word, _linear(word, first.inputs, first.bias)], axis=1)

    def logits(self, vectors: FloatArray, lengths: Sequence[int]) -> FloatArray:
        """For sentences of so many words, the longest first: a row for each word, a column for each
        outcome, before normalising.
        """
        word, inputs = np.split(vectors, [self._shape.word], axis=1)
        read = _lstm(self._layers[0], inputs, lengths)
        for layer in self._layers[1:]:
            read = _lstm(layer, _linear(read, layer.inputs, layer.bias), lengths)
        joined = np.concatenate([read, word], axis=1)
        return _linear(joined, self._transposed["out"], self._weights["out.bias"])


def softmax(odds: FloatArray) -> FloatArray:
    """Each row as probabilities."""
    powers = np.exp(odds - odds.max(axis=1, keepdims=True))
    normalised: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return normalised


def _linear(values: FloatArray, transposed: FloatArray, bias: FloatArray) -> FloatArray:
    return values @ transposed + bias


def _layer_norm(values: FloatArray, weight: FloatArray, bias: FloatArray) -> FloatArray:
    centred = values - values.mean(axis=1, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(1e-5))
    scaled: FloatArray = centred / scale * weight + bias
    return scaled


def _letters(weights: Weights, shape: NetworkShape) -> _Letters:
    """The filters as tables, so that reading a word is a sum of their rows."""
    before = max(shape.filters) // 2
    letters, places = weights["letters.weight"], weights["places.weight"]
    # Distance, letter's vector, filter: filters that are narrower than others are 0 further off.
    every = np.zeros((2 * before + 1, shape.letter, shape.word), np.float32)
    found = shape.word // len(shape.filters)
    for number, width in enumerate(shape.filters):
        first = before - width // 2
        own = slice(found * number, found * (number + 1))
        every[first : first + width, :, own] = weights[f"filters.{number}.weight"].transpose(
            2, 1, 0
        )
    return _Letters(
        letters @ every,
        places @ every,
        np.concatenate([weights[f"filters.{number}.bias"] for number in range(len(shape.filters))]),
        np.repeat([width % 2 == 0 for width in shape.filters], found),
    )


def _character_features(tables: _Letters, letters: NDArray[np.int64]) -> FloatArray:
    """The strongest that each filter finds anywhere in each word."""
    before, places = len(tables.letters) // 2, letters.shape[1]
    values = np.tile(tables.bias, (len(letters), places + 1, 1))
    for distance, (letter, place) in enumerate(zip(tables.letters, tables.places, strict=True)):
        # A filter at a place reads the letter at this distance from it, from left to right.
        shift = before - distance
        first, last = max(0, shift), min(places + 1, places + shift)
        values[:, first:last] += (letter[letters] + place)[:, first - shift : last - shift]
    values[:, places, ~tables.last] = 0
    strongest: FloatArray = np.maximum(values.max(axis=1), 0)
    return strongest


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
        np.concatenate(
            [(scale * weights[f"context.weight_ih_{name}"]).T for name in names], axis=1
        ),
        np.concatenate([scale[:, 0] * each for each in bias]),
        np.stack([(scale * weights[f"context.weight_hh_{name}"]).T for name in names]),
    )


def _lstm(layer: _Layer, inputs: FloatArray, lengths: Sequence[int]) -> FloatArray:
    """The output of both directions of a layer at each word.

    The sigmoid of x is (tanh(x / 2) + 1) / 2, so that one tanh serves all four gates.
    """
    size = layer.recurrent.shape[1]
    half = np.float32(0.5)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    states = np.empty((len(inputs), 2 * size), np.float32)
    state = cell = np.zeros((2, len(starts), size), np.float32)
    # Step by step: the next word from the left, and the next from the right, of every sentence
    # that is not at its end; those are the first ones.
    for step in range(lengths[0]):
        left = starts[: np.count_nonzero(ends - starts > step)] + step
        right = ends[: len(left)] - 1 - step
        gates = state[:, : len(left)] @ layer.recurrent
        gates[0] += inputs[left, : 4 * size]
        gates[1] += inputs[right, 4 * size :]
        np.tanh(gates, out=gates)
        opened = gates * half
        opened += half
        write, forget, show = (opened[..., size * gate : size * (gate + 1)] for gate in (0, 1, 3))
        cell = forget * cell[:, : len(left)] + write * gates[..., 2 * size : 3 * size]
        state = show * np.tanh(cell)
        states[left, :size], states[right, size:] = state
    return states
