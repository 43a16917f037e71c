"""Noun phrases (le meilleur coiffeur du quartier), and the mentions of people and things."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.french.inflection import (
    is_plural,
    person_pairs,
    shown_gender,
    shown_noun_gender,
    singular_of,
)
from epicene.rewriting.french.lexicon import verb_table, word_list
from epicene.rewriting.french.line import (
    Line,
    is_adjective,
    is_person,
    looks_like_adjective,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from epicene.rewriting.french.sites import Agreement

# person: who has two genders; fixed: a person with one (une victime); thing: all else.
HeadKind: TypeAlias = Literal["person", "fixed", "thing"]

_COMPARING = frozenset({"plus", "moins", "mieux", "très", "trop", "si", "assez", "aussi", "tout"})
# The endings of nouns for people that are in no list.
_PERSON_ENDING = re.compile(
    r".{3,}(?:teur|trice|euse|[^h]eur|eure|ien|ienne|iste|logue|logiste|graphe|ière|ante?|"
    r"aise?|oise?|éen|éenne|pathe|crate|cheur|geur|aire)"
)
_NUMBER = re.compile(r"\d+(?:e|è|ème|eme)?")  # les 20 hommes, le 7e comte
_MEME = frozenset({"même", "mêmes"})
# What a present participle has after it, and an adjective in -ant seldom.
_COMPLEMENT_STARTERS = word_list("function_words", "complement_starters")
SHORT_FORMS = {"bel": "beau", "nouvel": "nouveau", "vieil": "vieux", "fol": "fou"}


class NounPhrase(NamedTuple):
    """The indices of its words: determiners, head, adjectives around the head."""

    determiners: tuple[int, ...]
    head: int
    adjectives: tuple[int, ...]
    end: int
    kind: HeadKind

    def agree(self, agreement: Agreement) -> None:
        """Add all words of the phrase to an agreement."""
        for index in self.determiners:
            agreement.add(index, "determiner")
        agreement.add(self.head, "noun")
        for index in self.adjectives:
            agreement.add(index, "adjective")


# Nouns for people that have one gender.
_FIXED_MASCULINE = word_list("people", "fixed_masculine")
FIXED_GENDER_NOUNS = _FIXED_MASCULINE | word_list("people", "fixed_feminine")


# Both genders of the adjectives that stand before their noun.
PRENOMINAL_ADJECTIVES = word_list("adjectives", "before_noun")


def read_phrase(line: Line, at: int, *, stop: Collection[int] = ()) -> NounPhrase | None:
    """The noun phrase that begins at `at`, with or without a determiner, before any `stop`."""
    determiners, start = _read_determiners(line, at)
    run = _open_words(line, start, stop)
    if not run:
        return None
    head, kind = _find_head(line, run, bare=not determiners)
    before = [index for index in run if index < head]
    after = [index for index in run if index > head]
    if any(not _may_precede(line, index) for index in before):
        return None
    superlative = [
        index - 2
        for index in after
        if line[index - 1] in {"plus", "moins"} and line[index - 2] in {"le", "la"}
    ]
    return NounPhrase(
        determiners=(*determiners, *superlative),
        head=head,
        adjectives=(*before, *(index for index in after if _may_agree(line, head, index))),
        end=run[-1] + 1,
        kind=kind,
    )


def _may_agree(line: Line, head: int, index: int) -> bool:
    """Whether a word after the head can agree with it: an adjective, not one of another gender."""
    word = line[index]
    if not (is_adjective(word) or is_person(word) or looks_like_adjective(word)):
        return False
    if line.is_capital(index) and not line.is_capital(head) and not line.text.isupper():
        return False  # le docteur Petit
    if not is_person(line[head]):
        return True
    own = shown_noun_gender(line[head], plural=is_plural(line[head]))
    return own is None or shown_gender(word, plural=word.endswith("s")) in {None, own}


def _read_determiners(line: Line, at: int) -> tuple[list[int], int]:
    found = []
    start = at
    while at - start < 3 and (line.is_determiner(at) or _NUMBER.fullmatch(line[at])):
        if line[at] in line.closed.articles or line[at] in line.closed.agreeing:
            found.append(at)
        at += 1
    return found, at


def _open_words(line: Line, start: int, stop: Collection[int]) -> list[int]:
    """The open-class words from `start` on that may belong to one phrase."""
    run: list[int] = []
    at = start
    while True:
        skipped = _after_degree(line, at, first=not run)
        if not line.is_open(skipped) or skipped in stop or _is_verb(line, skipped, run):
            return run
        if skipped > at and line[at] not in _MEME and not is_adjective(line[skipped]):
            return run
        if run and not _may_follow(line, skipped):
            return run
        run.append(skipped)
        at = skipped + 1


def _may_follow(line: Line, index: int) -> bool:
    """Whether a word can continue a phrase: no name, no present participle, nothing unusual."""
    word = line[index]
    if word in verb_table().gerunds and line[index + 1] in _COMPLEMENT_STARTERS:
        return is_person(word) and line[index + 1] in {"de", "d'", "du", "des"}
    if line.is_first_name(index):  # mon ami Julien
        return False
    if is_adjective(word) or is_person(word) or word in FIXED_GENDER_NOUNS:
        return True
    return not line.is_capital(index) and not verb_table().infinitive_of(word)


def _after_degree(line: Line, at: int, *, first: bool) -> int:
    """The index past "très", "le plus" before an adjective, and "même" after an article."""
    if first and line[at] in _MEME and line.is_determiner(at - 1):
        return at + 1
    if not first and line[at] in {"le", "la", "les"} and line[at + 1] in {"plus", "moins"}:
        return at + 2
    end = at + 1 if line[at] in _COMPARING else line.after_adverbs(at)
    return end if end > at and is_adjective(line[end]) else at


def _is_verb(line: Line, index: int, run: list[int]) -> bool:
    """Whether the word is a finite verb rather than part of the phrase."""
    word = line[index]
    if not run or not verb_table().forms(word):
        return False
    if word in _ALSO_PARTICIPLES and is_person(line[run[-1]]) and _object_follows(line, index + 1):
        return True
    return not (is_adjective(word) or is_person(word))


# Participles with the form of a present.
_ALSO_PARTICIPLES = word_list("function_words", "also_participles")
_WITH_FAIRE = frozenset("partie face appel preuve confiance peur semblant état".split())


def _object_follows(line: Line, at: int) -> bool:
    """Whether what follows is the object of a verb: fait partie, dit la vérité, fait rire."""
    if line[at] in _WITH_FAIRE or line[at] in {"que", "qu'"}:
        return True
    return line.is_determiner(at) or line[at] in verb_table().infinitives


def _find_head(line: Line, run: list[int], *, bare: bool) -> tuple[int, HeadKind]:
    """The index of the head noun, and whether it denotes a person or a thing."""
    for position, index in enumerate(run):
        word = line[index]
        later = run[position + 1 :]
        if word in {"autre", "autres"} and later:
            continue
        if word in _THING_NOUNS:
            return index, "thing"
        if _stands_before(word) and any(_is_nounlike(line, each) for each in later[:2]):
            continue
        if word in FIXED_GENDER_NOUNS or singular_of(word) in FIXED_GENDER_NOUNS:
            return index, "person" if _has_other_gender_article(line, run[0] - 1, word) else "fixed"
        if is_person(word):
            return index, "person"
        if is_adjective(word) and not later:
            return index, "person"
        if is_adjective(word) and (bare or _stands_before(word)):
            continue
        if is_adjective(word) and any(_is_noun_alone(line[each]) for each in later):
            continue
        return index, "person" if looks_like_person(word) else "thing"
    return run[0], "person"


# Nouns for things that look like adjectives.
_THING_NOUNS = word_list("function_words", "thing_nouns")


def _stands_before(word: str) -> bool:
    return word in PRENOMINAL_ADJECTIVES or singular_of(word) in PRENOMINAL_ADJECTIVES


def _is_noun_alone(word: str) -> bool:
    return is_person(word) and not is_adjective(word)


def _has_other_gender_article(line: Line, determiner: int, word: str) -> bool:
    """Whether a noun of one gender has the other's article, so that it serves both: une membre."""
    return word in _FIXED_MASCULINE and line[determiner] in {"une", "la", "cette"}


def _is_nounlike(line: Line, index: int) -> bool:
    word = line[index]
    return is_person(word) or word in FIXED_GENDER_NOUNS or not is_adjective(word)


def looks_like_person(word: str) -> bool:
    """Whether an unlisted word ends like a noun for a person."""
    return bool(_PERSON_ENDING.fullmatch(singular_of(word))) or is_demonym(word)


def is_demonym(word: str) -> bool:
    """Whether the word is an adjective that also names people: français, une Corse."""
    return is_adjective(word) and word not in verb_table().participles


def _may_precede(line: Line, index: int) -> bool:
    word = line[index]
    return _stands_before(word) or is_adjective(word) or word in person_pairs().known
