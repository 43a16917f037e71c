"""Two ways to cut a sentence into the words that are compared.

`whitespace` takes what stands between spaces, without punctuation at its ends: the plainest
reading of the paper, which names none. `epicene` takes the words of our segmenter: elided and
enclitic words stand apart.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, TypeAlias

import regex

from epicene.languages.normalise import normalise
from epicene.languages.segment import words

if TYPE_CHECKING:
    from collections.abc import Callable

Cutting: TypeAlias = Literal["whitespace", "epicene"]
CUTTINGS: tuple[Cutting, ...] = ("whitespace", "epicene")
Words: TypeAlias = tuple[str, ...]

# What each does to the letters before; neither can turn one gender's form into the other's.
NORMALISERS: dict[Cutting, tuple[str, ...]] = {
    "whitespace": (),
    "epicene": ("nfc", "quotes", "tatweel"),
}

_OUTER = regex.compile(r"^[\p{P}\p{S}]+|[\p{P}\p{S}]+$")

# Pieces between spaces that are remembered, for each language.
_REMEMBERED = 2**16


def cut(text: str, language: str, how: Cutting) -> Words:
    """The words of a text."""
    return cut_both_ways(text, language)[how]


def cut_both_ways(text: str, language: str) -> dict[Cutting, Words]:
    """The words of a text by each way of cutting.

    No word reaches across a space, so a text is cut piece by piece, and a piece that came before
    is not cut again: most of a corpus is the same few thousand pieces.
    """
    pieces = list(map(_cutter(language), text.split()))
    return {
        "whitespace": tuple(chain.from_iterable(map(_FIRST, pieces))),
        "epicene": tuple(chain.from_iterable(map(_SECOND, pieces))),
    }


_FIRST, _SECOND = itemgetter(0), itemgetter(1)


@lru_cache(maxsize=64)
def _cutter(language: str) -> Callable[[str], tuple[Words, Words]]:
    @lru_cache(maxsize=_REMEMBERED)
    def piece_words(piece: str) -> tuple[Words, Words]:
        plain, ours = (normalise(piece, NORMALISERS[how]) for how in CUTTINGS)
        return _stripped(plain), _segmented(ours, language)

    return piece_words


def _stripped(piece: str) -> Words:
    word = _OUTER.sub("", piece)
    return (word,) if word else ()


def _segmented(piece: str, language: str) -> Words:
    return tuple(piece[span.start : span.end] for span in words(piece, language))
