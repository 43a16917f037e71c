"""Escapes that several formats share: a backslash and a letter or a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.localisation.strings import Coding
from epicene.rewriting.protected import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def backslash_coding(letters: Mapping[str, str], *, numbers: str = "", escape: str) -> Coding:
    r"""Text in which a backslash begins an escape.

    `letters` says what \n and others read as; a backslash before anything else reads as that
    character. `numbers` is the pattern of what follows the
    backslash of a code point: octal, or hexadecimal after a letter. `escape` lists the characters
    that new text must have a backslash before.
    """
    escapes = regex.compile(rf"\\(?:(?P<number>{numbers or '(?!)'})|(?P<letter>.))", regex.DOTALL)
    back = {ord(mark): f"\\{mark}" for mark in escape}
    back |= {ord(letters[name]): f"\\{name}" for name in "ntr" if name in letters}

    def decode(text: str, start: int, end: int) -> Iterator[Piece]:
        for found in escapes.finditer(text, start, end):
            letter = found["letter"]
            read = code_point(found["number"]) if letter is None else letters.get(letter, letter)
            yield Piece(found.start(), found.end(), read)

    return Coding(decode, lambda text: text.translate(back))


def code_point(number: str) -> str:
    """The character of an octal number, or of a hexadecimal one after a letter."""
    value = int(number[1:].strip("{}"), 16) if number[0].isalpha() else int(number, 8)
    return chr(value) if value < 0x110000 else "\ufffd"
