"""What rules read of a text: one visible text, or several if it has choices or blocks.

A message with choices (`one {…} other {…}`) is read once with each branch inserted; the words
around a choice are read and edited with its default branch. Blocks (`<p>…</p>`) are read
separately.
"""

from __future__ import annotations

import html
from functools import partial
from html.entities import codepoint2name
from typing import TYPE_CHECKING

import regex

from epicene.rewriting.protected.composition import see_composed
from epicene.rewriting.protected.messages import Choice
from epicene.rewriting.protected.scan import Break, Scanner
from epicene.rewriting.protected.visible import Piece, VisibleText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.rewriting.protected.messages import Branch
    from epicene.rewriting.protected.scan import Part

# What stands for a placeholder, by script: names in no list, with endings that say nothing.
_NAMES = (
    (regex.compile(r"\p{Arabic}"), "زكزك"),
    (regex.compile(r"\p{Devanagari}"), "फ़्लॉन"),
    (regex.compile(r"\p{Cyrillic}"), "Крэнк"),
)
_LATIN_NAME = "Vlork"


def stand_in(text: str) -> str:
    """A name in the script of a text that is in no word list and says nothing about gender."""
    return next((name for script, name in _NAMES if script.search(text)), _LATIN_NAME)


def read_visible(text: str, *, syntax: str = "", composed: bool = False) -> Iterator[VisibleText]:
    """The parts of a text that rules read, each with the way back."""
    see = see_composed if composed else VisibleText
    icu = syntax == "icu" or ("''" in text and "{" in text)
    scanner = Scanner(text, name=stand_in(text), icu=icu)
    reader = _Reader(scanner)
    for parts in [reader.read(None), *map(reader.read, reader.branches)]:
        encode = _encoder(text, parts, icu=icu)
        yield from _visible_blocks(text, parts, partial(see, text, encode=encode))


# Messages of people have far fewer; the choices of others are left alone.
_MAX_BRANCHES, MAX_DEPTH = 200, 8


