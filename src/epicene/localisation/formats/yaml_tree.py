"""YAML trees of texts, such as those of Rails; every style of writing a text."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import regex
import yaml

from epicene.localisation.escapes import code_point
from epicene.localisation.language_roots import name_by_path
from epicene.localisation.strings import Coding, FoundString, FoundStrings, decoded
from epicene.rewriting.protected import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.localisation.strings import FileText, ReadOptions

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_DEPTH = 200
_MOST_INDENTS = 100  # that are tried
_MAX_COMMENT = 5_000  # characters
_STRING_TAG = "tag:yaml.org,2002:str"
_BREAK = r"(?:\r\n|\r|\n)"
_FOLD = rf"(?P<fold>[ \t]*(?:{_BREAK}[ \t]*)+)"
_LETTERS = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f",
    "r": "\r", "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0",
    "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_PLAIN = regex.compile(_FOLD)
_SINGLE = regex.compile(rf"{_FOLD}|(?P<quote>'')")
_DOUBLE = regex.compile(
    rf"{_FOLD}|\\(?:(?P<number>x\p{{AHex}}{{2}}|u\p{{AHex}}{{4}}|U\p{{AHex}}{{8}})"
    rf"|(?P<join>{_BREAK}(?:[ \t]*{_BREAK})*[ \t]*)|(?P<letter>.))"
)
_PROPERTIES = regex.compile(r"(?:[&!]\S*+(?:\s|(?<=\s)\#[^\r\n]*+)++)*+")
_HEADER = regex.compile(rf"[|>][-+0-9]*[ \t]*(?:\#[^\r\n]*)?{_BREAK}")
_LINE = regex.compile(rf"(?P<text>[^\r\n]*)(?P<end>{_BREAK}|\Z)")


def _flow_coding(pattern: regex.Pattern[str], escaped: dict[int, str]) -> Coding:
    """Text that may be wrapped: one line break reads as a space, more as one less."""

    def decode(text: str, start: int, end: int) -> Iterator[Piece]:
        for found in pattern.finditer(text, start, end):
            groups = found.groupdict()
            if fold := groups["fold"]:
                breaks = _count_breaks(fold)
                seen = "\n" * (breaks - 1) or " "
                yield Piece(*found.span(), seen, locked=True)
            elif groups.get("quote"):
                yield Piece(*found.span(), "'")
            elif number := groups.get("number"):
                yield Piece(*found.span(), code_point(number))
            elif join := groups.get("join"):
                yield Piece(*found.span(), "\n" * (_count_breaks(join) - 1), locked=True)
            else:
                yield Piece(*found.span(), _LETTERS.get(groups["letter"], groups["letter"]))

    return Coding(decode, lambda text: text.translate(escaped))


def _count_breaks(text: str) -> int:
    return len(regex.findall(_BREAK, text))


_FLOW = {
    None: _flow_coding(_PLAIN, {}),
    "'": _flow_coding(_SINGLE, {ord("'"): "''"}),
    '"': _flow_coding(_DOUBLE, {ord('"'): '\\"', ord("\\"): "\\\\"}),
}


@cache
def _block_coding(indent: int, *, folded: bool) -> Coding:
    """A block of lines that are indented by `indent`: as they are (|), or `folded` (>)."""

    def decode(text: str, start: int, end: int) -> Iterator[Piece]:
        gap = start  # where what is between two lines of text begins
        breaks, before = 0, ""
        for line in _LINE.finditer(text, start, end):
            content = _content_start(text, line, indent)
            if content < line.end("text"):
                first = text[content]
                seen = "\n" * breaks
                if folded and before and not {first, before} & {" ", "\t"}:
                    seen = "\n" * (breaks - 1) or " "
                if gap < content:
                    yield Piece(gap, content, seen, locked=True)
                gap, breaks, before = line.end("text"), 0, first
            breaks += 1
            if line.end() >= end:
                break

    return Coding(decode, str)


def _content_start(text: str, line: regex.Match[str], indent: int) -> int:
    """Where the text of a line begins, after at most `indent` blanks."""
    start = at = line.start()
    while at < min(start + indent, line.end("text")) and text[at] == " ":
        at += 1
    return at


class _Container:
    """A mapping or a sequence that is being read, and the name or number of its current member."""

    def __init__(self, mapping: bool) -> None:
        self.mapping = mapping
        self.wants_name = mapping
        self.name = ""
        self.number = -1
        self.names: set[str] = set()
        self.start = 0


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """Every text of the tree, by its path; a root that is the code of a language is left out."""
    shift = 1 if file.text.startswith("\ufeff") else 0
    strings: list[tuple[tuple[str, ...], FoundString]] = []
    stack: list[_Container] = []
    resolve = yaml.resolver.Resolver().resolve
    try:
        for event in yaml.parse(file.text[shift:], _Loader):
            at = event.start_mark.index + shift
            if isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                stack.pop()
                continue
            if not isinstance(event, yaml.NodeEvent) or _takes_name(file, stack, event, at):
                continue
            if isinstance(event, yaml.ScalarEvent):
                tag = event.tag or resolve(yaml.ScalarNode, event.value, event.implicit)
                if tag == _STRING_TAG and event.value.strip():
                    path = tuple(each.name for each in stack)
                    found = _found(file, event, at, event.end_mark.index + shift)
                    above = _comment_above(file.text, stack[-1].start if stack else at)
                    strings.append((path, found._replace(comment=above)))
            elif isinstance(event, yaml.CollectionStartEvent):
                if len(stack) >= _MAX_DEPTH:
                    raise file.error(at, "the YAML is nested too deeply")
                stack.append(_Container(isinstance(event, yaml.MappingStartEvent)))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = (error.problem or error.context or "").rstrip(".")
        raise file.error(mark.index if mark else 0, f"this is not YAML: {problem}") from None
    except yaml.YAMLError as error:
        position = getattr(error, "position", 0)
        raise file.error(position or 0, "this is not YAML: it has a forbidden character") from None
    return name_by_path(strings)


def _comment_above(text: str, at: int) -> str:
    """The comment on the lines directly above the line of a character, without its marks."""
    lines: list[str] = []
    top = max(at - _MAX_COMMENT, 0)
    end = text.rfind("\n", top, at)
    while end > 0:
        start = text.rfind("\n", top, end) + 1
        if start == 0 and top > 0:  # the line is longer than any comment
            break
        line = text[start:end].strip()
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("#").strip())
        end = start - 1
    return "\n".join(reversed(lines))


def _takes_name(file: FileText, stack: list[_Container], event: yaml.NodeEvent, at: int) -> bool:
    """Record the name of the next value; return whether the event was its name."""
    if not stack:
        return False
    container = stack[-1]
    if not container.mapping:
        container.number += 1
        container.name, container.start = str(container.number), at
        return False
    if not container.wants_name:
        container.wants_name = True
        return False
    if not isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
        raise file.error(at, "names that are lists or mappings are not supported")
    name = event.value if isinstance(event, yaml.ScalarEvent) else f"*{event.anchor}"
    if name in container.names and name != "<<":
        raise file.error(at, f"the key {name!r} occurs twice")
    container.names.add(name)
    container.wants_name, container.name, container.start = False, name, at
    return True


def _found(file: FileText, event: yaml.ScalarEvent, start: int, end: int) -> FoundString:
    """Where the text of a scalar is; raises if it does not read as the parser reads it."""
    if event.anchor or event.tag:
        properties = _PROPERTIES.match(file.text, start)
        start = properties.end() if properties else start
    if event.style in ("|", ">"):
        found = _found_block(file.text, event, start, end)
    else:
        quote = 1 if event.style else 0
        found = FoundString("", ((start + quote, end - quote),), _FLOW[event.style or None])
    value = event.value.strip("\n") if event.style in ("|", ">") else event.value
    if decoded(file.text, found) != value:
        raise file.error(start, "this text is written in a way that Epicene cannot read")
    return found


def _found_block(text: str, event: yaml.ScalarEvent, start: int, end: int) -> FoundString:
    header = _HEADER.match(text, start)
    body = text[header.end() if header else start : end]
    first = regex.search(r"(?m)^( *)[^ \r\n]", body)
    most = len(first[1]) if first else 0
    spans = ((end - len(body.lstrip("\r\n")), end - len(body) + len(body.rstrip())),)
    explicit = header is not None and regex.search(r"\d", header[0].partition("#")[0])
    # An indicator counts from the parent's indentation: the value says which one is meant.
    for indent in range(most, max(most - _MOST_INDENTS, -1), -1):
        coding = _block_coding(indent, folded=event.style == ">")
        found = FoundString("", spans, coding)
        if not explicit or decoded(text, found) == event.value.strip("\n"):
            break
    return found
