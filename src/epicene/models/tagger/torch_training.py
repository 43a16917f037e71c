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

from epicene.models.tagger.encoding import MAX_LETTERS, UNKNOWN, WordEncoder, outcome_numbers
from epicene.models.tagger.related import RelatedForms, feature_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.models.tagger.network import FloatArray
    from epicene.models.tagger.storage import TaggerConfig, TrainedTagger
    from epicene.models.tagger.training import TrainingConfig
    from epicene.rewriting.tagging_data import TaggedSentence

    # Hears what an epoch is of, its number, how many there are, and its mean loss.
    Progress = Callable[[str, int, int, float], None]

_PRETRAINING_HIDDEN_WORDS = 0.3
_PRETRAINING_DROPOUT = 0.1
_RELATED_DROPOUT = 0.2
_AVERAGED_EVERY = 4  # steps


class EncodedSentences(NamedTuple):
    """Sentences as numbers: the type of each word, and the features of each type.

    The last type is that of a word which is left out.
    """

    word_types: Any  # of the words of all sentences, one after the other
    outcomes: Any
    words: Any  # by type
    letters: Any
    related: Any  # None without a list of frequencies
    starts: Any
    lengths: list[int]


def encode_sentences(
    sentences: Sequence[TaggedSentence], untrained: TrainedTagger, device: str
) -> EncodedSentences:
    """The sentences as numbers, on the training device."""
    plan = untrained.plan
    numbering = WordEncoder(plan.vocabulary)
    word_types = sorted({word for sentence in sentences for word in sentence.words})
    numbers = {word: number for number, word in enumerate(word_types)}
    numbers_of = {outcome: number for number, outcome in enumerate(plan.inventory.outcomes)}
    lengths = [len(sentence.words) for sentence in sentences]
    related = None
    if plan.related:
        features = RelatedForms(plan.related, untrained.frequencies).features(word_types)
        related = torch.from_numpy(np.pad(features, ((0, 1), (0, 0)))).to(device)
    letters = np.pad(numbering.letters(word_types), ((0, 1), (0, 0)), constant_values=UNKNOWN)
    return EncodedSentences(
        word_types=torch.tensor(
            [numbers[word] for sentence in sentences for word in sentence.words]
        ).to(device),
        outcomes=torch.tensor(
            [number for sentence in sentences for number in outcome_numbers(sentence, numbers_of)]
        ).to(device),
        words=torch.from_numpy(np.pad(numbering.words(word_types), (0, 1))).to(device),
        letters=torch.from_numpy(letters).to(device),
        related=related,
        starts=torch.from_numpy(np.cumsum(lengths) - lengths).to(device),
        lengths=lengths,
    )


class TorchNetwork(nn.Module):  # type: ignore[misc]  # PyTorch is untyped here
    """The network of `network.py`, as it learns."""

    def __init__(self, plan: TaggerConfig, recipe: TrainingConfig) -> None:
        super().__init__()
        shape = plan.shape
        words, letters = plan.vocabulary.sizes
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
        features = feature_count(len(plan.related) if plan.related else 0)
        if features:
            self.related = nn.Linear(features, shape.word)
            self.related_out = nn.Linear(shape.word, shape.word)
        self.context = nn.LSTM(
            shape.word,
            shape.context,
            shape.layers,
            batch_first=True,
            bidirectional=True,
            dropout=recipe.dropout if shape.layers > 1 else 0.0,
        )
        self.out = nn.Linear(2 * shape.context + shape.word, len(plan.inventory.outcomes))
        self._recipe = recipe

    def forward(self, encoded: EncodedSentences, word_types: Any) -> Any:
        """Logits for sentences of one length, a row of types for each."""
        recipe = self._recipe
        embedded = self._dropped(
            self._embedded(encoded, word_types, recipe.hidden_words), recipe.dropout
        )
        read, _ = self.context(embedded)
        return self.out(torch.cat([self._dropped(read, recipe.dropout), embedded], 2))

    def read(self, encoded: EncodedSentences, word_types: Any) -> Any:
        """What is known of each word from its sentence, in pre-training."""
        embedded = self._embedded(encoded, word_types, _PRETRAINING_HIDDEN_WORDS)
        return self.context(self._dropped(embedded, _PRETRAINING_DROPOUT))[0]

    def _embedded(self, encoded: EncodedSentences, word_types: Any, hidden_words: float) -> Any:
        types, indices = torch.unique(word_types, return_inverse=True)
        seen = (self.letters(encoded.letters[types]) + self.places.weight).transpose(1, 2)
        found = torch.cat([each(seen).relu().amax(2) for each in self.filters], 1)
        if encoded.related is not None:
            related = self._dropped(self.related(encoded.related[types]).relu(), _RELATED_DROPOUT)
            found = found + self.related_out(related)
        numbers = encoded.words[word_types]
        if self.training:
            hidden = torch.rand(numbers.shape, device=numbers.device) < hidden_words
            numbers = numbers.masked_fill(hidden, 0)
        return self.norm(self.words(numbers) + found[indices])

    def _dropped(self, values: Any, share: float) -> Any:
        return functional.dropout(values, share, self.training)


