"""Training data for taggers: sentences with a label per word and each word's other-gender form.

A suite makes the data and a model learns from it, so that neither depends on the other.
"""

from __future__ import annotations

from typing import NamedTuple

from epicene.core.records import Record
from epicene.rewriting.persons import Gender, Person


class TaggedSentence(NamedTuple):
    """One sentence: a label and the other-gender form of each word.

    A word that shows nobody's gender is its own counterpart.
    """

    words: tuple[str, ...]
    labels: tuple[str, ...]
    counterparts: tuple[str, ...]


class LabelMeaning(Record, frozen=True, kw_only=True):
    """The person whose gender a label shows, and the gender."""

    person: Person
    gender: Gender


class TaggingData(Record, frozen=True, kw_only=True):
    """All sentences, and the meaning of their labels.

    `plain` is the label of words that show nobody's gender. `normalisers` are applied to a word
    before it is tagged, if the data are known to be written without what they remove. `spelling`
    are those that make the spellings of one form equal.
    """

    language: str
    plain: str
    shown: dict[str, LabelMeaning]
    sentences: tuple[TaggedSentence, ...]
    normalisers: tuple[str, ...] = ()
    spelling: tuple[str, ...] = ()
