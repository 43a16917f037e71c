"""Split a text into graphemes, words and punctuation, as spans of characters.

A word is what a reader of the language would call one: combining marks and joiners stay with their
base, elided and enclitic words are separate, and punctuation is not part of any word. Spans index
the text as given, in code points; they are ordered, do not overlap, and never split a grapheme
cluster.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import regex

from epicene import languages
from epicene.core import registry
from epicene.languages import Language

SpanKind: TypeAlias = Literal["word", "punctuation", "grapheme"]


class Span(NamedTuple):
    """The characters from `start` up to `end`, and their kind."""

    start: int
    end: int
    kind: SpanKind


# What continues a grapheme cluster, and the few signs that open one (Unicode Annex 29).
_EXTENDS = r"\p{M}\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}"
_OPENS = r"\p{GCB=Prepend}"

# Letters and digits that stand in runs. Han stands one by one, and some pictographs (ℹ) are
# letters only by name.
_NOT_IN_RUNS = rf"[\p{{Han}}\p{{ExtPict}}{_OPENS}]"
_LETTER = rf"[\p{{L}}--{_NOT_IN_RUNS}]"
_DIGIT = rf"[\p{{N}}--{_NOT_IN_RUNS}]"
_BEGIN = rf"[[\p{{L}}\p{{N}}]--{_NOT_IN_RUNS}]"
_INSIDE = rf"[[[\p{{L}}\p{{N}}]--{_NOT_IN_RUNS}]{_EXTENDS}]"

_CLUSTER_ENDS = rf"(?![{_EXTENDS}])"
_WORD_ENDS = rf"(?!{_INSIDE})"

_HYPHEN = r"[-\u2010\u2011]"
_APOSTROPHE = r"['’ʼ＇]"

_RUN = rf"[{_OPENS}]*+{_BEGIN}{_INSIDE}*+(?:[{_OPENS}]++{_BEGIN}{_INSIDE}*+)*+"
_HAN = rf"[{_OPENS}]*+[\p{{Han}}&&[\p{{L}}\p{{N}}]][{_EXTENDS}]*+"

# In every language: soft hyphen, word joiner, apostrophe, middle dot, one underscore; the points
# of a number.
_JOINS = (
    rf"[\u00ad\u2060·‧_](?={_BEGIN})"
    rf"|{_APOSTROPHE}(?={_LETTER})"
    rf"|(?<=\p{{N}})[.,:'’٫٬．](?={_DIGIT})"
)
# A hyphen joins letters, and letters with digits, but 10-12 is two numbers.
_HYPHEN_JOINS = rf"{_HYPHEN}(?:(?={_LETTER})|(?<!\p{{N}}{_HYPHEN})(?={_DIGIT}))"

_ADDRESS = (
    r"(?i:https?://|www\.)[[!-~]--[<>\"]]*[A-Za-z0-9/]"
    r"|[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}+@(?:[A-Za-z0-9\-]{1,63}\.){1,8}[a-z]{2,}(?![A-Za-z])"
)
# Single letters with full stops: U.S.A., e.g., z.B., ए.पी.जे.
_INITIALS = rf"{_LETTER}[{_EXTENDS}]*+(?:\.{_LETTER}[{_EXTENDS}]*+)++{_WORD_ENDS}\.?+"

# An emoji, though it begins with a digit.
_KEYCAP = r"[0-9#*]\ufe0f?\u20e3"

# White space, controls (the bidirectional ones and the byte order mark too) and other invisible
# clusters are no tokens. A space that carries a visible mark shows that mark, and is one.
_INVISIBLE = (
    r"[\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}]"
    rf"|[\p{{Zs}}[\p{{DI}}--\p{{L}}]][\p{{DI}}&&[{_EXTENDS}]]*+(?![[{_EXTENDS}]--\p{{DI}}])"
)
# A run of one of these is one token, and a kashida alone is a dash.
_REPEATED = r"\.+|…+|!+|\?+|؟+|।+|-+|–+|—+|\*+|_+|~+|=+|\u0640+"

# The annex's rule GB9c, which `\X` leaves out: an Indic conjunct is one cluster.
_CONJUNCT = (
    rf"[{_OPENS}]*+\p{{InCB=Consonant}}"
    r"(?:\p{InCB=Extend}*+\p{InCB=Linker}[\p{InCB=Extend}\p{InCB=Linker}]*+"
    rf"\p{{InCB=Consonant}})++[{_EXTENDS}]*+"
)
_GRAPHEME = regex.compile(rf"{_CONJUNCT}|\X", regex.V1)

# A space that carries marks is no space between words.
_MARKED_SPACE = regex.compile(rf" [{_EXTENDS}]", regex.V1)

_MAX_PIECES = 1 << 16  # whose word counts are kept

# Where no language is known, the scripts alone say what a word is.
_ANY = Language(code="", name="", own_name="", direction="ltr", scripts=())


def graphemes(text: str) -> list[Span]:
    """The extended grapheme clusters of the whole text, in order."""
    return [Span(*match.span(), "grapheme") for match in _GRAPHEME.finditer(text)]


def words(text: str, language: str = "") -> list[Span]:
    """The words and numbers, without punctuation."""
    return [
        Span(*match.span(), "word")
        for match in _pattern(language).finditer(text)
        if match.lastgroup == "word"
    ]


def tokens(text: str, language: str = "") -> list[Span]:
    """The words and punctuation marks, in order, without white space."""
    return [
        Span(*match.span(), "word" if match.lastgroup == "word" else "punctuation")
        for match in _pattern(language).finditer(text)
    ]


def count_words(text: str, language: str = "") -> int:
    """The number of words and numbers."""
    return sum(map(_counts(language).__getitem__, pieces(text)))


class _WordCounts(dict[str, int]):
    """The number of words in each piece of text: texts have many pieces in common."""

    def __init__(self, pattern: regex.Pattern[str]) -> None:
        super().__init__()
        self._pattern = pattern

    def __missing__(self, piece: str) -> int:
        if len(self) >= _MAX_PIECES:
            self.clear()
        count = sum(match.lastgroup == "word" for match in self._pattern.finditer(piece))
        self[piece] = count
        return count


@lru_cache(maxsize=64)
def _counts(language: str) -> _WordCounts:
    return _WordCounts(_pattern(language))


def pieces(text: str) -> list[str]:
    """A text split at its spaces, which no word contains.

    The words of the pieces are those of the text, except where a language's own patterns look
    across a space: "l'« Odyssée" begins with "l'" in French, and "l'«" alone with "l".
    """
    whole = not text.isascii() and _MARKED_SPACE.search(text)
    return [text] if whole else text.split(" ")


@lru_cache(maxsize=64)
def _pattern(code: str) -> regex.Pattern[str]:
    """The pattern of a language, of the language before a region (`fr-CA`), or the general one."""
    names = registry.names("languages")
    for name in (code, code.replace("_", "-").partition("-")[0].lower()):
        if name in names:
            return _compile(languages.get(name))
    return _compile(_ANY)


def _compile(language: Language) -> regex.Pattern[str]:
    link = _link(language)
    joins = f"{_JOINS}|(?!{link}){_HYPHEN_JOINS}|{_spellings(language.joins)}"
    word = [
        _spellings(language.whole) + _WORD_ENDS,
        _spellings(language.elision) + _CLUSTER_ENDS,
        f"(?:{_ADDRESS}){_CLUSTER_ENDS}",
        rf"(?:{_INITIALS}{_CLUSTER_ENDS}|{_RUN})(?:(?:{joins}){_CLUSTER_ENDS}(?:{_RUN})?+)*+",
        _HAN,
    ]
    punctuation = [
        rf"(?<=[\p{{L}}\p{{M}}]){link}",
        _KEYCAP + _CLUSTER_ENDS,
        rf"(?:{_REPEATED}){_CLUSTER_ENDS}",
        r"\X",
    ]
    return regex.compile(
        rf"(?!{_INVISIBLE})(?:"
        rf"(?P<word>(?!{_KEYCAP}|\u0640++{_WORD_ENDS})(?:{'|'.join(word)}))"
        rf"|(?P<punctuation>{'|'.join(punctuation)}))",
        regex.V1,
    )


def _link(language: Language) -> str:
    """A pattern for a link after which at most three enclitics, and nothing else, end the word."""
    one = _spellings(language.enclitics)
    link = language.link.replace("-", _HYPHEN)
    more_follows = rf"{_INSIDE}|(?:{_HYPHEN}|{_APOSTROPHE}){_LETTER}"
    return rf"(?i:{link})(?={one}(?:{_HYPHEN}{one}){{0,2}}+(?!{more_follows}))"


def _spellings(pattern: str) -> str:
    """A language's pattern, ignoring case, with each accented letter composed or decomposed."""
    if not pattern:
        return "(?!)"  # matches nothing
    either = []
    for letter in pattern:
        decomposed = unicodedata.normalize("NFD", letter)
        either.append(letter if letter == decomposed else f"(?:{letter}|{decomposed})")
    return f"(?i:{''.join(either)})"
