"""A sentence of the corpus with its parallel forms, and the groups that sentences come in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.errors import InputError
from epicene.records import Item
from epicene.suites.apgc.labels import (
    TARGETS,
    SentenceLabel,
    WordLabel,
    parse_label,
    parse_word_label,
    word_labels,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Sentence(Item, frozen=True, kw_only=True):
    """One input sentence, its label and its form for each pair of gender preferences.

    Words are what stands between blanks; all forms have as many. `words` holds the word labels
    that came with the data, none where they are derived from the forms.
    """

    text: str
    label: str
    targets: dict[str, str]
    words: tuple[str, ...] = ()
    english: str = ""
    translation: str = ""  # a machine's, where the data has one
    origin: str = ""
    original: bool = True  # of its group the sentence that was found, not one that was written
    split: str = ""

    @property
    def who(self) -> SentenceLabel:
        """The label's parts."""
        return parse_label(self.label, f"The sentence {self.id}")

    @property
    def word_labels(self) -> list[WordLabel]:
        """A label per word: those given, else those that the forms imply."""
        if self.words:
            return [parse_word_label(label, f"The sentence {self.id}") for label in self.words]
        return word_labels(self.who, self.targets)


def check_forms(sentence: Sentence, place: str) -> None:
    """Raise unless all forms have as many words, one of them is the text, and labels fit."""
    parse_label(sentence.label, place)
    missing = [target for target in TARGETS if target not in sentence.targets]
    if missing:
        raise InputError(f"{place} lacks the form for {' and '.join(missing)}.")
    size = len(sentence.text.split())
    if not size:
        raise InputError(f"{place} has no words.")
    for target in TARGETS:
        words = len(sentence.targets[target].split())
        if words != size:
            raise InputError(
                f"{place} has {size} words, but its form for {target} has {words}; all forms of a "
                "sentence have as many words."
            )
    own = sentence.who.own_target
    if sentence.targets[own].split() != sentence.text.split():
        raise InputError(
            f"{place} is labelled {sentence.label}, but it is not its own form for {own}."
        )
    if sentence.words and len(sentence.words) != size:
        raise InputError(f"{place} has {size} words, but {len(sentence.words)} word labels.")


def cut_into_groups(labels: Sequence[SentenceLabel], place: str) -> Iterator[range]:
    """The line numbers, from 0, of each group: a sentence and its rewritten forms after it.

    A sentence that shows nobody's gender stands alone; one person's gender makes two forms, both
    persons' four.
    """
    start = 0
    while start < len(labels):
        expected = labels[start].versions
        found = labels[start : start + len(expected)]
        if sorted(map(str, found)) != sorted(map(str, expected)):
            raise InputError(
                f"{place}, line {start + 1}: a sentence labelled {labels[start]} is followed by "
                f"its {len(expected) - 1} other forms, but here the labels are "
                f"{', '.join(map(str, found))}."
            )
        yield range(start, start + len(expected))
        start += len(expected)


def forms_of_group(texts: Sequence[str], labels: Sequence[SentenceLabel]) -> dict[str, str]:
    """For each target the member of the group that fits it."""
    return {
        target: next(text for text, label in zip(texts, labels, strict=True) if label.fits(target))
        for target in TARGETS
    }