def pretrain_network(
    encoded: EncodedSentences,
    network: TorchNetwork,
    recipe: TrainingConfig,
    seed: int,
    progress: Progress,
) -> None:
    """Let a network guess words that are left out of the sentences."""
    if not recipe.pretraining_epochs:
        return
    words, size = network.words.weight.shape
    guess = nn.Sequential(
        nn.Linear(2 * network.context.hidden_size, size),
        nn.GELU(),
        nn.LayerNorm(size),
        nn.Linear(size, words),
    ).to(encoded.words.device)
    device = encoded.words.device.type

    def loss_of(indices: Any) -> Any:
        word_types = encoded.word_types[indices]
        left_out = torch.rand(word_types.shape, device=word_types.device) < recipe.left_out
        numbers = encoded.words[word_types]
        asked = left_out & (numbers > 0)
        shown = word_types.masked_fill(left_out, len(encoded.words) - 1)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            guessed = guess(network.read(encoded, shown)[asked])
        # A sum, as nothing may be asked.
        losses = functional.cross_entropy(guessed.float(), numbers[asked], reduction="sum")
        return losses / max(1, len(guessed))

    schedule = _Schedule(recipe.pretraining_epochs, 4 * recipe.batch, 1e-3, 2 * recipe.first_steps)
    parameters = [*network.parameters(), *guess.parameters()]
    network.train()
    for epoch, loss in _epochs(encoded, parameters, schedule, recipe.decay, seed, loss_of):
        progress("pre-training epoch", epoch, schedule.epochs, loss)


def train_network(
    encoded: EncodedSentences,
    network: TorchNetwork,
    recipe: TrainingConfig,
    seed: int,
    progress: Progress,
) -> dict[str, FloatArray]:
    """Train a network; its weights. `progress` hears of each epoch and its mean loss."""
    mean = [parameter.detach().clone() for parameter in network.parameters()]
    steps = 0

    def loss_of(indices: Any) -> Any:
        odds = network(encoded, encoded.word_types[indices])
        return functional.cross_entropy(odds.flatten(0, 1), encoded.outcomes[indices].flatten())

    def after_step() -> None:
        nonlocal steps
        steps += 1
        if recipe.averaging and steps % _AVERAGED_EVERY == 0:
            # The first weights, which know nothing yet, do not count for long.
            share = max(1 - recipe.averaging, _AVERAGED_EVERY / steps)
            with torch.no_grad():
                torch._foreach_lerp_(mean, list(network.parameters()), share)

    schedule = _Schedule(recipe.epochs, recipe.batch, recipe.rate, recipe.first_steps)
    parameters = list(network.parameters())
    network.train()
    for epoch, loss in _epochs(
        encoded, parameters, schedule, recipe.decay, seed, loss_of, after_step
    ):
        progress("epoch", epoch, schedule.epochs, loss)
    if recipe.averaging and steps >= _AVERAGED_EVERY:
        with torch.no_grad():
            torch._foreach_copy_(parameters, mean)
    return {
        name: values.detach().cpu().numpy().astype(np.float32)
        for name, values in network.state_dict().items()
    }


class _Schedule(NamedTuple):
    epochs: int
    batch: int
    rate: float
    first_steps: int


def _epochs(
    encoded: EncodedSentences,
    parameters: list[Any],
    schedule: _Schedule,
    decay: float,
    seed: int,
    loss_of: Callable[[Any], Any],
    after_step: Callable[[], None] = lambda: None,
) -> Iterator[tuple[int, float]]:
    """Learn for some epochs; the number of each and its mean loss."""
    shuffled = random.Random(seed)
    optimiser = torch.optim.AdamW(
        parameters, lr=schedule.rate, weight_decay=decay, betas=(0.9, 0.98), fused=True
    )
    steps = schedule.epochs * sum(1 for _ in _batches(encoded, schedule.batch, shuffled))
    rates = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: _rate_schedule(step + 1, steps, schedule.first_steps)
    )
    for epoch in range(1, schedule.epochs + 1):
        losses = []
        for indices in _batches(encoded, schedule.batch, shuffled):
            loss = loss_of(indices)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimiser.step()
            rates.step()
            after_step()
            losses.append(loss.detach())
        yield epoch, float(torch.stack(losses).mean())


def _rate_schedule(step: int, steps: int, first: int) -> float:
    return min(1.0, step / first) * 0.5 * (1 + math.cos(math.pi * min(1.0, step / steps)))


def _batches(encoded: EncodedSentences, words: int, shuffled: random.Random) -> Iterator[Any]:
    """The indices of the words of each batch, a row per sentence.

    All sentences of a batch have one length, so that nothing need be filled up.
    """
    by_length: dict[int, list[int]] = defaultdict(list)
    for number, length in enumerate(encoded.lengths):
        by_length[length].append(number)
    batches = []
    for length, numbers in by_length.items():
        shuffled.shuffle(numbers)
        size = max(1, words // length)
        batches += [
            (length, numbers[start : start + size]) for start in range(0, len(numbers), size)
        ]
    shuffled.shuffle(batches)
    device = encoded.starts.device
    for length, numbers in batches:
        first = encoded.starts[torch.tensor(numbers, device=device)]
        yield first[:, None] + torch.arange(length, device=device)
