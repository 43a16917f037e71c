"""Format numbers, and prepare a table for printing in any format.

A laid-out table has its keys (published rows are marked), its cells as text, and a letter next to
each dash, or number with a caveat, that refers to the reason below the table.
"""

from __future__ import annotations

import math
import string
from collections.abc import Hashable, Iterable
from itertools import count, islice, product
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from epicene.core.control_characters import escape_controls
from epicene.core.records import ENOUGH_GROUPS, Estimate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Column, Figure, Row, Table

DASH = "–"

# Stands after an interval that rests on too few groups.
FEW_GROUPS = "‡"
FEW_GROUPS_NOTE = (
    f"the interval rests on fewer than {ENOUGH_GROUPS} groups in effect, "
    "so it may cover less than it says"
)

_P_DECIMALS = 3  # a p-value is never shown with fewer


def format_cell(cell: Estimate | str, column: Column) -> str:
    """A cell as people read it: `81.2* [78.0, 84.1]`, a dash where undefined, text as it is."""
    if isinstance(cell, str):
        return cell
    if cell.value is None:
        return DASH
    return (
        f"{format_number(cell.value, column)}{cell.mark} {format_interval(cell, column)}".rstrip()
    )


def format_interval(estimate: Estimate, column: Column) -> str:
    """`[78.0, 84.1]`, marked if it is based on few groups; empty if there is no interval."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    ends = f"[{format_number(estimate.low, column)}, {format_number(estimate.high, column)}]"
    return ends + FEW_GROUPS if estimate.few_groups else ends


def format_number(value: float, column: Column) -> str:
    """One bare number in the column's unit: a share as per cent, a p-value as `.043` or `<.001`."""
    match column.unit:
        case "share":
            text = f"{100 * value:.{column.decimals}f}"
        case "count":
            text = f"{value:.0f}"
        case "p":
            return _p(value, max(_P_DECIMALS, column.decimals))
        case "number" | "text":
            text = f"{value:.{column.decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _p(value: float, decimals: int) -> str:
    smallest = 10.0**-decimals
    if value < smallest:
        return f"<{smallest:.{decimals}f}".replace("0.", ".", 1)
    return f"{value:.{decimals}f}".removeprefix("0")


def column_heading(column: Column) -> str:
    """A column's name, with the unit that its numbers leave out."""
    return (
        f"{column.name} (%)" if column.unit == "share" and "%" not in column.name else column.name
    )


Thing = TypeVar("Thing", bound=Hashable)

PUBLISHED = "(published)"


class RowKey(NamedTuple):
    """A row's key at one level; `span` is 0 where it repeats the key above, else the number
    of rows that share it."""

    text: str
    span: int


class LayoutCell(NamedTuple):
    """One cell: what to print, and the letter of its reason below the table, if any."""

    text: str
    column: Column
    estimate: Estimate | None
    letter: str = ""
    why: str = ""


class LayoutRow(NamedTuple):
    """One printed row."""

    keys: tuple[RowKey, ...]
    cells: tuple[LayoutCell, ...]
    published: bool


class Layout(NamedTuple):
    """A table ready to be printed."""

    caption: str
    levels: tuple[str, ...]
    headings: tuple[str, ...]
    columns: tuple[Column, ...]
    lines: tuple[LayoutRow, ...]
    reasons: tuple[tuple[str, str], ...]  # letter or mark, reason
    notes: tuple[str, ...]


def lay_out(table: Table) -> Layout:
    """Check a table and put it in printing order."""
    check_table(table)
    letters = dict(zip(_reasons(table), _letters(), strict=False))
    spans = _spans(table.rows, len(table.levels))
    return Layout(
        caption=caption("Table", table),
        levels=tuple(map(printable, table.levels)),
        headings=tuple(printable(column_heading(column)) for column in table.columns),
        columns=table.columns,
        lines=tuple(
            LayoutRow(
                keys=tuple(map(RowKey, map(printable, printed_keys(row)), span)),
                cells=tuple(
                    _cell(cell, column, row, letters)
                    for cell, column in zip(row.cells, table.columns, strict=True)
                ),
                published=row.origin == "published",
            )
            for row, span in zip(table.rows, spans, strict=True)
        ),
        reasons=(
            *((letter, printable(reason)) for reason, letter in letters.items()),
            *([(FEW_GROUPS, FEW_GROUPS_NOTE)] if _has_few_groups(table) else ()),
        ),
        notes=tuple(map(printable, table.notes)),
    )


