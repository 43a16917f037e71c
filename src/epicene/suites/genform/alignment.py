"""Which word of one sentence stands for which of another: the fewest edits, ties in a fixed order.

A word replaced, missing or extra is one edit. Equal words at the beginning are matched first, then
equal words at the end. Between them, of all alignments with the fewest edits, the one is taken
that

1. matches the most equal words (a missing and an extra word rather than two replaced ones),
2. sets the most words with the same first letter against each other where words are replaced,
3. from left to right sets words against each other before one counts as missing, and counts one as
   missing before one counts as extra.
"""

from __future__ import annotations

from itertools import compress
from operator import ne
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MISSING = -1


class Alignment(NamedTuple):
    """Where each word of the reference went, and what the other sentence has besides.

    `partners` holds for each word of the reference the place of its word in the other sentence,
    or MISSING. `extra` holds, by the place in the reference before which they stand, the places
    of words that have no partner.
    """

    partners: list[int]
    extra: dict[int, list[int]]


def align(reference: Sequence[str], other: Sequence[str]) -> Alignment:
    """The alignment of two sentences' words."""
    shorter = min(len(reference), len(other))
    start = _alike(reference, other, shorter)
    end = _alike(reversed(reference), reversed(other), shorter - start)
    middle, extra = _middle(
        reference[start : len(reference) - end], other[start : len(other) - end]
    )
    partners = [
        *range(start),
        *(place if place == MISSING else place + start for place in middle),
        *range(len(other) - end, len(other)),
    ]
    return Alignment(
        partners,
        {start + gap: [start + place for place in places] for gap, places in extra.items()},
    )


def _alike(one: Iterable[str], other: Iterable[str], most: int) -> int:
    """How many words the two begin with alike."""
    return next(compress(range(most), map(ne, one, other)), most)


def _middle(reference: Sequence[str], other: Sequence[str]) -> Alignment:
    rows, columns = len(reference), len(other)
    if not rows or not columns:
        return Alignment([MISSING] * rows, {0: list(range(columns))} if columns else {})
    if rows == columns and _differ_in_place(reference, other):
        return Alignment(list(range(rows)), {})
    if columns == 1:
        place = _place_of(other[0], reference)
        return Alignment([MISSING] * place + [0] + [MISSING] * (rows - place - 1), {})
    if rows == 1:
        place = _place_of(reference[0], other)
        gaps = {0: list(range(place)), 1: list(range(place + 1, columns))}
        return Alignment([place], {gap: places for gap, places in gaps.items() if places})
    left = _costs(reference, other)
    partners: list[int] = []
    extra: dict[int, list[int]] = {}
    i = j = 0
    while i < rows and j < columns:
        here = left[i][j]
        if reference[i] == other[j] or here == left[i + 1][j + 1] + _replacing(
            reference[i], other[j]
        ):
            partners.append(j)
            i, j = i + 1, j + 1
        elif here == left[i + 1][j] + _EDIT:
            partners.append(MISSING)
            i += 1
        else:
            extra.setdefault(i, []).append(j)
            j += 1
    partners += [MISSING] * (rows - i)
    if j < columns:
        extra.setdefault(rows, []).extend(range(j, columns))
    return Alignment(partners, extra)


def _place_of(word: str, words: Sequence[str]) -> int:
    """Where a word goes that is alone: to its like, else to the first letter's, else in front."""
    if word in words:
        return words.index(word)
    return next((place for place, each in enumerate(words) if each[0] == word[0]), 0)


# Costs are compared digit by digit: edits first, then replaced words, then those unlike each other.
_UNLIKE = 1
_REPLACED = 1 << 16
_EDIT = 1 << 32
_FAR = 1 << 62


def _replacing(word: str, other: str) -> int:
    return _EDIT + _REPLACED + (0 if word[0] == other[0] else _UNLIKE)


def _differ_in_place(reference: Sequence[str], other: Sequence[str]) -> bool:
    """Whether word for word is the one best way to align sentences of one length.

    It is where no differing word of the one is anywhere in the other: then no more words can be
    matched than are in place, and as few edits leave no room for a missing and an extra word. It
    is, too, where only one word differs, or only the first and the last, unless all but one word
    of each are the same, one place on.
    """
    differing = [before for before, after in zip(reference, other, strict=True) if before != after]
    if len(differing) == 1 or set(other).isdisjoint(differing):
        return True
    shifted = reference[1:] == other[:-1] or reference[:-1] == other[1:]
    return len(differing) == 2 and not shifted


def _costs(reference: Sequence[str], other: Sequence[str]) -> list[list[int]]:
    """What it costs to align what is left of both from each pair of places on.

    Pairs of places that no alignment with the fewest edits goes through are left out: they are
    too far from the diagonal.
    """
    columns = len(other)
    nearest, furthest = _band(reference, other)
    initials = [word[0] for word in other]
    alike, unlike = _EDIT + _REPLACED, _EDIT + _REPLACED + _UNLIKE
    below = [_EDIT * left for left in range(columns, -1, -1)]
    table = [below]
    for i in range(len(reference) - 1, -1, -1):
        word = reference[i]
        initial = word[0]
        row = [_FAR] * (columns + 1)
        last = i + furthest
        reached = _FAR
        if last >= columns:
            last = columns - 1
            row[columns] = reached = below[columns] + _EDIT
        for j in range(last, max(i + nearest, 0) - 1, -1):
            if other[j] == word:
                reached = below[j + 1]
            else:
                if below[j] < reached:
                    reached = below[j]
                reached += _EDIT
                replaced = below[j + 1] + (alike if initials[j] == initial else unlike)
                if replaced < reached:
                    reached = replaced
            row[j] = reached
        below = row
        table.append(row)
    table.reverse()
    return table


def _band(reference: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How far before and behind its own place in the reference a word's partner may stand.

    Word for word from the left, or from the right, is one way to align. A way that is as good
    and goes through places `d` apart has at least |d| edits before them and |longer − d| after.
    """
    longer = len(other) - len(reference)
    in_place = min(
        sum(map(ne, reference, other)), sum(map(ne, reversed(reference), reversed(other)))
    )
    room = in_place // 2
    return min(longer, 0) - room, max(longer, 0) + room
