"""Texts in pieces: words that differ from another text's, words that can be marked."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from epicene.languages.segment import tokens, words
from epicene.studies import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.studies import AnswerValue


@dataclass(frozen=True)
class Piece:
    """A stretch of a text; `changed` in a comparison, `place` where it is a word to be marked."""

    text: str
    changed: bool = False
    place: str = ""
    mark: str | None = None  # None: not marked; "": marked; else the label of the mark


def compared(before: str, after: str, language: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Two texts in pieces, with the words that differ marked."""
    one, other = _cut(before, language), _cut(after, language)
    same: tuple[set[int], set[int]] = (set(), set())
    for start, begin, length in SequenceMatcher(None, one, other, False).get_matching_blocks():
        same[0].update(range(start, start + length))
        same[1].update(range(begin, begin + length))
    return _pieces(one, same[0]), _pieces(other, same[1])


def _pieces(parts: Sequence[str], same: set[int]) -> tuple[Piece, ...]:
    return tuple(
        Piece(part, changed=place not in same and not part.isspace())
        for place, part in enumerate(parts)
    )


def _cut(text: str, language: str) -> list[str]:
    """A text in words, punctuation, and what stands between; joined, it is the text again."""
    parts, end = [], 0
    for token in tokens(text, language):
        parts += [text[end : token.start], text[token.start : token.end]]
        end = token.end
    return [part for part in (*parts, text[end:]) if part]


def to_mark(text: str, language: str, marks: AnswerValue) -> Iterator[Piece]:
    """A text in words that can be marked, and what stands between."""
    spans = {(span.start, span.end): span.label for span in marks if isinstance(span, Span)}
    end = 0
    for word in words(text, language):
        if word.start > end:
            yield Piece(text[end : word.start])
        yield Piece(
            text[word.start : word.end],
            place=f"{word.start}-{word.end}",
            mark=spans.get((word.start, word.end)),
        )
        end = word.end
    if end < len(text):
        yield Piece(text[end:])
