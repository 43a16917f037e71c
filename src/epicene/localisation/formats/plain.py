"""Plain text: each line is a string; the lines of a wrapped paragraph are one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.localisation.strings import Coding, FoundString, FoundStrings
from epicene.rewriting.protected import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.localisation.strings import FileText, ReadOptions

# A line this long that ends in no final mark is taken to be continued on the next.
_WRAPPED = 45
_LINE = regex.compile(r"[^\S\r\n]*(?P<text>\S(?:[^\r\n]*\S)?)")
_FINAL = regex.compile(r"[.!?…:;؟۔।॥。！？][\p{Pe}\p{Pf}\"'*_]*$")
# A list, a table, a heading, a quotation: such a line begins something new.
_BEGINS = regex.compile(r"[-*+•–—>#|=]|\p{N}+[.)]")
_WRAP = regex.compile(r"[^\S\r\n]*(?:\r\n|\r|\n)[^\S\r\n]*")


def decode(text: str, start: int, end: int) -> Iterator[Piece]:
    """Everything as it is, except that line breaks are read as a space."""
    for wrap in _WRAP.finditer(text, start, end):
        yield Piece(wrap.start(), wrap.end(), " ", locked=True)


PLAIN = Coding(decode, str)


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The lines and wrapped paragraphs that have letters."""
    spans: list[tuple[int, int]] = []
    for match in _LINE.finditer(file.text, int(file.text.startswith("\ufeff"))):
        start, end = match.span("text")
        if spans and _continues(file.text, spans[-1], start):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return FoundStrings(
        [
            FoundString(str(file.line(start)), ((start, end),), PLAIN)
            for start, end in spans
            if any(map(str.isalpha, file.text[start:end]))
        ]
    )


def _continues(text: str, before: tuple[int, int], start: int) -> bool:
    """Whether the line that begins at `start` continues the text that ends before it."""
    wrap = _WRAP.fullmatch(text, before[1], start)
    last_line = text[max(text.rfind("\n", *before) + 1, before[0]) : before[1]]
    return (
        wrap is not None
        and len(last_line) >= _WRAPPED
        and not _FINAL.search(last_line)
        and not _BEGINS.match(text, start)
    )
