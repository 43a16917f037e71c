"""The strings of a localisation file, and how a changed word gets back into the file.

A format finds where the text of each string is in its file and how it is written there; it never
writes a file. A change is spliced into the characters that it replaces, so every other byte stays.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.core.errors import InputError
from epicene.core.records import Record

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.rewriting import Change


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


class Piece(NamedTuple):
    """Characters [start, end) of a file and what they read as; `fixed` ones are never changed.

    `text` is None where they read as themselves.
    """

    start: int
    end: int
    text: str | None = None
    fixed: bool = False


# The pieces of a file's text between two offsets; what is between pieces is not part of the text.
Decode: TypeAlias = Callable[[str, int, int], Iterable[Piece]]


class Coding(NamedTuple):
    """How a format writes text: what is written there reads as pieces; new text is encoded."""

    decode: Decode
    encode: Callable[[str], str]


class FoundString(NamedTuple):
    """Where a format found a string: `spans` of the file's text, read one after the other."""

    key: str
    spans: tuple[tuple[int, int], ...]
    coding: Coding
    language: str = ""
    source: str = ""
    comment: str = ""
    people: str = ""
    state: str = ""
    syntax: str = ""


class FoundStrings(NamedTuple):
    """The strings of a file, in order, and the language that the file itself names."""

    strings: Sequence[FoundString]
    language: str = ""


class ReadOptions(NamedTuple):
    """What a user says about a file: the language wanted, "" for any, and names of columns."""

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


def decoded(text: str, found: FoundString) -> str:
    """What a string reads as."""
    return "".join(map(_reads_as(text), _pieces(text, found)))


def _pieces(text: str, found: FoundString) -> Iterator[Piece]:
    for start, end in found.spans:
        yield from found.coding.decode(text, start, end)


def _reads_as(text: str) -> Callable[[Piece], str]:
    return lambda piece: text[piece.start : piece.end] if piece.text is None else piece.text


class Edit(NamedTuple):
    """Characters [start, end) of a file and what replaces them."""

    start: int
    end: int
    after: str


class PiecewiseText:
    """The text of a string, made of pieces, and where each character is in the file."""

    def __init__(self, file_text: str, found: FoundString) -> None:
        self._pieces = list(_pieces(file_text, found))
        texts = list(map(_reads_as(file_text), self._pieces))
        self.text = "".join(texts)
        self._ends = list(accumulate(map(len, texts)))  # of each piece, in the text
        self._found = found

    def edits(self, change: Change) -> list[Edit] | None:
        """What to replace in the file to make a change; None if that would touch fixed characters.

        Characters that stay are left as they are written: from "prêt" to "prête" one is added.
        """
        if self.text[change.start : change.end] != change.before:
            raise ValueError(f"{change} does not fit the text it was made for")
        kept = _common_prefix(change.before, change.after)
        limit = min(len(change.before), len(change.after)) - kept
        tail = _common_prefix(change.before[::-1], change.after[::-1], limit)
        start, end = change.start + kept, change.end - tail
        after = change.after[kept : len(change.after) - tail]
        if start == end:
            at = self._insertion_point(start, follows=kept > 0)
            return None if at is None else [Edit(at, at, self._found.coding.encode(after))]
        return self._replacement(start, end, after)

    def _insertion_point(self, at: int, *, follows: bool) -> int | None:
        """Where in the file something is inserted at a place of the text: after the character
        before it (`follows`) or before the next one; None if that is inside a piece."""
        if not self._pieces:
            return self._found.spans[0][0]
        index = bisect_left(self._ends, at) if follows or at == self._ends[-1] else None
        if index is None:
            index = bisect_left(self._ends, at + 1)
        piece, last = self._pieces[index], self._ends[index]
        first = self._ends[index - 1] if index else 0
        if at == last:
            return piece.end
        if piece.text is None:
            return piece.start + at - first
        return piece.start if at == first else None

    def _replacement(self, start: int, end: int, after: str) -> list[Edit] | None:
        """Edits for characters [start, end) of the text: the first of them holds the new text."""
        ranges: list[tuple[int, int]] = []
        index = bisect_left(self._ends, start + 1)
        while index < len(self._pieces) and (first := self._ends[index - 1] if index else 0) < end:
            piece, last = self._pieces[index], self._ends[index]
            index += 1
            if piece.fixed:
                return None
            if piece.text is not None:
                if start > first or end < last:  # a change never cuts an escape
                    return None
                low, high = piece.start, piece.end
            else:
                low = piece.start + max(start - first, 0)
                high = piece.start + min(end, last) - first
            if ranges and ranges[-1][1] == low:
                ranges[-1] = (ranges[-1][0], high)
            elif low < high:
                ranges.append((low, high))
        new = [self._found.coding.encode(after)] + [""] * (len(ranges) - 1)
        return [Edit(*span, text) for span, text in zip(ranges, new, strict=True)]


