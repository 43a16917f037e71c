"""JSON with positions: where each value of a tree is in the file."""

from __future__ import annotations

from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.localisation.escapes import code_point
from epicene.localisation.strings import Coding
from epicene.rewriting.protected import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.localisation.strings import FileText

_MAX_DEPTH = 200
_BLANK = regex.compile(r"[ \t\r\n]*+")
_LITERAL = regex.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_ESCAPE = regex.compile(
    r"\\(?:u(?P<high>[dD][89abAB]\p{AHex}{2})\\u(?P<low>[dD][c-fC-F]\p{AHex}{2})"
    r"|(?P<number>u\p{AHex}{4})|(?P<letter>.))"
)
_SURROGATE = regex.compile(r"\p{Cs}")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ESCAPED = {ord(read): f"\\{letter}" for letter, read in _LETTERS.items()}
_ESCAPED |= {ord('"'): '\\"', ord("\\"): "\\\\"}


def _decode(text: str, start: int, end: int) -> Iterator[Piece]:
    for found in _ESCAPE.finditer(text, start, end):
        if high := found["high"]:
            pair = bytes.fromhex(high + found["low"])
            read = pair.decode("utf-16-be")
        elif number := found["number"]:
            read = code_point(number)
        else:
            read = _LETTERS.get(found["letter"], found["letter"])
        yield Piece(found.start(), found.end(), read)


def _encode(text: str) -> str:
    return text.translate(_ESCAPED)


def _encode_ascii(text: str) -> str:
    units = (
        f"\\u{unit:04x}" if unit > 126 else chr(unit)
        for unit in memoryview(_encode(text).encode("utf-16-le")).cast("H")
    )
    return "".join(units)


_UNICODE = Coding(_decode, _encode)
_ASCII = Coding(_decode, _encode_ascii)


def json_coding(file: FileText) -> Coding:
    r"""How the file writes strings: in one that has only ASCII, other letters are \u escapes."""
    ascii_only = file.text.removeprefix("\ufeff").isascii() and "\\u" in file.text
    return _ASCII if ascii_only else _UNICODE


class Value(NamedTuple):
    """A value in a tree: its path of names and numbers, and its content in the file.

    For numbers and other values that are not texts, `is_text` is false.
    """

    path: tuple[str, ...]
    start: int
    end: int
    text: str
    is_text: bool = True


def read_values(file: FileText) -> Iterator[Value]:
    """The texts, numbers, booleans and nulls of a tree, in order."""
    text = file.text
    at = _blank_end(text, 1 if text.startswith("\ufeff") else 0)
    stack: list[_Container] = []
    while True:
        if text.startswith(("{", "["), at):
            if len(stack) >= _MAX_DEPTH:
                raise file.error(at, "the JSON is nested too deeply")
            stack.append(_Container(text[at] == "{"))
            closed = _blank_end(text, at + 1)
            if not text.startswith("}" if stack[-1].named else "]", closed):
                at = _next_name(file, stack[-1], closed)
                continue
            stack.pop()
            at = closed + 1
        else:
            path = tuple(each.name for each in stack)
            if text.startswith('"', at):
                value, end = _string(file, at)
                yield Value(path, at + 1, end - 1, value)
            elif literal := _LITERAL.match(text, at):
                end = literal.end()
                yield Value(path, at, end, literal[0], is_text=False)
            else:
                raise file.error(at, "this is not JSON: a value is expected here")
            at = end
        at = _blank_end(text, at)
        while stack and text.startswith("}" if stack[-1].named else "]", at):
            stack.pop()
            at = _blank_end(text, at + 1)
        if not stack:
            break
        if not text.startswith(",", at):
            raise file.error(at, "this is not JSON: a comma or a closing bracket is missing")
        at = _next_name(file, stack[-1], _blank_end(text, at + 1))
    if at < len(text):
        raise file.error(at, "this is not JSON: something follows the end of the tree")


class _Container:
    """An object or a list that is being read, and the name or number of its current member."""

    def __init__(self, named: bool) -> None:
        self.named = named
        self.name = ""
        self.names: set[str] = set()


def _next_name(file: FileText, container: _Container, at: int) -> int:
    """Read the name of the next member; where its value begins."""
    if not container.named:
        container.name = str(int(container.name or -1) + 1)
        return at
    if not file.text.startswith('"', at):
        raise file.error(at, "this is not JSON: a name in double quotes is expected here")
    start = at
    name, at = _string(file, at)
    if name in container.names:
        raise file.error(start, f"the key {name!r} occurs twice")
    container.names.add(name)
    container.name = name
    at = _blank_end(file.text, at)
    if not file.text.startswith(":", at):
        raise file.error(at, "this is not JSON: a colon is missing")
    return _blank_end(file.text, at + 1)


def _string(file: FileText, at: int) -> tuple[str, int]:
    try:
        text, end = scanstring(file.text, at + 1, True)
    except JSONDecodeError as error:
        raise file.error(
            error.pos, f"this is not JSON: {error.msg.lower().removesuffix(' at')}"
        ) from None
    if not text.isascii() and _SURROGATE.search(text):
        raise file.error(at, "this text contains half a character (a lone surrogate)")
    return text, end


def _blank_end(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
