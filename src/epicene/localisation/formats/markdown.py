"""Markdown: headings, paragraphs, items and cells; code and front matter are left unchanged."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import regex
from markdown_it import MarkdownIt

from epicene.localisation.formats.html_page import find_texts
from epicene.localisation.strings import Coding, FoundString, FoundStrings

if TYPE_CHECKING:
    from epicene.localisation.strings import FileText, ReadOptions

_LINE = regex.compile(r"(?P<text>[^\r\n]*)(?:\r\n|\r|\n|\Z)")
_FRONT_MATTER = regex.compile(r"\ufeff?---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?---[ \t]*(?:\r?\n|\Z)")
_LETTER = regex.compile(r"\p{L}")
CODING = Coding(gap=" ")  # the spans of a paragraph are its lines


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The texts of the blocks; the key is the line where one begins."""
    front = _FRONT_MATTER.match(file.text)
    start = front.end() if front else int(file.text.startswith("\ufeff"))
    lines = [(line.start("text"), line.end("text")) for line in _LINE.finditer(file.text, start)]
    try:
        tokens = MarkdownIt("commonmark").enable("table").parse(file.text[start:])
    except RecursionError:
        raise file.error(start, "the Markdown is nested too deeply") from None
    strings: list[FoundString] = []
    reached: dict[int, int] = {}  # in each line of a table
    for before, token in pairwise(tokens):
        if token.map is None:
            continue
        if token.type == "html_block":
            strings += find_texts(file.text, lines[token.map[0]][0], lines[token.map[1] - 1][1])
        elif token.type == "inline" and _LETTER.search(token.content):
            number = token.map[0]
            if before.type in ("th_open", "td_open"):
                place = (max(lines[number][0], reached.get(number, 0)), lines[number][1])
                spans = _find_cell(file.text, place, token.content)
                reached[number] = spans[-1][1]
            else:
                spans = _find_lines(file, lines[number : token.map[1]], token.content)
            strings.append(FoundString("", spans, CODING))
    return FoundStrings(
        [found._replace(key=str(file.line(found.spans[0][0]))) for found in strings]
    )


def _find_cell(text: str, place: tuple[int, int], content: str) -> tuple[tuple[int, int], ...]:
    """Where the next cell of a row is: in the file a bar in it has a backslash before it."""
    written = content if text.find(content, *place) >= 0 else content.replace("|", "\\|")
    start = text.index(written, *place)
    return ((start, start + len(written)),)


def _find_lines(
    file: FileText, lines: list[tuple[int, int]], content: str
) -> tuple[tuple[int, int], ...]:
    """Where the lines of a block are, each after its marks (> - 1. #).

    The parser leaves out lines of blanks that it does not take for an end (a no-break space).
    """
    spans: list[tuple[int, int]] = []
    left = iter(lines)
    for said in filter(None, (line.strip() for line in content.split("\n"))):
        found = (file.text.rfind(said, start, end) for start, end in left)
        at = next((each for each in found if each >= 0), -1)
        if at < 0:
            raise file.error(
                lines[0][0],
                "this paragraph could not be located in the file, so the file cannot be read",
            )
        spans.append((at, at + len(said)))
    return tuple(spans)
