"""Choose how a LaTeX table is set so that it fits on a page, from estimated glyph widths.

Tried in this order: intervals beside or below their numbers, smaller letters, scaling, upper levels
of keys above their rows, and several panels. What is higher than a page goes over several pages.
"""

from __future__ import annotations

import math
import re
import unicodedata
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.report.layout import format_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.report.layout import Layout, LayoutCell, LayoutRow

Size: TypeAlias = Literal["small", "footnotesize"]

# Of `article` at 10 pt on letter paper, which has the smallest page of the usual classes.
TEXT_WIDTH = 345.0
TEXT_HEIGHT = 550.0
GAP = 3.0  # on either side of a column
BETWEEN = " · "  # keys that stand above their rows

_SMALLEST = 0.8  # of its own size is the least that a table is shrunk to
_PARAGRAPH = 115.0  # what is wider is set in several lines
_KEYS = 0.6  # of the width is the most that keys may take, if they can be broken
_NARROW = 60.0  # keys are not broken into narrower lines only to save a panel
_HEADING = 38.0  # a column's name is broken where it is wider than this and than its numbers
_AROUND = 30.0  # the height of rules, and of the space around a caption or a panel
_FILLED = 0.94  # of a page's height is what a table may have by these rough measures

_LINE = {"small": 11.0, "footnotesize": 9.5}
_WIDTH = {"small": 0.93, "footnotesize": 0.86, "scriptsize": 0.8}  # of letters at 10 pt
_INTERVALS = "scriptsize"

# A word may be broken after these, and at spaces.
BREAKS = re.compile(r"(?<=[\s/_:])(?=\S)")

_LETTERS = (
    dict.fromkeys("ijl.,;:!'|[]", 0.28)
    | dict.fromkeys("frstI()-_ ", 0.39)
    | dict.fromkeys("0123456789", 0.5)
    | dict.fromkeys("−±×→←↔≤≥≠≈=+<>@", 0.78)
    | dict.fromkeys("mwMW%…", 0.9)
)


class TableFit(NamedTuple):
    """How a table is set. A width is that of a paragraph; 0 is as wide as what is in it."""

    size: Size
    stacked: bool  # intervals stand below their numbers
    folded: int  # upper levels, whose keys stand above the rows they are of
    keys: tuple[float, ...]  # the widths of the other levels
    columns: tuple[float, ...]
    levels: tuple[tuple[str, ...], ...]  # the names of the other levels, line by line
    headings: tuple[tuple[str, ...], ...]
    panels: tuple[range, ...]  # the columns of each
    tall: bool  # higher than a page


def fit_table(layout: Layout) -> TableFit:
    """The first way that fits, or the one with the fewest panels."""
    levels = range(len(layout.levels))
    for way in _candidate_fits(layout):
        if way.fits:
            return way.fit()
    last = (_CandidateFit(layout, folded, "footnotesize", stacked=True) for folded in levels)
    return min(last, key=lambda way: len(way.panels)).fit()


def text_width(text: str, size: str = "small") -> float:
    """About how wide a text is printed."""
    return 10 * _WIDTH[size] * sum(map(_letter, text))


def number_and_interval(cell: LayoutCell) -> tuple[str, str]:
    """A cell's number, or text, and its interval."""
    if cell.estimate is None:
        return cell.text, ""
    told = format_interval(cell.estimate, cell.column)
    return cell.text.removesuffix(told).rstrip(), told


def begins_group(line: LayoutRow, folded: int) -> bool:
    """Whether keys stand above this line that did not stand above the one before."""
    return any(key.span for key in line.keys[:folded])


def _candidate_fits(layout: Layout) -> Iterator[_CandidateFit]:
    for folded in range(len(layout.levels)):
        for stacked in (False, True):
            yield _CandidateFit(layout, folded, "small", stacked=stacked)
            yield _CandidateFit(layout, folded, "footnotesize", stacked=stacked)
        if not folded:
            yield _CandidateFit(layout, folded, "footnotesize", stacked=True, shrunk=True)


