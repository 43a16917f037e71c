"""Protected spans: parts of a text that no rule reads and no change touches.

Rules see the text without them (`VisibleText.text`); the changes found are mapped back to the
original text. Nothing is protected yet: `find_protected` is where mark-up, placeholders and escapes
will be found, for all languages at once.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

import msgspec

from epicene.rewriting import TextSpan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


S = TypeVar("S", bound=TextSpan)


def find_protected(_text: str) -> Sequence[TextSpan]:
    """The protected spans of a text, in order and not overlapping; none yet."""
    return ()


class VisibleText:
    """A text without its protected spans, and the original position of each character."""

    def __init__(self, text: str, spans: Sequence[TextSpan]) -> None:
        """Leave out `spans`, which are in order and do not overlap."""
        self.text = text
        if not spans:
            self._starts: list[int] = []
            return
        edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]
        kept = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
        self.text = "".join(kept)
        # Where each span was in the visible text, and how much has been left out up to it.
        self._starts = list(accumulate(map(len, kept[:-1])))
        self._hidden = list(accumulate(span.end - span.start for span in spans))

    def original(self, start: int, end: int) -> tuple[int, int] | None:
        """The original span of visible characters; None if a protected span falls inside it."""
        before = bisect_right(self._starts, start)
        if before < len(self._starts) and self._starts[before] < end:
            return None
        shift = self._hidden[before - 1] if before else 0
        return start + shift, end + shift

    def restore(self, found: Iterable[S]) -> Iterable[S]:
        """Changes or other spans, mapped to the original text; those across a gap are dropped."""
        if not self._starts:
            return found
        return (
            msgspec.structs.replace(each, start=span[0], end=span[1])
            for each in found
            if (span := self.original(each.start, each.end)) is not None
        )


def visible_text(text: str) -> VisibleText:
    """The part of a text that rules may read."""
    return VisibleText(text, find_protected(text))
