"""The spellings of a Hindi word: their common key, and the spelling habits of a text.

`key` maps a word to the one spelling in which words are looked up. It is lossy and never written; a
replacement keeps the spelling of the word it replaces, and where that does not decide, the spelling
of the rest of the line.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

import regex

from epicene.rewriting.word_lists import read_word_lists

_NUKTA = "\u093c"
_UNSEEN = f"[{_NUKTA}\u200b-\u200d\u00ad\u2060]"
_CANDRABINDU, _ANUSVARA = "\u0901", "\u0902"

_RULES: tuple[tuple[regex.Pattern[str], str], ...] = tuple(
    (regex.compile(pattern), to)
    for pattern, to in (
        (_UNSEEN, ""),
        (_CANDRABINDU, _ANUSVARA),
        # A nasal before a stop of its own row: हिन्दी, हिंदी; सम्पादक, संपादक.
        ("ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])", _ANUSVARA),
        # The glide before ई and ए: गयी, गई; जायेगा, जाएगा.
        ("(?<=[^्])यी(?=ं?$|ंगी$)", "ई"),
        ("(?<=[^्])ये(?=ं?$|ं?ग[ाीे]$)", "ए"),
        ("(?<=.)इये(?=गा|$)", "इए"),
        ("(?<=.)उं(?=ग[ाी]$)", "ऊं"),
    )
)


@cache
def _misspelt() -> dict[str, str]:
    """The usual keys of pronouns and particles that are often misspelt."""
    pairs = read_word_lists("epicene.rewriting.hindi", "spelling")["misspelt"]
    return dict(pair.split("/") for pair in pairs)


@lru_cache(maxsize=65536)
def key(word: str) -> str:
    """The spelling in which a word is looked up."""
    word = unicodedata.normalize("NFD", word)
    for pattern, to in _RULES:
        word = pattern.sub(to, word)
    return _misspelt().get(word, word)


class Style(NamedTuple):
    """How a line spells words that have two spellings."""

    glide: bool  # गयी, गये rather than गई, गए
    candrabindu: bool  # माँ rather than मां
    composed: bool  # ड़ as one character rather than as two


_GLIDE = regex.compile(r"\p{Deva}[ाोुूि]?य[ीे]ं?(?!\p{Deva})")
_NO_GLIDE = regex.compile(r"\p{Deva}[ाोुूि]?[ईए]ं?(?!\p{Deva})")
# Where both signs have room above the letter: no vowel sign is there.
_ROOM_ABOVE = regex.compile(rf"[अआउऊाुू]{_ANUSVARA}(?![कखगघचछजझटठडढतथदधपफबभशसहव])")
_COMPOSED = regex.compile("[\u0958-\u095f]")


def style_of(text: str) -> Style:
    """The style of a line; where it shows none, the more common one."""
    glide = bool(_GLIDE.search(text)) and not _NO_GLIDE.search(text)
    candrabindu = _CANDRABINDU in text or not _ROOM_ABOVE.search(text)
    return Style(glide, candrabindu, bool(_COMPOSED.search(text)))


def in_style(word: str, style: Style) -> str:
    """A word of the lexicon (NFC, with candrabindu) as the line would spell it."""
    if not style.candrabindu:
        word = word.replace(_CANDRABINDU, _ANUSVARA)
    if style.composed:
        for letter, base in _COMPOSITIONS.items():
            word = word.replace(base, letter)
    return word


_COMPOSITIONS = {
    letter: unicodedata.normalize("NFD", letter) for letter in map(chr, range(0x0958, 0x0960))
}


def replace_ending(surface: str, shared: int, ending: str) -> str | None:
    """The surface with what follows its first `shared` letters (of its key) replaced.

    None where its spelling is too far from its key to locate them.
    """
    for cut in range(len(surface), -1, -1):
        if len(key(surface[:cut])) == shared and key(surface).startswith(key(surface[:cut])):
            return surface[:cut] + ending
    return None
