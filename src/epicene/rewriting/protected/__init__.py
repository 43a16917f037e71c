"""Protected spans: mark-up, placeholders and escapes, for all languages at once.

Rules see the text without them, or with what they stand for (`visible_texts`); the changes found
are mapped back to the original text, so nothing else of it can change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.protected.visible import Piece, VisibleText

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Piece", "VisibleText", "find_protected", "visible_texts"]


def find_protected(text: str, *, syntax: str = "") -> Sequence[Piece]:
    """The protected pieces of a text, in order and not overlapping."""
    del text, syntax
    return ()


def visible_texts(text: str, *, syntax: str = "") -> Sequence[VisibleText]:
    """What rules may read of a text, in one part or in several that are read apart."""
    return (VisibleText(text, find_protected(text, syntax=syntax)),)
