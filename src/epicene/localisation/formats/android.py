"""Android's strings.xml: strings, arrays and plurals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.localisation.escapes import backslash_coding
from epicene.localisation.file_languages import base_language
from epicene.localisation.strings import Coding, FoundString, FoundStrings, decoded
from epicene.localisation.xml_texts import charset as charset
from epicene.localisation.xml_texts import read_elements, xml_coding
from epicene.rewriting.protected import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.localisation.strings import FileText, ReadOptions
    from epicene.localisation.xml_texts import Element

_ESCAPES = backslash_coding({"n": "\n", "t": "\t"}, numbers=r"u[0-9A-Fa-f]{4}", escape="'\"\\")
_QUOTE = regex.compile(r'(?<!\\)(?:\\\\)*+\K"')
_MAX_COMMENT = 2_000  # characters
_COMMENT = regex.compile(r"<!--((?:(?!-->).)*+)-->\s*+\Z", regex.DOTALL)


def _decode(text: str, start: int, end: int) -> Iterator[Piece]:
    """Escapes are decoded; a quotation mark without a backslash only preserves spaces, and is
    dropped.
    """
    for quote in _QUOTE.finditer(text, start, end):
        yield from _ESCAPES.decode(text, start, quote.start())
        yield Piece(*quote.span())
        start = quote.end()
    yield from _ESCAPES.decode(text, start, end)


CODING = xml_coding(
    fixed=frozenset({"xliff:g"}), inner=Coding(_decode, _ESCAPES.encode), collapse=True
)
_REFERENCE = regex.compile(r"\s*[@?][\w.:+]+/[\w.]+\s*")


_CONTAINERS = ("string-array", "plurals")


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The strings, and the items of arrays and plurals, that may be translated."""
    strings: list[FoundString] = []
    seen: dict[str, int] = {}
    language, comment, items = "", "", 0
    for begins, element in read_elements(file, "resources"):
        if begins and element.name == "resources":
            language = base_language(element.get("locale"))
        elif begins and element.name in ("string", *_CONTAINERS):
            comment, items = _comment_before(file.text, element.start), 0
            name = f"the {element.name} {element.get('name')!r}"
            file.refuse_repeated(name, element.start, seen)
        elif not begins and (key := _key(element, items)):
            items += 1
            spans = ((element.start, element.end),)
            syntax = "html" if "<![CDATA[" in file.text[element.start : element.end] else ""
            found = FoundString(key, spans, CODING, comment=comment, syntax=syntax)
            if _is_translated(element) and _is_text(decoded(file.text, found)):
                strings.append(found)
    return FoundStrings(strings, language)


def _key(element: Element, items: int) -> str:
    """The name of a string, or of an array or plural with the item's number or quantity."""
    if element.name == "string":
        return element.get("name")
    if element.name == "item" and element.parents[-1].name in _CONTAINERS:
        return f"{element.parents[-1].get('name')}[{element.get('quantity') or items}]"
    return ""


def _is_translated(element: Element) -> bool:
    return all(each.get("translatable") != "false" for each in (*element.parents, element))


def _is_text(text: str) -> bool:
    """Whether there is a text that is not a reference to another resource."""
    return bool(text.strip()) and not _REFERENCE.fullmatch(text)


def _comment_before(text: str, content: int) -> str:
    """The comment before the element whose content starts here."""
    tag = text.rfind("<", 0, content)
    start = text.rfind("<!--", max(tag - _MAX_COMMENT, 0), tag)
    found = _COMMENT.match(text, start, tag) if start >= 0 else None
    return "\n".join(line.strip() for line in found[1].strip().splitlines()) if found else ""
