"""The corpus as lessons for a tagger: whose gender each word shows, and its form for the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.lessons import Lesson, Lessons, Shown
from epicene.suites.apgc.labels import FLIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.suites.apgc.sentences import Sentence

_PLAIN = "B"
_SHOWN = {
    "1M": Shown(person="speaker", gender="masculine"),
    "1F": Shown(person="speaker", gender="feminine"),
    "2M": Shown(person="listener", gender="masculine"),
    "2F": Shown(person="listener", gender="feminine"),
}


def lessons(sentences: Iterable[Sentence]) -> Lessons:
    """The five word labels, and for each labelled word that of the form for the other gender."""
    return Lessons(
        language="ar",
        plain=_PLAIN,
        shown=_SHOWN,
        sentences=tuple(map(_lesson, sentences)),
        # The corpus has no vowel signs.
        normalisers=("arabic-diacritics", "tatweel"),
    )


def _lesson(sentence: Sentence) -> Lesson:
    words = tuple(sentence.text.split())
    labels = tuple(label.condensed.five_way for label in sentence.word_labels)
    own = sentence.who.own_target
    others = {
        "1": sentence.targets[FLIPPED[own[0]] + own[1]].split(),
        "2": sentence.targets[own[0] + FLIPPED[own[1]]].split(),
        _PLAIN: words,
    }
    counterparts = (others[label[0]][place] for place, label in enumerate(labels))
    return Lesson(words, labels, tuple(counterparts))
