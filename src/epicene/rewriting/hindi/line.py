"""The words and punctuation marks of a line, or of the part of one that is read together."""

from __future__ import annotations

from epicene.rewriting import text as shared
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.spelling import key


class Line(shared.Line[shared.Token]):
    """Words read together."""

    sentence_ends = frozenset("। ॥ | ? ! . … ; ।। !! ?? ... ..".split())

    def before(self, at: int) -> int:
        """The nearest word on the left that is no particle."""
        at -= 1
        while self[at] in function_words().particles:
            at -= 1
        return at

    def has_postposition(self, at: int) -> bool:
        """Whether a postposition follows: what stands there is not in the direct case."""
        after = at + 1
        while self[after] in {"ही", "भी", "तो", "जी"}:
            after += 1
        return self[after] in function_words().clitics


def read_line(text: str) -> Line:
    """The words and marks of a text."""
    return Line(text, shared.tokenise(text, "hi", key))