class _Reader:
    """Reads a text with the default branch of every choice, then with each other branch."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._length = len(scanner.text)
        self._depth = 0
        self._parts: dict[tuple[int, int], list[Part]] = {}
        # Each branch that is not a default one, with the branches that it is inside of.
        self.branches: list[tuple[tuple[int, Branch], ...]] = []
        self._collect(self._scan(0, self._length), ())

    def _scan(self, start: int, end: int, *, plural: bool = False) -> list[Part]:
        if (start, end) not in self._parts:
            choices = len(self.branches) < _MAX_BRANCHES and self._depth < MAX_DEPTH
            found = self._scanner.parts(start, end, plural=plural, choices=choices)
            self._parts[start, end] = found
        return self._parts[start, end]

    def _collect(self, parts: Sequence[Part], path: tuple[tuple[int, Branch], ...]) -> None:
        self._depth = len(path)
        for part in parts:
            if isinstance(part, Choice):
                for branch in part.branches:
                    self._depth = len(path) + 1
                    inside = (*path, (part.start, branch))
                    if branch is not part.default():
                        self.branches.append(inside)
                    self._collect(self._in_branch(part, branch), inside)

    def _in_branch(self, choice: Choice, branch: Branch) -> list[Part]:
        plural = choice.kind in {"plural", "selectordinal"}
        return self._scan(branch.start, branch.end, plural=plural)

    def read(self, path: tuple[tuple[int, Branch], ...] | None) -> list[Part]:
        """The pieces of a reading: with a path, only the text of its last branch may be edited."""
        chosen = dict(path or ())
        return list(self._read(0, self._length, self._scan(0, self._length), chosen, path is None))

    def _read(
        self, start: int, end: int, parts: Sequence[Part], chosen: dict[int, Branch], owned: bool
    ) -> Iterator[Part]:
        target = list(chosen.values())[-1] if chosen else None
        reached = start
        for part in [*parts, Piece(end, end)]:
            if not owned and reached < part.start:
                seen = self._scanner.text[reached : part.start]
                yield Piece(reached, part.start, seen, locked=True)
            reached = part.end
            if not isinstance(part, Choice):
                yield part if owned or not isinstance(part, Piece) else part._replace(locked=True)
                continue
            branch = chosen.get(part.start, part.default())
            yield Piece(part.start, branch.start)
            inside = self._in_branch(part, branch)
            yield from self._read(
                branch.start, branch.end, inside, chosen, owned or branch is target
            )
            yield Piece(branch.end, part.end)


def _visible_blocks(
    text: str, parts: Sequence[Part], see: Callable[..., VisibleText]
) -> Iterator[VisibleText]:
    """A visible text for each block that has a letter which may be edited."""
    start = 0
    pieces: list[Piece] = []
    for part in [*parts, Break(len(text), len(text))]:
        if not isinstance(part, Break):
            assert isinstance(part, Piece)
            pieces.append(part)
            continue
        visible = see(pieces, start=start, end=part.start)
        if quotes := _quotes_around_a_word(visible, pieces):
            around = {(quote.start, quote.end) for quote in quotes}
            pieces = [each for each in pieces if (each.start, each.end) not in around]
            pieces = sorted([*pieces, *quotes], key=lambda each: (each.start, each.end))
            visible = see(pieces, start=start, end=part.start)
        if visible.is_editable:
            yield visible
        start, pieces = part.end, []


_QUOTES = (('"', '"'), ("«", "»"), ("“", "”"), ("„", "[“”]"), ("‹", "›"), ("‘", "’"))
_QUOTED_WORD = regex.compile(
    "|".join(rf"({first}\s?)[\p{{L}}\p{{M}}\p{{N}}'’\-]+(\s?{last})" for first, last in _QUOTES)
)


def _quotes_around_a_word(visible: VisibleText, pieces: Sequence[Piece]) -> list[Piece]:
    """Quotation marks around one word that belong to the markup; they are left out like a tag.

    They belong to it if they are written as entities or escapes (`&quot;`), or inside a tag
    (`<b>« … »</b>`).
    """
    edges = {edge for piece in pieces for edge in (piece.start, piece.end)}
    found: list[Piece] = []
    reached = 0
    for match in _QUOTED_WORD.finditer(visible.text, overlapped=True):
        groups = [group for group in range(1, 2 * len(_QUOTES) + 1) if match[group]]
        spans = [visible.original(*match.span(group)) for group in groups]
        marked = all(span and (span[0] in edges or span[1] in edges) for span in spans)
        if marked and reached <= match.start():
            found += [Piece(*span) for span in spans if span]
            reached = match.end()
    return found


def _encoder(text: str, parts: Sequence[Part], *, icu: bool) -> Callable[[str], str]:
    """How new letters are written: as the text writes those it has."""
    encoders: list[Callable[[str], str]] = []
    if icu and "''" in text:  # elsewhere a single one is read as it is, but before a brace
        encoders.append(lambda new: new.replace("'", "''"))
    elif "\\'" in text:
        encoders.append(lambda new: new.replace("'", "\\'"))
    if text.isascii():
        written = [text[part.start : part.end] for part in parts if isinstance(part, Piece)]
        if any(each[:2] == "\\u" for each in written):
            encoders.append(partial(_each_character, write=_as_unicode_escape))
        elif any(each[:1] == "&" and not html.unescape(each).isascii() for each in written):
            encoders.append(partial(_each_character, write=_as_entity))

    def encode(new: str) -> str:
        for each in encoders:
            new = each(new)
        return new

    return encode


def _each_character(new: str, *, write: Callable[[str], str]) -> str:
    return "".join(letter if letter.isascii() else write(letter) for letter in new)


def _as_unicode_escape(letter: str) -> str:
    code = letter.encode("utf-16-be").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))


def _as_entity(letter: str) -> str:
    name = codepoint2name.get(ord(letter))
    return f"&{name};" if name else f"&#{ord(letter)};"
