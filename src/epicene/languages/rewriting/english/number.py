"""The two numbers of a verb, and when a word is a verb of that number.

Singular forms, those after "she", end in -s and could be plural nouns. Plural forms, those after
"they", are base forms and could be nouns or infinitives.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from epicene.languages.rewriting.english import evidence, verbs

if TYPE_CHECKING:
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.english.line import Line


class Number(ABC):
    """One number of verbs."""

    auxiliaries: frozenset[str]
    clitics: frozenset[str]
    is_base: bool  # its forms are those of the infinitive too

    @abstractmethod
    def forms(self, word: str) -> tuple[str, str]:
        """The singular and the plural form of a form of this number."""

    @abstractmethod
    def may_be(self, line: Line, index: int) -> bool:
        """Whether the word there shows this number, if the subject's verb stands there."""

    @abstractmethod
    def joined(self, line: Line, coordinator: int, index: int) -> Sureness | None:
        """How surely the word there is a verb of this number, after a coordinator or a comma."""


class _Singular(Number):
    auxiliaries = verbs.AUXILIARIES
    clitics = frozenset({"'s", "s"})
    is_base = False

    def forms(self, word: str) -> tuple[str, str]:
        return word, verbs.plural(word)

    def may_be(self, line: Line, index: int) -> bool:
        return line.lexicon.may_end_in_s(line[index])

    def joined(self, line: Line, coordinator: int, index: int) -> Sureness | None:
        word, lexicon = line[index], line.lexicon
        if not lexicon.may_end_in_s(word) or line.is_capital(index):
            return None
        coordinates = line[coordinator] in lexicon.coordinators
        with_object = evidence.takes_object(line, index + 1)
        after_plural = evidence.after_plural_noun(line, coordinator)
        if not lexicon.is_s_verb(word):
            return "guess" if coordinates and with_object and not after_plural else None
        if word in lexicon.surely_verbs or with_object:
            return "likely"
        if evidence.adverb_between(line, coordinator, index):
            return "likely"
        noun_first = verbs.plural(word) in lexicon.nouns_first
        listed = line[index + 1] == "," or line[index + 1] in lexicon.coordinators
        if evidence.after_verb(line, coordinator) and (coordinates or listed or not noun_first):
            return "likely"
        if not coordinates:
            return None
        verbal = evidence.goes_on(line, index + 1) or not after_plural
        if evidence.takes_bare_noun(line, index + 1) or (verbal and not noun_first):
            return "guess"
        return None


class _Plural(Number):
    auxiliaries = verbs.PLURAL_AUXILIARIES
    clitics = frozenset({"'re", "'ve", "re", "ve"})
    is_base = True

    def forms(self, word: str) -> tuple[str, str]:
        return verbs.singular(word), word

    def may_be(self, line: Line, index: int) -> bool:
        word, lexicon = line[index], line.lexicon
        if not word.isalpha() or (lexicon.is_closed(word) and word not in {"like", "cause"}):
            return False
        if word in lexicon.unchanging:
            return _speaks_of_present(line, index)
        if word.endswith("ing") and word not in lexicon.verbs:
            return False
        return not lexicon.is_past(word) and word not in lexicon.participles

    def joined(self, line: Line, coordinator: int, index: int) -> Sureness | None:
        word, lexicon = line[index], line.lexicon
        if word not in lexicon.verbs or line.is_capital(index) or not self.may_be(line, index):
            return None
        if evidence.takes_object(line, index + 1):
            return "likely"
        if evidence.adverb_between(line, coordinator, index):
            return "likely"
        noun_first = word in lexicon.nouns_first
        if line[coordinator] in lexicon.coordinators:
            if evidence.after_verb(line, coordinator):
                return "likely"
            # "the rock and roll" is one noun, "the gate and reach for it" is not.
            of_noun = noun_first and line[coordinator - 2] in lexicon.determiners
            if evidence.goes_on(line, index + 1) and not of_noun:
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


SINGULAR: Number = _Singular()
PLURAL: Number = _Plural()
