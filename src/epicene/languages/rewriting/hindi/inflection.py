"""Words that agree: verbs, adjectives and genitives in -ā, -e, -ī, and how to turn them.

Four cells are enough for all of them. Most words have the same form in two: अच्छी is feminine in
both numbers, and only at the end of a verb does the plural show (थीं, गईं).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import regex

from epicene.languages.rewriting.hindi.spelling import Style, key
from epicene.languages.rewriting.people import Gender

# Masculine singular; masculine plural, honorific or oblique; feminine; feminine plural, nasal.
Cell: TypeAlias = Literal["ms", "mp", "fs", "fp"]


def gender_of(cell: Cell) -> Gender:
    """The gender of a cell."""
    return "masculine" if cell in {"ms", "mp"} else "feminine"


class Inflected(NamedTuple):
    """A word cut into what stays and what agrees, as it is spelt."""

    stem: str
    pattern: str
    cell: Cell
    glide: bool = False  # spelt गये, गयी

    def form(self, cell: Cell, style: Style) -> str:
        """The word in another cell."""
        ending = _ENDINGS[self.pattern][cell]
        if self.pattern in _GLIDING and (self.glide or style.glide):
            ending = {"ए": "ये", "ई": "यी", "ईं": "यीं"}.get(ending, ending)
        return self.stem + ending


# How the cells end. `go`: गया गए गई; `do`: किया किए की; `become`: हुआ हुए हुई; `fifth`: पाँचवाँ.
_ENDINGS: dict[str, dict[Cell, str]] = {
    "plain": {"ms": "ा", "mp": "े", "fs": "ी", "fp": "ीं"},
    "go": {"ms": "या", "mp": "ए", "fs": "ई", "fp": "ईं"},
    "become": {"ms": "आ", "mp": "ए", "fs": "ई", "fp": "ईं"},
    "do": {"ms": "िया", "mp": "िए", "fs": "ी", "fp": "ीं"},
    "fifth": {"ms": "वाँ", "mp": "वें", "fs": "वीं", "fp": "वीं"},
    "fifth-anusvara": {"ms": "वां", "mp": "वें", "fs": "वीं", "fp": "वीं"},
    "right": {"ms": "ाँ", "mp": "ें", "fs": "ीं", "fp": "ीं"},
    "will": {"ms": "गा", "mp": "गे", "fs": "गी", "fp": "गी"},
}
_GLIDING = {"go", "become"}

_VOWEL_STEM_ENDING = {
    "आ": "ms", "ए": "mp", "ये": "mp", "ई": "fs", "यी": "fs", "ईं": "fp", "यीं": "fp", "या": "ms",
}  # fmt: skip
_VOWEL = regex.compile(r"(.+?)(या|आ|ये|ए|यीं|यी|ईं|ई)$")
_DO = regex.compile(r"(.+?)(िया|िए|िये)$")
_DO_FEMININE = regex.compile(r"([कलदपजस])(ीं?)$")
_FIFTH = regex.compile(r"(.*[\p{L}\p{M}\p{N}])(वाँ|वां|वें|वीं)$")
_WILL = regex.compile(r"(.+[ेोंँएओऊूुि])(गा|गे|गी)$")
_PLAIN = regex.compile(r"(.*\p{L}़?[ुूिो]?)(ा|े|ीं|ी)$")
_PLAIN_CELLS: dict[str, Cell] = {"ा": "ms", "े": "mp", "ी": "fs", "ीं": "fp"}
_GA_CELLS: dict[str, Cell] = {"गा": "ms", "गे": "mp", "गी": "fs"}
_FIFTH_CELLS: dict[str, Cell] = {"वाँ": "ms", "वां": "ms", "वें": "mp", "वीं": "fs"}


def inflected(surface: str, *, verb: bool = False) -> Inflected | None:
    """The parts of a word that agrees, or None if its end is not one that can.

    `verb` says that की, ली, दी are forms of verbs (किया), not of genitives and adjectives.
    """
    if verb and (found := _DO_FEMININE.fullmatch(surface)):
        return Inflected(found[1], "do", "fp" if found[2] == "ीं" else "fs")
    if verb and (found := _WILL.fullmatch(surface)):
        return Inflected(found[1], "will", _GA_CELLS[found[2]])
    if found := _DO.fullmatch(surface):
        return Inflected(found[1], "do", "ms" if found[2] == "िया" else "mp")
    if found := _VOWEL.fullmatch(surface):
        return _vowel_stem(found[1], found[2])
    if not verb and (found := _FIFTH.fullmatch(surface)):
        pattern = "fifth-anusvara" if found[2] == "वां" else "fifth"
        return Inflected(found[1], pattern, _FIFTH_CELLS[found[2]])
    if found := _PLAIN.fullmatch(surface):
        return Inflected(found[1], "plain", _PLAIN_CELLS[found[2]])
    return None


def _vowel_stem(stem: str, ending: str) -> Inflected:
    pattern = "become" if ending == "आ" or key(stem) in {"हु", "छु"} else "go"
    cell = _VOWEL_STEM_ENDING[ending]
    return Inflected(stem, pattern, cell, glide=ending in {"ये", "यी", "यीं"})  # type: ignore[arg-type]
