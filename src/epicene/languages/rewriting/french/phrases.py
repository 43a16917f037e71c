"""Noun phrases: le meilleur coiffeur du quartier, une vieille amie."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.languages.rewriting.french.inflection import inflect, people, singular
from epicene.languages.rewriting.french.lexicon import Words, read, verbs, words
from epicene.languages.rewriting.french.line import Line, is_adjective, is_person

if TYPE_CHECKING:
    from collections.abc import Collection

    from epicene.languages.rewriting.french.sites import Bond

# person: who has two genders; fixed: a person with one (une victime); thing: all else.
Head: TypeAlias = Literal["person", "fixed", "thing"]

_COMPARING = frozenset({"plus", "moins", "mieux", "très", "trop", "si", "assez", "aussi", "tout"})
# The endings of nouns for people that are in no list.
_PERSON_ENDING = re.compile(
    r".{3,}(?:teur|trice|euse|[^h]eur|eure|ien|ienne|iste|logue|logiste|graphe|ière|ante?|"
    r"aise?|oise?|éen|éenne|pathe|crate|cheur|geur|aire)"
)
_SAME = frozenset({"même", "mêmes"})
# What a present participle has after it, and an adjective in -ant seldom.
_COMPLEMENTS = frozenset("de d' du des à au aux le la les l' un une en que qu' sur dans".split())
SHORT_FORMS = {"bel": "beau", "nouvel": "nouveau", "vieil": "vieux", "fol": "fou"}


class NounPhrase(NamedTuple):
    """Where its words stand: determiners, head, adjectives around the head."""

    determiners: tuple[int, ...]
    head: int
    adjectives: tuple[int, ...]
    end: int
    kind: Head

    def agree(self, bond: Bond) -> None:
        """All of it agrees with somebody."""
        for index in self.determiners:
            bond.add(index, "determiner")
        bond.add(self.head, "noun")
        for index in self.adjectives:
            bond.add(index, "adjective")


@cache
def fixed() -> Words:
    """Nouns for people that have one gender."""
    lists = read("people")
    return words(lists["fixed_masculine"]) | words(lists["fixed_feminine"])


@cache
def before_noun() -> Words:
    """Both genders of the adjectives that stand before their noun."""
    listed = words(read("adjectives")["before_noun"]) | frozenset(SHORT_FORMS)
    return frozenset({*listed, *(inflect(each, "feminine") for each in listed)})


def read_phrase(line: Line, at: int, *, stop: Collection[int] = ()) -> NounPhrase | None:
    """The noun phrase that begins there, with or without a determiner, up to a place in `stop`."""
    determiners, start = _determiners(line, at)
    run = _run(line, start, stop)
    if not run:
        return None
    head, kind = _head(line, run, bare=not determiners)
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
        adjectives=(*before, *after),
        end=run[-1] + 1,
        kind=kind,
    )


def _determiners(line: Line, at: int) -> tuple[list[int], int]:
    found = []
    start = at
    while at - start < 3 and (line.is_determiner(at) or line[at].isdigit()):
        if line[at] in line.closed.articles or line[at] in line.closed.agreeing:
            found.append(at)
        at += 1
    return found, at


def _run(line: Line, start: int, stop: Collection[int]) -> list[int]:
    """The open words from there on that may belong to one phrase."""
    run: list[int] = []
    at = start
    while True:
        skipped = _after_degree(line, at, first=not run)
        if not line.is_open(skipped) or skipped in stop or _is_verb(line, skipped, run):
            return run
        if skipped > at and line[at] not in _SAME and not is_adjective(line[skipped]):
            return run
        if run and not _may_follow(line, skipped):
            return run
        run.append(skipped)
        at = skipped + 1


def _may_follow(line: Line, index: int) -> bool:
    """Whether a word can go on in a phrase: no name, no present participle, nothing odd."""
    word = line[index]
    if word in verbs().gerunds and line[index + 1] in _COMPLEMENTS:
        return False
    if is_adjective(word) or is_person(word) or word in fixed():
        return True
    return not line.is_capital(index) and not verbs().infinitive_of(word)


def _after_degree(line: Line, at: int, *, first: bool) -> int:
    """Past "le plus", "très", "plutôt" before an adjective, and "même" after an article."""
    if first and line[at] in _SAME and line.is_determiner(at - 1):
        return at + 1
    if not first and line[at] in {"le", "la"} and line[at + 1] in {"plus", "moins"}:
        return at + 2
    end = at + 1 if line[at] in _COMPARING else line.after_adverbs(at)
    return end if end > at and is_adjective(line[end]) else at


def _is_verb(line: Line, index: int, run: list[int]) -> bool:
    """Whether a finite verb stands there rather than one more word of the phrase."""
    word = line[index]
    if not run or not verbs().forms(word):
        return False
    return not (is_adjective(word) or is_person(word))


def _head(line: Line, run: list[int], *, bare: bool) -> tuple[int, Head]:
    """Which word is the noun, and what it names."""
    for place, index in enumerate(run):
        word = line[index]
        later = run[place + 1 :]
        if _stands_before(word) and any(_is_nounlike(line, each) for each in later[:2]):
            continue
        if word in fixed() or singular(word) in fixed():
            return index, "person" if _is_turned(line, run[0] - 1, word) else "fixed"
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


def _stands_before(word: str) -> bool:
    return word in before_noun() or singular(word) in before_noun()


def _is_noun_alone(word: str) -> bool:
    return is_person(word) and not is_adjective(word)


def _is_turned(line: Line, determiner: int, word: str) -> bool:
    """une membre: a noun of one gender with the other's article is used for both."""
    return word in _fixed_masculine() and line[determiner] in {"une", "la", "cette"}


@cache
def _fixed_masculine() -> Words:
    return words(read("people")["fixed_masculine"])


def _is_nounlike(line: Line, index: int) -> bool:
    word = line[index]
    return is_person(word) or word in fixed() or not is_adjective(word)


def looks_like_person(word: str) -> bool:
    """Whether a word in no list ends like a noun for a person."""
    return bool(_PERSON_ENDING.fullmatch(singular(word))) or is_demonym(word)


def is_demonym(word: str) -> bool:
    """Whether it is an adjective that names people as well: français, une Corse."""
    return is_adjective(word) and word not in verbs().participles


def _may_precede(line: Line, index: int) -> bool:
    word = line[index]
    return _stands_before(word) or is_adjective(word) or word in people().known
