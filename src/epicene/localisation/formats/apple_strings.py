"""Apple's .strings: "key" = "value"; with comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.localisation.escapes import backslash_coding
from epicene.localisation.strings import FoundString, FoundStrings, decoded

if TYPE_CHECKING:
    from epicene.localisation.strings import FileText, ReadOptions

CODING = backslash_coding(
    {"n": "\n", "t": "\t", "r": "\r"},
    numbers=r"[Uu][0-9A-Fa-f]{4}|[0-7]{1,3}",
    escape='"\\',
)
_TOKEN = regex.compile(
    r"[\s\ufeff]++|(?P<comment>/\*.*?\*/|//[^\r\n]*+)"
    r'|(?P<key>"(?:[^"\\]|\\.)*+"|[\w.$/:-]++)\s*+(?:=\s*+(?P<value>"(?P<text>(?:[^"\\]|\\.)*+)"'
    r"|[\w.$/:-]++)\s*+)?;",
    regex.DOTALL,
)


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The values, each with the comment before it."""
    strings: list[FoundString] = []
    seen: dict[str, int] = {}
    at, comment = 0, ""
    while at < len(file.text):
        token = _TOKEN.match(file.text, at)
        if token is None:
            raise file.error(at, 'this is not .strings: "key" = "value"; is expected here')
        at = token.end()
        if token["comment"]:
            comment = token["comment"].strip("/* \t\r\n")
        elif token["key"]:
            key = _key(file, token)
            file.refuse_repeated(f"the key {key!r}", token.start(), seen)
            if token["text"]:
                strings.append(
                    FoundString(
                        key, (token.span("text"),), CODING, comment=comment, syntax="printf"
                    )
                )
            comment = ""
    return FoundStrings(strings)


def _key(file: FileText, token: regex.Match[str]) -> str:
    start, end = token.span("key")
    if token["key"].startswith('"'):
        return decoded(file.text, FoundString("", ((start + 1, end - 1),), CODING))
    return token["key"]
