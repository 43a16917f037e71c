"""From lessons to a trained tagger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.errors import InputError
from epicene.languages.normalise import normalise
from epicene.lessons import Lesson
from epicene.models.tagger.folder import Plan, Trained
from epicene.models.tagger.inventory import take_inventory
from epicene.models.tagger.network import Shape
from epicene.models.tagger.vocabulary import take_vocabulary
from epicene.records import Positive, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.lessons import Lessons
    from epicene.models.tagger.network import Weights


class Recipe(Record, frozen=True, kw_only=True):
    """How a network is trained."""

    epochs: Positive = 8
    batch: Positive = 1024  # words
    # The highest, reached after the first steps; from there it falls to 0 along a cosine.
    rate: float = 2e-3
    first_steps: Positive = 200
    dropout: float = 0.4
    # The share of words that are shown by their letters alone, as an unknown word would be.
    hidden_words: float = 0.5
    decay: float = 0.01


def train(
    lessons: Lessons,
    *,
    seed: int = 0,
    members: int = 1,
    recipe: Recipe | None = None,
    shape: Shape | None = None,
    tell: Callable[[str], None] = lambda _sentence: None,
) -> Trained:
    """Train a tagger of one or more networks, whose probabilities are averaged.

    The same seed on the same machine gives the same tagger. `tell` hears of each epoch.
    """
    lessons = _as_read(lessons)
    plan = Plan(
        language=lessons.language,
        normalisers=lessons.normalisers,
        inventory=take_inventory(lessons),
        vocabulary=take_vocabulary(lesson.words for lesson in lessons.sentences),
        shape=shape or Shape(),
    )
    weights = _learn(lessons, plan, recipe or Recipe(), range(seed, seed + members), tell)
    return Trained(plan, tuple(weights))


def _as_read(lessons: Lessons) -> Lessons:
    """The lessons with every word as the tagger will see it; sentences without words left out."""
    names = lessons.normalisers

    def read(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(normalise(word, names) for word in words)

    sentences = tuple(
        Lesson(read(lesson.words), lesson.labels, read(lesson.counterparts))
        for lesson in lessons.sentences
        if lesson.words
    )
    known = {lessons.plain, *lessons.shown}
    for lesson in sentences:
        if not set(lesson.labels) <= known:
            raise InputError(
                f"A word of {' '.join(lesson.words)!r} has a label that is none of "
                f"{', '.join(sorted(known))}."
            )
    if all(label == lessons.plain for lesson in sentences for label in lesson.labels):
        raise InputError("No sentence shows anybody's gender, so there is nothing to learn.")
    return msgspec.structs.replace(lessons, sentences=sentences)


def _learn(
    lessons: Lessons, plan: Plan, recipe: Recipe, seeds: range, tell: Callable[[str], None]
) -> Iterator[Weights]:
    """The weights of a network for each seed."""
    try:
        import torch

        from epicene.models.tagger.learning import Network, learn, read_lessons
    except ModuleNotFoundError as error:
        raise InputError(
            f"Training needs the package {error.name}, which is not here; "
            "pip install 'epicene[hf]'."
        ) from error
    device = "cuda" if torch.cuda.is_available() else "cpu"
    reading = read_lessons(lessons.sentences, plan.vocabulary, plan.inventory, device)
    for number, seed in enumerate(seeds, start=1):
        which = f"Network {number} of {len(seeds)}, " if len(seeds) > 1 else ""

        def progress(epoch: int, loss: float, which: str = which) -> None:
            tell(f"{which}epoch {epoch} of {recipe.epochs}: loss {loss:.4f}".capitalize())

        # The generator of the whole process is put back as it was.
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            network = Network(plan.shape, plan.vocabulary, len(plan.inventory.outcomes), recipe)
            weights = learn(reading, network.to(device), recipe, seed, progress)
        yield weights
