"""What rules see of a text with markup, placeholders and escapes, and where it is in the original.

A `Piece` is a part of the original that rules see differently: not at all (`seen=""`: a tag), as
something else (`locked`: a stand-in for a placeholder, never edited), or as the character that it
means (`&eacute;`). Everything between the pieces is seen as it is written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

import msgspec

from epicene.rewriting import Change, TextSpan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

S = TypeVar("S", bound=TextSpan)


class Piece(NamedTuple):
    """Original characters [start, end), and what rules see in their place.

    An empty `seen` leaves them out. A `locked` piece is never edited; any other may be replaced as
    a whole, and is never cut.
    """

    start: int
    end: int
    seen: str = ""
    locked: bool = False


class _Run(NamedTuple):
    """Visible characters from `at` on, and the original characters [start, end) they are from."""

    at: int
    length: int
    start: int
    end: int
    whole: bool  # whether they can only be replaced together
    locked: bool


class VisibleText:
    """What rules see of a text (`text`), and the way back to the original."""

    def __init__(
        self,
        original: str,
        pieces: Sequence[Piece] = (),
        *,
        start: int = 0,
        end: int | None = None,
        encode: Callable[[str], str] = str,
    ) -> None:
        """See `original[start:end]` with `pieces`, which are in order and do not overlap.

        `encode` writes new text as the original has to have it (`'` as `''`).
        """
        self.source = original
        self._encode = encode
        self._runs: list[_Run] = []
        if not pieces and start == 0 and end in {None, len(original)}:
            self.text, self._is_plain = original, True
            return
        end = len(original) if end is None else end
        self._start, self._end = start, end
        seen: list[str] = []
        length, reached = 0, start
        for piece in [*pieces, Piece(end, end)]:
            if piece.start < reached or piece.end > end:
                raise ValueError(f"{piece} overlaps the piece before it or is outside the text")
            for run in (
                (reached, piece.start, original[reached : piece.start], False, False),
                (piece.start, piece.end, piece.seen, True, piece.locked),
            ):
                first, last, text, whole, locked = run
                if text:
                    self._runs.append(_Run(length, len(text), first, last, whole, locked))
                    seen.append(text)
                    length += len(text)
            reached = piece.end
        self.text = "".join(seen)
        self._starts = [run.at for run in self._runs]
        self._is_plain = False

    @property
    def is_editable(self) -> bool:
        """Whether there is a letter that a change may replace."""
        return self._is_plain or any(
            not run.locked and not self.text[run.at : run.at + run.length].isspace()
            for run in self._runs
        )

    def original(self, start: int, end: int) -> tuple[int, int] | None:
        """The original span of visible characters; None if they cannot be replaced as they are.

        That is: a piece is cut or locked, or something that is left out stands between them.
        """
        if self._is_plain:
            return start, end
        runs = list(self._covering(start, end))
        if not runs or any(run.locked for run in runs):
            return None
        if any(run.end != after.start for run, after in pairwise(runs)):
            return None
        first, last = runs[0], runs[-1]
        if (first.whole and start != first.at) or (last.whole and end != last.at + last.length):
            return None
        return (
            first.start + (0 if first.whole else start - first.at),
            last.end if last.whole else last.start + end - last.at,
        )

    def restore(self, found: Iterable[S]) -> Iterator[S]:
        """Changes, or other spans, in the original; those that cannot be made there are dropped.

        A change keeps the mark-up inside it: `p<b>rêt` becomes `p<b>rête`.
        """
        for each in found:
            if self._is_plain:
                yield each
            elif isinstance(each, Change):
                made = self._restore_change(each)
                if made is not None:
                    yield cast("S", made)
            elif (span := self.original(each.start, each.end)) is not None:
                yield msgspec.structs.replace(each, start=span[0], end=span[1])

    def _restore_change(self, change: Change) -> Change | None:
        for edits in self._ways_to_edit(change):
            places = [self._place(change, start, end) for start, end, _ in edits]
            if edits and None not in places:
                break
        else:
            return None
        runs = list(self._covering(change.start, change.end))
        first, last = runs[0], runs[-1]
        start = first.start + (0 if first.whole else change.start - first.at)
        end = last.end if last.whole else last.start + change.end - last.at
        pieces, reached = [], start
        for place, (_, _, new) in zip(places, edits, strict=True):
            assert place is not None
            pieces += [self.source[reached : place[0]], self._encode(new) if new else ""]
            reached = place[1]
        after = "".join([*pieces, self.source[reached:end]])
        before = self.source[start:end]
        return msgspec.structs.replace(change, start=start, end=end, before=before, after=after)

    def _ways_to_edit(self, change: Change) -> Iterator[_Edits]:
        """As little as possible; word by word; or all in one place, the rest removed."""
        words = _word_by_word(change.before, change.after)
        if words or self.original(change.start, change.end):
            yield _trimmed(change.before, change.after)
        yield words
        yield self._in_one_place(change)

    def _in_one_place(self, change: Change) -> _Edits:
        """What is new goes inside the tag, so that none is left empty: `de <b>la</b>`, `<b>del`."""
        edits: _Edits = []
        runs = list(self._covering(change.start, change.end))
        enclosed = [at for at, run in enumerate(runs) if self._is_enclosed(run)]
        if len(enclosed) > 1:
            return []
        kept = enclosed[0] if enclosed else 0
        for at, run in enumerate(runs):
            start = max(run.at, change.start) - change.start
            end = min(run.at + run.length, change.end) - change.start
            edits.append((start, end, change.after if at == kept else ""))
        return edits

    def _is_enclosed(self, run: _Run) -> bool:
        """Whether something that is left out stands on either side of it."""
        at = bisect_right(self._starts, run.at) - 1
        before = self._runs[at - 1].end if at else self._start
        after = self._runs[at + 1].start if at + 1 < len(self._runs) else self._end
        return before < run.start and run.end < after

    def _place(self, change: Change, start: int, end: int) -> tuple[int, int] | None:
        """The original span of an edit of [start, end) inside a change; an insertion is empty."""
        start, end = change.start + start, change.start + end
        if start < end:
            return self.original(start, end)
        # New letters go with the one before them, so `<b>prêt</b>` gets its -e inside the tag.
        if start > change.start:
            before = self.original(start - 1, start)
            return None if before is None else (before[1], before[1])
        after = self.original(start, start + 1)
        return None if after is None else (after[0], after[0])

    def _covering(self, start: int, end: int) -> Iterator[_Run]:
        at = max(bisect_right(self._starts, start) - 1, 0)
        while at < len(self._runs) and self._runs[at].at < max(end, start + 1):
            yield self._runs[at]
            at += 1


_Edits = list[tuple[int, int, str]]


def _trimmed(before: str, after: str) -> _Edits:
    """One edit from the first letter that differs to the last."""
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return [(head, len(before) - tail, after[head : len(after) - tail])]


def _word_by_word(before: str, after: str) -> _Edits:
    """An edit for each word; none where there are more words before or after."""
    olds, news = _WORD.findall(before), _WORD.findall(after)
    edits: _Edits = []
    if len(olds) == len(news):
        at = 0
        for old, new in zip(olds, news, strict=True):
            if old != new:
                ((start, end, text),) = _trimmed(old, new)
                edits.append((at + start, at + end, text))
            at += len(old)
    return edits


_WORD = re.compile(r"\w+\W*|\W+")
