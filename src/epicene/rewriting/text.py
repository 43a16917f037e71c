"""The words and punctuation marks of a text, as the rules of every language see them.

Rules refer to a word by its index in a `Line` and look at its `key`, the one spelling in which the
language looks words up; changes are made to the token's `text`, at its span.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar

import msgspec

from epicene.languages import tokenisation

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word or a punctuation mark: its span, as written and as looked up."""

    start: int
    end: int
    text: str
    key: str
    is_word: bool


T = TypeVar("T", bound=Token)


class Line(Generic[T]):
    """The tokens of a text, or of a part of one, in order; beyond its ends the key is "".

    The tokens need not be adjacent: a line may be a text without its quotations.
    """

    sentence_ends: ClassVar[frozenset[str]]

    def __init__(self, text: str, tokens: Sequence[T]) -> None:
        """Hold `tokens` of `text`, the whole text even where they are only a part of it."""
        self.text = text
        self.tokens = tokens
        self.keys = [token.key for token in tokens]
        self._ends: list[int] | None = None  # the marks that end a sentence, once asked for

    def part(self, tokens: Sequence[T]) -> Self:
        """A line of some of the tokens."""
        return type(self)(self.text, tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, at: int) -> str:
        """The key of a token, "" beyond the ends."""
        return self.keys[at] if 0 <= at < len(self.keys) else ""

    def __iter__(self) -> Iterator[str]:
        """The keys, in order."""
        return iter(self.keys)

    def is_word(self, at: int) -> bool:
        """Whether the token is a word."""
        return 0 <= at < len(self.tokens) and self.tokens[at].is_word

    def is_mark(self, at: int) -> bool:
        """Whether the token is punctuation, or beyond the ends."""
        return not self.is_word(at)

    def ends_sentence(self, at: int) -> bool:
        """Whether the token is a mark that ends a sentence."""
        return self[at] in self.sentence_ends

    def sentence(self, at: int) -> tuple[int, int]:
        """The indices [start, end) of the sentence around a token, without its final mark."""
        if self._ends is None:
            self._ends = [index for index in range(len(self)) if self.ends_sentence(index)]
        after = bisect_left(self._ends, at)
        start = self._ends[after - 1] + 1 if after else 0
        return start, self._ends[after] if after < len(self._ends) else max(at, len(self))


def tokenise(text: str, language: str, key: Callable[[str], str]) -> list[Token]:
    """The words and marks of a text; `key` gives the spelling in which a token is looked up."""
    return [
        Token(span.start, span.end, written, key(written), span.kind == "word")
        for span in tokenisation.tokens(text, language)
        if (written := text[span.start : span.end])
    ]


_QUOTES = {"«": "»", "“": "”", "„": "“", "‹": "›", "‘": "’", '"': '"'}


def read_joined(tokens: Sequence[Token], *, joiners: Collection[str], sign: str) -> list[Token]:
    """The tokens with & and / between words as `sign`, and no quotation marks around a conjunct.

    *prêt & connecté*, *prêt / connecté*, *« prêt » et connecté*; two forms of a word stay as they
    are (*prêt/prête*), and so do names (*Dupont & Fils*).
    """
    if not any(token.text in _QUOTES or token.text in {"&", "/"} for token in tokens):
        return list(tokens)
    hidden: set[int] = set()
    for at in range(1, len(tokens) - 2):
        closing = _QUOTES.get(tokens[at].text)
        if closing is None or tokens[at + 2].text != closing or not tokens[at + 1].is_word:
            continue
        beside = (token.key for token in (tokens[at - 1], *tokens[at + 3 : at + 4]))
        if tokens[at + 1].text.islower() and any(key in {*joiners, "&", "/"} for key in beside):
            hidden |= {at, at + 2}
    found = [token for at, token in enumerate(tokens) if at not in hidden]
    for at in range(1, len(found) - 1):
        if _joins(*found[at - 1 : at + 2]):
            found[at] = msgspec.structs.replace(found[at], key=sign)
    return found


def _joins(before: Token, sign: Token, after: Token) -> bool:
    if sign.text not in {"&", "/"} or len(after.key) < 4 or not after.text.islower():
        return False
    return before.key[:2] != after.key[:2]


def match_case(model: str, word: str) -> str:
    """The word with the capitals of `model`: none, the first letter or all; per hyphenated part."""
    models, parts = model.split("-"), word.split("-")
    if len(models) == len(parts) > 1:
        return "-".join(map(match_case, models, parts))
    letters = [letter for letter in model if letter.isalpha()]
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        return word.upper()
    if letters and letters[0].isupper():
        return word[:1].upper() + word[1:]
    return word
