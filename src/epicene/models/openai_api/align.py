"""Which characters of a text each token of a server's echo stands for.

A token comes as a string, and servers spell a token that holds part of a character in their own
ways: as replacement characters (vLLM, SGLang), as `bytes:\\xe0\\xa4` (the protocol's first
server), or as nothing at all (llama-cpp-python). Offsets, where they are sent, only count these
strings: they run wild where the script is not Latin, or are all -1. So the tokens are laid
along the text's bytes instead, by the cheapest way in which they cover it whole.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_BYTES = re.compile(r"bytes:((?:\\x[0-9a-fA-F]{2})+)")
_SPACE = 0x20
_CONTINUATION = range(0x80, 0xC0)
_LONGEST_PART = 3  # bytes of an incomplete character

# What a departure from the plain spelling costs. Leaving out the first token (a beginning token,
# which is no part of the text) is dearer than all that may happen to one that is part of it.
_STRAY = 1
_SILENT = 10


class Span(NamedTuple):
    """The characters [start, end) of a token; `silent`: it stands before the text."""

    start: int
    end: int
    silent: bool = False


class _Step(NamedTuple):
    cost: int
    start: int
    silent: bool


def align(text: str, tokens: Sequence[str]) -> list[Span] | None:
    """A span for each token, together covering the text; None where the tokens do not spell it."""
    data = text.encode()
    reached: dict[int, int] = {0: 0}  # the cheapest way to each byte, so far
    steps: list[dict[int, _Step]] = []
    for number, token in enumerate(tokens):
        step: dict[int, _Step] = {}
        for start, so_far in reached.items():
            for end, cost, silent in _moves(data, start, token, first=number == 0):
                if end not in step or so_far + cost < step[end].cost:
                    step[end] = _Step(so_far + cost, start, silent)
        steps.append(step)
        reached = {end: each.cost for end, each in step.items()}
    if len(data) not in reached:
        return None
    return _characters(text, _trace(steps, len(data)))


def _moves(data: bytes, at: int, token: str, *, first: bool) -> Iterator[tuple[int, int, bool]]:
    """Where a token that begins at byte `at` may end, at what cost, and whether it is silent."""
    if first:
        yield at, _SILENT, True
    if spelt := _BYTES.fullmatch(token):
        exact = bytes.fromhex(spelt[1].replace("\\x", ""))
        if data.startswith(exact, at):
            yield at + len(exact), 0, False
        return
    core = token.strip(_UNKNOWN)
    if not core:
        yield from _part_of_character(data, at, len(token))
        return
    head = len(token) - len(token.lstrip(_UNKNOWN))
    tail = len(token) - len(token.rstrip(_UNKNOWN))
    for begin, stray in _beginnings(data, at, head):
        for spelling, odd in _spellings(core, first=first):
            if data.startswith(spelling, begin):
                for end, more in _endings(data, begin + len(spelling), tail):
                    yield end, stray + odd + more, False


def _part_of_character(data: bytes, at: int, unknown: int) -> Iterator[tuple[int, int, bool]]:
    """A token without any whole character: some bytes of one or more, or none of them."""
    yield at, _STRAY * (1 + unknown), False
    for length in range(1, _LONGEST_PART * max(1, unknown) + 1):
        if at + length > len(data) or data[at + length - 1] < 0x80:
            return
        yield at + length, 0 if unknown else _STRAY, False


def _beginnings(data: bytes, at: int, unknown: int) -> Iterator[tuple[int, int]]:
    """Where the spelt part begins: at once, after the rest of a character, or after a space that
    the server does not show."""
    yield at, _STRAY * unknown
    for length in range(1, _LONGEST_PART + 1):
        if at + length > len(data) or data[at + length - 1] not in _CONTINUATION:
            break
        yield at + length, _STRAY * abs(length - unknown)
    if at < len(data) and data[at] == _SPACE:
        yield at + 1, _STRAY * (1 + unknown)


def _endings(data: bytes, at: int, unknown: int) -> Iterator[tuple[int, int]]:
    """Where the token ends: at once, or with the first bytes of a character."""
    yield at, _STRAY * unknown
    for length in range(1, _LONGEST_PART + 1):
        if at + length > len(data) or data[at + length - 1] < 0x80:
            return
        yield at + length, 0 if unknown else _STRAY * length


def _spellings(core: str, *, first: bool) -> Iterator[tuple[bytes, int]]:
    """The token as it stands; with the sign that some tokenizers write for a space; and, for the
    first one, without the space that some put before every text."""
    yield core.encode(), 0
    spaced = core.replace("\N{LOWER ONE EIGHTH BLOCK}", " ")
    if spaced != core:
        yield spaced.encode(), _STRAY
    if first and spaced.startswith(" ") and spaced != " ":
        yield spaced[1:].encode(), _STRAY


def _trace(steps: Sequence[dict[int, _Step]], end: int) -> list[Span]:
    """Back along the cheapest way: spans in bytes."""
    spans: list[Span] = []
    for step in reversed(steps):
        taken = step[end]
        spans.append(Span(taken.start, end, taken.silent))
        end = taken.start
    return spans[::-1]


def _characters(text: str, spans: Sequence[Span]) -> list[Span]:
    """Spans in characters: a character belongs to every token that holds a byte of it.

    A token of no bytes inside the text is part of the next character: some servers give the
    whole of a character to the last of its tokens.
    """
    starts = [0, *accumulate(len(character.encode()) for character in text)]

    def character(byte: int) -> int:
        return bisect_right(starts, byte) - 1

    found: list[Span] = []
    for start, end, silent in spans:
        first = character(start)
        if silent:
            found.append(Span(first, first, silent=True))
        elif start == end:
            found.append(Span(first, min(first + 1, len(text))))
        else:
            found.append(Span(first, character(end - 1) + 1))
    return found
