"""Words and marks of punctuation as the symbols of a language model, and back to text."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages import segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Token(NamedTuple):
    """A word or a mark: its form, and where it lies. `start` is before the space, if any."""

    form: str
    start: int
    end: int

    @property
    def glued(self) -> bool:
        """Whether no space stands between it and what is before."""
        return self.end - self.start == len(self.form)


def tokenise(text: str) -> list[Token]:
    """The tokens of a text, cut alike in every language: training text does not say its own."""
    tokens, reached = [], 0
    for span in segment.tokens(text):
        # Interned: the counts hold a word many times over.
        tokens.append(Token(intern(text[span.start : span.end]), reached, span.end))
        reached = span.end
    return tokens


class Spacing:
    """Which tokens stand close to their neighbours, as it was seen more often than not."""

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
