"""The words and punctuation marks of a line, or of the part of one that is read together."""

from __future__ import annotations

from typing import NamedTuple

from epicene.languages import tokenisation
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.spelling import key

SENTENCE_ENDS = frozenset("। ॥ | ? ! . … ; ।। !! ?? ... ..".split())


class Word(NamedTuple):
    """A word or a punctuation mark, where it stands in the line, and its key."""

    start: int
    end: int
    text: str
    key: str
    mark: bool  # punctuation


def tokenise(line: str) -> list[Word]:
    """The words and marks of a line."""
    return [
        Word(span.start, span.end, text, key(text), span.kind != "word")
        for span in tokenisation.tokens(line, "hi")
        if (text := line[span.start : span.end])
    ]


class Line:
    """Words read together; asking beyond either end gives ""."""

    def __init__(self, words: list[Word]) -> None:
        """`words` need not be adjacent in the line."""
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, at: int) -> str:
        """The key of a word, "" beyond the ends."""
        return self.words[at].key if 0 <= at < len(self.words) else ""

    def is_mark(self, at: int) -> bool:
        """Whether punctuation, or nothing, stands there."""
        return not 0 <= at < len(self.words) or self.words[at].mark

    def before(self, at: int) -> int:
        """The nearest word on the left that is no particle."""
        at -= 1
        while self[at] in function_words().particles:
            at -= 1
        return at

    def oblique(self, at: int) -> bool:
        """Whether a postposition follows: what stands there is not in the direct case."""
        after = at + 1
        while self[after] in {"ही", "भी", "तो", "जी"}:
            after += 1
        return self[after] in function_words().clitics
