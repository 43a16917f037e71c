"""XML with positions: elements and where their content is in the file.

Expat checks that the file is well-formed. Entity declarations are rejected, so nothing expands, and
nothing outside the file is read.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import escape

import regex

from epicene.localisation.strings import Coding
from epicene.rewriting.protected import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from epicene.localisation.strings import FileText

_CHUNK = 2**16  # bytes that are parsed at a time
_MAX_DEPTH = 200
_MAX_ELEMENT = 5_000  # characters in which the end of an inline element is looked for
_DECLARATION = regex.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']""")
TAG = regex.compile(r"""<(?P<close>/?)(?P<name>[^\s/<>!?"']+)(?:[^<>"']|"[^"]*"|'[^']*')*+>""")
TOKEN = regex.compile(
    r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(?P<cdata>.*?)\]\]>"
    r"|(?P<tag>" + TAG.pattern + r")|&(?P<entity>\#?\w+);",
    regex.DOTALL,
)
_WRAP = regex.compile(r"[^\S\r\n\u00a0]*(?:(?:\r\n|\r|\n)[^\S\r\n\u00a0]*)+")
_NOT_TRANSLATED = regex.compile(
    r"""\s(?:translate\s*=\s*["']?no\b|class\s*=\s*(?:"[^"]*|'[^']*)\bnotranslate\b)"""
)
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def charset(data: bytes) -> str:
    """The encoding that the XML declaration names, "" for none."""
    found = _DECLARATION.match(data.removeprefix(b"\xef\xbb\xbf"))
    name = found[1].decode("ascii").lower() if found else ""
    return "" if name.replace("-", "") in ("utf8", "utf16") else name


class Element(NamedTuple):
    """An element whose end tag was read: its name and attributes without namespaces, the elements
    around it, and its content, the characters [start, end) of the file."""

    name: str
    attributes: dict[str, str]
    start: int
    end: int
    parents: tuple[Element, ...] = ()

    def get(self, name: str) -> str:
        """An attribute, "" if it is missing."""
        return self.attributes.get(name, "")


def read_elements(file: FileText, root: str) -> Iterator[tuple[bool, Element]]:
    """The elements of a file, twice: at their start (True, with no content yet) and at their end.

    `root` is the required name of the outermost element.
    """
    parser = expat.ParserCreate("utf-8")
    open_elements: list[Element] = []
    ready: list[tuple[bool, Element]] = []
    start_of_text = int(file.text.startswith("\ufeff"))
    data = file.text[start_of_text:].encode()
    offsets = _CharacterOffsets(data, start_of_text)

    def start(name: str, attributes: dict[str, str]) -> None:
        if not open_elements and name.rpartition(":")[2] != root:
            raise file.error(
                offsets.at(parser.CurrentByteIndex), f"<{root}> is expected here, not <{name}>"
            )
        if len(open_elements) >= _MAX_DEPTH:
            raise file.error(offsets.at(parser.CurrentByteIndex), "the XML is nested too deeply")
        local = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        tag = TAG.match(file.text, offsets.at(parser.CurrentByteIndex))
        inner = tag.end() if tag else 0
        parents = tuple(open_elements)
        open_elements.append(Element(name.rpartition(":")[2], local, inner, inner, parents))
        ready.append((True, open_elements[-1]))

    def end(_name: str) -> None:
        element = open_elements.pop()
        stop = max(offsets.at(parser.CurrentByteIndex), element.start)
        ready.append((False, element._replace(end=stop)))

    def refuse_entity(name: str, *_more: object) -> None:
        raise file.error(
            offsets.at(parser.CurrentByteIndex),
            f"the entity {name!r} is declared here, but files that declare entities are not "
            "supported",
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.EntityDeclHandler = refuse_entity
    try:
        for chunk in range(0, len(data), _CHUNK):
            parser.Parse(data[chunk : chunk + _CHUNK], False)
            yield from ready
            ready.clear()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code) or "error"
        raise file.error(offsets.at(parser.ErrorByteIndex), f"this is not XML: {problem}") from None
    yield from ready