def check_table(table: Table) -> None:
    """Reject a table that cannot be printed without losing information or being ambiguous."""
    location = f"Table {table.name!r}"
    if not table.levels:
        raise ValueError(f"{location} has no key levels, so its rows have no names.")
    if twice := _repeated((*table.levels, *(column.name for column in table.columns))):
        raise ValueError(f"{location} has two columns named {twice!r}.")
    for row in table.rows:
        where = f"{location}, row {' / '.join(row.keys)}"
        if len(row.keys) != len(table.levels) or len(row.cells) != len(table.columns):
            raise ValueError(
                f"{where} has {len(row.keys)} keys and {len(row.cells)} cells; expected "
                f"{len(table.levels)} and {len(table.columns)}."
            )
        for cell, column in zip(row.cells, table.columns, strict=True):
            if isinstance(cell, Estimate) and not _finite(cell):
                raise ValueError(
                    f"{where}, column {column.name!r}, has {cell}; an undefined number must be "
                    "None with the reason in `why`."
                )
    if keys := _repeated(map(printed_keys, table.rows)):
        raise ValueError(f"{location} has two rows with the keys {' / '.join(keys)}.")


def caption(kind: str, thing: Table | Figure) -> str:
    """`Table 2: title` for a numbered name, `name: title` for another."""
    name = f"{kind} {thing.name}" if thing.name[:1].isdigit() else thing.name
    return printable(f"{name}: {thing.title}" if name else thing.title)


def reason_for(cell: Estimate, row: Row) -> str:
    """The reason for a dash (there always is one) or for a missing interval."""
    if cell.why or cell.value is not None:
        return cell.why
    return "the paper prints no number" if row.origin == "published" else "no reason was given"


def printable(text: str) -> str:
    """The text with control characters made visible.

    They would move a terminal's cursor, break a LaTeX file, and are not allowed in HTML and SVG.
    """
    return escape_controls(text.replace("\r\n", "\n"))


def _cell(cell: Estimate | str, column: Column, row: Row, letters: dict[str, str]) -> LayoutCell:
    text = printable(format_cell(cell, column))
    if isinstance(cell, str):
        return LayoutCell(text, column, None)
    reason = reason_for(cell, row)
    return LayoutCell(text, column, cell, letters[reason] if reason else "", printable(reason))


def printed_keys(row: Row) -> tuple[str, ...]:
    """A row's keys; those of a published row say so, because a run can have the same ones."""
    *upper, last = row.keys
    return (*upper, f"{last} {PUBLISHED}" if row.origin == "published" else last)


def _reasons(table: Table) -> dict[str, None]:
    return {
        reason: None
        for row in table.rows
        for cell in row.cells
        if isinstance(cell, Estimate) and (reason := reason_for(cell, row))
    }


def _has_few_groups(table: Table) -> bool:
    cells = (cell for row in table.rows for cell in row.cells if isinstance(cell, Estimate))
    return any(cell.few_groups for cell in cells) or any(FEW_GROUPS in n for n in table.notes)


def _letters() -> Iterator[str]:
    """a … z, aa, ab …"""
    for size in count(1):
        for letters in product(string.ascii_lowercase, repeat=size):
            yield "".join(letters)


def _spans(rows: tuple[Row, ...], levels: int) -> list[list[int]]:
    """For each row and level, how many rows share its key; those of the last are never merged."""
    spans = [[1] * levels for _ in rows]
    for level in range(levels - 1):
        first = 0
        for number, row in islice(enumerate(rows), 1, None):
            if row.keys[: level + 1] == rows[first].keys[: level + 1]:
                spans[first][level] += 1
                spans[number][level] = 0
            else:
                first = number
    return spans


def _finite(cell: Estimate) -> bool:
    return all(math.isfinite(x) for x in (cell.value, cell.low, cell.high) if x is not None)


def _repeated(things: Iterable[Thing]) -> Thing | None:
    seen: set[Thing] = set()
    for thing in things:
        if thing in seen:
            return thing
        seen.add(thing)
    return None
