"""How a verb shows its number, and what a word after "and" tells of whether it is a verb.

`SINGULAR` are the forms after "she", which end in -s and are taken for plural nouns; `PLURAL`
those after "they", which are base forms and are taken for nouns and infinitives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.english import verbs
from epicene.languages.rewriting.english.possession import is_nominal

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.english.line import Line

_POSSESSIVES = frozenset("my your his her its our their xyr".split())
_OBJECTS = frozenset("me you him her it us them himself herself itself themself".split())
_SMALL_PARTICLES = frozenset("up out off down away back".split())


class Number(NamedTuple):
    """One number of verbs: its auxiliaries, its clitics, and its lexical forms."""

    auxiliaries: frozenset[str]
    clitics: frozenset[str]
    may_be: Callable[[Line, int], bool]  # directly after the subject
    conjunct: Callable[[Line, int, int], Sureness | None]  # after a coordinator at the first index

    def forms(self, word: str) -> tuple[str, str]:
        """The singular and the plural form of a form of this number."""
        if self is SINGULAR:
            return word, verbs.plural(word)
        return verbs.singular(word), word


def _takes_object(line: Line, index: int) -> bool:
    """Whether what follows can only follow a verb."""
    word = line[index]
    return (
        word in line.lexicon.determiners
        or word in _POSSESSIVES
        or word in _OBJECTS
        or word in _SMALL_PARTICLES
        or word in {"hard", "well", "late", "early", "to"}
        or line.lexicon.is_ly_adverb(word)
    )


def _goes_on(line: Line, index: int) -> bool:
    """Whether what follows can follow a verb, though a noun too."""
    word, lexicon = line[index], line.lexicon
    return (
        word in lexicon.prepositions
        or word in lexicon.wh_words
        or word in lexicon.numbers
        or lexicon.is_adverb(word)
    )


_QUANTIFIERS = frozenset("all both most more less each first best better only".split())


def _adverb_between(line: Line, coordinator: int, index: int) -> bool:
    """ "and never complains", but not "and all sorts"."""
    return index > coordinator + 1 and line[index - 1] not in _QUANTIFIERS


def _bare_object(line: Line, index: int) -> bool:
    """Whether a noun follows with nothing before it, as after a verb and not after a plural."""
    word, lexicon = line[index], line.lexicon
    return (
        is_nominal(line, index)
        and not line.is_capital(index)
        and not lexicon.is_participle(word)
        and not word.endswith(("ing", "able", "ible"))
        and not lexicon.is_s_verb(word)
    )


def _after_verb(line: Line, coordinator: int) -> bool:
    """Whether a verb, an adverb or a particle stands before the coordinator."""
    at = coordinator - 1 if line[coordinator - 1] != "," else coordinator - 2
    before, lexicon = line[at], line.lexicon
    if before in lexicon.particles or lexicon.is_adverb(before):
        return True
    subject = line[at - 1]
    return lexicon.is_adverb(subject) or not line.is_word(at - 1) or subject in lexicon.pronouns


def _after_plural_noun(line: Line, coordinator: int) -> bool:
    before = line[coordinator - 1]
    return before.endswith("s") and not _after_verb(line, coordinator)


def _singular_may_be(line: Line, index: int) -> bool:
    return line.lexicon.may_end_in_s(line[index])


def _singular_conjunct(line: Line, coordinator: int, index: int) -> Sureness | None:
    word, lexicon = line[index], line.lexicon
    if not lexicon.may_end_in_s(word) or line.is_capital(index):
        return None
    joined = line[coordinator] in lexicon.coordinators
    base = verbs.plural(word)
    if base not in lexicon.verbs:
        unlike_noun = _takes_object(line, index + 1) and not _after_plural_noun(line, coordinator)
        return "guess" if joined and unlike_noun else None
    if word in lexicon.surely_verbs or _takes_object(line, index + 1):
        return "likely"
    if _adverb_between(line, coordinator, index):
        return "likely"
    if not joined:
        return None
    if _after_verb(line, coordinator):
        return "likely"
    if _bare_object(line, index + 1):
        return "guess"
    if base in lexicon.nouns_first:
        return None
    if _goes_on(line, index + 1) or not _after_plural_noun(line, coordinator):
        return "guess"
    return None


def _plural_may_be(line: Line, index: int) -> bool:
    word, lexicon = line[index], line.lexicon
    if not word.isalpha() or lexicon.is_closed(word) or word.endswith("ing"):
        return word in {"need", "dare", "like"} and not line[index + 1].startswith("n't")
    if word in lexicon.unchanging:
        return _speaks_of_present(line, index)
    return not lexicon.is_past(word) and not lexicon.is_participle(word)


_HABITS = frozenset("every always usually often sometimes daily never now each whenever".split())
_PRESENT = frozenset("is are has have does do am 's 're 've says say".split())


def _speaks_of_present(line: Line, index: int) -> bool:
    """Whether "put" is more likely present than past, by the other words of the sentence."""
    others = line.words[max(0, index - 30) : index] + line.words[index + 1 : index + 30]
    if any(line.lexicon.is_past(word) for word in others):
        return False
    return any(word in _HABITS or word in _PRESENT for word in others)


def _plural_conjunct(line: Line, coordinator: int, index: int) -> Sureness | None:
    word, lexicon = line[index], line.lexicon
    if word not in lexicon.verbs or line.is_capital(index) or not _plural_may_be(line, index):
        return None
    if _takes_object(line, index + 1) or _adverb_between(line, coordinator, index):
        return "likely"
    if line[coordinator] not in lexicon.coordinators:
        return None if word in lexicon.nouns_first else "guess"
    if _after_verb(line, coordinator):
        return "likely"
    of_noun = line[coordinator - 2] in lexicon.determiners
    if _goes_on(line, index + 1) and not of_noun:
        return "likely"
    return None if word in lexicon.nouns_first or of_noun else "guess"


SINGULAR = Number(verbs.AUXILIARIES, frozenset({"'s", "s"}), _singular_may_be, _singular_conjunct)
PLURAL = Number(
    verbs.PLURAL_AUXILIARIES,
    frozenset({"'re", "'ve", "re", "ve"}),
    _plural_may_be,
    _plural_conjunct,
)
