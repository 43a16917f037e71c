"""Tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from epicene.show.layout import lay_out

if TYPE_CHECKING:
    from rich.console import Console

    from epicene.core.records import Table


def print_table(console: Console, table: Table) -> None:
    """Print a table, the reasons for its dashes and its notes; nothing is cut: what does not fit
    is folded."""
    layout = lay_out(table)
    console.print(Text(layout.caption, style="table.title"))
    drawn = RichTable(box=box.SIMPLE_HEAD)
    for level in layout.levels:
        drawn.add_column(Text(level), overflow="fold")
    for heading, numeric in zip(layout.headings, layout.numeric, strict=True):
        drawn.add_column(Text(heading), justify="right" if numeric else "left", overflow="fold")
    for line in layout.lines:
        style = "dim italic" if line.published else ""
        drawn.add_row(*map(Text, line.shown_keys), *map(_text, line.cells), style=style)
    console.print(drawn)
    for said in (*(f"{letter}: {reason}" for letter, reason in layout.reasons), *layout.notes):
        console.print(Text(said), style="dim")
    console.print()


def _text(cell: object) -> Text:
    return Text(str(cell))