class _CharacterOffsets:
    """Offsets in the UTF-8 that the parser reads, as offsets in the text; they only grow."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data = data
        self._byte, self._character = 0, start

    def at(self, byte: int) -> int:
        """The offset of the character that begins at a byte."""
        if byte > self._byte:
            self._character += len(self._data[self._byte : byte].decode(errors="replace"))
            self._byte = byte
        return self._character


def xml_coding(
    *,
    native: Set[str] = frozenset(),
    fixed: Set[str] = frozenset(),
    inner: Coding | None = None,
    collapse: bool = False,
) -> Coding:
    """Text with tags and entities; tags are fixed.

    Elements named in `native` contain codes of the original file and no text: each is read as an
    empty tag. Those named in `fixed`, or with translate="no", are never changed. `inner` is how the
    format writes text within XML. With `collapse` a line break with blanks around it reads as a
    space.
    """
    whole = native | fixed

    def run(text: str, start: int, end: int) -> Iterator[Piece]:
        for wrap in _WRAP.finditer(text, start, end) if collapse else ():
            yield from inner.decode(text, start, wrap.start()) if inner else ()
            yield Piece(wrap.start(), wrap.end(), " ", locked=True)
            start = wrap.end()
        yield from inner.decode(text, start, end) if inner else ()

    def decode(text: str, start: int, end: int) -> Iterator[Piece]:
        while found := TOKEN.search(text, start, end):
            yield from run(text, start, found.start())
            start = found.end()
            if found["cdata"] is not None:
                yield Piece(found.start(), found.start("cdata"))
                yield from run(text, *found.span("cdata"))
                yield Piece(found.end("cdata"), start)
            elif found["tag"]:
                start = element_end(text, found.start(), end, whole)
                shown = text[found.start() : start]
                if found["name"] in native and start > found.end():
                    shown = found["tag"][:-1] + "/>"
                yield Piece(found.start(), start, shown, locked=True)
            elif found["entity"]:
                read = read_entity(found["entity"])
                yield Piece(found.start(), start, read or found[0], locked=read is None)
            else:
                yield Piece(found.start(), start)  # a comment
        yield from run(text, start, end)

    def encode(text: str) -> str:
        return escape(inner.encode(text) if inner else text)

    return Coding(decode, encode)


def element_end(text: str, start: int, end: int, whole: Set[str]) -> int:
    """Where what is fixed from a tag on ends: with the tag itself, or with the `whole` element."""
    tag = TAG.match(text, start, end)
    assert tag is not None
    name = tag["name"]
    if tag["close"] or tag[0].endswith("/>"):
        return tag.end()
    if name not in whole and not _NOT_TRANSLATED.search(tag[0]):
        return tag.end()
    depth, at = 1, tag.end()
    limit = min(end, at + _MAX_ELEMENT)
    while (closing := text.find(f"</{name}", at, limit)) >= 0:
        inner = text[at:closing]
        depth += inner.count(f"<{name}>") + inner.count(f"<{name} ") - 1
        at = closing + 1
        if depth == 0:
            closed = TAG.match(text, closing, end)
            return closed.end() if closed else tag.end()
    return tag.end()


def read_entity(name: str) -> str | None:
    """The character that an entity of XML stands for; None for one that XML does not know."""
    if name.startswith("#"):
        return html.unescape(f"&{name};")
    return _PREDEFINED.get(name)


def html_coding(*, fixed: Set[str] = frozenset(), attribute: str = "") -> Coding:
    """Text with the tags and entities of HTML: a tag reads without its attributes, which have
    strings of their own; a line break with blanks around it reads as a space. Of an `attribute`,
    give its quotation mark."""

    def decode(text: str, start: int, end: int) -> Iterator[Piece]:
        while found := _HTML_TOKEN.search(text, start, end):
            start = found.end()
            if found["wrap"]:
                yield Piece(*found.span(), " ", locked=True)
            elif found["entity"]:
                read = html.unescape(found[0])
                yield Piece(*found.span(), read, locked=read == found[0])
            elif attribute:
                continue
            elif found["tag"]:
                start = element_end(text, found.start(), end, fixed)
                shown = regex.sub(TAG, r"<\g<close>\g<name>>", text[found.start() : start])
                yield Piece(found.start(), start, shown, locked=True)
            else:
                yield Piece(*found.span())

    quoted = {attribute: f"&#{ord(attribute)};"} if attribute else {}
    return Coding(decode, lambda text: escape(text, quoted))


_HTML_TOKEN = regex.compile(TOKEN.pattern + rf"|(?P<wrap>{_WRAP.pattern})", regex.DOTALL)
