"""Tokenisation, and a word 5-gram model with an open vocabulary that can leave out one fold.

The probability mass left over by the words' counts goes to a character model of spelling, so that
an unseen word has a probability of its own.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cache, cached_property
from itertools import islice, pairwise
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.languages import tokenisation
from epicene.models import UnanswerableError
from epicene.models.ngram.kneser_ney import END, START, KneserNey, NgramCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


class Token(NamedTuple):
    """A word or a mark: its form and span. `start` is before the space, if any."""

    form: str
    start: int
    end: int

    @property
    def glued(self) -> bool:
        """Whether no space precedes it."""
        return self.end - self.start == len(self.form)


def tokenise(text: str) -> list[Token]:
    """The tokens of a text, cut alike in every language: training text does not say its own."""
    tokens, reached = [], 0
    for span in tokenisation.tokens(text):
        # Interned: the counts hold a word many times over.
        tokens.append(Token(intern(text[span.start : span.end]), reached, span.end))
        reached = span.end
    return tokens


class Spacing:
    """Which tokens are mostly written without a space beside them."""

    def __init__(self) -> None:
        self._after: Counter[str] = Counter()
        self._before: Counter[str] = Counter()

    def add(self, tokens: Sequence[Token]) -> None:
        """Take note of a text."""
        for left, right in pairwise(tokens):
            vote = 1 if right.glued else -1
            self._after[left.form] += vote
            self._before[right.form] += vote

    def less(self, other: Spacing) -> Spacing:
        """What remains when some of the texts are taken away."""
        rest = Spacing()
        for kept, whole, part in (
            (rest._after, self._after, other._after),
            (rest._before, self._before, other._before),
        ):
            kept.update(whole)
            kept.subtract(part)
        return rest

    def glued(self, left: str, right: str) -> bool:
        """Whether two tokens are written without a space between them."""
        return self._after[left] > 0 or self._before[right] > 0

    def join(self, before: str, history: Sequence[str], forms: Iterable[str]) -> str:
        """The text of tokens that follow `before`, whose own tokens end in `history`."""
        pieces: list[str] = []
        last = history[-1] if before.strip() else ""
        spaced = not before or before[-1].isspace()
        for form in forms:
            if not spaced and not self.glued(last, form):
                pieces.append(" ")
            pieces.append(form)
            last, spaced = form, False
        return "".join(pieces)


ORDER = 5

# Before any spelling was seen, every code point and the word's end are as likely as each other.
_ANY_CHARACTER = -math.log(0x110000 + 1)


class TrainingText(NamedTuple):
    """A training text's tokens, and the fold it is left out with."""

    fold: int | None
    tokens: Sequence[Token]


class NextTokens(NamedTuple):
    """What may come next: tokens in the order of the alphabet, and their probabilities."""

    forms: Sequence[str]
    probabilities: NDArray[np.float64]


class Corpus:
    """Counted texts, from which a language model without any one fold can be had."""

    def __init__(self, texts: Sequence[TrainingText], order: int = ORDER) -> None:
        self._words = NgramCounts(((t.fold, [x.form for x in t.tokens]) for t in texts), order)
        self._spelling = NgramCounts(
            ((fold, form) for form, fold in _word_folds(texts).items()), order
        )
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


def _word_folds(texts: Sequence[TrainingText]) -> dict[str, int | None]:
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
        self, words: NgramCounts, spelling: NgramCounts, spacing: Spacing, without: int | None
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

    def following(self, history: Sequence[str]) -> NextTokens:
        """The probability of every word it has seen, and of the text's end, to come next."""
        if not self.vocabulary:
            raise UnanswerableError("the model has no text to sample words from")
        probabilities = self._lowest.copy()
        for seen in islice(self.words.seen(history), 1, None):
            probabilities *= seen.left
            for form in seen.symbols():
                probabilities[self._place[form]] += seen.share(form)
        return NextTokens(self.vocabulary, probabilities)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {form: place for place, form in enumerate(self.vocabulary)}

    @cached_property
    def _lowest(self) -> NDArray[np.float64]:
        """The probabilities after no history at all."""
        return np.array([math.exp(self.logprob(form, ())) for form in self.vocabulary])
