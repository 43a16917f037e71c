"""The tokens of an English text: clitics are separate, addresses and tags whole.

The tokens cover everything but white space, so replacing a span leaves all else byte-identical.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Literal, TypeAlias

import regex

from epicene.rewriting import text as shared
from epicene.rewriting.english.lexicon import Lexicon, lexicon, phrase_starts

if TYPE_CHECKING:
    from collections.abc import Sequence

TokenKind: TypeAlias = Literal["word", "number", "mark", "opaque"]


class Token(shared.Token, frozen=True, gc=False):
    """A token and its kind; its key is in lower case, with ' for ’."""

    kind: TokenKind


_APOSTROPHE = "['’ʼ]"
_LETTERS = r"\p{L}[\p{L}\p{M}\p{N}]*+"
_WORD_ENDS = r"(?![\p{L}\p{M}\p{N}])"
# Contractions without their apostrophe, which are two tokens all the same.
_FUSED = r"(?i:hes|shes|theyre|theyve)"
# Most words: ASCII letters before white space or a comma. The rest of the pattern would find
# them too, more slowly.
_PLAIN = rf"(?!{_FUSED}\b)[A-Za-z]++(?=[\s,]|$)"
# What no rule may look into: addresses, handles, tags, and names with an underscore.
_OPAQUE_TOKENS = (
    r"(?i:https?://|www\.)\S+|[\w.+-]{1,64}@[\w-]+\.[\w.-]+"
    r"|[@#][\p{L}\p{M}\p{N}_]+|/?\b[ru]/\w+"
    r"|\b\w{1,63}(?:\.\w{1,63}){0,3}\.(?:com|org|net|edu|gov|io|co|uk|tv|txt|pdf|html?)\b(?:/\S*)?"
    rf"|{_LETTERS}(?:_+[\p{{L}}\p{{N}}]+)+"
)
_ABBREVIATIONS = r"(?i:mr|mrs|ms|dr|st|jr|sr|prof|gen|sen|rep|gov|capt|lt|col|vs|etc|e\.g|i\.e)\."
_INITIALS = r"\p{L}(?:\.\p{L})++\.?+"
_NOT = rf"(?i:n{_APOSTROPHE}t){_WORD_ENDS}"
_CLITIC = rf"{_APOSTROPHE}(?i:s|re|ve|ll|d|m){_WORD_ENDS}"
_WORD = rf"{_LETTERS}(?:[-‐‑]{_LETTERS}|(?!{_CLITIC}){_APOSTROPHE}{_LETTERS})*+"

_TOKEN = regex.compile(
    rf"(?P<word>{_PLAIN})"
    rf"|(?P<opaque>{_OPAQUE_TOKENS})"
    # "(s)he" and "s/he" are one pronoun; "'em" is not the pronoun "em".
    rf"|(?P<word>(?i:\(s\)he|\bs/he|(?<!\w){_APOSTROPHE}em){_WORD_ENDS}"
    rf"|\p{{L}}+(?={_NOT})|{_NOT}"
    r"|\b(?i:s?he(?=s\b)|they(?=(?:re|ve)\b))"
    r"|(?i:(?<=\bs?he)s|(?<=\bthey)(?:re|ve))\b"
    rf"|\b{_ABBREVIATIONS}|{_INITIALS}|{_CLITIC}|{_WORD})"
    r"|(?P<number>\p{N}[\p{N}.,:\-]*(?<=\p{N})[\p{L}\-]*)"
    r"|(?P<mark>\.{2,}|…+|-{2,}|[!?]+|\S)"
)


def tokenise(text: str) -> list[Token]:
    """All tokens of a text, in order."""
    return [
        Token(
            match.start(),
            match.end(),
            match[0],
            match[0].lower().replace("’", "'").replace("ʼ", "'"),
            match.lastgroup == "word",
            match.lastgroup,  # type: ignore[arg-type]  # always one of the four
        )
        for match in _TOKEN.finditer(text)
    ]


