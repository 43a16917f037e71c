"""A table as the words that every format prints: `lay_out` is the one place that makes them.

Control characters are made visible here, so that no writer has to think of them.
"""

from __future__ import annotations

import math
import string
from itertools import count, product
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from epicene.core.control_characters import escape_controls
from epicene.core.records import ENOUGH_GROUPS, Estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.core.records import Column, Figure, Row, Table

DASH = "–"
PUBLISHED = "(published)"

# Stands after an interval that rests on too few groups.
FEW_GROUPS = "‡"
FEW_GROUPS_NOTE = f"fewer than {ENOUGH_GROUPS} effective groups: the interval may be too narrow"

_Thing = TypeVar("_Thing", str, tuple[str, ...])
_P_DECIMALS = 3  # a p-value is never shown with fewer


# --- numbers -------------------------------------------------------------------------------


def format_number(value: float, column: Column) -> str:
    """One bare number in the column's unit: a share as per cent, a p-value as `.043` or `<.001`."""
    if column.unit == "p":
        places = max(_P_DECIMALS, column.decimals)
        if value < 10.0**-places:
            return f"<.{'0' * (places - 1)}1"
        return f"{value:.{places}f}".removeprefix("0")
    decimals = 0 if column.unit == "count" else column.decimals
    text = f"{100 * value if column.unit == 'share' else value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def format_interval(estimate: Estimate, column: Column) -> str:
    """`[78.0, 84.1]`, marked if it is based on few groups; empty if there is no interval."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    ends = f"[{format_number(estimate.low, column)}, {format_number(estimate.high, column)}]"
    return ends + FEW_GROUPS if estimate.few_groups else ends


def column_heading(column: Column) -> str:
    """A column's name, with the unit that its numbers leave out."""
    told = column.unit != "share" or "%" in column.name
    return column.name if told else f"{column.name} (%)"


def reason_for(cell: Estimate, row: Row) -> str:
    """The reason for a dash (there always is one) or for a missing interval."""
    if cell.why or cell.value is not None:
        return cell.why
    return "the paper prints no number" if row.origin == "published" else "no reason was given"


def printable(text: str) -> str:
    """The text with control characters made visible: they would move a terminal's cursor, break a
    LaTeX file, and are not allowed in HTML and SVG."""
    return escape_controls(text.replace("\r\n", "\n"))


# --- tables --------------------------------------------------------------------------------


class Cell(NamedTuple):
    """One cell: a text, or a number with its interval and the letter of its reason, if any."""

    text: str
    interval: str = ""
    letter: str = ""
    why: str = ""
    n: int = 0

    def __str__(self) -> str:
        """`81.2* [78.0, 84.1] (a)`."""
        shown = f"{self.text} {self.interval}".rstrip()
        return f"{shown} ({self.letter})" if self.letter else shown


class Line(NamedTuple):
    """One printed row; its first `repeated` keys are those of the row above."""

    keys: tuple[str, ...]
    repeated: int
    cells: tuple[Cell, ...]
    published: bool

    @property
    def shown_keys(self) -> tuple[str, ...]:
        """The keys, empty where they repeat the one above; an empty one below it is a dash."""
        kept = self.keys[self.repeated :]
        if self.repeated and not kept[0]:
            kept = (DASH, *kept[1:])
        return (*[""] * self.repeated, *kept)


class Layout(NamedTuple):
    """A table ready to be printed."""

    caption: str
    levels: tuple[str, ...]
    headings: tuple[str, ...]
    numeric: tuple[bool, ...]  # whether a column holds numbers
    lines: tuple[Line, ...]
    reasons: tuple[tuple[str, str], ...]  # letter or mark, reason
    notes: tuple[str, ...]


def lay_out(table: Table) -> Layout:
    """Check a table and turn it into words."""
    check_table(table)
    letters = dict(zip(_reasons(table), _letters(), strict=False))
    reasons = [(letter, printable(reason)) for reason, letter in letters.items()]
    if _has_few_groups(table):
        reasons.append((FEW_GROUPS, FEW_GROUPS_NOTE))
    return Layout(
        caption=caption("Table", table),
        levels=tuple(map(printable, table.levels)),
        headings=tuple(printable(column_heading(column)) for column in table.columns),
        numeric=tuple(column.unit != "text" for column in table.columns),
        lines=tuple(_lines(table, letters)),
        reasons=tuple(reasons),
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
            if isinstance(cell, Estimate) and not _is_finite(cell):
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


def printed_keys(row: Row) -> tuple[str, ...]:
    """A row's keys; those of a published row say so, because a run can have the same ones."""
    *upper, last = row.keys
    return (*upper, f"{last} {PUBLISHED}" if row.origin == "published" else last)


def _lines(table: Table, letters: dict[str, str]) -> Iterator[Line]:
    above: tuple[str, ...] = ()
    for row in table.rows:
        cells = (
            _cell(cell, column, row, letters)
            for cell, column in zip(row.cells, table.columns, strict=True)
        )
        yield Line(
            keys=tuple(map(printable, printed_keys(row))),
            repeated=_shared_start(row.keys[:-1], above),
            cells=tuple(cells),
            published=row.origin == "published",
        )
        above = row.keys


def _shared_start(keys: tuple[str, ...], above: tuple[str, ...]) -> int:
    pairs = enumerate(zip(keys, above, strict=False))
    return next((n for n, (key, other) in pairs if key != other), len(keys) if above else 0)


def _cell(cell: Estimate | str, column: Column, row: Row, letters: dict[str, str]) -> Cell:
    if isinstance(cell, str):
        return Cell(printable(cell))
    reason = reason_for(cell, row)
    text = DASH if cell.value is None else format_number(cell.value, column) + cell.mark
    return Cell(
        printable(text),
        format_interval(cell, column),
        letters.get(reason, ""),
        printable(reason),
        cell.n,
    )


def _reasons(table: Table) -> dict[str, None]:
    reasons = (
        reason_for(cell, row)
        for row in table.rows
        for cell in row.cells
        if isinstance(cell, Estimate)
    )
    return dict.fromkeys(filter(None, reasons))


def _has_few_groups(table: Table) -> bool:
    cells = (cell for row in table.rows for cell in row.cells if isinstance(cell, Estimate))
    return any(cell.few_groups for cell in cells) or any(FEW_GROUPS in n for n in table.notes)


def _letters() -> Iterator[str]:
    """a … z, aa, ab …"""
    for size in count(1):
        yield from map("".join, product(string.ascii_lowercase, repeat=size))


def _is_finite(cell: Estimate) -> bool:
    return all(math.isfinite(x) for x in (cell.value, cell.low, cell.high) if x is not None)


def _repeated(things: Iterable[_Thing]) -> _Thing | None:
    seen: set[_Thing] = set()
    for thing in things:
        if thing in seen:
            return thing
        seen.add(thing)
    return None
