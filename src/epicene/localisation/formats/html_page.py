"""HTML: the text of each block, with its inline tags, and the attributes that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.localisation.file_languages import base_language
from epicene.localisation.strings import FoundString, FoundStrings, trim_span
from epicene.localisation.xml_texts import TAG, element_end, html_coding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.localisation.strings import FileText, ReadOptions

_INLINE = frozenset(
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd mark q s samp "
    "small span strike strong sub sup time tt u var wbr".split()
)
_NO_TEXT = frozenset("script style pre svg math template iframe object noframes xmp".split())
_FIXED = frozenset("code kbd samp var".split())
_SHOWN = frozenset("alt aria-label label placeholder title".split())
_ABOUT = regex.compile(r"(?i)description|title")
_LETTER = regex.compile(r"\p{L}")
_TOKEN = regex.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[!?][^>]*>|" + TAG.pattern, regex.DOTALL
)
_ATTRIBUTE = regex.compile(
    r"""\s(?P<name>[a-z][\w:-]*)\s*=\s*(?:"(?P<value>[^"]*)"|'(?P<value>[^']*)'|(?P<bare>[^\s"'>]+))""",
    regex.IGNORECASE,
)
TEXT = html_coding(fixed=_FIXED)
ATTRIBUTES = {quote: html_coding(attribute=quote) for quote in "\"'"}


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The texts of the page; the key is the line where one begins."""
    root = regex.search(r"<html\b[^<>]*+", file.text, regex.IGNORECASE)
    page = root and regex.search(r"\slang\s*=\s*[\"']?([\w-]+)", root[0], regex.IGNORECASE)
    start = 1 if file.text.startswith("\ufeff") else 0
    return FoundStrings(
        [
            found._replace(key=str(file.line(found.spans[0][0])))
            for found in find_texts(file.text, start, len(file.text))
        ],
        base_language(page[1]) if page else "",
    )


def find_texts(text: str, start: int, end: int) -> list[FoundString]:
    """The texts between two offsets, in order: blocks without blanks around them, attributes."""
    strings: list[FoundString] = []
    reached = start  # where the current block begins
    while token := _TOKEN.search(text, start, end):
        start = token.end()
        name = (token["name"] or "").lower()
        if name:
            start = element_end(text, token.start(), end, _FIXED)
            if start == token.end():
                strings += _attributes(token)
        if name in _INLINE or token[0].startswith("<!--"):
            continue
        strings += _block(text, reached, token.start())
        if name in _NO_TEXT and not token["close"]:
            closing = regex.compile(rf"</{name}\b", regex.IGNORECASE).search(text, start, end)
            start = closing.start() if closing else end
        reached = start
    strings += _block(text, reached, end)
    return sorted(strings, key=lambda found: found.spans)


def _block(text: str, start: int, end: int) -> list[FoundString]:
    """The text of a block, if it has letters."""
    if not _LETTER.search(_TOKEN.sub("", text[start:end])):
        return []
    return [FoundString("", (trim_span(text, start, end),), TEXT)]


def _attributes(tag: regex.Match[str]) -> Iterator[FoundString]:
    """The attributes of a tag that readers see."""
    if tag["close"]:
        return
    found = {each["name"].lower(): each for each in _ATTRIBUTE.finditer(tag[0])}

    def value(name: str) -> str:
        return (found[name]["value"] or found[name]["bare"] or "") if name in found else ""

    shown = set(_SHOWN)
    kind = tag["name"].lower()
    if kind == "meta" and _ABOUT.search(value("name") + value("property")):
        shown.add("content")
    if kind == "input" and value("type").lower() in ("button", "submit", "reset"):
        shown.add("value")
    for name, each in found.items():
        if name in shown and _LETTER.search(each["value"] or ""):
            start, end = each.span("value")
            coding = ATTRIBUTES[tag[0][start - 1]]
            yield FoundString("", ((tag.start() + start, tag.start() + end),), coding)
