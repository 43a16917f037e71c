"""Find the protected parts of a text, in order: pieces, breaks between texts, and choices."""

from __future__ import annotations

import html
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import regex

from epicene.rewriting.protected import patterns
from epicene.rewriting.protected.messages import Choice, find_choice, read_braces
from epicene.rewriting.protected.visible import Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.rewriting.protected.messages import Braces


class Break(NamedTuple):
    """Characters [start, end) between two texts that are read apart: `</p><p>`."""

    start: int
    end: int


Part: TypeAlias = "Piece | Break | Choice"

_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_UNSEEN = frozenset("\u00ad\u200b\u2060")


class Scanner:
    """The protected parts of one text."""

    def __init__(self, text: str, *, name: str, icu: bool) -> None:
        """Let `name` stand for placeholders; `icu` reads '' as an apostrophe."""
        self.text = text
        self.name = name
        self.icu = icu
        self._plural, self._choices = False, True
        self._in_words = patterns.IN_WORDS.search(text) is not None

    def parts(
        self, start: int, end: int, *, plural: bool = False, choices: bool = True
    ) -> list[Part]:
        """The protected parts of `text[start:end]`, in order and not overlapping.

        In the branches of an ICU `plural`, # is the number. Without `choices`, a choice is a name.
        """
        self._plural, self._choices = plural, choices
        found = list(self._matched(start, end))
        starts = [part.start for part in found]

        def is_free(mark: Piece) -> bool:
            after = bisect_left(starts, mark.end)
            return after == 0 or found[after - 1].end <= mark.start

        marks = [mark for mark in self._emphasis(start, end) if is_free(mark)]
        return sorted([*found, *marks], key=lambda part: (part.start, part.end)) if marks else found

    def _matched(self, start: int, end: int) -> Iterator[Part]:
        """What begins with a mark, and what begins with a letter or is a path, in order."""
        at = start
        words = patterns.WORDS.search(self.text, at, end) if self._in_words else None
        mark = self._next_mark(at, end)
        while True:
            if words and words.start() < at:
                words = patterns.WORDS.search(self.text, at, end)
            if mark and mark.start() < at:
                mark = self._next_mark(at, end)
            match = words if words and not (mark and mark.start() < words.start()) else mark
            if match is None:
                return
            part = self._handlers[match.lastgroup or ""](self, match, end)
            if part is not None:
                yield part
            at = part.end if part else match.start() + 1

    def _next_mark(self, at: int, end: int) -> regex.Match[str] | None:
        while first := patterns.FIRST.search(self.text, at, end):
            if match := patterns.MARKS.match(self.text, first.start(), end):
                return match
            at = first.end()
        return None

    def _emphasis(self, start: int, end: int) -> Iterator[Piece]:
        """The marks of Markdown's emphasis, each pair once."""
        if not any(mark in self.text for mark in "*_~"):
            return
        reached: set[int] = set()
        for pattern in patterns.EMPHASIS:
            for match in pattern.finditer(self.text, start, end):
                width = len(match[1])
                for first in (match.start(), match.end() - width):
                    if first not in reached:
                        reached.update(range(first, first + width))
                        yield Piece(first, first + width)

    # --- one function for each kind ----------------------------------------------------------

    def _choice(self, match: regex.Match[str], _end: int) -> Part | None:
        choice = find_choice(self.text, match.start(), self._braces)
        if choice is None or choice.end > _end:
            return None
        if choice.by_gender() or not self._choices:  # by gender: written for each already
            return self._stand_in(choice.start, choice.end)
        return choice

    def _hidden(self, match: regex.Match[str], _end: int) -> Part:
        return Piece(*match.span())

    def _placeholder(self, match: regex.Match[str], _end: int) -> Part:
        if patterns.NUMBER.fullmatch(match[0]):
            return Piece(*match.span(), "5", locked=True)
        return self._stand_in(*match.span())

    def _stand_in(self, start: int, end: int) -> Piece:
        return Piece(start, end, self.name, locked=True)

    def _quoted(self, match: regex.Match[str], _end: int) -> Part | None:
        return self._locked(match, _end) if self.icu else None

    def _count(self, match: regex.Match[str], _end: int) -> Part | None:
        """The number in a plural; elsewhere a heading, or only a mark."""
        if self._plural:
            return Piece(
                match.end() - len(match[0].lstrip()),
                match.end(),
                f"5{' ' * match[0][-1].isspace()}",
                locked=True,
            )
        return Piece(*match.span()) if match[0][-1].isspace() else None

    def _locked(self, match: regex.Match[str], _end: int) -> Part:
        return Piece(*match.span(), match[0], locked=True)

    def _fence(self, match: regex.Match[str], _end: int) -> Part:
        return Break(*match.span())

    def _literal(self, match: regex.Match[str], _end: int) -> Part:
        return Piece(*match.span(), match[0].strip('{} \t"'), locked=True)

    def _entity(self, match: regex.Match[str], _end: int) -> Part | None:
        character = html.unescape(match[0])
        if character == match[0]:
            return None
        return Piece(*match.span(), "" if character in _UNSEEN else character)

    def _doubled(self, match: regex.Match[str], _end: int) -> Part | None:
        if match[0] == "''" and not self.icu:
            return None
        return Piece(*match.span(), match[0][0])

    def _escape(self, match: regex.Match[str], _end: int) -> Part:
        written = match[0]
        code = written[2:].strip("{}")
        if written.count("\\u") == 2:
            pair = bytes.fromhex(written[2:6] + written[8:12])
            return Piece(*match.span(), pair.decode("utf-16-be"))
        if written[1] in "uUx":
            number = int(code, 16)
            known = number < 0xD800 or 0xDFFF < number <= 0x10FFFF
            seen = chr(number) if known else ""
            return Piece(*match.span(), "" if seen in _UNSEEN else seen, locked=not known)
        return Piece(*match.span(), _ESCAPED.get(written[1], written[1]))

    def _tag(self, match: regex.Match[str], end: int) -> Part | None:
        """A tag is left out; code in it stands for a noun, and a block is a text of its own."""
        tag = patterns.TAG.fullmatch(match[0])
        if tag is None:
            return None
        closing, name, attributes, alone = (tag[group] or "" for group in (1, 2, 3, 4))
        name = name.lower()
        known = name in patterns.KNOWN or name.isdecimal() or ":" in name or "-" in name
        if attributes and not patterns.ATTRIBUTES.fullmatch(attributes):
            return None
        if not known and attributes.strip(" /\n") and "=" not in attributes:
            return None  # x <y and z> w
        first, last = match.span()
        if name in patterns.WITH_CODE and not closing and not alone:
            last = self._after_closing(name, last, end)
            if name in patterns.NO_TEXT:
                return Break(first, last)
            return Piece(first, last) if name in patterns.NATIVE else self._stand_in(first, last)
        if name in patterns.BREAK:
            return Piece(first, last, "\n", locked=True)
        if name in patterns.BLOCK:
            return Break(first, last)
        if self._stands_for_something(name, first, last, closing=closing, alone=alone):
            return self._stand_in(first, last)
        return Piece(first, last)

    def _after_closing(self, name: str, start: int, end: int) -> int:
        if name not in self._closed:
            return start
        closed = regex.search(
            rf"(?i)(?:<|&lt;)/{regex.escape(name)}\s*(?:>|&gt;)", self.text, pos=start, endpos=end
        )
        return closed.end() if closed else start

    def _stands_for_something(
        self, name: str, start: int, end: int, *, closing: str, alone: str
    ) -> bool:
        """Whether a tag is a placeholder: `<x id="1"/>` between spaces, `<name>` without an end."""
        if name in patterns.INLINE or closing:
            return False
        if not alone and (name in self._closed or name.isdecimal()):
            return False
        before, after = self.text[max(start - 1, 0) : start], self.text[end : end + 1]
        return not (before.isalnum() or after.isalnum())

    @cached_property
    def _braces(self) -> tuple[Braces, Braces]:
        return read_braces(self.text)

    @cached_property
    def _closed(self) -> frozenset[str]:
        """The names of the closing tags."""
        return frozenset(regex.findall(r"(?:<|&lt;)/([\w:.\-]+)", self.text.lower()))

    _handlers: dict[str, Callable[[Scanner, regex.Match[str], int], Part | None]] = {
        "choice": _choice,
        "comment": _hidden,
        "control": _hidden,
        "tag": _tag,
        "fence": _fence,
        "code": _placeholder,
        "address": _placeholder,
        "placeholder": _placeholder,
        "literal": _literal,
        "key": _placeholder,
        "quoted": _quoted,
        "doubled": _doubled,
        "entity": _entity,
        "escape": _escape,
        "link": _hidden,
        "target": _hidden,
        "bbcode": _hidden,
        "heading": _count,
        "count": _count,
        "name": _locked,
        "invisible": _hidden,
    }
