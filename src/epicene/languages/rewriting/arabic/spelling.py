"""How the writer of a line spells, so that new words look like the old ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import regex

from epicene.languages.rewriting.arabic.letters import (
    SUKUN,
    TANWIN_FATH,
    final_mark,
    folded,
    is_vocalised,
    respelled,
    with_final,
)

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.words import Word

# Where the mark of the indefinite accusative is written: متعبًا, متعباً, متعبا.
Nunation: TypeAlias = Literal["before", "after", "none"]

# What is written where the hamza of a letter is left out.
_BARE = frozenset("ا")
_NUNATION = regex.compile("\u064bا$|ا\u064b$")
_TANWIN = regex.compile("[\u064b\u064c\u064d]")
_BEFORE = regex.compile("\u064bا(?!\\p{L})")
_AFTER = regex.compile("ا\u064b(?!\\p{L})")
# Adverbs that everybody writes with that mark who writes it at all.
_TELLING = regex.compile(
    r"(?<!\p{L})(?:جدا|أيضا|ايضا|حقا|دائما|تماما|أبدا|ابدا|غدا|حسنا|شكرا|مرحبا|قليلا|كثيرا|شيئا|يوما|معا|فعلا|مجددا)(?![\p{L}\u064b])"
)


def nunation_of(text: str) -> Nunation:
    """Where the line has its nunations; where correct spelling has it, if it has none."""
    if _BEFORE.search(text):
        return "before"
    if _AFTER.search(text):
        return "after"
    return "none" if _TELLING.search(text) else "before"


def kept(written: str, letters: str) -> str:
    """New letters, with the hamzas that the writer left out left out."""
    place = 0
    old, new = folded(written), folded(letters)
    while place < min(len(old), len(new)) and old[place] == new[place]:
        place += 1
    start = (one if one in _BARE else two for one, two in zip(written, letters, strict=False))
    return "".join(start)[:place] + letters[place:]


def spelled(word: Word, letters: str, *, nunated: bool, nunation: Nunation) -> str:
    """The word in other letters, written as its line is."""
    vocalised = is_vocalised(word.text)
    old = _NUNATION.sub("", word.text)
    ending = TANWIN_FATH if old != word.text else final_mark(word.text)
    old = _TANWIN.sub("", old)
    stem = respelled(old, letters[:-1] if nunated else letters, vocalised=vocalised)
    if nunated:
        stem = with_final(stem, "")
        if nunation == "none" and not vocalised:
            return stem + "ا"
        return stem + ("ا" + TANWIN_FATH if nunation == "after" else TANWIN_FATH + "ا")
    return with_final(stem, _ending(letters, ending)) if vocalised else stem


def _ending(letters: str, ending: str) -> str:
    """The last vowel of a vocalised word: that of the old one, as far as it can bear it."""
    if letters.endswith(("ى", "ا", "و", "ي")):
        return ""
    return ending or SUKUN
