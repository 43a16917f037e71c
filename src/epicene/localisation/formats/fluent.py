"""Fluent (.ftl): messages, terms and their attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex
from fluent.syntax import FluentParser, ast

from epicene.localisation.strings import Coding, FoundString, FoundStrings, trim_span
from epicene.rewriting.protected import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.localisation.strings import FileText, ReadOptions

# In a placeable line breaks are kept, since variants begin on lines of their own.
_TOKEN = regex.compile(
    r'(?P<open>\{)|(?P<close>\})|(?P<break>(?:\r\n|\n)[ ]*)|(?P<text>"(?:[^"\\\r\n]|\\.)*+")'
)


def _decode(text: str, start: int, end: int) -> Iterator[Piece]:
    """A line break reads as "\\n"; the indentation of the next line is left out."""
    depth = 0
    at = start
    while token := _TOKEN.search(text, at, end):
        at = token.end()
        if token["text"] and not depth:
            at = token.start() + 1  # an ordinary quotation mark
        elif token["break"]:
            seen = "\n" + token["break"].lstrip("\r\n") * bool(depth)
            yield Piece(*token.span(), seen, locked=True)
        else:
            depth += bool(token["open"]) - bool(token["close"])


CODING = Coding(_decode, str)


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The values of messages and terms, and of their attributes."""
    shift = 1 if file.text.startswith("\ufeff") else 0
    try:
        resource = FluentParser(with_spans=True).parse(file.text[shift:])
    except RecursionError:
        raise file.error(0, "the file is nested too deeply") from None
    strings: list[FoundString] = []
    seen: dict[str, int] = {}
    group = ""
    for entry in resource.body:
        at = entry.span.start + shift if entry.span else 0
        if isinstance(entry, ast.Junk):
            problem = (entry.annotations[0].message if entry.annotations else "") or "an error"
            raise file.error(at, f"this is not Fluent: {problem.rstrip('.').lower()}")
        if isinstance(entry, ast.GroupComment):
            group = entry.content or ""
        if not isinstance(entry, ast.Message | ast.Term):
            continue
        key = f"-{entry.id.name}" if isinstance(entry, ast.Term) else entry.id.name
        file.refuse_repeated(f"the key {key!r}", at, seen)
        comments = [group, entry.comment.content or "" if entry.comment else ""]
        comment = "\n".join(filter(None, comments))
        patterns = [(key, entry.value)]
        patterns += [(f"{key}.{each.id.name}", each.value) for each in entry.attributes]
        for name, pattern in patterns:
            if pattern is not None and pattern.span is not None:
                span = trim_span(file.text, pattern.span.start + shift, pattern.span.end + shift)
                strings.append(FoundString(name, (span,), CODING, comment=comment))
    return FoundStrings(strings)
