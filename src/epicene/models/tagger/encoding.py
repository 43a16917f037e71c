"""The inputs and outputs of the tagger's network.

Inputs are word and character numbers. Outputs are a label with an edit script, so that unseen words
inflect like similar ones; for scripts too rare to learn, the word's counterpart is looked up.
"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.core.records import Record
from epicene.rewriting.tagging_data import LabelMeaning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from epicene.rewriting.tagging_data import TaggedSentence, TaggingData

# Letters of a word that are read; of a longer one, those at both ends.
MAX_LETTERS = 14
_FIRST, _LAST = 4, MAX_LETTERS - 6

# Numbers with a meaning of their own: nothing there, unknown, and the word's two edges.
PADDING, UNKNOWN, BEGINNING, END = range(4)

_MIN_WORD_COUNT = 2


class Vocabulary(Record, frozen=True, kw_only=True):
    """The words and letters that have numbers of their own."""

    words: tuple[str, ...]
    letters: str

    @property
    def sizes(self) -> tuple[int, int]:
        """How many numbers there are for words and for letters."""
        return len(self.words) + 1, len(self.letters) + END + 1


def build_vocabulary(sentences: Iterable[Sequence[str]]) -> Vocabulary:
    """The words that occur more than once, and all letters."""
    counts = Counter(word for words in sentences for word in words)
    return Vocabulary(
        words=tuple(sorted(word for word, count in counts.items() if count >= _MIN_WORD_COUNT)),
        letters="".join(sorted({letter for word in counts for letter in word})),
    )


class WordEncoder:
    """Encodes words as numbers."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._words = {word: number for number, word in enumerate(vocabulary.words, start=1)}
        self._letters = {
            letter: number for number, letter in enumerate(vocabulary.letters, start=END + 1)
        }

    def words(self, words: Sequence[str]) -> NDArray[np.int64]:
        """A number for each word; 0 for one that is not known."""
        return np.array([self._words.get(word, PADDING) for word in words], np.int64)

    def letters(self, words: Sequence[str]) -> NDArray[np.int64]:
        """A row of numbers for each word."""
        rows = np.full((len(words), MAX_LETTERS), PADDING, np.int64)
        for row, word in zip(rows, words, strict=True):
            shown = word if len(word) <= MAX_LETTERS - 2 else word[:_FIRST] + word[-_LAST:]
            numbers = [self._letters.get(letter, UNKNOWN) for letter in shown]
            row[: len(numbers) + 2] = [BEGINNING, *numbers, END]
        return rows


class EditScript(NamedTuple):
    """The letters at both ends of a word, and what replaces them."""

    start: str
    new_start: str
    end: str
    new_end: str

    def apply(self, word: str) -> str | None:
        """The word's other form; None if the word does not have these ends."""
        stem = len(word) - len(self.start) - len(self.end)
        if stem < 0 or not word.startswith(self.start) or not word.endswith(self.end):
            return None
        return self.new_start + word[len(self.start) : len(word) - len(self.end)] + self.new_end


@cache
def edit_script(word: str, other: str) -> EditScript:
    """The script that keeps the longest substring of both words."""
    kept = SequenceMatcher(None, word, other, autojunk=False).find_longest_match()
    return EditScript(
        word[: kept.a],
        other[: kept.b],
        word[kept.a + kept.size :],
        other[kept.b + kept.size :],
    )


# How often a script must be seen to be an outcome of its own.
_MIN_SCRIPT_COUNT = 3


class Outcome(NamedTuple):
    """A label, and the script that makes the other form."""

    label: str
    script: EditScript | None


class Inventory(Record, frozen=True, kw_only=True):
    """All outcomes, and the counterparts of words whose script is none of them.

    The first outcome is that of words that show nobody's gender. `pairs` holds, for a label and a
    word, the commonest of those counterparts.
    """

    outcomes: tuple[Outcome, ...]
    shown: dict[str, LabelMeaning]
    pairs: dict[str, dict[str, str]]

    @property
    def plain(self) -> str:
        """The label of words that show nobody's gender."""
        return self.outcomes[0].label

    @property
    def labels(self) -> tuple[str, ...]:
        """The plain label first."""
        return (self.plain, *self.shown)

    def form(self, outcome: Outcome, word: str) -> str | None:
        """The word's other form, or None where it has none by this outcome."""
        if outcome.script is None:
            return self.pairs.get(outcome.label, {}).get(word)
        return outcome.script.apply(word)


def build_inventory(data: TaggingData) -> Inventory:
    """The outcomes that are frequent enough in the data to be learnt."""
    seen = Counter(change for sentence in data.sentences for change in _changes(sentence, data))
    scripts: Counter[Outcome] = Counter()
    for change, count in seen.items():
        scripts[change.outcome] += count
    common = sorted(outcome for outcome, count in scripts.items() if count >= _MIN_SCRIPT_COUNT)
    # The commonest last, so that it stays.
    pairs: dict[str, dict[str, str]] = {label: {} for label in data.shown}
    for change in sorted(seen, key=lambda each: (seen[each], each)):
        if scripts[change.outcome] < _MIN_SCRIPT_COUNT:
            pairs[change.outcome.label][change.word] = change.counterpart
    return Inventory(
        outcomes=(
            Outcome(data.plain, None),
            *(Outcome(label, None) for label in data.shown),
            *common,
        ),
        shown=data.shown,
        pairs=pairs,
    )


class _Change(NamedTuple):
    word: str
    counterpart: str
    outcome: Outcome


def _changes(sentence: TaggedSentence, data: TaggingData) -> Iterator[_Change]:
    for word, label, counterpart in zip(*sentence, strict=True):
        if label != data.plain:
            yield _Change(word, counterpart, Outcome(label, edit_script(word, counterpart)))


def outcome_numbers(sentence: TaggedSentence, numbers_of: Mapping[Outcome, int]) -> list[int]:
    """For each word the number of its outcome; of the label's own where the script is rare."""
    numbers = []
    for word, label, counterpart in zip(*sentence, strict=True):
        number = numbers_of[Outcome(label, None)]
        if word != counterpart:
            number = numbers_of.get(Outcome(label, edit_script(word, counterpart)), number)
        numbers.append(number)
    return numbers
