"""What a trained tagger makes of a text: a label for each word, and the changes for a person."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.languages.normalise import normalise
from epicene.languages.rewriting import Change
from epicene.languages.rewriting.people import PEOPLE
from epicene.languages.segment import tokens
from epicene.models.tagger.network import log_odds, probabilities
from epicene.models.tagger.vocabulary import Numbering

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.people import Person, Wanted
    from epicene.models.tagger.folder import Trained
    from epicene.models.tagger.network import Numbers

# From which probability on a change is called so; below the last it is a guess.
_SURENESS: tuple[tuple[float, Sureness], ...] = ((0.95, "certain"), (0.8, "likely"))

# What is less likely than this makes no difference.
_NEGLIGIBLE = 1e-3

# Texts that are remembered: one is asked about once for each pair of people, and for labels.
_REMEMBERED = 1 << 14


class Form(NamedTuple):
    """Another form of a word, the label by which the word would take it, and how likely that is."""

    text: str
    label: str
    probability: float


class Tagged(NamedTuple):
    """A word or punctuation mark: where it stands, its label, its other forms, likeliest first."""

    start: int
    end: int
    label: str
    forms: tuple[Form, ...]


class Tagger:
    """Labels words, and finds what must change for other people."""

    def __init__(self, trained: Trained) -> None:
        self._plan, self._members = trained
        self._numbering = Numbering(self._plan.vocabulary)
        self._tag = lru_cache(_REMEMBERED)(self._tag_afresh)
        inventory = self._plan.inventory
        # For each outcome, which of the labels it belongs to.
        self._label_of = np.array(
            [inventory.labels.index(outcome.label) for outcome in inventory.outcomes]
        )

    @property
    def language(self) -> str:
        """The language it was trained on."""
        return self._plan.language

    @property
    def people(self) -> tuple[Person, ...]:
        """Whose gender it knows of."""
        known = {shown.person for shown in self._plan.inventory.shown.values()}
        return tuple(person for person in PEOPLE if person in known)

    def labels(self, text: str) -> list[str]:
        """A label for each stretch between blanks; that of the word, not of punctuation on it."""
        plain = self._plan.inventory.plain
        tagged = iter(self._tag(text))
        each = next(tagged, None)
        labels = []
        reached = 0
        for word in text.split():
            reached = text.index(word, reached) + len(word)
            label = plain
            while each is not None and each.start < reached:
                label = each.label if label == plain else label
                each = next(tagged, None)
            labels.append(label)
        return labels

    def changes(self, text: str, wanted: Wanted) -> Iterator[Change]:
        """The words that show another gender of a person than the one wanted, and the new forms."""
        shown = self._plan.inventory.shown
        for word in self._tag(text):
            for form in word.forms:
                shows = shown[form.label]
                if wanted.get(shows.person, shows.gender) == shows.gender:
                    continue
                if form.probability >= self._plan.sure:
                    yield Change(
                        start=word.start,
                        end=word.end,
                        before=text[word.start : word.end],
                        after=form.text,
                        rule=f"shows a {shows.gender} {shows.person}",
                        sure=_sureness(form.probability),
                    )
                break

    def _tag_afresh(self, text: str) -> tuple[Tagged, ...]:
        spans = tokens(text, self.language)
        words = [normalise(text[start:end], self._plan.normalisers) for start, end, _ in spans]
        if not words:
            return ()
        chances = self._chances(words)
        labels = self._plan.inventory.labels
        by_label = np.zeros((len(words), len(labels)), np.float32)
        np.add.at(by_label.T, self._label_of, chances.T)
        return tuple(
            Tagged(span.start, span.end, labels[int(best)], tuple(self._forms(word, row)))
            for span, word, row, best in zip(
                spans, words, chances, by_label.argmax(axis=1), strict=True
            )
        )

    def _chances(self, words: list[str]) -> Numbers:
        """The probability of each outcome for each word, over all networks."""
        numbers, letters = self._numbering.words(words), self._numbering.letters(words)
        each = [
            probabilities(log_odds(weights, self._plan.shape, numbers, letters))
            for weights in self._members
        ]
        mean: Numbers = np.mean(each, axis=0)
        return mean

    def _forms(self, word: str, chances: Numbers) -> list[Form]:
        """The word's other forms; several scripts may lead to one."""
        found: dict[tuple[str, str], float] = defaultdict(float)
        for place in np.flatnonzero(chances > _NEGLIGIBLE):
            outcome = self._plan.inventory.outcomes[place]
            if outcome.label == self._plan.inventory.plain:
                continue
            form = self._plan.inventory.form(outcome, word)
            if form and form != word:
                found[form, outcome.label] += float(chances[place])
        forms = [Form(text, label, chance) for (text, label), chance in found.items()]
        return sorted(forms, key=lambda form: (-form.probability, form))


def _sureness(probability: float) -> Sureness:
    return next((name for least, name in _SURENESS if probability >= least), "guess")
