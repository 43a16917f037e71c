"""Tables as JSON, CSV and Markdown, and as rich tables for the terminal."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from epicene.core.data_files import escape_formula
from epicene.show.layout import check_table, lay_out, printable, printed_keys, reason_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.table import Table as RichTable
    from rich.text import Text

    from epicene.core.records import Column, Estimate, Row, Table
    from epicene.show.layout import Layout, LayoutCell, LayoutRow
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
    below = [f"{letter}: {escape_markdown(reason)}" for letter, reason in layout.reasons]
    below += map(escape_markdown, layout.notes)
    parts = [f"**{escape_markdown(layout.caption)}**", _markdown_grid(layout), *below]
    return "\n\n".join(parts) + "\n"


def tables_markdown(tables: Iterable[Table], source: Provenance | None = None) -> str:
    """Several tables, one below the other."""
    return "\n".join(as_markdown(table, source) for table in tables)


def _markdown_grid(layout: Layout) -> str:
    heads = [*layout.levels, *layout.headings]
    rules = [":--"] * len(layout.levels) + [_rule(column) for column in layout.columns]
    lines = [[escape_markdown(head) for head in heads], rules]
    lines += [_markdown_line(line) for line in layout.lines]
    return "\n".join(f"| {' | '.join(fields)} |" for fields in lines)


def _rule(column: Column) -> str:
    return ":--" if column.unit == "text" else "--:"


def _markdown_line(line: LayoutRow) -> list[str]:
    return [*(escape_markdown(key.text) for key in line.keys), *map(_markdown_cell, line.cells)]


def _markdown_cell(cell: LayoutCell) -> str:
    # Brackets around an interval make no link, and are easier to read unescaped.
    text = escape_markdown(cell.text)
    if cell.estimate is not None:
        text = text.replace(r"\[", "[").replace(r"\]", "]")
    return f"{text} ({cell.letter})" if cell.letter else text


def escape_markdown(text: str) -> str:
    """The text escaped for Markdown, also inside a cell; line breaks are kept."""
    return "<br>".join(_MARKDOWN.sub(r"\\\g<0>", printable(text)).splitlines())


def rich_table(table: Table) -> RichTable:
    """A rich table with the reasons for its dashes below it; printing its notes is left to the
    caller."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    layout = lay_out(table)
    reasons = "\n".join(f"{letter}: {reason}" for letter, reason in layout.reasons)
    drawn = RichTable(
        title=Text(layout.caption),
        title_justify="left",
        caption=Text(reasons) if reasons else None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
    )
    for level in layout.levels:
        drawn.add_column(Text(level), overflow="fold")
    for head, column in zip(layout.headings, layout.columns, strict=True):
        drawn.add_column(Text(head), justify="left" if column.unit == "text" else "right")
    for line in layout.lines:
        style = "dim italic" if line.published else ""
        drawn.add_row(*map(Text, _shown_keys(line)), *map(rich_cell, line.cells), style=style)
    return drawn


def _shown_keys(line: LayoutRow) -> Iterator[str]:
    """The keys without those that repeat the key above; an empty one below it is a dash."""
    same = False  # whether the key to the left repeats the one above
    for key in line.keys:
        if key.span:
            yield key.text or "–" * same
        else:
            yield ""
        same = not key.span


def rich_cell(cell: LayoutCell) -> Text:
    """A cell with the letter of its reason."""
    from rich.text import Text

    return Text(f"{cell.text} ({cell.letter})" if cell.letter else cell.text)
