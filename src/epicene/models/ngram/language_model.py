"""A word 5-gram model with an open vocabulary, and the same less the texts of one fold.

What the words' counts leave over goes to a model of spelling, so that a word never seen before
has a probability too, and one of its own.
"""

from __future__ import annotations

import math
from functools import cache, cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.models.ngram.counts import END, START, Counts
from epicene.models.ngram.kneser_ney import KneserNey
from epicene.models.ngram.tokens import Spacing
from epicene.models.one_by_one import UnanswerableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from epicene.models.ngram.tokens import Token

ORDER = 5

# Before any spelling was seen, every code point and the word's end are as likely as each other.
_ANY_CHARACTER = -math.log(0x110000 + 1)


class Folded(NamedTuple):
    """A training text's tokens, and the fold it is left out with."""

    fold: int | None
    tokens: Sequence[Token]


class Next(NamedTuple):
    """What may come next: tokens in the order of the alphabet, and their probabilities."""

    forms: Sequence[str]
    probabilities: NDArray[np.float64]


class Corpus:
    """Counted texts, from which a language model without any one fold can be had."""

    def __init__(self, texts: Sequence[Folded], order: int = ORDER) -> None:
        self._words = Counts(((t.fold, [x.form for x in t.tokens]) for t in texts), order)
        self._spelling = Counts(((fold, form) for form, fold in _types(texts).items()), order)
        self._spacing: dict[int | None, Spacing] = {None: Spacing()}
        for text in texts:
            self._spacing[None].add(text.tokens)
            if text.fold is not None:
                self._spacing.setdefault(text.fold, Spacing()).add(text.tokens)
        self.without = cache(self._without)

    def _without(self, fold: int | None) -> LanguageModel:
        """The model that knows all texts but those of a fold."""
        spacing = self._spacing[None]
        if fold is not None:
            spacing = spacing.less(self._spacing[fold])
        return LanguageModel(self._words, self._spelling, spacing, fold)


def _types(texts: Sequence[Folded]) -> dict[str, int | None]:
    """Every word once, with the fold whose leaving would take the word away (None: no fold)."""
    folds: dict[str, int | None] = {}
    for text in texts:
        for token in text.tokens:
            if folds.setdefault(token.form, text.fold) != text.fold:
                folds[token.form] = None
    return folds


class LanguageModel:
    """Probabilities of words after words."""

    def __init__(
        self, words: Counts, spelling: Counts, spacing: Spacing, without: int | None
    ) -> None:
        self.order = words.order
        self.spacing = spacing
        self.characters = KneserNey(spelling, lambda _: _ANY_CHARACTER, without)
        self.words = KneserNey(words, cache(self.spelling_logprob), without)

    def logprob(self, form: str, history: Sequence[str]) -> float:
        """The log-probability of a token after a history, which may begin with START."""
        return self.words.logprob(form, history)

    def spelling_logprob(self, form: str) -> float:
        """The log-probability of a token's characters and its end, as a word never seen."""
        if form == END:
            return -math.inf
        history = [START]
        total = 0.0
        for symbol in (*form, END):
            total += self.characters.logprob(symbol, history)
            history.append(symbol)
        return total

    @cached_property
    def vocabulary(self) -> list[str]:
        """The words it has seen, and the end of a text."""
        return sorted(self.words.vocabulary())

    def following(self, history: Sequence[str]) -> Next:
        """The probability of every word it has seen, and of the text's end, to come next."""
        if not self.vocabulary:
            raise UnanswerableError("the model has no text to draw words from")
        probabilities = self._lowest.copy()
        for seen in islice(self.words.seen(history), 1, None):
            probabilities *= seen.left
            for form in seen.symbols():
                probabilities[self._place[form]] += seen.share(form)
        return Next(self.vocabulary, probabilities)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {form: place for place, form in enumerate(self.vocabulary)}

    @cached_property
    def _lowest(self) -> NDArray[np.float64]:
        """The probabilities after no history at all."""
        return np.array([math.exp(self.logprob(form, ())) for form in self.vocabulary])
