"""The two numbers of a verb, when a word is a verb of that number, and whether 's is "is" or "has".

Singular forms, those after "she", end in -s and could be plural nouns. Plural forms, those after
"they", are base forms and could be nouns or infinitives.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from epicene.rewriting.english import conjugation
from epicene.rewriting.english.cases import is_nominal

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.english.line import Line

OBJECTS = frozenset("me you him her it us them himself herself itself themself".split())
_AFTER_VERBS = frozenset("up out off down away back hard well late early to".split())
_QUANTIFIERS = frozenset("all both most more less each first best better only".split())


def takes_object(line: Line, index: int) -> bool:
    """Whether the token is one that follows verbs and hardly ever a noun."""
    word = line[index]
    return (
        word in line.lexicon.determiners
        or word in OBJECTS
        or word in _AFTER_VERBS
        or line.lexicon.is_ly_adverb(word)
    )


def takes_bare_noun(line: Line, index: int) -> bool:
    """Whether the token is a noun without an article: it follows a verb, but no plural noun."""
    word, lexicon = line[index], line.lexicon
    return (
        is_nominal(line, index)
        and not line.is_capital(index)
        and not lexicon.is_participle(word)
        and not word.endswith(("ing", "able", "ible"))
        and not lexicon.is_s_verb(word)
    )


def continues_clause(line: Line, index: int) -> bool:
    """Whether the token is one that follows verbs, though also nouns."""
    word, lexicon = line[index], line.lexicon
    return (
        word in lexicon.prepositions
        or word in lexicon.wh_words
        or word in lexicon.numbers
        or lexicon.is_adverb(word)
    )


def adverb_between(line: Line, coordinator: int, index: int) -> bool:
    """Whether an adverb precedes the word: "and never complains", but not "and all sorts"."""
    return index > coordinator + 1 and line[index - 1] not in _QUANTIFIERS


def after_verb(line: Line, coordinator: int) -> bool:
    """Whether a verb, an adverb or a particle precedes the coordinator."""
    at = coordinator - 2 if line[coordinator - 1] == "," else coordinator - 1
    before, subject, lexicon = line[at], line[at - 1], line.lexicon
    if before in lexicon.particles or lexicon.is_adverb(before):
        return True
    return lexicon.is_adverb(subject) or not line.is_word(at - 1) or subject in lexicon.pronouns


def after_plural_noun(line: Line, coordinator: int) -> bool:
    """Whether the word before the coordinator looks like a plural."""
    return line[coordinator - 1].endswith("s") and not after_verb(line, coordinator)


_TO_PLACES = frozenset("at from in near to".split())


def after_place_or_time(line: Line, coordinator: int, index: int) -> bool:
    """Whether no plural noun is joined to the word before: "early and", "in Rome and"."""
    before, last, lexicon = line[coordinator - 2], line[coordinator - 1], line.lexicon
    if last in _AFTER_VERBS or last in lexicon.adverbs:
        return True
    place = line.is_capital(coordinator - 1) and before in _TO_PLACES
    if not place and f"{before}_{last}" not in lexicon.ending_phrases:
        return False
    # "to school and parks", "to Rome and works of art"
    return line.is_word(index + 1) and line[index + 1] != "of"


class VerbNumber(ABC):
    """The singular or the plural of verbs."""

    auxiliaries: frozenset[str]
    clitics: frozenset[str]
    is_base: bool  # its forms are those of the infinitive too

    @abstractmethod
    def forms(self, word: str) -> tuple[str, str]:
        """The singular and the plural form of a form of this number."""

    @abstractmethod
    def may_be(self, line: Line, index: int) -> bool:
        """Whether the token shows this number, given that it is the subject's verb."""

    @abstractmethod
    def joined(self, line: Line, coordinator: int, index: int) -> Confidence | None:
        """The confidence that the word is a verb of this number, after a coordinator or a comma."""


