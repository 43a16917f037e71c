"""Noun phrases: what stands before a noun and agrees with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.hindi import nouns
from epicene.languages.rewriting.hindi.adjectives import (
    agrees,
    cell_of,
    citation,
    is_genitive,
    is_participle,
)
from epicene.languages.rewriting.hindi.inflection import gender_of
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.verb_forms import analyse

if TYPE_CHECKING:
    from epicene.languages.rewriting.hindi.words import Stretch
    from epicene.languages.rewriting.people import Gender

_JOINS = frozenset("और एवं तथा या लेकिन मगर पर बल्कि व".split())
_MOST_UNKNOWN = 3  # words of no list that may stand between a noun and what agrees with it


class Phrase(NamedTuple):
    """A noun (or an adjective alone) and the words before it that agree."""

    first: int
    head: int
    agreeing: tuple[int, ...]


def phrase(stretch: Stretch, head: int, start: int, gender: Gender | None = None) -> Phrase:
    """The phrase that ends with `head`; nothing before `start` belongs to it.

    With a `gender`, only words of that gender agree.
    """
    walk = _Walk(stretch, head, start, gender)
    walk.run()
    return Phrase(walk.first, head, tuple(sorted(walk.agreeing)))


class _Walk:
    """From the head to the left, as long as what stands there may belong to it."""

    def __init__(self, stretch: Stretch, head: int, start: int, gender: Gender | None) -> None:
        self.stretch = stretch
        self.start = start
        self.gender = gender
        self.first = head
        self.agreeing: list[int] = []
        self.unknown = 0

    def run(self) -> None:
        at = self.first - 1
        while at >= self.start:
            step = self._step(at)
            if step == 0:
                return
            at -= step

    def _step(self, at: int) -> int:
        """How many words to go on by; 0 where the phrase begins."""
        word, words = self.stretch[at], function_words()
        if is_genitive(word):
            if self._fits(at):
                self._take(at)
            return 0
        if agrees(word) or self._participle(at):
            if not self._fits(at):
                return 0
            self._take(at)
            return 1
        if word in _JOINS or word == ",":
            return self._join(at)
        if self.stretch.is_mark(at) or word in words.postpositions or nouns.thing(word):
            return 0
        if word in words.intensifiers or word in words.invariable_adjectives:
            return 1
        if word in words.determiners:
            return 1 if word == "एक" or word.isnumeric() else 0
        return self._unknown(at)

    def _unknown(self, at: int) -> int:
        word = self.stretch[at]
        reading = nouns.person(word)
        verbal = any(form.shape != "stem" for form in analyse(word))
        small = word in function_words().adverbs or word in _PRONOUNS
        if (reading and reading.noun.kind != "same") or verbal or small:
            return 0
        self.unknown += 1
        return 1 if self.unknown <= _MOST_UNKNOWN else 0

    def _join(self, at: int) -> int:
        """अच्छा और सच्चा दोस्त: two adjectives joined."""
        before = self.stretch[at - 1]
        both = agrees(before) or before in function_words().invariable_adjectives
        right = self.stretch[at + 1]
        if both and (agrees(right) or right in function_words().invariable_adjectives):
            return 1
        return 0

    def _participle(self, at: int) -> bool:
        """थका हुआ आदमी, करने वाला आदमी."""
        word = self.stretch[at]
        if word in {"हुआ", "हुए", "हुई"}:
            return True
        return is_participle(word) and self.stretch[at + 1] in {"हुआ", "हुए", "हुई"}

    def _fits(self, at: int) -> bool:
        cell = cell_of(self.stretch.words[at].text)
        return cell is not None and (self.gender is None or gender_of(cell) == self.gender)

    def _take(self, at: int) -> None:
        self.agreeing.append(at)
        self.first = at


_PRONOUNS = frozenset(
    "मैं मै हम तू तुम आप वह वो यह वे ये जो मुझे उसे उन्हें तुम्हें आपको मैंने उसने उन्होंने तुमने आपने हमने खुद स्वयं कोई कौन".split()
)


def is_intensifier_that_agrees(word: str) -> bool:
    """इतना, कितना, थोड़ा …: they agree with whom the adjective after them is said of."""
    return citation(word) in function_words().agreeing_intensifiers