_OPENING_MARKS = frozenset("\"“‘'([«*_\ufeff")
PAUSES = frozenset({",", "...", "…", "—", "–", "--", "-"})
# What an aside opens with, and what it closes with.
ASIDES = {"(": ")", "[": "]", "—": "—", "–": "–", "--": "--", "-": "-", ",": ",", "“": "”"}


class Line(shared.Line[Token]):
    """The tokens of a text, and the properties of each that rules look at."""

    sentence_ends = frozenset({".", ";", ":"})

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        super().__init__(text, tokens)
        self.lexicon: Lexicon = lexicon()
        self._phrase_starts = phrase_starts()
        self._quotes: list[int] | None = None

    def is_number(self, index: int) -> bool:
        """Whether the token is a number in digits."""
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "number"

    def is_capital(self, index: int) -> bool:
        """Whether the token is a word capitalised other than at the beginning of a sentence."""
        if not self.is_word(index):
            return False
        text = self.tokens[index].text
        return text[:1].isupper() and not text.isupper() and not self.begins(index)

    def begins(self, index: int) -> bool:
        """Whether a sentence begins at the token."""
        before = index - 1
        while before >= 0 and self.keys[before] in _OPENING_MARKS:
            before -= 1
        return before < 0 or self.stops(before, strict=False)

    def stops(self, index: int, *, strict: bool = True) -> bool:
        """Whether a sentence ends at the token; if strict, not before lower case after a quote."""
        word = self[index]
        if word not in self.sentence_ends and word[:1] not in {"!", "?"}:
            return False
        if not strict:
            return True
        after = index + 1
        while self[after] in {'"', "”", "’", "'", ")"}:
            after += 1
        quoted = after > index + 1 and word != ";"
        return not (quoted and self.is_word(after) and self.tokens[after].text[0].islower())

    def around(self, index: int, reach: int) -> list[str]:
        """The words of the sentence around a token, at most `reach` on each side."""
        first, last = index, index
        while first > max(0, index - reach) and not self.stops(first - 1):
            first -= 1
        while last < min(len(self) - 1, index + reach) and not self.stops(last + 1):
            last += 1
        return self.keys[first : last + 1]

    def after_adverbs(self, index: int) -> int:
        """The first token from `index` on that belongs to no adverb."""
        while length := self._adverb(index):
            index += length
        return index

    def _adverb(self, index: int) -> int:
        """The number of tokens of the adverb at `index`, 0 if there is none."""
        for length in (2, 3) if self[index] in self._phrase_starts else ():
            if "_".join(self.keys[index : index + length]) in self.lexicon.midway_phrases:
                return length
        return int(self.lexicon.is_adverb(self[index]))

    def opens_quote(self, index: int) -> bool:
        """Whether the token is an opening quotation mark or bracket."""
        if self[index] in {"“", "(", "[", "«"}:
            return True
        if self[index] not in {'"', "'", "‘", "*", "_"}:
            return False
        here = self.tokens[index]
        apart = index == 0 or self.tokens[index - 1].end < here.start
        touches = index + 1 < len(self.tokens) and self.tokens[index + 1].start == here.end
        return apart and touches

    def inside_quotes(self, index: int) -> bool:
        """Whether a straight quotation mark is open at the token."""
        if self._quotes is None:
            self._quotes = list(accumulate((word == '"' for word in self.keys), initial=0))
        return self._quotes[index] % 2 == 1

    def closing(self, index: int, mark: str, within: int) -> int | None:
        """The index of the mark that closes what opens at `index`, at most `within` tokens away."""
        last = min(index + 1 + within, len(self.keys))
        return next((at for at in range(index + 1, last) if self.keys[at] == mark), None)


def read_line(text: str) -> Line:
    """The tokens of a text as a line."""
    return Line(text, tokenise(text))
