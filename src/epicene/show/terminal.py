"""Tables for a terminal of any width: no number and no word is ever cut.

A table that fits is one rich table. In a wider one, headings are wrapped between words; if that is
not enough, it is split into blocks of columns, each with the keys; and if not even one column fits
next to the keys, each row becomes a list of headings and values.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.cells import cell_len
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from epicene.show.layout import lay_out
from epicene.show.table_formats import rich_cell, rich_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console, RenderableType

    from epicene.core.records import Table
    from epicene.show.layout import Layout, LayoutRow

_GAP = 3  # characters between two columns, and one more at the end of a line
_TEXT_WIDTH = 32  # characters that a column of text gets where it has more


class _Widths(NamedTuple):
    """The least and the greatest number of characters that a column can use."""

    least: int
    most: int


def print_table(console: Console, table: Table, *, squeeze: bool = False) -> None:
    """Print a table and its notes. With `squeeze`, rich may wrap between words and cut headings, if
    these remain distinct and no cell is cut."""
    layout = lay_out(table)
    for part in _parts(console, layout, rich_table(table), squeeze=squeeze):
        console.print(part)
    for sentence in layout.notes:
        console.print(sentence, style="dim", highlight=False, markup=False)
    console.print()


def _parts(
    console: Console, layout: Layout, drawn: RichTable, *, squeeze: bool
) -> Iterator[RenderableType]:
    keys = [_key_widths(layout, level) for level in range(len(layout.levels))]
    columns = [_column_widths(layout, place) for place in range(len(layout.columns))]
    natural = _total(width.most for width in (*keys, *columns))
    above = (layout.caption, *(f"{letter}: {why}" for letter, why in layout.reasons))
    if max(map(_longest_word, above)) <= natural <= console.width or (
        squeeze and not _cuts(console, drawn, layout)
    ):
        yield drawn
        return
    yield Text(layout.caption, style="table.title")
    widest = max((column.least for column in columns), default=0)
    if _total((*(key.least for key in keys), widest)) <= console.width:
        yield from _blocks(layout, keys, columns, console.width)
    else:
        yield from _records(layout, console.width)
    for reason in above[1:]:
        yield Text(reason, style="table.caption")


def _cuts(console: Console, drawn: RichTable, layout: Layout) -> bool:
    """Whether rich cuts a cell of the table, or two headings to the same beginning.

    It marks what it cuts with an ellipsis.
    """
    texts = (
        text
        for line in layout.lines
        for text in (*(key.text for key in line.keys), *(cell.text for cell in line.cells))
    )
    if any("…" in text for text in texts):
        return True  # nobody can tell one from the other
    lines = console.render_lines(drawn, console.options, pad=False)
    shown = ["".join(segment.text for segment in line) for line in lines]
    rule = next((place for place, text in enumerate(shown) if "──" in text), 0)
    cut = [word for text in islice(shown, rule) for word in text.split() if word.endswith("…")]
    return len(set(cut)) < len(cut) or any("…" in text for text in islice(shown, rule, None))


# --- widths ----------------------------------------------------------------------------------


def _total(widths: Iterable[int]) -> int:
    """The width of a table with columns of these widths."""
    each = tuple(widths)
    return sum(each) + _GAP * len(each) + 1


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def _longest_line(text: str) -> int:
    return max(map(cell_len, text.splitlines()), default=0)


def _key_widths(layout: Layout, level: int) -> _Widths:
    texts = [layout.levels[level], *(line.keys[level].text for line in layout.lines)]
    return _Widths(max(map(_longest_word, texts)), max(map(_longest_line, texts)))


def _column_widths(layout: Layout, place: int) -> _Widths:
    """A number, its interval and the letter beside it stay on one line."""
    head = layout.headings[place]
    cells = [line.cells[place] for line in layout.lines]
    whole = [_longest_line(rich_cell(cell).plain) for cell in cells]
    least = [
        length if cell.estimate is not None else _longest_word(cell.text)
        for cell, length in zip(cells, whole, strict=True)
    ]
    return _Widths(max((*least, _longest_word(head))), max((*whole, _longest_line(head))))


def _grown(widths: Sequence[_Widths], room: int) -> list[int]:
    """The widths, grown from the minimum as far as there is room, the narrowest first."""
    found = [width.least for width in widths]
    growing = [place for place, width in enumerate(widths) if width.most > width.least]
    while growing and sum(found) < room:
        place = min(growing, key=lambda each: found[each])
        found[place] += 1
        if found[place] == widths[place].most:
            growing.remove(place)
    return found


# --- blocks of columns -------------------------------------------------------------------------


def _blocks(
    layout: Layout, keys: Sequence[_Widths], columns: Sequence[_Widths], width: int
) -> Iterator[RichTable]:
    """As many columns per block as fit next to the keys."""
    # A number has one width; a text gets some room, and more where there is some left.
    ranges = [
        each if column.unit == "text" else _Widths(each.least, each.least)
        for column, each in zip(layout.columns, columns, strict=True)
    ]
    widest = max((column.least for column in columns), default=0)
    room = min(width // 2, width - _total((widest,)) - _GAP * len(keys))
    key_widths = _grown(keys, room)
    for places in _split(key_widths, ranges, width):
        left = width - _total((*key_widths, *(0 for _ in places)))
        widths = _grown([ranges[place] for place in places], left)
        yield _block(layout, key_widths, places, widths)


def _split(keys: Sequence[int], columns: Sequence[_Widths], width: int) -> Iterator[list[int]]:
    """The columns of each block, by index."""
    block: list[int] = []
    used: list[int] = []
    for place, column in enumerate(columns):
        wanted = max(column.least, min(column.most, _TEXT_WIDTH))
        if block and _total((*keys, *used, wanted)) > width:
            yield block
            block, used = [], []
        block.append(place)
        used.append(wanted)
    yield block


def _block(
    layout: Layout, keys: Sequence[int], places: Sequence[int], widths: Sequence[int]
) -> RichTable:
    drawn = RichTable(box=box.SIMPLE_HEAD)
    for level, width in zip(layout.levels, keys, strict=True):
        drawn.add_column(Text(level), width=width, overflow="fold")
    for place, width in zip(places, widths, strict=True):
        drawn.add_column(
            Text(layout.headings[place]),
            width=width,
            justify="left" if layout.columns[place].unit == "text" else "right",
            overflow="fold",
        )
    for line in layout.lines:
        drawn.add_row(
            *(Text(key.text if key.span else "") for key in line.keys),
            *(rich_cell(line.cells[place]) for place in places),
            style="dim italic" if line.published else "",
        )
    return drawn


# --- one row after the other -------------------------------------------------------------------


def _records(layout: Layout, width: int) -> Iterator[RenderableType]:
    """Each row as its keys and a line for each column."""
    for line in layout.lines:
        yield Text("")
        yield Text(_keys(layout, line), style="bold", overflow="fold")
        for head, cell in zip(layout.headings, line.cells, strict=True):
            value = rich_cell(cell).plain
            entry = f"{head}: {value}"
            if cell_len(entry) <= width - 2 or cell.estimate is None:
                yield Padding(Text(entry, overflow="fold"), (0, 0, 0, 2))
            else:
                yield Padding(Text(f"{head}:", overflow="fold"), (0, 0, 0, 2))
                yield Padding(Text(value, overflow="fold"), (0, 0, 0, 4))
    yield Text("")


def _keys(layout: Layout, line: LayoutRow) -> str:
    return ", ".join(
        f"{level} {key.text}" for level, key in zip(layout.levels, line.keys, strict=True)
    )
