"""Noun phrases: what stands before a noun and agrees with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.hindi import nouns, pronouns
from epicene.languages.rewriting.hindi.adjectives import (
    agrees,
    cell_of,
    citation,
    is_genitive,
    is_participle,
    is_state,
)
from epicene.languages.rewriting.hindi.inflection import gender_of
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.verb_forms import analyse

if TYPE_CHECKING:
    from epicene.languages.rewriting.hindi.words import Stretch
    from epicene.languages.rewriting.people import Gender

_JOINS = frozenset("और एवं तथा या लेकिन मगर पर बल्कि व".split())
_MOST_UNKNOWN = 3  # words of no list that may stand between a noun and what agrees with it
# गाँव का अब तक का सबसे बुरा गायक: these have no possessor, so the genitive before is the noun's.
_NO_POSSESSOR = frozenset("तक अब आज कल यहां वहां समय उम्र साल वर्ष दिन दौर जमाने कद स्वभाव".split())
_HEART = frozenset({"दिल", "हृदय", "मन"})
_THAT = frozenset("वह वही यह यही वो".split())


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
        word = self.stretch[at]
        if is_genitive(word):
            return self._genitive(at)
        if agrees(word) or self._participle(at):
            return self._take(at)
        if word in _JOINS or word == ",":
            return self._join(at)
        if word == "से" and self.stretch[at - 1] in _HEART:  # आपका दिल से आभारी
            return 2 + (self.stretch[at - 2] == "तहे")
        words = function_words()
        if word in words.intensifiers or word in words.invariable_adjectives or word == "एक":
            return 1
        if self._compound(at):
            return 1
        if self.stretch.is_mark(at) or self._ends(word):
            return 0
        if word in _THAT:
            return int(is_genitive(self.stretch[at - 1]) or agrees(self.stretch[at - 1]))
        return self._unknown(at)

    def _compound(self, at: int) -> bool:
        """टीम लीडर: a thing right before a person is part of the name."""
        if at + 1 != self.first or self.stretch.oblique(at + 1):
            return False
        reading = nouns.person(self.stretch[at + 1])
        known = reading is not None and reading.noun.kind in {"same", "seldom"}
        return known and nouns.thing(self.stretch[at]) is not None

    def _ends(self, word: str) -> bool:
        words = function_words()
        return bool(
            word in words.postpositions
            or word in words.subordinators
            or (word in words.determiners and word not in _THAT | {"एक"})
            or nouns.thing(word)
        )

    def _genitive(self, at: int) -> int:
        if not self._take(at):
            return 0
        before = self.stretch[at - 1]
        if self.stretch[at] in {"का", "के", "की"} and before in _NO_POSSESSOR:
            return self._past_adverb(at)
        return 0

    def _past_adverb(self, at: int) -> int:
        """How far a genitive lies before अब तक का, कम उम्र का; 0 if none does."""
        for step in range(2, 6):
            word = self.stretch[at - step]
            if is_genitive(word):
                return step
            if word not in function_words().intensifiers | function_words().adverbs:
                return 0
        return 0

    def _unknown(self, at: int) -> int:
        word = self.stretch[at]
        reading = nouns.person(word)
        verbal = any(form.shape != "stem" for form in analyse(word))
        small = word in function_words().adverbs or word in pronouns.ANY
        if (reading and reading.noun.kind != "same") or verbal or small:
            return 0
        self.unknown += 1
        return 1 if self.unknown <= _MOST_UNKNOWN else 0

    def _join(self, at: int) -> int:
        """अच्छा और सच्चा दोस्त: two adjectives joined."""
        before, after = self.stretch[at - 1], self.stretch[at + 1]
        fixed = function_words().invariable_adjectives
        return int((agrees(before) or before in fixed) and (agrees(after) or after in fixed))

    def _participle(self, at: int) -> bool:
        """थका हुआ आदमी, काम कर रहा आदमी."""
        word, after = self.stretch[at], self.stretch[at + 1]
        if word in {"रहा", "रहे", "रही"}:
            return any(form.shape == "stem" for form in analyse(self.stretch[at - 1]))
        return is_state(self.stretch[at - 1], word) or is_state(word, after)

    def _take(self, at: int) -> int:
        cell = cell_of(self.stretch.words[at].text)
        if cell is None or (self.gender is not None and gender_of(cell) != self.gender):
            return 0
        self.agreeing.append(at)
        self.first = at
        return 1


def is_degree(word: str) -> bool:
    """इतना, कितना, थोड़ा …: they agree with whom the adjective after them is said of."""
    return citation(word) in function_words().agreeing_intensifiers


def is_said_of_people(stretch: Stretch, head: int) -> bool:
    """Whether a word can head what is said of a person: no thing, no adverb, no postposition."""
    word, words = stretch[head], function_words()
    if word in {"कैसे", "ऐसे", "वैसे"}:  # how someone is; elsewhere adverbs
        return True
    if stretch.is_mark(head) or word in words.adverbs or word in words.postpositions:
        return False
    if nouns.person(word) or agrees(word):
        return True
    return not (nouns.thing(word) or nouns.abstract(word) or word in pronouns.ANY)


def said(stretch: Stretch, head: int, start: int) -> Phrase | None:
    """The phrase with that head, if it can be said of a person."""
    word = stretch[head]
    if is_genitive(word):
        return phrase(stretch, head + 1, start)._replace(head=head)
    if citation(word) == "जैसा":  # पहले जैसा नहीं रहा
        return Phrase(head, head, (head,))
    if not is_said_of_people(stretch, head):
        return None
    found = phrase(stretch, head, start)
    if agrees(word) or (is_participle(word) and not nouns.person(word)):
        return found._replace(agreeing=(*found.agreeing, head))
    return found


_LIST = frozenset("और या व एवं तथा अथवा".split()) | {","}
_LONGEST_LIST = 8  # words


def is_oblique(stretch: Stretch, at: int) -> bool:
    """Whether a postposition follows a noun of people, a name after it, or the list it is in."""
    if stretch.oblique(at):
        return True
    if stretch[at + 1] not in _LIST:
        named = not stretch.is_mark(at + 1) and _may_be_name(stretch[at + 1])
        return named and stretch.oblique(at + 1)
    for place in range(at + 2, min(at + _LONGEST_LIST, len(stretch))):
        if nouns.person(stretch[place]):
            return stretch.oblique(place)
    return False


def _may_be_name(word: str) -> bool:
    words = function_words()
    known = word in words.postpositions or word in words.adverbs or word in words.particles
    return not (known or nouns.thing(word) or agrees(word) or analyse(word) or word in pronouns.ANY)
