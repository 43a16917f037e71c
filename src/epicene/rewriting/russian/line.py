"""The tokens of a Russian text, and whether it writes ё."""

from __future__ import annotations

from functools import lru_cache

from epicene.rewriting import text as shared

_ABBREVIATIONS = frozenset(
    "г ул им т д п тыс руб стр проф акад доц гр корп кв обл пос пр св".split()
)


class Line(shared.Line[shared.Token]):
    """The tokens of a Russian text, or of a part of one; keys have no capitals and no ё."""

    sentence_ends = frozenset(". ? ! … ; ... ?! !! !? ?? ..".split())

    things: frozenset[int] = frozenset()  # the pronouns that mean no person (antecedents.py)

    def ends_sentence(self, at: int) -> bool:
        """Whether the token is a mark that ends a sentence, not one after г. or an initial."""
        return super().ends_sentence(at) and not (self[at] == "." and self._abbreviates(at - 1))

    def _abbreviates(self, at: int) -> bool:
        if at < 0 or at + 2 >= len(self) or self[at - 1].isdigit():
            return False
        initial = len(self[at]) == 1 and self.is_capital(at) and self[at] != "я"
        return initial or self[at] in _ABBREVIATIONS

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
