"""A text's tokens as the rules walk over them."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from epicene.languages.rewriting.english.lexicon import Lexicon, lexicon, phrase_starts
from epicene.languages.rewriting.english.tokens import Token, tokenise

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPENING = frozenset("\"“‘'([«*_\ufeff")
_STOPS = frozenset({".", ";", ":"})
PAUSES = frozenset({",", "...", "…", "—", "–", "--", "-"})
# What an aside opens with, and what it closes with.
ASIDES = {"(": ")", "[": "]", "—": "—", "–": "–", "--": "--", "-": "-", ",": ",", "“": "”"}


class Line:
    """Tokens that can be asked for out of range, where there is the word ""."""

    def __init__(self, text: str, tokens: Sequence[Token] | None = None) -> None:
        self.text = text
        self.tokens = tokenise(text) if tokens is None else tokens
        self.words = [token.lower for token in self.tokens]
        self.lexicon: Lexicon = lexicon()
        self._phrase_starts = phrase_starts()
        self._quotes: list[int] | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: int) -> str:
        """The lower-case word at an index, "" outside the text."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def is_word(self, index: int) -> bool:
        """Whether a word of letters stands there."""
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "word"

    def is_number(self, index: int) -> bool:
        """Whether a number in digits stands there."""
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "number"

    def is_capital(self, index: int) -> bool:
        """Whether a word with a capital stands there that the place does not explain."""
        if not self.is_word(index):
            return False
        text = self.tokens[index].text
        return text[:1].isupper() and not text.isupper() and not self.begins(index)

    def begins(self, index: int) -> bool:
        """Whether a sentence begins there."""
        before = index - 1
        while before >= 0 and self.words[before] in _OPENING:
            before -= 1
        return before < 0 or self.stops(before, strict=False)

    def stops(self, index: int, *, strict: bool = True) -> bool:
        """Whether a sentence ends there; if strict, not before a small letter after a quote."""
        word = self[index]
        if word not in _STOPS and word[:1] not in {"!", "?"}:
            return False
        if not strict:
            return True
        after = index + 1
        while self[after] in {'"', "”", "’", "'", ")"}:
            after += 1
        quoted = after > index + 1 and word != ";"
        return not (quoted and self.is_word(after) and self.tokens[after].text[0].islower())

    def around(self, index: int, reach: int) -> list[str]:
        """The words of the sentence, at most so many to each side."""
        first, last = index, index
        while first > max(0, index - reach) and not self.stops(first - 1):
            first -= 1
        while last < min(len(self) - 1, index + reach) and not self.stops(last + 1):
            last += 1
        return self.words[first : last + 1]

    def after_adverbs(self, index: int) -> int:
        """The first token from `index` on that belongs to no adverb."""
        while length := self._adverb(index):
            index += length
        return index

    def _adverb(self, index: int) -> int:
        """How many tokens the adverb there has, 0 if there is none."""
        for length in (2, 3) if self[index] in self._phrase_starts else ():
            if "_".join(self.words[index : index + length]) in self.lexicon.midway_phrases:
                return length
        return int(self.lexicon.is_adverb(self[index]))

    def opens_quote(self, index: int) -> bool:
        """Whether a quotation mark or bracket that opens stands there."""
        if self[index] in {"“", "(", "[", "«"}:
            return True
        if self[index] not in {'"', "'", "‘", "*", "_"}:
            return False
        here = self.tokens[index]
        apart = index == 0 or self.tokens[index - 1].end < here.start
        touches = index + 1 < len(self.tokens) and self.tokens[index + 1].start == here.end
        return apart and touches

    def inside_quotes(self, index: int) -> bool:
        """Whether a straight quotation mark was opened before and not closed."""
        if self._quotes is None:
            self._quotes = list(accumulate((word == '"' for word in self.words), initial=0))
        return self._quotes[index] % 2 == 1

    def closing(self, index: int, mark: str, within: int) -> int | None:
        """Where that mark closes what opens at `index`, not further than so many tokens."""
        last = min(index + 1 + within, len(self.words))
        return next((at for at in range(index + 1, last) if self.words[at] == mark), None)
