"""Titles that are written short, read as one word: *Sig.*, *Sig.ra*, *Dott.ssa*."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.romance.line import key
from epicene.rewriting.text import Token

if TYPE_CHECKING:
    from epicene.rewriting.romance.line import Line

_TITLES = frozenset("sig dott dr prof avv ing arch".split())
_ENDINGS = frozenset("ra na ssa".split())


def join_titles(line: Line) -> Line:
    """The line with each shortened title and its point, and the ending after it, as one word."""
    if not _TITLES & {*line.keys}:
        return line
    tokens: list[Token] = []
    at = 0
    while at < len(line):
        end = _title_end(line, at)
        first, last = line.tokens[at], line.tokens[end - 1]
        if end > at + 1:
            text = line.text[first.start : last.end]
            tokens.append(Token(first.start, last.end, text, key(text), is_word=True))
        else:
            tokens.append(first)
        at = end
    return line.part(tokens)


def _title_end(line: Line, at: int) -> int:
    """The index after a title that begins there, or after that word."""
    if line[at] not in _TITLES or line[at + 1] != ".":
        return at + 1
    point = line.tokens[at + 1]
    if point.start != line.tokens[at].end:
        return at + 1
    joined = line[at + 2] in _ENDINGS and line.tokens[at + 2].start == point.end
    return at + 3 if joined else at + 2
