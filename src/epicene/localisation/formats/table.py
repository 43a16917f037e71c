"""CSV and TSV with named columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.core import registry
from epicene.core.errors import InputError
from epicene.localisation.file_languages import base_language
from epicene.localisation.strings import Coding, FoundString, FoundStrings, decoded
from epicene.rewriting.protected import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.localisation.strings import FileText, ReadOptions

# What a column is for, and what it is called unless --column says so.
_NAMES = {
    "text": ("text", "target", "translation"),
    "key": ("key", "id", "identifier", "name"),
    "source": ("source",),
    "comment": ("comment", "comments", "note", "notes", "context", "description"),
    "people": ("people", "gender"),
}
_QUOTED = regex.compile(r'"(?P<text>(?:[^"]|"")*+)"')
_SPECIAL = regex.compile(r'""|\r\n')


def _decode_quoted(text: str, start: int, end: int) -> Iterator[Piece]:
    for found in _SPECIAL.finditer(text, start, end):
        yield Piece(*found.span(), "\n" if found[0] == "\r\n" else '"')


QUOTED = Coding(_decode_quoted, lambda text: text.replace('"', '""'))
BARE = Coding()


class _Cell(NamedTuple):
    start: int
    end: int
    coding: Coding

    def found(self) -> FoundString:
        return FoundString("", ((self.start, self.end),), self.coding)


def read(file: FileText, options: ReadOptions) -> FoundStrings:
    """The cells of the column of texts, or of each column that is named after a language."""
    rows = _rows(file)
    header = next(rows, [])
    names = [" ".join(decoded(file.text, cell.found()).split()) for cell in header]
    at = _find_columns(file, names, options.columns)
    texts = _text_columns(file, names, at, options.language)
    strings: list[FoundString] = []
    for number, row in enumerate(rows, start=2):
        about = {
            use: decoded(file.text, row[index].found()) if index < len(row) else ""
            for use, index in at.items()
        }
        strings += [
            FoundString(
                key=about.get("key") or str(number),
                spans=((row[index].start, row[index].end),),
                coding=row[index].coding,
                language=language,
                source=about.get("source", ""),
                comment=about.get("comment", ""),
                people=about.get("people", ""),
            )
            for index, language in texts.items()
            if index < len(row) and row[index].start < row[index].end
        ]
    return FoundStrings(strings)


def _find_columns(file: FileText, names: list[str], columns: Mapping[str, str]) -> dict[str, int]:
    """The number of the column for each use."""
    found: dict[str, int] = {}
    for use, name in columns.items():
        if use not in _NAMES:
            raise InputError(f"--column {use}=… is unknown; use one of {', '.join(_NAMES)}.")
        if name not in names:
            raise InputError(f"{file.path} has no column {name!r}; it has {', '.join(names)}.")
        found[use] = names.index(name)
    folded = [name.casefold() for name in names]
    for use, known in _NAMES.items():
        for name in known:
            if name in folded and use not in found and folded.index(name) not in found.values():
                found[use] = folded.index(name)
    return found


def _text_columns(
    file: FileText, names: list[str], at: Mapping[str, int], language: str
) -> dict[int, str]:
    """The numbers of the columns of texts, each with the language that its name is."""
    if "text" in at:
        return {at["text"]: ""}
    known = registry.names("languages")
    taken = set(at.values())
    texts = {
        index: code
        for index, name in enumerate(names)
        if index not in taken and (code := base_language(name)) in known
    }
    if language and language not in texts.values():
        texts = {}
    if not texts:
        raise InputError(
            f"{file.path} does not say which column contains the texts; name one with --column "
            f"text=NAME. It has {', '.join(names)}."
        )
    return texts


def _rows(file: FileText) -> Iterator[list[_Cell]]:
    """The cells of each row that is not empty."""
    text = file.text
    at = 1 if text.startswith("\ufeff") else 0
    delimiter = _find_delimiter(file, at)
    bare = regex.compile(rf"[^{delimiter}\r\n]*+")
    row: list[_Cell] = []
    while at < len(text):
        quoted = _QUOTED.match(text, at)
        if quoted and text[quoted.end() : quoted.end() + 1] in (delimiter, "\r", "\n", ""):
            row.append(_Cell(*quoted.span("text"), QUOTED))
            at = quoted.end()
        elif text.startswith('"', at) and delimiter != "\t":
            raise file.error(at, "a quotation mark is missing or is not at the end of its cell")
        else:
            found = bare.match(text, at)
            row.append(_Cell(at, at := found.end() if found else at, BARE))
        if text.startswith(delimiter, at):
            at += 1
            if at == len(text):
                row.append(_Cell(at, at, BARE))
            continue
        if len(row) > 1 or row[0].start < row[0].end:
            yield row
        row = []
        at += 2 if text.startswith("\r\n", at) else 1
    if row:
        yield row


def _find_delimiter(file: FileText, at: int) -> str:
    """A tab in TSV; otherwise the most frequent of comma, semicolon and tab in the first line."""
    if file.path.suffix.lower() == ".tsv":
        return "\t"
    line = regex.match(r'(?:"(?:[^"]|"")*+"|[^"\r\n])*+', file.text, pos=at)
    head = _QUOTED.sub("", line[0] if line else "")
    return max(",;\t", key=head.count)
