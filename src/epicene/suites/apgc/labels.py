"""Gender labels of the Arabic Parallel Gender Corpus, and word labels from parallel forms.

A sentence's label has two parts, for the first and the second person: M, F, B (invariant) or N
(nobody there), with `!` after it for duals and plurals. A word's label has two parts as well, for
its base and its pronoun clitic: B, or a person and a gender (1F, 2M …).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The gender preferences of speaker and listener, in the order of the published files.
TARGETS = ("MM", "FM", "MF", "FF")

# What one word can be labelled, by the paper.
WORD_LABELS = ("B", "1F", "1M", "2F", "2M")

FLIPPED = {"M": "F", "F": "M"}

_SENTENCE = regex.compile(r"([MFBN])(!?)([MFBN])(!?)")
_PART = regex.compile(r"B|[12][FM]!?")

# Pronoun clitics that show gender, feminine and masculine, in the order in which they are tried.
_CLITICS = (("كن", "كم"), ("هن", "هم"), ("كي", "ك"), ("ها", "ه"))


class SentenceLabel(NamedTuple):
    """Who shows which gender: a letter for each person, and whether there are several."""

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
        firsts = (self.first, FLIPPED[self.first]) if self.first in FLIPPED else (self.first,)
        seconds = (self.second, FLIPPED[self.second]) if self.second in FLIPPED else (self.second,)
        return tuple(
            self._replace(first=first, second=second) for second in seconds for first in firsts
        )

    def fits(self, target: str) -> bool:
        """Whether each person who shows gender shows the one that is wanted."""
        return all(
            has not in FLIPPED or has == want
            for has, want in zip((self.first, self.second), target, strict=True)
        )

    @property
    def own_target(self) -> str:
        """The target this sentence already is; a person who shows nothing counts as M."""
        return "".join(part if part in FLIPPED else "M" for part in (self.first, self.second))


def parse_label(text: str, place: str) -> SentenceLabel:
    """A sentence's label; `place` is named where it is none."""
    match = _SENTENCE.fullmatch(text)
    if match is None:
        raise InputError(
            f"{place} has the label {text!r}; a label is two of M, F, B, N, each perhaps with !."
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


def parse_word_label(text: str, place: str) -> WordLabel:
    """A word's label in either layout, `2F` or `2F+B`; `place` is named where it is none."""
    base, joined, clitic = text.partition("+")
    parts = (base, clitic) if joined else (base,)
    if not all(_PART.fullmatch(part) for part in parts):
        raise InputError(
            f"{place} has the word label {text!r}; a word label is B, 1F, 1M, 2F or 2M, perhaps "
            "with !, or two of them joined by +."
        )
    return WordLabel(*parts)


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
        ("1", own[0], label.first_many, FLIPPED[own[0]] + own[1]),
        ("2", own[1], label.second_many, own[0] + FLIPPED[own[1]]),
    )
    for person, gender, many, other in people:
        others = forms[other].split()
        for place, (word, counterpart) in enumerate(zip(words, others, strict=True)):
            if word != counterpart:
                found = _changed(word, counterpart, person, gender, "!" if many else "")
                labels[place] = _together(labels[place], found)
    return labels


def _changed(word: str, counterpart: str, person: str, gender: str, mark: str) -> WordLabel:
    """What of a word differs from its counterpart: its clitic, its base, or both."""
    for feminine, masculine in _CLITICS:
        for own, own_gender, other in ((feminine, "F", masculine), (masculine, "M", feminine)):
            if word.endswith(own) and counterpart.endswith(other):
                stems_differ = word.removesuffix(own) != counterpart.removesuffix(other)
                base = f"{person}{gender}{mark}" if stems_differ else "B"
                return WordLabel(base, f"{person}{own_gender}{mark}")
    return WordLabel(f"{person}{gender}{mark}", "B")


def _together(one: WordLabel, other: WordLabel) -> WordLabel:
    """One word changed by both persons: each part says who changed it, the second if both did."""
    return WordLabel(
        one.base if other.base == "B" else other.base,
        one.clitic if other.clitic == "B" else other.clitic,
    )


def five_way_labels(label: SentenceLabel, forms: Mapping[str, str]) -> list[str]:
    """The paper's five word labels: the person whose gender changes the word, the sentence's own
    gender for that person; a word that both change counts as the second person's.
    """
    own = label.own_target
    labels = ["B"] * len(forms[own].split())
    for person, gender, other in (
        ("1", own[0], FLIPPED[own[0]] + own[1]),
        ("2", own[1], own[0] + FLIPPED[own[1]]),
    ):
        _mark(labels, forms[own].split(), forms[other].split(), f"{person}{gender}")
    return labels


def _mark(labels: list[str], words: Sequence[str], others: Sequence[str], name: str) -> None:
    for place, (word, counterpart) in enumerate(zip(words, others, strict=True)):
        if word != counterpart:
            labels[place] = name