def _common_prefix(first: str, second: str, limit: int | None = None) -> int:
    """How many characters two texts begin with in common, at most `limit`."""
    length = 0
    for one, other in zip(first[:limit], second[:limit], strict=False):
        if one != other:
            break
        length += 1
    return length


class LocalisedFile:
    """A file, its format and its strings; `language` is "" where nothing says what it is."""

    def __init__(
        self,
        file: FileText,
        format: str,  # noqa: A002 - as a user calls it
        read: Callable[[FileText], FoundStrings],
        *,
        language: str = "",
        path_language: str = "",
        force_language: bool = False,
    ) -> None:
        """Hold what `read` finds in a file, which is in `language` or what its path says."""
        self._file = file
        self._read = read
        found = read(file)
        self._found = found.strings
        self.path = file.path
        self.format = format
        named = found.language or path_language
        if language and named not in ("", language) and not force_language:
            where = "" if found.language else " by its path"
            raise InputError(
                f"{file.path} is in {named!r}{where}, not {language!r}; --force-language reads it "
                f"as {language!r}."
            )
        self.language = language or named

    @cached_property
    def strings(self) -> tuple[LocalisedString, ...]:
        """The strings, in the order of the file."""
        return tuple(
            LocalisedString(
                index=index,
                key=found.key,
                text=decoded(self._file.text, found),
                line=self._file.line(found.spans[0][0]),
                language=found.language or self.language,
                source=found.source,
                comment=found.comment,
                people=found.people,
                state=found.state,
                syntax=found.syntax,
            )
            for index, found in enumerate(self._found)
        )

    def possible_changes(self, index: int, changes: Iterable[Change]) -> list[Change]:
        """The changes of a string that the file can hold: those that touch no fixed characters."""
        text = PiecewiseText(self._file.text, self._found[index])
        return [change for change in changes if text.edits(change) is not None]

    def replace(self, changes: Mapping[int, Iterable[Change]]) -> bytes:
        """The file with changes to its strings, by their index; all other bytes are the same."""
        edits: list[Edit] = []
        expected: dict[int, str] = {}
        for index, wanted in changes.items():
            text = PiecewiseText(self._file.text, self._found[index])
            expected[index] = text.text
            for change in sorted(wanted, key=lambda each: each.start, reverse=True):
                made = text.edits(change)
                if made is None:
                    raise ValueError(f"{change} would touch what the format keeps fixed")
                edits += made
                before = expected[index]
                expected[index] = before[: change.start] + change.after + before[change.end :]
        new = FileText(self.path, _spliced(self._file.text, edits), self._file.encoding)
        self._check(new, expected)
        return self._encoded(new)

    def _check(self, new: FileText, expected: Mapping[int, str]) -> None:
        """Raise unless the new file reads as the old one with the changes made."""
        if not expected:
            return
        found = self._read(new).strings
        if len(found) == len(self._found):
            for index, each in enumerate(found):
                text = decoded(new.text, each)
                if text != expected.get(index, self.strings[index].text):
                    break
            else:
                return
        raise InputError(
            f"{self.path} would not read back with its changes, so it was not written; this is a "
            "bug in Epicene: please report it with the file."
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


def _spliced(text: str, edits: Iterable[Edit]) -> str:
    """The text with each edit made; they do not overlap."""
    parts: list[str] = []
    reached = 0
    for edit in sorted(edits):
        if edit.start < reached:
            raise ValueError(f"{edit} overlaps the edit before it")
        parts += [text[reached : edit.start], edit.after]
        reached = edit.end
    return "".join([*parts, text[reached:]])
