"""The tokens of a Hindi text."""

from __future__ import annotations

from epicene.rewriting import text as shared
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.spelling import key


class Line(shared.Line[shared.Token]):
    """The tokens of a Hindi text, or of a part of one, in order."""

    sentence_ends = frozenset("। ॥ | ? ! . … ; ।। !! ?? ... ..".split())

    def before(self, at: int) -> int:
        """The index of the nearest word on the left that is not a particle."""
        at -= 1
        while self[at] in function_words().particles:
            at -= 1
        return at

    def has_postposition(self, at: int) -> bool:
        """Whether a postposition follows the word, which is then in the oblique case."""
        after = at + 1
        while self[after] in {"ही", "भी", "तो", "जी"}:
            after += 1
        return self[after] in function_words().clitics


def read_line(text: str) -> Line:
    """The words and marks of a text."""
    return Line(text, shared.tokenise(text, "hi", key))
