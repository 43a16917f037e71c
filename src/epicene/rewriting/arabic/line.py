"""The words and punctuation marks of a line."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages import tokenisation
from epicene.rewriting.arabic.spelling import final_mark, fold_letters, strip_marks

if TYPE_CHECKING:
    from collections.abc import Iterator

SENTENCE_ENDS = frozenset(".!?؟…؛;")
OPENING = frozenset("«“„‹")
CLOSING = frozenset("»”›")


class Word(NamedTuple):
    """A word or a mark: where it stands, as written, without marks on its letters, folded."""

    start: int
    end: int
    text: str
    letters: str
    key: str
    is_mark: bool


class Line:
    """The words of a text, or of a part of one, in order."""

    def __init__(self, words: list[Word]) -> None:
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def __getitem__(self, at: int) -> Word:
        """The word at a place, an empty mark outside the line."""
        return self.words[at] if 0 <= at < len(self.words) else _OUTSIDE

    @cached_property
    def keys(self) -> list[str]:
        """The folded words; marks as they are."""
        return [word.key for word in self.words]

    def begins(self, at: int) -> bool:
        """Whether nothing or a mark stands before the word."""
        return self[at - 1].is_mark

    def sentence(self, at: int) -> tuple[int, int]:
        """The places [start, end) of the sentence around a place."""
        start = at
        while start > 0 and self[start - 1].text[:1] not in SENTENCE_ENDS:
            start -= 1
        end = at
        while end < len(self) and self[end].text[:1] not in SENTENCE_ENDS:
            end += 1
        return start, end


_OUTSIDE = Word(0, 0, "", "", "", is_mark=True)


def read_line(text: str) -> Line:
    """The words and marks of a text."""
    return Line([_word(text, span) for span in tokenisation.tokens(text, "ar")])


def _word(text: str, span: tokenisation.Span) -> Word:
    written = text[span.start : span.end]
    mark = span.kind != "word"
    letters = written if mark else strip_marks(written)
    return Word(span.start, span.end, written, letters, fold_letters(letters), mark)


def ending_vowel(word: Word) -> str:
    """The vowel written on the last letter, "" if none is."""
    return final_mark(word.text)
