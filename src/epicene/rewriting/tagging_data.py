"""Training data for taggers: sentences with a label per word and each word's other-gender form.

A suite makes the data and a model learns from it, so that neither need know the other.
"""

from __future__ import annotations

from typing import NamedTuple

from epicene.core.records import Record
from epicene.rewriting.persons import Gender, Person


class TaggedSentence(NamedTuple):
    """One sentence: a label for each word, and the word that would stand there instead.

    A word that shows nobody's gender stands for itself.
    """

    words: tuple[str, ...]
    labels: tuple[str, ...]
    counterparts: tuple[str, ...]


class LabelMeaning(Record, frozen=True, kw_only=True):
    """Whose gender a label shows, and which: speaker, feminine."""

    person: Person
    gender: Gender


class TaggingData(Record, frozen=True, kw_only=True):
    """All sentences, and what their labels mean.

    `plain` is the label of words that show nobody's gender. `normalisers` are applied to a word
    before it is read, where the data are known to be written without what they drop.
    """

    language: str
    plain: str
    shown: dict[str, LabelMeaning]
    sentences: tuple[TaggedSentence, ...]
    normalisers: tuple[str, ...] = ()
