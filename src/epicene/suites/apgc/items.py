"""The item, a sentence with its parallel forms, and its gender labels.

A sentence's label has two parts, for the first and the second person: M, F, B (invariant) or N
(absent), with `!` after it for duals and plurals. A word's label has two parts as well, for
its base and its pronoun clitic: B, or a person and a gender (1F, 2M …).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import regex

from epicene.core.errors import InputError
from epicene.core.records import Item

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# The gender of an English sentence by its nouns.
EnglishGender: TypeAlias = Literal["B", "M", "F"]

# The gender preferences of speaker and listener, in the order of the published files.
TARGETS = ("MM", "FM", "MF", "FF")

# The paper's labels of a word.
WORD_LABELS = ("B", "1F", "1M", "2F", "2M")

OTHER_GENDER = {"M": "F", "F": "M"}

# The paper's labels of a sentence, without the marks of duals and plurals: speaker, then listener.
LETTERS = ("M", "F", "B", "N")
SENTENCE_LABELS = tuple(first + second for first in LETTERS for second in LETTERS)

_SENTENCE = regex.compile(r"([MFBN])(!?)([MFBN])(!?)")
_PART = regex.compile(r"B|[12][FM]!?")

# Pronoun clitics that show gender, feminine and masculine, in the order in which they are tried.
_CLITICS = (("كن", "كم"), ("هن", "هم"), ("كي", "ك"), ("ها", "ه"))


class SentenceLabel(NamedTuple):
    """The gender that each person shows, as a letter, and whether there are several of them."""

    first: str
    second: str
    first_many: bool = False
    second_many: bool = False

    def __str__(self) -> str:
        """As it is written: F!B."""
        marks = ("!" if self.first_many else "", "!" if self.second_many else "")
        return f"{self.first}{marks[0]}{self.second}{marks[1]}"

    @property
    def condensed(self) -> str:
        """Two letters: N as B, no marks."""
        return f"{self.first}{self.second}".replace("N", "B")

    @property
    def versions(self) -> tuple[SentenceLabel, ...]:
        """The labels of the group: this one, first person flipped, second flipped, both."""
        firsts = (
            (self.first, OTHER_GENDER[self.first]) if self.first in OTHER_GENDER else (self.first,)
        )
        seconds = (
            (self.second, OTHER_GENDER[self.second])
            if self.second in OTHER_GENDER
            else (self.second,)
        )
        return tuple(
            self._replace(first=first, second=second) for second in seconds for first in firsts
        )

    def fits(self, target: str) -> bool:
        """Whether each person who shows gender shows that of the target."""
        return all(
            has not in OTHER_GENDER or has == want
            for has, want in zip((self.first, self.second), target, strict=True)
        )

    @property
    def own_target(self) -> str:
        """The target that this sentence fits itself; a person without gender counts as M."""
        return "".join(part if part in OTHER_GENDER else "M" for part in (self.first, self.second))


def parse_label(text: str, location: str) -> SentenceLabel:
    """A sentence's label; an error names `location`."""
    match = _SENTENCE.fullmatch(text)
    if match is None:
        raise InputError(
            f"{location} has the label {text!r}; a label must be two of M, F, B, N, each "
            "optionally with !."
        )
    first, first_many, second, second_many = match.groups()
    return SentenceLabel(first, second, bool(first_many), bool(second_many))


class WordLabel(NamedTuple):
    """The gender of a word's base and of its pronoun clitic."""

    base: str = "B"
    clitic: str = "B"

    def __str__(self) -> str:
        """As it is written: 1F+B."""
        return f"{self.base}+{self.clitic}"

    @property
    def five_way(self) -> str:
        """One of B, 1F, 1M, 2F, 2M (perhaps with !); both persons count as the second."""
        parts = [part for part in self if part != "B"]
        return max(parts, key=lambda part: part[0], default="B")

    @property
    def condensed(self) -> WordLabel:
        """Without the marks of duals and plurals."""
        return WordLabel(self.base.rstrip("!"), self.clitic.rstrip("!"))


def parse_word_label(text: str, location: str) -> WordLabel:
    """A word's label in either layout, `2F` or `2F+B`; an error names `location`."""
    label = _word_label(text)
    if label is None:
        raise InputError(
            f"{location} has the word label {text!r}; a word label must be B, 1F, 1M, 2F or "
            "2M, optionally with !, or two of these joined by +."
        )
    return label


@lru_cache(maxsize=256)  # there are few labels, and millions of words
def _word_label(text: str) -> WordLabel | None:
    base, joined, clitic = text.partition("+")
    parts = (base, clitic) if joined else (base,)
    return WordLabel(*parts) if all(_PART.fullmatch(part) for part in parts) else None


def word_labels(label: SentenceLabel, forms: Mapping[str, str]) -> list[WordLabel]:
    """The labels of the words of the form that `label` describes, from its parallel forms.

    A word that one person's gender changes is labelled with that person and with the sentence's
    gender. Where only its clitic changed, or clitic and base, the clitic is labelled with the
    gender that its own form shows. `forms` holds the text for each target.
    """
    own = label.own_target
    words = forms[own].split()
    labels = [WordLabel() for _ in words]
    people = (
        ("1", own[0], label.first_many, OTHER_GENDER[own[0]] + own[1]),
        ("2", own[1], label.second_many, own[0] + OTHER_GENDER[own[1]]),
    )
    for person, gender, many, other in people:
        others = forms[other].split()
        for index, (word, counterpart) in enumerate(zip(words, others, strict=True)):
            if word != counterpart:
                found = _label_change(word, counterpart, person, gender, "!" if many else "")
                labels[index] = _combine(labels[index], found)
    return labels