class _Singular(VerbNumber):
    auxiliaries = conjugation.SINGULAR_AUXILIARIES
    clitics = frozenset({"'s", "s"})
    is_base = False

    def forms(self, word: str) -> tuple[str, str]:
        return word, conjugation.plural_verb(word)

    def may_be(self, line: Line, index: int) -> bool:
        return line.lexicon.may_end_in_s(line[index])

    def joined(self, line: Line, coordinator: int, index: int) -> Confidence | None:
        word, lexicon = line[index], line.lexicon
        if not lexicon.may_end_in_s(word) or line.is_capital(index):
            return None
        coordinates = line[coordinator] in lexicon.coordinators
        with_object = takes_object(line, index + 1)
        after_plural = after_plural_noun(line, coordinator)
        if not lexicon.is_s_verb(word):
            return "guess" if coordinates and with_object and not after_plural else None
        phrase = f"{word}_{line[index + 1]}"
        if word in lexicon.surely_verbs or phrase in lexicon.verb_phrases or with_object:
            return "likely"
        if adverb_between(line, coordinator, index):
            return "likely"
        noun_first = conjugation.plural_verb(word) in lexicon.nouns_first
        listed = line[index + 1] == "," or line[index + 1] in lexicon.coordinators
        if after_verb(line, coordinator) and (coordinates or listed or not noun_first):
            return "likely"
        if not coordinates:
            return None
        if after_place_or_time(line, coordinator, index):
            return "guess"
        verbal = continues_clause(line, index + 1) or not after_plural
        if takes_bare_noun(line, index + 1) or (verbal and not noun_first):
            return "guess"
        return None


class _Plural(VerbNumber):
    auxiliaries = conjugation.PLURAL_AUXILIARIES
    clitics = frozenset({"'re", "'ve", "re", "ve"})
    is_base = True

    def forms(self, word: str) -> tuple[str, str]:
        return conjugation.singular_verb(word), word

    def may_be(self, line: Line, index: int) -> bool:
        word, lexicon = line[index], line.lexicon
        if not word.isalpha() or (lexicon.is_closed(word) and word not in {"like", "cause"}):
            return False
        if word in lexicon.unchanging:
            return _speaks_of_present(line, index)
        if word.endswith("ing") and word not in lexicon.verbs:
            return False
        return not lexicon.is_past(word) and word not in lexicon.participles

    def joined(self, line: Line, coordinator: int, index: int) -> Confidence | None:
        word, lexicon = line[index], line.lexicon
        if word not in lexicon.verbs or line.is_capital(index) or not self.may_be(line, index):
            return None
        if takes_object(line, index + 1):
            return "likely"
        if adverb_between(line, coordinator, index):
            return "likely"
        noun_first = word in lexicon.nouns_first
        if line[coordinator] in lexicon.coordinators:
            if after_verb(line, coordinator):
                return "likely"
            # "the rock and roll" is one noun, "the gate and reach for it" is not.
            of_noun = noun_first and line[coordinator - 2] in lexicon.determiners
            if continues_clause(line, index + 1) and not of_noun:
                return "likely"
        return None if noun_first else "guess"


_HABITS = frozenset("every always usually often sometimes daily never now each whenever".split())
_PRESENT = frozenset("is are has have does do am 's 're 've says say".split())


def _speaks_of_present(line: Line, index: int) -> bool:
    """Whether "put" is more likely present than past, by the words around it."""
    words = [word for word in line.around(index, 30) if word != line[index]]
    if any(line.lexicon.is_past(word) for word in words):
        return False
    return any(word in _HABITS or word in _PRESENT for word in words)


SINGULAR: VerbNumber = _Singular()
PLURAL: VerbNumber = _Plural()

_PERFECT_ADVERBS = frozenset("already never ever always recently just long lately".split())
_QUANTITIES = frozenset("all more what everything something nothing anything".split())
# "all she's done", "how she's reacted": the object stands before.
_OBJECT_BEFORE = frozenset("all what everything anything something how".split())


def means_has(line: Line, clitic: int) -> tuple[bool, Confidence]:
    """Whether the clitic at that token is "has", and the confidence."""
    lexicon = line.lexicon
    index = line.after_adverbs(clitic + 1)
    # "Where's she gone": the subject stands between.
    inverted = line[index] in lexicon.pronouns
    if inverted:
        index = line.after_adverbs(index + 1)
    word = line[index]
    if word in lexicon.has_participles:
        return True, "certain" if word in {"been", "had"} else "likely"
    if not lexicon.is_participle(word) or word in lexicon.adjectives:
        return False, "likely" if line.is_word(index) else "certain"
    if inverted:
        return True, "likely"
    perfect = any(line[at] in _PERFECT_ADVERBS for at in range(clitic + 1, index))
    if _object_follows(line, index + 1) or (perfect and word != "gone"):
        return True, "guess"
    if word in lexicon.is_participles:
        return word != "gone" and line[clitic - 2] in _OBJECT_BEFORE, "guess"
    return word in lexicon.participles, "guess"


def _object_follows(line: Line, index: int) -> bool:
    """Whether an object follows, as it does after "has taken" and not after "is taken"."""
    word = line[index]
    return (
        line.is_number(index)
        or word in line.lexicon.determiners
        or word in line.lexicon.numbers
        or word in OBJECTS
        or word in _QUANTITIES
    )
