"""Train a tagger on labelled sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from epicene.core.errors import InputError, RunError
from epicene.core.records import Positive, Record
from epicene.languages.normalisers import normalise
from epicene.models.tagger.encoding import build_inventory, build_vocabulary
from epicene.models.tagger.network import NetworkShape
from epicene.models.tagger.related import known_frequencies, related_scripts
from epicene.models.tagger.storage import TaggerConfig, TrainedTagger
from epicene.rewriting.tagging_data import TaggedSentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.models.tagger.network import Weights
    from epicene.rewriting.tagging_data import TaggingData


class TrainingConfig(Record, frozen=True, kw_only=True):
    """How a network is trained."""

    epochs: Positive = 16
    batch: Positive = 1024  # words
    # The highest, reached after the first steps; from there it falls to 0 along a cosine.
    rate: float = 1.5e-3
    first_steps: Positive = 200
    dropout: float = 0.5
    # The share of words that are shown by their letters alone, as an unknown word would be.
    hidden_words: float = 0.5
    decay: float = 0.01
    # The weights are a running mean, of which the past has this share every fourth step.
    averaging: float = 0.995
    # Before, the network learns to guess words that are left out of the same sentences.
    pretraining_epochs: int = 20
    left_out: float = 0.35
    # Whether a list of word frequencies is used, if there is one for the language.
    frequencies: bool = True


# For a machine without a GPU.
SMALL_RECIPE = TrainingConfig(epochs=8, rate=2e-3, dropout=0.4, averaging=0.0, pretraining_epochs=0)
SMALL_SHAPE = NetworkShape(word=256, context=128)

# With these the F0.5 of rewriting is high on groups of the corpus left out of training.
_SURE, _BESIDE = 0.8, 0.3


def train(
    data: TaggingData,
    *,
    seed: int = 0,
    members: int = 1,
    recipe: TrainingConfig | None = None,
    shape: NetworkShape | None = None,
    report_progress: Callable[[str], None] = lambda _sentence: None,
) -> TrainedTagger:
    """Train a tagger of one or more networks, whose probabilities are averaged.

    The same seed on the same machine gives the same tagger. `report_progress` is
    called after each epoch.
    """
    data = _normalise_sentences(data)
    recipe = recipe or TrainingConfig()
    inventory = build_inventory(data)
    vocabulary = build_vocabulary(sentence.words for sentence in data.sentences)
    frequencies = known_frequencies(data.language, vocabulary) if recipe.frequencies else {}
    plan = TaggerConfig(
        language=data.language,
        normalisers=data.normalisers,
        inventory=inventory,
        vocabulary=vocabulary,
        shape=shape or NetworkShape(),
        sure=_SURE,
        beside=_BESIDE,
        spelling=data.spelling,
        related=related_scripts(inventory, frequencies) if frequencies else (),
    )
    untrained = TrainedTagger(plan, (), frequencies)
    weights = _train_networks(data, untrained, recipe, range(seed, seed + members), report_progress)
    return untrained._replace(members=tuple(weights))


def _normalise_sentences(data: TaggingData) -> TaggingData:
    """The data with every word normalised, without empty sentences."""
    names = data.normalisers

    def read(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(normalise(word, names) for word in words)

    sentences = tuple(
        TaggedSentence(read(sentence.words), sentence.labels, read(sentence.counterparts))
        for sentence in data.sentences
        if sentence.words
    )
    known = {data.plain, *data.shown}
    for sentence in sentences:
        if not set(sentence.labels) <= known:
            raise InputError(
                f"A word of {' '.join(sentence.words)!r} has an unknown label; use one of "
                f"{', '.join(sorted(known))}."
            )
    if all(label == data.plain for sentence in sentences for label in sentence.labels):
        raise InputError("No sentence shows anyone's gender, so there is nothing to learn.")
    return msgspec.structs.replace(data, sentences=sentences)


def _train_networks(
    data: TaggingData,
    untrained: TrainedTagger,
    recipe: TrainingConfig,
    seeds: range,
    report_progress: Callable[[str], None],
) -> Iterator[Weights]:
    """The weights of a network for each seed."""
    try:
        import torch

        from epicene.models.tagger.torch_training import (
            TorchNetwork,
            encode_sentences,
            pretrain_network,
            train_network,
        )
    except ModuleNotFoundError as error:
        raise InputError(
            f"Training needs the package {error.name}, which is not installed; run `pip install "
            "'epicene[hf]'`."
        ) from error
    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoded = encode_sentences(data.sentences, untrained, device)
    for number, seed in enumerate(seeds, start=1):
        which = f"Network {number} of {len(seeds)}, " if len(seeds) > 1 else ""

        def progress(what: str, epoch: int, epochs: int, loss: float, which: str = which) -> None:
            report_progress(f"{which}{what} {epoch} of {epochs}: loss {loss:.4f}".capitalize())

        # The generator of the whole process is put back as it was.
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            network = TorchNetwork(untrained.plan, recipe).to(device)
            pretrain_network(encoded, network, recipe, seed, progress)
            weights = train_network(encoded, network, recipe, seed, progress)
        if not all(np.isfinite(values).all() for values in weights.values()):
            raise RunError(
                f"Training ended in weights that are not finite (seed {seed}); try another --seed."
            )
        yield weights
