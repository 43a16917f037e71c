"""The strings of a localisation file, and how a changed word is written back into the file.

A format finds where the text of each string is in its file and how it is written there; it never
writes a file. A change replaces only the characters that it is about, so every other byte stays the
same.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.core.errors import InputError
from epicene.core.records import Record
from epicene.rewriting.persons import apply_changes
from epicene.rewriting.protected import Piece, VisibleText

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.rewriting import Change


# Formats in which it is guessed what belongs to one string.
_GUESSED = ("text", "srt", "vtt")


class LocalisedString(Record, frozen=True, kw_only=True):
    """One translated text of a file, as its readers see it: the file's own escapes are decoded,
    mark-up and placeholders are kept.

    `language` is the code without its region, "" if unknown; `people` is what the file itself says
    about who is I and who is you (see `people.py`); `syntax` is a hint: icu, printf, fluent, html,
    markdown, plain or "".
    """

    index: int
    key: str
    text: str
    line: int
    language: str = ""
    source: str = ""
    comment: str = ""
    people: str = ""
    state: str = ""
    syntax: str = ""


# The pieces of a file's text, between two offsets, that do not read as they are written.
Decode: TypeAlias = Callable[[str, int, int], Iterable[Piece]]


class Coding(NamedTuple):
    """How a format writes text: how to decode it, and how to encode new text.

    Anything between two spans of a string is read as `gap`.
    """

    decode: Decode = lambda _text, _start, _end: ()
    encode: Callable[[str], str] = str
    gap: str = ""


class FoundString(NamedTuple):
    """Where a format found a string: `spans` of the file's text, read in order."""

    key: str
    spans: tuple[tuple[int, int], ...]
    coding: Coding
    language: str = ""
    source: str = ""
    comment: str = ""
    people: str = ""
    state: str = ""
    syntax: str = ""


def trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without blanks and line breaks around it."""
    inner = text[start:end]
    return start + len(inner) - len(inner.lstrip()), end - len(inner) + len(inner.rstrip())


class FoundStrings(NamedTuple):
    """The strings of a file, in order, and the language that the file itself names."""

    strings: Sequence[FoundString]
    language: str = ""


class ReadOptions(NamedTuple):
    """What a user says about a file: the requested language, "" for any, and names of columns."""

    language: str = ""
    columns: Mapping[str, str] = {}


class FileText:
    """The text of a file, with a byte-order mark if it has one, and its encoding."""

    def __init__(self, path: Path, text: str, encoding: str) -> None:
        self.path = path
        self.text = text
        self.encoding = encoding

    @cached_property
    def _line_breaks(self) -> list[int]:
        return [found.start() for found in re.finditer("\n|\r(?!\n)", self.text)]

    def line(self, offset: int) -> int:
        """The number of the line of a character."""
        return bisect_left(self._line_breaks, offset) + 1

    def error(self, offset: int, problem: str) -> InputError:
        """The error for something that is wrong at a character."""
        return InputError(f"{self.path}, line {self.line(offset)}: {problem}.")

    def refuse_repeated(self, name: str, offset: int, seen: dict[str, int]) -> None:
        """Raise if `name` was `seen` before, which maps names to lines; otherwise add it."""
        if name in seen:
            raise self.error(offset, f"{name} occurs twice, first in line {seen[name]}")
        seen[name] = self.line(offset)


def _pieces(file_text: str, found: FoundString) -> list[Piece]:
    """The pieces of a string, with what is between its spans."""
    pieces: list[Piece] = []
    reached = found.spans[0][0]
    for start, end in found.spans:
        if reached < start:
            pieces.append(Piece(reached, start, found.coding.gap, locked=True))
        pieces += found.coding.decode(file_text, start, end)
        reached = end
    return pieces


def decoded(file_text: str, found: FoundString) -> str:
    """The decoded text of a string, "" for a string without a position."""
    if not found.spans:
        return ""
    parts: list[str] = []
    reached = found.spans[0][0]
    for piece in _pieces(file_text, found):
        parts += (file_text[reached : piece.start], piece.seen)
        reached = piece.end
    parts.append(file_text[reached : found.spans[-1][1]])
    return "".join(parts)


def mapped(file_text: str, found: FoundString) -> VisibleText:
    """The decoded text of a string, and the position of each character in the file."""
    start, end = found.spans[0][0], found.spans[-1][1]
    pieces = _pieces(file_text, found)
    return VisibleText(file_text, pieces, start=start, end=end, encode=found.coding.encode)


class LocalisedFile:
    """A file, its format and its strings; `language` is "" if unknown."""

    def __init__(
        self,
        file: FileText,
        format: str,  # noqa: A002 - as a user calls it
        read: Callable[[FileText], FoundStrings],
        *,
        language: str = "",
        path_language: str = "",
        force_language: bool | None = None,
    ) -> None:
        """Keep what `read` finds in a file, which is in `language` or in the language that its path
        names.

        `force_language` is None if the caller has no such option.
        """
        self._file = file
        found = read(file)
        self.path = file.path
        self.format = format
        named = {each.language for each in found.strings if each.language}
        if not named and (one := found.language or path_language):
            named = {one}
        if (
            language
            and named
            and language not in named
            and not (force_language and len(named) == 1)
        ):
            by_path = "" if found.language or named != {path_language} else " according to its path"
            advice = "; leave out --language"
            if force_language is not None:
                advice = f"; use --force-language to read it as {language}"
            raise InputError(
                f"{file.path} is in {', '.join(sorted(named))}{by_path}, not in {language}"
                f"{advice if len(named) == 1 else ''}."
            )
        self.language = language or (next(iter(named)) if len(named) == 1 else "")
        self._only = language if len(named) > 1 else ""
        self._read = read
        self._found = self._wanted(found)

    def _wanted(self, found: FoundStrings) -> Sequence[FoundString]:
        """The strings in the requested language."""
        if not self._only:
            return found.strings
        return [each for each in found.strings if each.language in ("", self._only)]

    @cached_property
    def strings(self) -> tuple[LocalisedString, ...]:
        """The strings, in the order of the file."""
        return tuple(
            LocalisedString(
                index=index,
                key=found.key,
                text=decoded(self._file.text, found),
                line=self._file.line(found.spans[0][0]),
                language=self.language or found.language,
                source=found.source,
                comment=found.comment,
                people=found.people,
                state=found.state,
                syntax=found.syntax,
            )
            for index, found in enumerate(self._found)
        )

    def check_language(self) -> None:
        """Raise if the file is not in one known language."""
        if not self.language:
            several = sorted({string.language for string in self.strings} - {""})
            has = f"has strings in {', '.join(several)}" if several else "does not say its language"
            raise InputError(f"{self.path} {has}; name one with --language.")

    def possible_changes(self, index: int, changes: Iterable[Change]) -> list[Change]:
        """The changes of a string that the file can contain: those that do not touch anything
        fixed, such as an inline code of XLIFF or the header of a subtitle.
        """
        text = mapped(self._file.text, self._found[index])
        return [change for change in changes if list(text.restore([change]))]

    def replace(self, changes: Mapping[int, Iterable[Change]]) -> bytes:
        """The file with changes to its strings, by their index; all other bytes are the same."""
        edits: list[Change] = []
        expected: dict[int, str] = {}
        for index, wanted in changes.items():
            text = mapped(self._file.text, self._found[index])
            expected[index] = apply_changes(text.text, wanted := list(wanted)).text
            made = list(text.restore(wanted))
            if len(made) < len(wanted):
                raise ValueError(f"the file cannot hold some of the changes {wanted}")
            edits += made
        new = apply_changes(self._file.text, edits).text
        file = FileText(self.path, new, self._file.encoding)
        self._check(file, expected)
        return self._encoded(file)

    def _check(self, new: FileText, expected: Mapping[int, str]) -> None:
        """Raise unless the new file reads as the old one with the changes made."""
        if not expected:
            return
        found = [decoded(new.text, each) for each in self._wanted(self._read(new))]
        wanted = [expected.get(string.index, string.text) for string in self.strings]
        # A longer word may make a line long enough to be continued on the next: a text as before.
        if found == wanted or (
            self.format in _GUESSED and " ".join(found).split() == " ".join(wanted).split()
        ):
            return
        raise InputError(
            f"{self.path} could not be read back with its changes, so it was not written; this is "
            "a bug in Epicene: please report it with the file."
        )

    def _encoded(self, new: FileText) -> bytes:
        try:
            return new.text.encode(new.encoding)
        except UnicodeEncodeError as error:
            character = new.text[error.start]
            raise new.error(
                error.start,
                f"{character!r} cannot be written in {new.encoding}; convert the file to UTF-8",
            ) from None
