"""The training loop in PyTorch (extra `hf`), the only part of the tagger that needs it."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from epicene.models.tagger.encoding import MAX_LETTERS, WordEncoder, outcome_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.models.tagger.encoding import Inventory, Vocabulary
    from epicene.models.tagger.network import FloatArray, NetworkShape
    from epicene.models.tagger.training import TrainingConfig
    from epicene.rewriting.tagging_data import TaggedSentence


class EncodedSentences(NamedTuple):
    """Sentences as numbers: the type of each word, and the features of each type."""

    word_types: Any  # of the words of all sentences, one after the other
    outcomes: Any
    words: Any  # by type
    letters: Any
    starts: Any
    lengths: list[int]


def encode_sentences(
    sentences: Sequence[TaggedSentence], vocabulary: Vocabulary, inventory: Inventory, device: str
) -> EncodedSentences:
    """The sentences as numbers, on the training device."""
    numbering = WordEncoder(vocabulary)
    word_types = sorted({word for sentence in sentences for word in sentence.words})
    numbers = {word: number for number, word in enumerate(word_types)}
    numbers_of = {outcome: number for number, outcome in enumerate(inventory.outcomes)}
    lengths = [len(sentence.words) for sentence in sentences]
    return EncodedSentences(
        word_types=torch.tensor(
            [numbers[word] for sentence in sentences for word in sentence.words]
        ).to(device),
        outcomes=torch.tensor(
            [number for sentence in sentences for number in outcome_numbers(sentence, numbers_of)]
        ).to(device),
        words=torch.from_numpy(numbering.words(word_types)).to(device),
        letters=torch.from_numpy(numbering.letters(word_types)).to(device),
        starts=torch.from_numpy(np.cumsum(lengths) - lengths).to(device),
        lengths=lengths,
    )


class TorchNetwork(nn.Module):  # type: ignore[misc]  # PyTorch is untyped here
    """The network of `network.py`, as it learns."""

    def __init__(
        self, shape: NetworkShape, vocabulary: Vocabulary, outcomes: int, recipe: TrainingConfig
    ) -> None:
        super().__init__()
        words, letters = vocabulary.sizes
        self.words = nn.Embedding(words, shape.word, padding_idx=0)
        nn.init.normal_(self.words.weight, std=0.3)
        with torch.no_grad():
            self.words.weight[0].zero_()
        self.letters = nn.Embedding(letters, shape.letter, padding_idx=0)
        self.places = nn.Embedding(MAX_LETTERS, shape.letter)
        self.filters = nn.ModuleList(
            nn.Conv1d(shape.letter, shape.word // len(shape.filters), width, padding=width // 2)
            for width in shape.filters
        )
        self.norm = nn.LayerNorm(shape.word)
        self.context = nn.LSTM(
            shape.word,
            shape.context,
            shape.layers,
            batch_first=True,
            bidirectional=True,
            dropout=recipe.dropout if shape.layers > 1 else 0.0,
        )
        self.out = nn.Linear(2 * shape.context + shape.word, outcomes)
        self._recipe = recipe

    def forward(self, words: Any, letters: Any, indices: Any) -> Any:
        """Logits for sentences of one length; `indices` says which word is at each position."""
        seen = (self.letters(letters) + self.places.weight).transpose(1, 2)
        found = torch.cat([each(seen).relu().amax(2) for each in self.filters], 1)
        numbers = words[indices]
        if self.training:
            hidden = torch.rand(numbers.shape, device=numbers.device) < self._recipe.hidden_words
            numbers = numbers.masked_fill(hidden, 0)
        embedded = self._dropped(self.norm(self.words(numbers) + found[indices]))
        read, _ = self.context(embedded)
        return self.out(torch.cat([self._dropped(read), embedded], 2))

    def _dropped(self, values: Any) -> Any:
        return functional.dropout(values, self._recipe.dropout, self.training)


def train_network(
    encoded: EncodedSentences,
    network: TorchNetwork,
    recipe: TrainingConfig,
    seed: int,
    progress: Callable[[int, float], None],
) -> dict[str, FloatArray]:
    """Train a network; its weights. `progress` hears of each epoch and its mean loss."""
    shuffled = random.Random(seed)
    optimiser = torch.optim.AdamW(
        network.parameters(),
        lr=recipe.rate,
        weight_decay=recipe.decay,
        betas=(0.9, 0.98),
        fused=True,
    )
    steps = recipe.epochs * sum(1 for _ in _batches(encoded, recipe, shuffled))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: _rate_schedule(step + 1, steps, recipe.first_steps)
    )
    network.train()
    for epoch in range(recipe.epochs):
        losses = []
        for indices in _batches(encoded, recipe, shuffled):
            types, positions = torch.unique(encoded.word_types[indices], return_inverse=True)
            odds = network(encoded.words[types], encoded.letters[types], positions)
            loss = functional.cross_entropy(
                odds.flatten(0, 1),
                encoded.outcomes[indices].flatten(),
            )
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses.append(loss.detach())
        progress(epoch + 1, float(torch.stack(losses).mean()))
    return {
        name: values.detach().cpu().numpy().astype(np.float32)
        for name, values in network.state_dict().items()
    }


def _rate_schedule(step: int, steps: int, first: int) -> float:
    return min(1.0, step / first) * 0.5 * (1 + math.cos(math.pi * min(1.0, step / steps)))


def _batches(
    encoded: EncodedSentences, recipe: TrainingConfig, shuffled: random.Random
) -> Iterator[Any]:
    """The indices of the words of each batch, a row per sentence.

    All sentences of a batch have one length, so that nothing need be filled up.
    """
    by_length: dict[int, list[int]] = defaultdict(list)
    for number, length in enumerate(encoded.lengths):
        by_length[length].append(number)
    batches = []
    for length, numbers in by_length.items():
        shuffled.shuffle(numbers)
        size = max(1, recipe.batch // length)
        batches += [
            (length, numbers[start : start + size]) for start in range(0, len(numbers), size)
        ]
    shuffled.shuffle(batches)
    device = encoded.starts.device
    for length, numbers in batches:
        first = encoded.starts[torch.tensor(numbers, device=device)]
        yield first[:, None] + torch.arange(length, device=device)
