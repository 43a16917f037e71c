"""The tokens of a Russian text, and whether it writes ё."""

from __future__ import annotations

from functools import lru_cache

from epicene.rewriting import text as shared


class Line(shared.Line[shared.Token]):
    """The tokens of a Russian text, or of a part of one; keys have no capitals and no ё."""

    sentence_ends = frozenset(". ? ! … ; ... ?! !! !? ?? ..".split())

    def is_capital(self, at: int) -> bool:
        """Whether the word begins with a capital."""
        return self.is_word(at) and self.tokens[at].text[0].isupper()


@lru_cache(maxsize=2**15)
def key(word: str) -> str:
    """The spelling in which a word is looked up."""
    return word.lower().replace("ё", "е")


def read_line(text: str) -> Line:
    """The words and marks of a text."""
    return Line(text, shared.tokenise(text, "ru", key))
