"""Split sentences into words in two ways, and decide whether two words are forms of the same word.

The tokenisation `whitespace` splits at spaces and strips punctuation at the ends: the simplest
reading of the paper, which names none. `epicene` uses the words of our segmenter, which splits off
elided and enclitic words.

Two words are forms of the same word if at least half of the shorter word is also the beginning of
the longer one, or if forms.toml lists them together (homme, femme; هذا، هذه; गया, गई). The parts of
a hyphenated word are compared one by one. Arabic words are compared without clitics and without the
letters that patterns add, since a plural keeps its consonants and little else (عمال، عاملات).
"""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import regex

from epicene.languages.normalisers import normalise
from epicene.languages.tokenisation import words

if TYPE_CHECKING:
    from collections.abc import Callable

Tokenisation: TypeAlias = Literal["whitespace", "epicene"]
TOKENISATIONS: tuple[Tokenisation, ...] = ("whitespace", "epicene")
Words: TypeAlias = tuple[str, ...]

# Applied before splitting; none can turn one gender's form into the other's.
NORMALISERS: dict[Tokenisation, tuple[str, ...]] = {
    "whitespace": (),
    "epicene": ("nfc", "quotes", "tatweel"),
}

_OUTER = regex.compile(r"^[\p{P}\p{S}]+|[\p{P}\p{S}]+$")

# How many pieces between spaces are cached, for each language.
_CACHED_PIECES = 2**16


def tokenise(text: str, language: str, tokenisation: Tokenisation) -> Words:
    """The words of a text."""
    return tokenise_both_ways(text, language)[tokenisation]


def tokenise_both_ways(text: str, language: str) -> dict[Tokenisation, Words]:
    """The words of a text by each tokenisation.

    No word contains a space, so a text is tokenised piece by piece, and pieces are cached: most of
    a corpus is the same few thousand pieces.
    """
    pieces = list(map(_piece_tokeniser(language), text.split()))
    return {
        "whitespace": tuple(chain.from_iterable(map(itemgetter(0), pieces))),
        "epicene": tuple(chain.from_iterable(map(itemgetter(1), pieces))),
    }


@lru_cache(maxsize=64)
def _piece_tokeniser(language: str) -> Callable[[str], tuple[Words, Words]]:
    @lru_cache(maxsize=_CACHED_PIECES)
    def piece_words(piece: str) -> tuple[Words, Words]:
        plain, ours = (normalise(piece, NORMALISERS[each]) for each in TOKENISATIONS)
        return _stripped(plain), _segmented(ours, language)

    return piece_words


def _stripped(piece: str) -> Words:
    word = _OUTER.sub("", piece)
    return (word,) if word else ()


def _segmented(piece: str, language: str) -> Words:
    return tuple(piece[span.start : span.end] for span in words(piece, language))


_ARABIC_MARKS = regex.compile(r"[\u064b-\u0652\u0640]")
_AND = regex.compile(r"^[وف](?=\p{L}{2})")
_BEFORE = regex.compile(r"^[بكل]?(?:ال|لل)?(?=\p{L}{2})")
_IMPERFECT = regex.compile(r"^[يتأن](?=\p{L}{2})")
_PRONOUN = regex.compile(r"(?<=\p{L}{2})(?:نا|هما|هم|هن|ها|كم|كن|ه|ك|ي)$")
_WEAK = regex.compile(r"[اأإآىيوءئؤة]")
_ENDING = regex.compile(r"(?<=\p{L}{2})[تن]$")


@lru_cache(maxsize=2**15)
def are_forms(one: str, other: str, language: str) -> bool:
    """Whether the two are forms of the same word."""
    first, second = one.casefold(), other.casefold()
    if first == second or _listed_together(first, second, language):
        return True
    if "-" in first and first.count("-") == second.count("-"):
        parts = zip(first.split("-"), second.split("-"), strict=True)
        return all(are_forms(*both, language) for both in parts)
    return _are_arabic_forms(first, second) if language == "ar" else _share_stem(first, second)


def _are_arabic_forms(one: str, other: str) -> bool:
    plain = [_ARABIC_MARKS.sub("", word) for word in (one, other)]
    alone = [_AND.sub("", word) for word in plain]
    bare = [_BEFORE.sub("", word) for word in alone]
    without = [_PRONOUN.sub("", word) for word in bare]
    cut = (plain, alone, bare, without)
    if any(_listed_together(first, second, "ar") for first, second in cut):
        return True
    if _share_stem(*bare) or _share_stem(*(_IMPERFECT.sub("", word) for word in bare)):
        return True
    first, second = (_ENDING.sub("", _WEAK.sub("", word)) for word in without)
    return len(first) > 1 and first == second


def _share_stem(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    common = 0
    while common < shorter and one[common] == other[common]:
        common += 1
    return common > 0 and 2 * common >= shorter


def _listed_together(one: str, other: str, language: str) -> bool:
    sets = _listed_sets(language)
    return not sets.get(one, frozenset()).isdisjoint(sets.get(other, frozenset()))


@cache
def _listed_sets(language: str) -> dict[str, frozenset[int]]:
    """By word without capitals, the numbers of the sets that list it."""
    text = (Path(__file__).parent / "forms.toml").read_text(encoding="utf-8")
    found: dict[str, set[int]] = {}
    for number, line in enumerate(tomllib.loads(text).get(language, ())):
        for word in line.casefold().split():
            found.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}