class _CandidateFit:
    """A table in one size, with intervals beside or below their numbers."""

    def __init__(
        self, layout: Layout, folded: int, size: Size, *, stacked: bool, shrunk: bool = False
    ) -> None:
        self._layout, self._folded, self._size = layout, folded, size
        self._stacked, self._shrunk = stacked, shrunk
        cells = [[line.cells[n] for line in layout.lines] for n in range(len(layout.columns))]
        self._paragraphs = [
            _paragraph([cell.text for cell in each], size, _PARAGRAPH)
            if column.unit == "text"
            else 0.0
            for each, column in zip(cells, layout.columns, strict=True)
        ]
        bodies = [
            paragraph or max(map(self._cell, each), default=0.0)
            for each, paragraph in zip(cells, self._paragraphs, strict=True)
        ]
        self._headings = self._heads(layout.headings, bodies)
        self._columns = self._with_heads(bodies, self._headings)
        keys = [
            [line.keys[level].text for line in layout.lines]
            for level in range(folded, len(layout.levels))
        ]
        limit = self._limit([_widest(texts, size) for texts in keys])
        self._key_paragraphs = [_paragraph(texts, size, limit) for texts in keys]
        bodies = [
            paragraph or _widest(texts, size)
            for texts, paragraph in zip(keys, self._key_paragraphs, strict=True)
        ]
        self._levels = self._heads(layout.levels[folded:], bodies)
        self._keys = self._with_heads(bodies, self._levels)

    @property
    def fits(self) -> bool:
        """Whether all columns stand side by side; what is shrunk must not be broken over pages."""
        if self._shrunk:
            return self._wide() <= TEXT_WIDTH / _SMALLEST and not self._tall(1)
        return self._wide() <= TEXT_WIDTH

    @cached_property
    def panels(self) -> tuple[range, ...]:
        """As few panels as it takes, of about as many columns each."""
        columns = len(self._columns)
        if self._shrunk or not columns:
            return (range(columns),)
        for number in range(1, columns + 1):
            ends = [round(columns * part / number) for part in range(number + 1)]
            panels = tuple(range(*pair) for pair in pairwise(ends))
            if all(self._wide(each) <= TEXT_WIDTH for each in panels):
                break
        return panels

    def fit(self) -> TableFit:
        """How it is set."""
        return TableFit(
            size=self._size,
            stacked=self._stacked,
            folded=self._folded,
            keys=tuple(self._key_paragraphs),
            columns=tuple(self._paragraphs),
            levels=tuple(self._levels),
            headings=tuple(self._headings),
            panels=self.panels,
            tall=self._tall(len(self.panels)),
        )

    def _limit(self, keys: Sequence[float]) -> float:
        """From which width on keys are broken, so that they leave room for the columns: for all
        of them if nothing else has helped, and else for some."""
        some = _narrowed(keys, _KEYS * TEXT_WIDTH, _HEADING)
        if not (self._stacked and self._size == "footnotesize") or self._shrunk:
            return some
        apart = 2 * GAP * (len(keys) + len(self._columns) - 1)
        room = TEXT_WIDTH - sum(self._columns) - apart
        limit = _narrowed(keys, room, _NARROW)
        return limit if sum(min(key, limit) for key in keys) <= room else some

    def _heads(self, names: Sequence[str], bodies: Sequence[float]) -> list[tuple[str, ...]]:
        return [
            _broken(name, self._size, max(body, _HEADING))
            for name, body in zip(names, bodies, strict=True)
        ]

    def _with_heads(self, bodies: Sequence[float], heads: Sequence[tuple[str, ...]]) -> list[float]:
        return [
            max(body, _widest(lines, self._size)) for body, lines in zip(bodies, heads, strict=True)
        ]

    def _cell(self, cell: LayoutCell) -> float:
        number, told = map(_signed, number_and_interval(cell))
        shown = text_width(number, self._size) + text_width(cell.letter, _INTERVALS)
        beside = text_width(told, _INTERVALS)
        if self._stacked or not told:
            return max(shown, beside)
        return shown + text_width(" ", self._size) + beside

    def _wide(self, panel: range | None = None) -> float:
        """The width of all of it, or of a panel."""
        shown = self._columns if panel is None else self._columns[panel.start : panel.stop]
        side_by_side = [*self._keys, *shown]
        above = (BETWEEN.join(each) for each in self._groups())
        return max(
            sum(side_by_side) + 2 * GAP * (len(side_by_side) - 1), _widest(above, self._size)
        )

    def _groups(self) -> Iterator[tuple[str, ...]]:
        """The keys that stand above rows, and their names."""
        if self._folded:
            yield self._layout.levels[: self._folded]
            for line in self._layout.lines:
                if begins_group(line, self._folded):
                    yield tuple(key.text for key in line.keys[: self._folded])

    def _tall(self, panels: int) -> bool:
        """Whether it is higher than a page."""
        line = _LINE[self._size]
        head = line * max(map(len, (*self._levels, *self._headings)), default=1)
        groups = line * sum(1 for _ in self._groups())
        rows = sum(self._row(place) for place in range(len(self._layout.lines)))
        below = [*self._layout.notes, *(reason for _, reason in self._layout.reasons)]
        notes = 9.5 * sum(_lines(text, "footnotesize", TEXT_WIDTH) for text in below)
        caption = 12 * _lines(self._layout.caption, "small", TEXT_WIDTH)
        height = _AROUND + caption + panels * (_AROUND + head + groups + rows) + notes
        return height > _FILLED * TEXT_HEIGHT

    def _row(self, place: int) -> float:
        """The height of one line of the table."""
        line = self._layout.lines[place]
        texts = [key.text for key in line.keys[self._folded :]]
        texts += [cell.text for cell in line.cells]
        rooms = [*self._key_paragraphs, *self._paragraphs]
        lines = max(
            _lines(text, self._size, room) if room else 1
            for text, room in zip(texts, rooms, strict=True)
        )
        below = self._stacked and any(number_and_interval(cell)[1] for cell in line.cells)
        apart = 6.0 if place and len(line.keys) > 1 and line.keys[0].span else 0.0
        return _LINE[self._size] * (lines + below) + apart


