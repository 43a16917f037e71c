"""PO and POT: gettext's catalogues."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import regex

from epicene.localisation.escapes import backslash_coding
from epicene.localisation.file_languages import base_language
from epicene.localisation.strings import FoundString, FoundStrings, decoded

if TYPE_CHECKING:
    from epicene.localisation.strings import FileText, ReadOptions

_LINE = regex.compile(
    r"\ufeff?[^\S\r\n]*(?:"
    r"(?P<comment>\#[^\r\n]*)"
    r"|(?P<keyword>msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?|domain)?[^\S\r\n]*"
    r'"(?P<string>(?:[^"\\\r\n]|\\[^\r\n])*+)"[^\S\r\n]*'
    r"|)(?P<end>\r\n|\r|\n|\Z)"
)
_CHARSET = regex.compile(rb"charset=([\w.:-]+)")
_LANGUAGE = regex.compile(r"^Language:[ \t]*([\w@.-]+)", regex.MULTILINE)
_FUZZY = regex.compile(r"\bfuzzy\b")
_PRINTF = regex.compile(r"\b(?<!no-)(?:c|objc|python|php|perl|sh|gcc-internal|qt|boost)-format\b")

CODING = backslash_coding(
    {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", '"': '"'},
    numbers=r"[0-7]{1,3}|x[0-9A-Fa-f]{2}",
    escape='"\\',
)


def charset(data: bytes) -> str:
    """The encoding that the header names; "" for none, and for the placeholder of a template."""
    found = _CHARSET.search(data, 0, 20_000)
    name = found[1].decode("ascii") if found else ""
    try:
        return "" if name in ("", "CHARSET") else codecs.lookup(name).name
    except LookupError:
        return name


class _Entry:
    """One entry, as far as it was read."""

    def __init__(self) -> None:
        self.comments: list[str] = []
        self.flags = ""
        self.parts: dict[str, list[tuple[int, int]]] = {}  # by keyword


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The translations: every msgstr that is not empty, without the header."""
    entries = _entries(file)
    strings: list[FoundString] = []
    language = ""
    seen: dict[str, int] = {}
    for entry in entries:
        if "msgid" not in entry.parts:
            continue
        source, context = (_text(file, entry, name) for name in ("msgid", "msgctxt"))
        if not source and "msgctxt" not in entry.parts:
            found = _LANGUAGE.search(_text(file, entry, "msgstr"))
            language = base_language(found[1].partition("@")[0].partition(".")[0]) if found else ""
            continue
        key = f"{context}|{source}" if "msgctxt" in entry.parts else source
        file.refuse_repeated(f"the key {key!r}", entry.parts["msgid"][0][0], seen)
        strings += _translations(file, entry, key, source)
    return FoundStrings(strings, language)


def _translations(file: FileText, entry: _Entry, key: str, source: str) -> list[FoundString]:
    comment = "\n".join(entry.comments)
    return [
        FoundString(
            key=key + name.removeprefix("msgstr"),
            spans=tuple(spans),
            coding=CODING,
            source=source
            if name in ("msgstr", "msgstr[0]")
            else _text(file, entry, "msgid_plural"),
            comment=comment,
            state="fuzzy" if _FUZZY.search(entry.flags) else "",
            syntax="printf" if _PRINTF.search(entry.flags) else "",
        )
        for name, spans in entry.parts.items()
        if name.startswith("msgstr") and any(start < end for start, end in spans)
    ]


def _text(file: FileText, entry: _Entry, keyword: str) -> str:
    return decoded(file.text, FoundString("", tuple(entry.parts.get(keyword, ())), CODING))


def _entries(file: FileText) -> list[_Entry]:
    """The entries; obsolete ones (#~) are comments."""
    entries = [_Entry()]
    keyword = ""
    at = 0
    while at < len(file.text):
        line = _LINE.match(file.text, at)
        if line is None:
            raise file.error(at, "this is not PO: a keyword with a quoted string is expected here")
        at = line.end()
        comment, named = line["comment"], line["keyword"]
        if comment is None and line["string"] is None:
            continue
        entry = entries[-1]
        begins = comment is not None or named in ("msgid", "msgctxt", "domain")
        if begins and any(name.startswith("msgstr") or name == "domain" for name in entry.parts):
            entries.append(entry := _Entry())
            keyword = ""
        if comment is not None:
            _add_comment(entry, comment)
            continue
        keyword = named or keyword
        if not keyword:
            raise file.error(line.start(), "this string does not follow a msgid or msgstr")
        if named and named in entry.parts:
            raise file.error(line.start(), f"this entry has a second {named}")
        entry.parts.setdefault(keyword, []).append(line.span("string"))
    return entries


def _add_comment(entry: _Entry, comment: str) -> None:
    if comment.startswith("#,"):
        entry.flags += comment
    elif comment[1:2] in ("", " ", "\t", "."):
        entry.comments.append(comment[2:].strip())
