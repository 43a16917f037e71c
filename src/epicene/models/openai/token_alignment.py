"""Find the characters of a text that each echoed token covers.

Servers spell a token that holds part of a character in different ways: as replacement characters
(vLLM, SGLang), as `bytes:\\xe0\\xa4` (OpenAI), or as an empty string (llama-cpp-python). Offsets,
where they are sent, count these strings and are wrong outside the Latin script, or are all -1. So
the tokens are aligned with the text's bytes at the lowest cost that covers all of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_SPACE_MARK = "\N{LOWER ONE EIGHTH BLOCK}"  # what some tokenizers write for a space
_BYTES = re.compile(r"bytes:((?:\\x[0-9a-fA-F]{2})+)")
_MAX_PARTIAL_BYTES = 3  # bytes of an incomplete character
_MAX_EXTRA = 64  # tokens that are no part of the text, or the bytes of their names
_MAX_REACHED = 512  # places where a token may end

# What a departure from the plain spelling costs. Leaving out the first token (a beginning token,
# which is no part of the text) is dearer than all that may happen to one that is part of it.
_ODD = 1
_EMPTY = 2
_SILENT = 10


class TokenSpan(NamedTuple):
    """The characters [start, end) of a token; `silent`: it is before the text."""

    start: int
    end: int
    silent: bool = False


class _Step(NamedTuple):
    cost: int
    start: int
    silent: bool


def align_tokens(text: str, tokens: Sequence[str]) -> list[TokenSpan] | None:
    """A span for each token, together covering the text; None where the tokens do not spell it."""
    data = text.encode()
    most = len(data) + _MAX_EXTRA
    if len(tokens) > most or sum(map(len, tokens)) > 10 * most:
        return None  # hardly a spelling of the text, and long to align with it
    reached: dict[int, int] = {0: 0}  # the cheapest way to each byte, so far
    steps: list[dict[int, _Step]] = []
    for number, token in enumerate(tokens):
        step: dict[int, _Step] = {}
        for start, so_far in reached.items():
            for end, cost, silent in _moves(data, start, token, first=number == 0):
                if end not in step or so_far + cost < step[end].cost:
                    step[end] = _Step(so_far + cost, start, silent)
        if len(step) > _MAX_REACHED:
            return None
        steps.append(step)
        reached = {end: each.cost for end, each in step.items()}
    if len(data) not in reached:
        return None
    return _byte_to_character_spans(text, _trace(steps, len(data)))


def _moves(data: bytes, at: int, token: str, *, first: bool) -> Iterator[tuple[int, int, bool]]:
    """Where a token that begins at byte `at` may end, at what cost, and whether it is silent."""
    if first:
        yield at, _SILENT, True
    if spelt := _BYTES.fullmatch(token):
        exact = bytes.fromhex(spelt[1].replace("\\x", ""))
        if data.startswith(exact, at):
            yield at + len(exact), 0, False
        return
    for spelling, odd in _spellings(token, first=first):
        for end, cost in _pieces(data, at, spelling):
            yield end, cost + odd, False
    if token and data.startswith(b" ", at):  # a space that the server does not show
        for end, cost in _pieces(data, at + 1, token):
            yield end, cost + _ODD, False


def _spellings(token: str, *, first: bool) -> Iterator[tuple[str, int]]:
    """The token as sent; with spaces for underlines; for the first also without the leading space.

    Some tokenizers put that space before every text.
    """
    yield token, 0
    spaced = token.replace(_SPACE_MARK, " ")
    if spaced != token:
        yield spaced, _ODD
    if first and spaced.startswith(" ") and spaced != " ":
        yield spaced[1:], _ODD


def _pieces(data: bytes, at: int, spelling: str) -> Iterator[tuple[int, int]]:
    """The ends of pieces from `at` that a server may have spelt so, and what that costs.

    A part of a character, which only the ends of a piece can have, is spelt as replacement
    characters or left out.
    """
    shown = len(spelling.encode())
    shortest = shown - 2 * spelling.count(_UNKNOWN)  # it takes three bytes and stands for one
    for length in range(shortest, shown + 2 * _MAX_PARTIAL_BYTES + 1):
        piece = data[at : at + length]
        if len(piece) < length:
            return
        replaced = piece.decode(errors="replace")
        if replaced == spelling:
            yield at + length, 0 if piece else _EMPTY
        elif piece.decode(errors="ignore") == spelling:
            yield at + length, _ODD * replaced.count(_UNKNOWN)


def _trace(steps: Sequence[dict[int, _Step]], end: int) -> list[TokenSpan]:
    """Back along the cheapest way: spans in bytes."""
    spans: list[TokenSpan] = []
    for step in reversed(steps):
        taken = step[end]
        spans.append(TokenSpan(taken.start, end, taken.silent))
        end = taken.start
    return spans[::-1]


def _byte_to_character_spans(text: str, spans: Sequence[TokenSpan]) -> list[TokenSpan]:
    """Spans in characters: a character belongs to every token that holds a byte of it.

    A token of no bytes inside the text is part of the next character: some servers give the
    whole of a character to the last of its tokens.
    """
    starts = [0, *accumulate(len(character.encode()) for character in text)]

    def character(byte: int) -> int:
        return bisect_right(starts, byte) - 1

    found: list[TokenSpan] = []
    for start, end, silent in spans:
        first = character(start)
        if silent:
            found.append(TokenSpan(first, first, silent=True))
        elif start == end:
            found.append(TokenSpan(first, min(first + 1, len(text))))
        else:
            found.append(TokenSpan(first, character(end - 1) + 1))
    return found
