"""What the words around a word say of whether it is a verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.english.possession import is_nominal

if TYPE_CHECKING:
    from epicene.languages.rewriting.english.line import Line

OBJECTS = frozenset("me you him her it us them himself herself itself themself".split())
_AFTER_VERBS = frozenset("up out off down away back hard well late early to".split())
_QUANTIFIERS = frozenset("all both most more less each first best better only".split())


def takes_object(line: Line, index: int) -> bool:
    """Whether what stands there follows verbs and hardly ever a noun."""
    word = line[index]
    return (
        word in line.lexicon.determiners
        or word in OBJECTS
        or word in _AFTER_VERBS
        or line.lexicon.is_ly_adverb(word)
    )


def takes_bare_noun(line: Line, index: int) -> bool:
    """Whether a noun without an article stands there: it follows a verb, but no plural noun."""
    word, lexicon = line[index], line.lexicon
    return (
        is_nominal(line, index)
        and not line.is_capital(index)
        and not lexicon.is_participle(word)
        and not word.endswith(("ing", "able", "ible"))
        and not lexicon.is_s_verb(word)
    )


def goes_on(line: Line, index: int) -> bool:
    """Whether what stands there follows verbs, though nouns too."""
    word, lexicon = line[index], line.lexicon
    return (
        word in lexicon.prepositions
        or word in lexicon.wh_words
        or word in lexicon.numbers
        or lexicon.is_adverb(word)
    )


def adverb_between(line: Line, coordinator: int, index: int) -> bool:
    """Whether an adverb leads to the word: "and never complains", but not "and all sorts"."""
    return index > coordinator + 1 and line[index - 1] not in _QUANTIFIERS


def after_verb(line: Line, coordinator: int) -> bool:
    """Whether a verb, an adverb or a particle stands before the coordinator."""
    at = coordinator - 2 if line[coordinator - 1] == "," else coordinator - 1
    before, subject, lexicon = line[at], line[at - 1], line.lexicon
    if before in lexicon.particles or lexicon.is_adverb(before):
        return True
    return lexicon.is_adverb(subject) or not line.is_word(at - 1) or subject in lexicon.pronouns


def after_plural_noun(line: Line, coordinator: int) -> bool:
    """Whether what stands before the coordinator looks like a plural."""
    return line[coordinator - 1].endswith("s") and not after_verb(line, coordinator)
