"""Tables for a person at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.report.layout import lay_out

if TYPE_CHECKING:
    from rich.table import Table as RichTable
    from rich.text import Text

    from epicene.records import Table
    from epicene.report.layout import Cell


def rich_table(table: Table) -> RichTable:
    """A table for rich, the reasons for its dashes below; its notes are left to the caller."""
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
        keys = (Text(key.text if key.span else "") for key in line.keys)
        style = "dim italic" if line.published else ""
        drawn.add_row(*keys, *map(_cell, line.cells), style=style)
    return drawn


def _cell(cell: Cell) -> Text:
    from rich.text import Text

    return Text(f"{cell.text} ({cell.letter})" if cell.letter else cell.text)
