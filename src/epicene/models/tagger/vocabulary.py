"""How a word is shown to the network: by its number, if it is known, and by its letters."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from epicene.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

# Letters of a word that are read; of a longer one, those at both ends.
LETTERS = 14
_FIRST, _LAST = 4, LETTERS - 6

# Numbers with a meaning of their own: nothing there, unknown, and the word's two edges.
NOTHING, UNKNOWN, BEGINNING, END = range(4)

_OFTEN_ENOUGH = 2


class Vocabulary(Record, frozen=True, kw_only=True):
    """The words and letters that have numbers of their own."""

    words: tuple[str, ...]
    letters: str

    @property
    def sizes(self) -> tuple[int, int]:
        """How many numbers there are for words and for letters."""
        return len(self.words) + 1, len(self.letters) + END + 1


def take_vocabulary(sentences: Iterable[Sequence[str]]) -> Vocabulary:
    """The words that occur more than once, and all letters."""
    counts = Counter(word for words in sentences for word in words)
    return Vocabulary(
        words=tuple(sorted(word for word, count in counts.items() if count >= _OFTEN_ENOUGH)),
        letters="".join(sorted({letter for word in counts for letter in word})),
    )


class Numbering:
    """From words to the numbers that stand for them."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._words = {word: number for number, word in enumerate(vocabulary.words, start=1)}
        self._letters = {
            letter: number for number, letter in enumerate(vocabulary.letters, start=END + 1)
        }

    def words(self, words: Sequence[str]) -> NDArray[np.int64]:
        """A number for each word; 0 for one that is not known."""
        return np.array([self._words.get(word, NOTHING) for word in words], np.int64)

    def letters(self, words: Sequence[str]) -> NDArray[np.int64]:
        """A row of numbers for each word."""
        rows = np.full((len(words), LETTERS), NOTHING, np.int64)
        for row, word in zip(rows, words, strict=True):
            shown = word if len(word) <= LETTERS - 2 else word[:_FIRST] + word[-_LAST:]
            numbers = [self._letters.get(letter, UNKNOWN) for letter in shown]
            row[: len(numbers) + 2] = [BEGINNING, *numbers, END]
        return rows
