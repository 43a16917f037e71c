"""Which word of one sentence stands for which of another: the fewest edits, ties in a fixed order.

Equal words at the beginning are matched first, then equal words at the end. Between them the
alignment is one of least edit distance (a word replaced, missing or extra costs one); among those,
from left to right, two words are set against each other before a word counts as missing, and as
missing before one counts as extra.
"""

from __future__ import annotations

from operator import ne
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    start = 0
    while start < shorter and reference[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and reference[-1 - end] == other[-1 - end]:
        end += 1
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


def _middle(reference: Sequence[str], other: Sequence[str]) -> Alignment:
    rows, columns = len(reference), len(other)
    if not rows or not columns:
        return Alignment([MISSING] * rows, {0: list(range(columns))} if columns else {})
    # Word for word two differences cost 2, and a missing and an extra word cost no less.
    if rows == columns and sum(map(ne, reference, other)) <= 2:
        return Alignment(list(range(rows)), {})
    left = _distances(reference, other)
    partners: list[int] = []
    extra: dict[int, list[int]] = {}
    i = j = 0
    while i < rows and j < columns:
        if reference[i] == other[j] or left[i + 1][j + 1] < left[i][j]:
            partners.append(j)
            i, j = i + 1, j + 1
        elif left[i + 1][j] < left[i][j]:
            partners.append(MISSING)
            i += 1
        else:
            extra.setdefault(i, []).append(j)
            j += 1
    partners += [MISSING] * (rows - i)
    if j < columns:
        extra.setdefault(rows, []).extend(range(j, columns))
    return Alignment(partners, extra)


def _distances(reference: Sequence[str], other: Sequence[str]) -> list[list[int]]:
    """The edit distance of what is left of both from each pair of places on."""
    columns = len(other)
    below = list(range(columns, -1, -1))
    table = [below]
    for word in reversed(reference):
        reached = below[columns] + 1
        row = [reached] * (columns + 1)
        for j in range(columns - 1, -1, -1):
            if other[j] == word:
                reached = below[j + 1]
            else:
                if below[j] < reached:
                    reached = below[j]
                if below[j + 1] < reached:
                    reached = below[j + 1]
                reached += 1
            row[j] = reached
        below = row
        table.append(row)
    table.reverse()
    return table
