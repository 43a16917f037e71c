"""Distinguish spellings of a word from changes of the word.

Two words are spellings of one word if they differ only in what spelling.toml lists for their
language, in case, digits, encoding or the shape of apostrophes. Nothing that can mark gender is
listed, and a word that could be a spelling of either gender's word is not a variant of either.
"""

from __future__ import annotations

import tomllib
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import regex

from epicene.core.records import Record
from epicene.languages.normalisers import quotes
from epicene.suites.genform.gendered_terms import MISSING, align

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.suites.genform.gendered_terms import Reference
    from epicene.suites.genform.words import Words

# The kinds that are not in spelling.toml.
CASE, DIGITS, ENCODING, QUOTES, MARKS, CAPITAL = (
    "case", "digits", "encoding", "quotes", "vowel marks", "capital's accent",
)  # fmt: skip

_INVISIBLE = regex.compile(r"[\u00ad\u0640\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_DIGIT = regex.compile(r"\p{Nd}")
_QUOTATION_MARK = regex.compile(r"[\"'`«»‹›“”„‟‘’‚‛]")


class Fold(Record, frozen=True, kw_only=True, rename={"pattern": "from"}):
    """An expression, and the replacement for each match."""

    kind: str
    pattern: str
    to: str


class LanguageSpellings(Record, frozen=True, kw_only=True):
    """What spelling.toml has about a language, by kind where it is a table."""

    folds: tuple[Fold, ...] = ()
    bare: dict[str, tuple[str, ...]] = {}
    words: dict[str, tuple[str, ...]] = {}
    distinct: tuple[str, ...] = ()


class SpellingRules(NamedTuple):
    """The rules of a language: what is replaced, in order, by kind, and lists of words."""

    folds: tuple[tuple[str, Callable[[str], str]], ...]
    bare: dict[tuple[str, str], str]  # a letter with its mark and the one without: the kind
    words: dict[frozenset[str], str]
    distinct: frozenset[frozenset[str]]
    kinds: frozenset[str]


@cache
def spelling_rules(language: str) -> SpellingRules:
    """The rules of a language; if it has none, the rules for all languages."""
    text = (Path(__file__).parent / "spelling.toml").read_text(encoding="utf-8")
    found = msgspec.convert(tomllib.loads(text).get(language, {}), LanguageSpellings)
    folds: list[tuple[str, Callable[[str], str]]] = [
        (ENCODING, _one_encoding),
        (QUOTES, quotes),
        (DIGITS, _plain_digits),
        *((each.kind, _replacing(each)) for each in found.folds),
    ]
    if language == "ar":
        folds.insert(0, (MARKS, _without_vowel_marks))
    bare = {_two(pair): kind for kind, pairs in found.bare.items() for pair in pairs}
    words = {frozenset(pair.split()): kind for kind, pairs in found.words.items() for pair in pairs}
    kinds = {kind for kind, _ in folds} | {*bare.values(), *words.values(), CASE}
    if language == "fr":
        kinds.add(CAPITAL)
    distinct = frozenset(frozenset(pair.split()) for pair in found.distinct)
    return SpellingRules(tuple(folds), bare, words, distinct, frozenset(kinds))


def _two(pair: str) -> tuple[str, str]:
    marked, bare = pair.split()
    return marked, bare


def _replacing(fold: Fold) -> Callable[[str], str]:
    expression = regex.compile(fold.pattern)
    return lambda word: expression.sub(fold.to, word)


def _one_encoding(word: str) -> str:
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", word))


def _plain_digits(word: str) -> str:
    return _DIGIT.sub(lambda digit: str(unicodedata.digit(digit[0])), word)


_VOWEL_MARK = regex.compile(r"[\u064b-\u0652\u0670]")
# The vowel, or its absence, on the ت or ك of a person: you wrote, she wrote, your.
_PERSON = regex.compile(
    r"(?<=\p{L}\p{M}*[تك]\u0651?)[\u064e\u0650\u0652](?=\u0651?(?:ه\p{M}?(?:ا|م\p{M}?ا?|ن\p{M}*)?|ن\p{M}?[يا])?\p{M}?$)"
)


def _without_vowel_marks(word: str) -> str:
    kept = {found.start() for found in _PERSON.finditer(word)}
    return "".join(
        letter
        for index, letter in enumerate(word)
        if index in kept or not _VOWEL_MARK.match(letter)
    )


@lru_cache(maxsize=2**15)
def spelling_kinds(one: str, other: str, language: str) -> tuple[str, ...]:
    """The kinds of spelling in which two different words differ; none if they are two words."""
    rules = spelling_rules(language)
    if one == other or _are_distinct(one, other, rules):
        return ()
    if not _are_alike(one, other, rules, rules.kinds):
        return ()
    needed = rules.kinds
    for kind in sorted(rules.kinds):
        if _are_alike(one, other, rules, needed - {kind}):
            needed -= {kind}
    return tuple(sorted(needed))


def _are_distinct(one: str, other: str, rules: SpellingRules) -> bool:
    return (
        frozenset((one, other)) in rules.distinct
        or frozenset((one.lower(), other.lower())) in rules.distinct
    )


def _are_alike(one: str, other: str, rules: SpellingRules, kinds: frozenset[str]) -> bool:
    """Whether the words differ in these kinds of spelling at most."""
    if CASE in kinds and _has_plain_case(one) and _has_plain_case(other):
        if CAPITAL in kinds:
            one, other = _same_capital(one, other)
        one, other = one.lower(), other.lower()
    elif CAPITAL in kinds:
        one, other = _same_capital(one, other)
    if rules.words.get(frozenset((one, other))) in kinds:
        return True
    for kind, fold in rules.folds:
        if kind in kinds:
            one, other = fold(one), fold(other)
    if len(one) != len(other):
        return False
    return all(
        mine == theirs
        or rules.bare.get((mine, theirs), rules.bare.get((theirs, mine), "")) in kinds
        for mine, theirs in zip(one, other, strict=True)
    )


def _has_plain_case(word: str) -> bool:
    """Whether capitals show only the position of the word: the one inside StudentInnen shows
    more."""
    rest = word[1:]
    return rest == rest.lower() or rest == rest.upper()


def _same_capital(one: str, other: str) -> tuple[str, str]:
    """The words with the accent of the one's first letter on the other's capital: État, Etat."""
    for bare, accented in ((one, other), (other, one)):
        first = unicodedata.normalize("NFD", accented[:1])
        if bare[:1].isupper() and len(first) > 1 and first[0].upper() == bare[0]:
            return accented, accented[0] + bare[1:]
    return one, other


class SpellingVariant(NamedTuple):
    """A word of an answer that is another spelling of the expected word, or of the other form's."""

    written: str
    word: str
    kinds: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.written} for {self.word} ({', '.join(self.kinds)})"