# --- texts ---------------------------------------------------------------------------------


def _letter(letter: str) -> float:
    if (known := _LETTERS.get(letter)) is not None:
        return known
    if unicodedata.category(letter).startswith("M"):  # it stands on another
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.72 if letter.isupper() else 0.53


def _widest(texts: Iterable[str], size: str) -> float:
    return max((text_width(text, size) for text in texts), default=0.0)


def _lines(text: str, size: str, room: float) -> int:
    """About how many lines a text takes."""
    return max(1, math.ceil(1.05 * text_width(text, size) / room))


def _signed(number: str) -> str:
    """With minus signs, which are broader than hyphens."""
    return number.replace("-", "−")


def _narrowed(keys: Sequence[float], room: float, least: float) -> float:
    """The widest limit under which keys have room, if there is one that is not less than that."""
    limit = _PARAGRAPH
    while limit > least and sum(min(key, limit) for key in keys) > room:
        limit -= 5
    return limit


def _paragraph(texts: Sequence[str], size: Size, limit: float) -> float:
    """How wide a paragraph is for texts of which one is wider than the limit; 0 if none is."""
    if _widest(texts, size) <= limit:
        return 0.0
    pieces = (piece for text in texts for piece in BREAKS.split(text))
    return max(limit, 1.05 * _widest(pieces, size))


def _broken(text: str, size: Size, room: float) -> tuple[str, ...]:
    """A text in lines that are no wider than the room, if it can be broken so."""
    lines: list[str] = []
    for piece in BREAKS.split(text):
        if lines and text_width((lines[-1] + piece).rstrip(), size) <= room:
            lines[-1] += piece
        else:
            lines.append(piece)
    return tuple(line.strip() for line in lines)
