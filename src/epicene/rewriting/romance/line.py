"""The tokens of a text in a Romance language."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from epicene.rewriting import text as shared

if TYPE_CHECKING:
    from collections.abc import Callable


class Line(shared.Line[shared.Token]):
    """The tokens of a text, or of a part of one, in order."""

    sentence_ends = frozenset(". ? ! … ; ... .. ?! !? ¿ ¡ — –".split())

    def ends_sentence(self, at: int) -> bool:
        """Whether the token is a mark that ends a sentence, not the point of *Sr.* or *3.º*."""
        repeated = len(self[at]) > 1 and {*self[at]} <= {*"!?.…"}
        return (super().ends_sentence(at) or repeated) and not self._abbreviates(at)

    def _abbreviates(self, at: int) -> bool:
        if self[at] != "." or not self.is_word(at - 1) or at + 1 >= len(self):
            return False
        point, before, after = self.tokens[at], self.tokens[at - 1], self.tokens[at + 1]
        if point.start != before.end or not after.is_word:
            return point.start == before.end and len(before.key) == 1 and before.text.isupper()
        initial = len(before.key) == 1 and before.text.isupper()
        return initial or before.key in ABBREVIATIONS or point.end == after.start

    def is_capital(self, at: int) -> bool:
        """Whether the word is written with a capital that is not that of a sentence's beginning."""
        return self.is_word(at) and self.tokens[at].text[:1].isupper() and not self.begins(at)

    def begins(self, at: int) -> bool:
        """Whether a sentence or a quotation begins with the word."""
        return (
            at == 0
            or self.ends_sentence(at - 1)
            or (self[at - 1] in QUOTES and self[at - 1] not in {")", "]"})
            or self[at - 1] == ":"
            or (self.is_mark(at - 1) and not any(self.is_word(each) for each in range(at)))
        )

    def is_name(self, at: int) -> bool:
        """Whether the word is written as a name; all capitals are no name."""
        return self.is_capital(at) and not self.tokens[at].text.isupper()


QUOTES = frozenset("« » “ ” „ \" ‘ ’ ' ( ) [ ] -".split())


ABBREVIATIONS = frozenset(
    """
sr sra srta dr dra d dña prof profa ing lic exmo exma ilmo ilma excmo excma st sta sto av
avda núm n art
""".split()
)
# In Spanish, Italian and Portuguese.
_AND = frozenset("y e ed o u ou ni né nem pero ma mas".split())


def key(word: str) -> str:
    """The spelling in which words are looked up."""
    return unicodedata.normalize("NFC", word.lower().replace("’", "'"))


def reader(language: str) -> Callable[[str], Line]:
    """The function that reads a text in that language."""

    def read_line(text: str) -> Line:
        tokens = shared.tokenise(text, language, key)
        return Line(text, shared.read_joined(tokens, joiners=_AND, sign="e"))

    return read_line