def respell(
    reference: Reference, answer: Words, language: str
) -> tuple[Words, list[SpellingVariant]]:
    """The answer in the spelling of the pair's forms, and the spelling variants it had.

    A variant is another spelling of the word expected there or of the other form's word, but not of
    both.
    """
    keys = {word: _key(word, language) for word in {*reference.words, *answer}}
    found = align([keys[word] for word in reference.words], [keys[word] for word in answer])
    respelled, variants = list(answer), []
    for index, partner in enumerate(found.partners):
        if partner == MISSING or answer[partner] == reference.words[index]:
            continue
        written, forms = answer[partner], [reference.words[index]]
        theirs = reference.alignment.partners[index]
        if index in reference.gendered and theirs != MISSING:
            forms.append(reference.counterfactual[theirs])
        if written in forms:
            continue
        spelt = [(word, spelling_kinds(written, word, language)) for word in forms]
        match [(word, kinds) for word, kinds in spelt if kinds]:
            case [(word, kinds)]:
                respelled[partner] = word
                variants.append(SpellingVariant(written, word, kinds))
    return tuple(respelled), variants


@lru_cache(maxsize=2**15)
def _key(word: str, language: str) -> str:
    """What all spellings of a word have in common, by which sentences are aligned."""
    rules = spelling_rules(language)
    word = word.lower()
    for _, fold in rules.folds:
        word = fold(word)
    letters = dict(rules.bare.keys())
    return "".join(letters.get(letter, letter) for letter in word) or word


def other_quotation_marks(answer: str, reference: str) -> bool:
    """Whether a text has other quotation marks or apostrophes than the reference."""
    return _QUOTATION_MARK.findall(answer) != _QUOTATION_MARK.findall(reference)
