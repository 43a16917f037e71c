"""Tables as JSON, CSV and Markdown."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from epicene.core.data_files import escape_formula
from epicene.show.layout import check_table, lay_out, printable, printed_keys, reason_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from epicene.core.records import Estimate, Row, Table
    from epicene.show.layout import Cell
    from epicene.show.provenance import Provenance

_NUMBER_FIELDS = ("low", "high", "n", "why", "groups")


# --- JSON ----------------------------------------------------------------------------------


def as_json(table: Table) -> dict[str, Any]:
    """Keys, level by level, then columns, each `{"value", "low", "high", "n", …}` unrounded."""
    check_table(table)
    nested: dict[str, Any] = {}
    of_runs = {row.keys for row in table.rows if row.origin == "run"}
    for row in table.rows:
        branch = nested
        for key in printed_keys(row) if row.keys in of_runs else row.keys:
            branch = branch.setdefault(key, {})
        for column, cell in zip(table.columns, row.cells, strict=True):
            branch[column.name] = _json_cell(cell, row)
    return nested


def tables_json(tables: Iterable[Table]) -> dict[str, Any]:
    """Several tables by name."""
    document: dict[str, Any] = {}
    for table in tables:
        if table.name in document:
            raise ValueError(f"Two tables are named {table.name!r}.")
        document[table.name] = as_json(table)
    return document


def estimate_json(estimate: Estimate, why: str = "") -> dict[str, Any]:
    """A number as JSON, with the reason why it is undefined or has no interval, if there is one."""
    shown: dict[str, Any] = {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
    }
    if reason := why or estimate.why:
        shown["why"] = reason
    if estimate.groups is not None:
        shown["groups"] = estimate.groups
    return shown


def _json_cell(cell: Estimate | str, row: Row) -> dict[str, Any]:
    shown: dict[str, Any]
    if isinstance(cell, str):
        shown = {"value": cell}
    else:
        shown = estimate_json(cell, reason_for(cell, row))
        if cell.mark:
            shown["mark"] = cell.mark
    if row.origin != "run":
        shown["origin"] = row.origin
    return shown


# --- CSV -----------------------------------------------------------------------------------


def wide_csv(table: Table, source: Provenance | None = None) -> str:
    """One line per row; a number takes six columns: NAME and NAME low, high, n, why, groups.

    With a source, its columns follow the keys.
    """
    check_table(table)
    header = [*table.levels, "origin", *_run_fields([source])]
    for column in table.columns:
        header += [column.name]
        if column.unit != "text":
            header += [f"{column.name} {field}" for field in _NUMBER_FIELDS]
    rows = []
    for row in table.rows:
        fields: list[object] = [*row.keys, row.origin]
        if source is not None:
            fields += source.fields(row)
        for column, cell in zip(table.columns, row.cells, strict=True):
            fields += _csv_cell(cell, row)[: 1 if column.unit == "text" else 6]
        rows.append(fields)
    return _csv(header, rows)


def tables_csv(tables: Sequence[Table], source: Provenance | None = None) -> str:
    """Several tables in one file, one line per cell; a level that a table lacks is left empty."""
    return long_csv([(table, source) for table in tables])


def long_csv(tables: Sequence[tuple[Table, Provenance | None]]) -> str:
    """Tables of different runs in one CSV file, one line per cell."""
    levels = list(dict.fromkeys(level for table, _ in tables for level in table.levels))
    known = _run_fields([source for _, source in tables])
    header = ["table", *levels, "origin", *known, "column", "value", *_NUMBER_FIELDS, "mark"]
    rows = []
    for table, source in tables:
        check_table(table)
        for row in table.rows:
            keys = dict(zip(table.levels, row.keys, strict=True))
            start = [table.name, *(keys.get(level, "") for level in levels), row.origin]
            for column, cell in zip(table.columns, row.cells, strict=True):
                of_run = source.fields(row, column.name) if source else [None] * len(known)
                rows.append([*start, *of_run, column.name, *_csv_cell(cell, row)])
    return _csv(header, rows)


def _run_fields(sources: Iterable[Provenance | None]) -> Sequence[str]:
    from epicene.show.provenance import RUN_FIELDS

    return RUN_FIELDS if any(sources) else ()


def _csv_cell(cell: Estimate | str, row: Row) -> list[object]:
    if isinstance(cell, str):
        return [cell, None, None, None, None, None, None]
    # A value without n is of an unknown number of items: the cell stays empty.
    n = cell.n or (0 if cell.value is None and row.origin == "run" else None)
    reason, mark = reason_for(cell, row) or None, cell.mark or None
    return [cell.value, cell.low, cell.high, n, reason, cell.groups, mark]


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV; control characters, and text that a spreadsheet would read as a formula, are
    escaped."""
    if len(set(header)) != len(header):
        raise ValueError(
            f"Two columns of the CSV file would have the same name: {', '.join(header)}."
        )
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    for row in (header, *rows):
        writer.writerow(
            [escape_formula(printable(field)) if isinstance(field, str) else field for field in row]
        )
    return text.getvalue()


# --- Markdown ------------------------------------------------------------------------------

# What GitHub's Markdown would interpret: emphasis, code, links, HTML, mathematics, cells.
_MARKDOWN = re.compile(r"[\\`*_\[\]<>|~$#&]")


def as_markdown(table: Table, source: Provenance | None = None) -> str:
    """A GitHub table under its caption, followed by reasons, notes and provenance."""
    layout = lay_out(table if source is None else source.noted(table))
    lines = [
        [*map(escape_markdown, (*layout.levels, *layout.headings))],
        [*(":--" for _ in layout.levels), *("--:" if each else ":--" for each in layout.numeric)],
        *([*map(escape_markdown, line.keys), *map(_cell, line.cells)] for line in layout.lines),
    ]
    parts = (
        f"**{escape_markdown(layout.caption)}**",
        "\n".join(f"| {' | '.join(fields)} |" for fields in lines),
        *(f"{letter}: {escape_markdown(reason)}" for letter, reason in layout.reasons),
        *map(escape_markdown, layout.notes),
    )
    return "\n\n".join(parts) + "\n"


def tables_markdown(tables: Iterable[Table], source: Provenance | None = None) -> str:
    """Several tables, one below the other."""
    return "\n".join(as_markdown(table, source) for table in tables)


def _cell(cell: Cell) -> str:
    # Brackets around an interval make no link, and are easier to read unescaped.
    letter = f"({cell.letter})" if cell.letter else ""
    return " ".join(filter(None, (escape_markdown(cell.text), cell.interval, letter)))


def escape_markdown(text: str) -> str:
    """The text escaped for Markdown, also inside a cell; line breaks are kept."""
    return "<br>".join(_MARKDOWN.sub(r"\\\g<0>", printable(text)).splitlines())
