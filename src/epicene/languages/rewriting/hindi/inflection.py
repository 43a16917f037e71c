"""Words that agree: verbs, adjectives and genitives in -ā, -e, -ī, and how to turn them.

Four cells are enough for all of them. Most words have the same form in two: अच्छी is feminine in
both numbers, and only at the end of a verb does the plural show (थीं, गईं).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import regex

from epicene.languages.rewriting.hindi.spelling import key

if TYPE_CHECKING:
    from epicene.languages.rewriting.hindi.spelling import Style
    from epicene.languages.rewriting.people import Gender

# Masculine singular; masculine plural, honorific or oblique; feminine; feminine plural, nasal.
Cell: TypeAlias = Literal["ms", "mp", "fs", "fp"]


def gender_of(cell: Cell) -> Gender:
    """The gender of a cell."""
    return "masculine" if cell in {"ms", "mp"} else "feminine"


# How the cells end. `go`: गया गए गई; `do`: किया किए की; `become`: हुआ हुए हुई; `fifth`: पाँचवाँ.
_ENDINGS: dict[str, dict[Cell, str]] = {
    "plain": {"ms": "ा", "mp": "े", "fs": "ी", "fp": "ीं"},
    "go": {"ms": "या", "mp": "ए", "fs": "ई", "fp": "ईं"},
    "become": {"ms": "आ", "mp": "ए", "fs": "ई", "fp": "ईं"},
    "do": {"ms": "िया", "mp": "िए", "fs": "ी", "fp": "ीं"},
    "fifth": {"ms": "वाँ", "mp": "वें", "fs": "वीं", "fp": "वीं"},
    "fifth-anusvara": {"ms": "वां", "mp": "वें", "fs": "वीं", "fp": "वीं"},
    "will": {"ms": "गा", "mp": "गे", "fs": "गी", "fp": "गी"},
}
_GLIDES = {"ए": "ये", "ई": "यी", "ईं": "यीं"}


class Inflected(NamedTuple):
    """A word cut into what stays and what agrees, as it is spelt."""

    stem: str
    pattern: str
    cell: Cell
    glide: bool = False  # spelt गये, गयी
    first: str = ""  # the other half of a pair (थका-हारा) that agrees too

    def form(self, cell: Cell, style: Style) -> str:
        """The word in another cell."""
        ending = _ENDINGS[self.pattern][cell]
        if self.pattern in {"go", "become"} and (self.glide or style.glide):
            ending = _GLIDES.get(ending, ending)
        if not self.first:
            return self.stem + ending
        first = inflected(self.first[:-1])
        assert first is not None
        return first.form(cell, style) + self.first[-1] + self.stem + ending


_VOWEL_CELLS: dict[str, Cell] = {
    "या": "ms", "आ": "ms", "ये": "mp", "ए": "mp", "यी": "fs", "ई": "fs", "यीं": "fp", "ईं": "fp",
}  # fmt: skip
_PLAIN_CELLS: dict[str, Cell] = {"ा": "ms", "े": "mp", "ी": "fs", "ीं": "fp"}
_GA_CELLS: dict[str, Cell] = {"गा": "ms", "गे": "mp", "गी": "fs"}
_FIFTH_CELLS: dict[str, Cell] = {"वाँ": "ms", "वां": "ms", "वें": "mp", "वीं": "fs"}

_PAIR = regex.compile(r"(.+[-‐‑])([^-‐‑]+)")
_DO_FEMININE = regex.compile(r"([कलदपजस])(ीं?)")
_WILL = regex.compile(r"(.+[ेोंँएओऊूुि])(गा|गे|गी)")
_DO = regex.compile(r"(.+?)(िया|िए|िये)")
_VOWEL = regex.compile(r"(.+?)(या|आ|ये|ए|यीं|यी|ईं|ई)")
_FIFTH = regex.compile(r"(.*[\p{L}\p{M}\p{N}])(वाँ|वां|वें|वीं)")
_PLAIN = regex.compile(r"(.*\p{L}[\u093c\u200c\u200d]*)(ा|े|ीं|ी)")


def inflected(surface: str, *, verb: bool = False) -> Inflected | None:
    """The parts of a word that agrees, or None if its end is not one that can.

    `verb` says that की, ली, दी are forms of verbs (किया), not of genitives and adjectives.
    """
    if "/" in surface or "(" in surface:  # करता/ती has both forms already
        return None
    if pair := _PAIR.fullmatch(surface):
        first, second = inflected(pair[1][:-1], verb=verb), inflected(pair[2], verb=verb)
        if second is None:
            return None
        if first is not None and first.cell == second.cell and not first.first:
            return second._replace(first=pair[1])
        return second._replace(stem=pair[1] + second.stem)
    if verb and (found := _DO_FEMININE.fullmatch(surface)):
        return Inflected(found[1], "do", "fp" if found[2] == "ीं" else "fs")
    if verb and (found := _WILL.fullmatch(surface)):
        return Inflected(found[1], "will", _GA_CELLS[found[2]])
    return _simple(surface, verb=verb)


def _simple(surface: str, *, verb: bool) -> Inflected | None:
    if found := _DO.fullmatch(surface):
        return Inflected(found[1], "do", "ms" if found[2] == "िया" else "mp")
    if found := _VOWEL.fullmatch(surface):
        pattern = "become" if found[2] == "आ" or key(found[1]) in {"हु", "छु"} else "go"
        glide = found[2] in {"ये", "यी", "यीं"}
        return Inflected(found[1], pattern, _VOWEL_CELLS[found[2]], glide)
    if not verb and (found := _FIFTH.fullmatch(surface)):
        pattern = "fifth-anusvara" if found[2] == "वां" else "fifth"
        return Inflected(found[1], pattern, _FIFTH_CELLS[found[2]])
    if found := _PLAIN.fullmatch(surface):
        return Inflected(found[1], "plain", _PLAIN_CELLS[found[2]])
    return None
