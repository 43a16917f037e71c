"""Decomposed letters (e and a combining circumflex), which rules see as one letter (ê)."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import regex

from epicene.rewriting.protected.visible import Piece, VisibleText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_WITH_MARKS = regex.compile(r"\P{M}\p{M}+")


def has_decomposed(text: str) -> bool:
    """Whether a text may have decomposed letters; most have none."""
    return not unicodedata.is_normalized("NFC", text)


def see_composed(
    text: str,
    pieces: Sequence[Piece] = (),
    *,
    start: int = 0,
    end: int | None = None,
    encode: Callable[[str], str] = str,
) -> VisibleText:
    """The visible text of these pieces, with each decomposed letter between them as a piece.

    Where all letters are decomposed, new ones are too.
    """
    end = len(text) if end is None else end
    decomposed = unicodedata.is_normalized("NFD", text)
    return VisibleText(
        text,
        list(_with_letters(text, pieces, start, end)),
        start=start,
        end=end,
        encode=(lambda new: unicodedata.normalize("NFD", encode(new))) if decomposed else encode,
    )


def _with_letters(text: str, pieces: Sequence[Piece], start: int, end: int) -> Iterator[Piece]:
    for piece in [*pieces, Piece(end, end)]:
        for match in _WITH_MARKS.finditer(text, start, piece.start):
            letter = _composed(match[0])
            if letter != match[0]:
                yield Piece(*match.span(), letter)
        if piece.start < piece.end:
            seen = _WITH_MARKS.sub(lambda match: _composed(match[0]), piece.seen)
            yield piece._replace(seen=seen)
        start = piece.end


def _composed(letter: str) -> str:
    """The letter with fewer marks where Unicode has it; marks in another order stay."""
    composed = unicodedata.normalize("NFC", letter)
    return composed if len(composed) < len(letter) else letter
