"""Languages, found through the entry points `epicene.languages`.

`definitions` has the languages that come with Epicene, `tokenisation` splits a text into graphemes
and words, `normalisers` has the named normalisers, and `pronouns` the sets of English pronouns.
"""

from __future__ import annotations

import unicodedata
from typing import Literal, TypeAlias

from epicene.core import registry
from epicene.core.records import Record

Direction: TypeAlias = Literal["ltr", "rtl"]

_STRONG: dict[str, Direction] = {"L": "ltr", "R": "rtl", "AL": "rtl"}
_ISOLATES = frozenset({"LRI", "RLI", "FSI"})


class Language(Record, frozen=True, kw_only=True):
    """A language: its names, its script, and its word boundaries.

    The five from `whole` to `joins` are regular expressions (of the `regex` module, case ignored)
    that the segmenter adds to the rules for every script. They are matched in both spellings of an
    accent, composed and decomposed, so an accented letter must not be in a [class].
    """

    code: str  # BCP 47
    name: str
    own_name: str
    direction: Direction
    scripts: tuple[str, ...]  # ISO 15924
    whole: str = ""  # words that the rules below would cut
    elision: str = ""  # a word that lost its vowel, with its apostrophe
    enclitics: str = ""  # words written after another with a link between them
    link: str = "-"  # what stands before an enclitic and belongs to neither word
    joins: str = ""  # what holds two parts of one word together, or ends a word
    rewriter: str = ""  # where its `rewriting.Rewriter` is, as "module:name"; "" if it has none


def double_forms(marks: str, endings: str, after: str = "") -> str:
    """A pattern for what joins the ending of the second gender to a word: a mark, or brackets.

    If it were split there, `сделал(а)` would count as a masculine form and a stray conjunction.
    `after` is a pattern that must match before it, if an ending could be a word (`y/o`).
    """
    before = f"(?=[{marks}(])(?<={after})" if after else ""  # the cheap look first
    return rf"{before}(?:[{marks}](?=(?:{endings})(?![\p{{L}}\p{{M}}]))|\((?:{endings})\))"


def get(code: str) -> Language:
    """The language of that code."""
    language: Language = registry.find("languages", code)
    return language


def known() -> list[Language]:
    """All languages, sorted by code."""
    return [get(code) for code in registry.names("languages")]


def direction(text: str) -> Direction:
    """The direction of a text: that of its first strong character outside isolates (UAX 9, P2)."""
    depth = 0
    for character in text:
        bidi = unicodedata.bidirectional(character)
        if bidi in _ISOLATES:
            depth += 1
        elif bidi == "PDI":
            depth = max(0, depth - 1)
        elif depth == 0 and bidi in _STRONG:
            return _STRONG[bidi]
    return "ltr"
