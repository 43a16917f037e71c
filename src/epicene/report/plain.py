"""Tables as text that a program or an editor reads: JSON, CSV, Markdown (and LaTeX, next door)."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from epicene.report.latex import tables_latex
from epicene.report.layout import check, lay_out, why

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from epicene.records import Column, Estimate, Row, Table
    from epicene.report.layout import Cell, Layout, Line

__all__ = [
    "as_csv",
    "as_json",
    "as_markdown",
    "tables_csv",
    "tables_json",
    "tables_latex",
    "tables_markdown",
]

_NUMBER_FIELDS = ("low", "high", "n", "why")


# --- JSON ----------------------------------------------------------------------------------


def as_json(table: Table) -> dict[str, Any]:
    """Keys, level by level, then columns, each `{"value", "low", "high", "n", …}` unrounded."""
    check(table)
    nested: dict[str, Any] = {}
    for row in table.rows:
        branch = nested
        for key in row.keys:
            branch = branch.setdefault(key, {})
        for column, cell in zip(table.columns, row.cells, strict=True):
            branch[column.name] = _json_cell(cell, row)
    return nested


def tables_json(tables: Iterable[Table]) -> dict[str, Any]:
    """Several tables by name."""
    document: dict[str, Any] = {}
    for table in tables:
        if table.name in document:
            raise ValueError(f"There are two tables named {table.name!r}.")
        document[table.name] = as_json(table)
    return document


def _json_cell(cell: Estimate | str, row: Row) -> dict[str, Any]:
    shown: dict[str, Any]
    if isinstance(cell, str):
        shown = {"value": cell}
    else:
        shown = {"value": cell.value, "low": cell.low, "high": cell.high, "n": cell.n}
        if cell.value is None:
            shown["why"] = why(cell, row)
        if cell.mark:
            shown["mark"] = cell.mark
    if row.origin != "run":
        shown["origin"] = row.origin
    return shown


# --- CSV -----------------------------------------------------------------------------------


def as_csv(table: Table) -> str:
    """One line per row; a number takes five columns: NAME and NAME low, high, n, why."""
    check(table)
    header = [*table.levels, "origin"]
    for column in table.columns:
        header += [column.name]
        if column.unit != "text":
            header += [f"{column.name} {field}" for field in _NUMBER_FIELDS]
    rows = []
    for row in table.rows:
        fields: list[object] = [*row.keys, row.origin]
        for column, cell in zip(table.columns, row.cells, strict=True):
            fields += _csv_cell(cell, row)[: 1 if column.unit == "text" else 5]
        rows.append(fields)
    return _csv(header, rows)


def tables_csv(tables: Sequence[Table]) -> str:
    """Several tables in one file, one line per cell; a level that a table lacks is left empty."""
    levels = list(dict.fromkeys(level for table in tables for level in table.levels))
    header = ["table", *levels, "origin", "column", "value", *_NUMBER_FIELDS, "mark"]
    rows = []
    for table in tables:
        check(table)
        for row in table.rows:
            keys = dict(zip(table.levels, row.keys, strict=True))
            start = [table.name, *(keys.get(level, "") for level in levels), row.origin]
            for column, cell in zip(table.columns, row.cells, strict=True):
                rows.append([*start, column.name, *_csv_cell(cell, row)])
    return _csv(header, rows)


def _csv_cell(cell: Estimate | str, row: Row) -> list[object]:
    if isinstance(cell, str):
        return [cell, None, None, None, None, None]
    reason = why(cell, row) if cell.value is None else None
    return [cell.value, cell.low, cell.high, cell.n, reason, cell.mark or None]


def _csv(header: list[str], rows: list[list[object]]) -> str:
    if len(set(header)) != len(header):
        raise ValueError(f"Two columns of a CSV file would have one name: {', '.join(header)}.")
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


# --- Markdown ------------------------------------------------------------------------------

# What GitHub's Markdown would take for its own: emphasis, code, links, HTML, mathematics, cells.
_MARKDOWN = re.compile(r"[\\`*_\[\]<>|~$#&]")


def as_markdown(table: Table) -> str:
    """A GitHub table under its caption, with the reasons for dashes and the notes below."""
    layout = lay_out(table)
    below = [f"{letter}: {_markdown(reason)}" for letter, reason in layout.reasons]
    below += map(_markdown, layout.notes)
    parts = [f"**{_markdown(layout.caption)}**", _markdown_grid(layout), *below]
    return "\n\n".join(parts) + "\n"


def tables_markdown(tables: Iterable[Table]) -> str:
    """Several tables, one under the other."""
    return "\n".join(map(as_markdown, tables))


def _markdown_grid(layout: Layout) -> str:
    heads = [*layout.levels, *layout.headings]
    rules = [":--"] * len(layout.levels) + [_rule(column) for column in layout.columns]
    lines = [[_markdown(head) for head in heads], rules]
    lines += [_markdown_line(line) for line in layout.lines]
    return "\n".join(f"| {' | '.join(fields)} |" for fields in lines)


def _rule(column: Column) -> str:
    return ":--" if column.unit == "text" else "--:"


def _markdown_line(line: Line) -> list[str]:
    return [*(_markdown(key.text) for key in line.keys), *map(_markdown_cell, line.cells)]


def _markdown_cell(cell: Cell) -> str:
    # Brackets around an interval are no link, and read better bare.
    text = _markdown(cell.text)
    if cell.estimate is not None:
        text = text.replace(r"\[", "[").replace(r"\]", "]")
    return f"{text} ({cell.letter})" if cell.letter else text


def _markdown(text: str) -> str:
    return "<br>".join(_MARKDOWN.sub(r"\\\g<0>", text).splitlines())
