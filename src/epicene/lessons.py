"""What a tagger is taught: sentences whose words are labelled, each with its other form.

A suite makes lessons and a model learns from them, so that neither need know the other.
"""

from __future__ import annotations

from typing import NamedTuple

from epicene.languages.rewriting.people import Gender, Person
from epicene.records import Record


class Lesson(NamedTuple):
    """One sentence: a label for each word, and the word that would stand there instead.

    A word that shows nobody's gender stands for itself.
    """

    words: tuple[str, ...]
    labels: tuple[str, ...]
    counterparts: tuple[str, ...]


class Shown(Record, frozen=True, kw_only=True):
    """Whose gender a label shows, and which: speaker, feminine."""

    person: Person
    gender: Gender


class Lessons(Record, frozen=True, kw_only=True):
    """All sentences, and what their labels mean.

    `plain` is the label of words that show nobody's gender. `normalisers` are applied to a word
    before it is read, where the lessons are known to be written without what they drop.
    """

    language: str
    plain: str
    shown: dict[str, Shown]
    sentences: tuple[Lesson, ...]
    normalisers: tuple[str, ...] = ()