def _label_change(word: str, counterpart: str, person: str, gender: str, mark: str) -> WordLabel:
    """The label for what differs from the counterpart: the clitic, the base, or both."""
    for feminine, masculine in _CLITICS:
        for own, own_gender, other in ((feminine, "F", masculine), (masculine, "M", feminine)):
            if word.endswith(own) and counterpart.endswith(other):
                stems_differ = word.removesuffix(own) != counterpart.removesuffix(other)
                base = f"{person}{gender}{mark}" if stems_differ else "B"
                return WordLabel(base, f"{person}{own_gender}{mark}")
    return WordLabel(f"{person}{gender}{mark}", "B")


def _combine(one: WordLabel, other: WordLabel) -> WordLabel:
    """The label of a word that both persons change; of a part that both do, the second's."""
    return WordLabel(
        one.base if other.base == "B" else other.base,
        one.clitic if other.clitic == "B" else other.clitic,
    )


def five_way_labels(label: SentenceLabel, forms: Mapping[str, str]) -> list[str]:
    """The paper's word labels: the person whose gender changes the word, and that person's gender
    in the sentence; a word that both persons change is the second person's.
    """
    own = label.own_target
    labels = ["B"] * len(forms[own].split())
    for person, gender, other in (
        ("1", own[0], OTHER_GENDER[own[0]] + own[1]),
        ("2", own[1], own[0] + OTHER_GENDER[own[1]]),
    ):
        pairs = zip(forms[own].split(), forms[other].split(), strict=True)
        for index, (word, counterpart) in enumerate(pairs):
            if word != counterpart:
                labels[index] = f"{person}{gender}"
    return labels


class Sentence(Item, frozen=True, kw_only=True):
    """One input sentence, its label and its form for each pair of gender preferences.

    Words are separated by spaces; all forms have the same number. `words` holds the word labels
    that came with the data, none if they are to be derived from the forms.
    """

    text: str
    label: str
    targets: dict[str, str]
    words: tuple[str, ...] = ()
    english: str = ""
    translation: str = ""  # a machine's, where the data has one
    origin: str = ""
    original: bool = True  # the sentence that its group was made from, not a rewritten form
    split: str = ""
    english_gender: EnglishGender | Literal[""] = ""  # found from the English, if it is not given

    @property
    def who(self) -> SentenceLabel:
        """The label's parts."""
        return parse_label(self.label, f"The sentence {self.id}")

    @property
    def word_labels(self) -> list[WordLabel]:
        """A label per word: those of the data, else those that the forms imply."""
        if self.words:
            return [parse_word_label(label, f"The sentence {self.id}") for label in self.words]
        return word_labels(self.who, self.targets)


def check_forms(sentence: Sentence, location: str) -> None:
    """Raise unless all forms have as many words, the text is its own form, and labels fit."""
    parse_label(sentence.label, location)
    missing = [target for target in TARGETS if target not in sentence.targets]
    if missing:
        raise InputError(f"{location} lacks the form for {' and '.join(missing)}.")
    size = len(sentence.text.split())
    if not size:
        raise InputError(f"{location} has no words.")
    for target in TARGETS:
        words = len(sentence.targets[target].split())
        if words != size:
            raise InputError(
                f"{location} has {size} words, but its form for {target} has {words}; all "
                "forms of a sentence must have the same number of words."
            )
    own = sentence.who.own_target
    if sentence.targets[own].split() != sentence.text.split():
        raise InputError(
            f"{location} is labelled {sentence.label}, but differs from its own form for {own}."
        )
    if sentence.words and len(sentence.words) != size:
        raise InputError(f"{location} has {size} words, but {len(sentence.words)} word labels.")


def group_ranges(labels: Sequence[SentenceLabel], location: str) -> Iterator[range]:
    """The line numbers, from 0, of each group: a sentence and its rewritten forms after it.

    A sentence that shows nobody's gender is alone, one that shows one person's has two forms, one
    that shows both persons' has four.
    """
    start = 0
    while start < len(labels):
        expected = labels[start].versions
        found = labels[start : start + len(expected)]
        if sorted(map(str, found)) != sorted(map(str, expected)):
            raise InputError(
                f"{location}, line {start + 1}: a sentence labelled {labels[start]} must be "
                f"followed by its {len(expected) - 1} other forms, but the labels here are "
                f"{', '.join(map(str, found))}."
            )
        yield range(start, start + len(expected))
        start += len(expected)


def forms_of_group(texts: Sequence[str], labels: Sequence[SentenceLabel]) -> dict[str, str]:
    """The member of the group that fits each target."""
    return {
        target: next(text for text, label in zip(texts, labels, strict=True) if label.fits(target))
        for target in TARGETS
    }
