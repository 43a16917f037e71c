"""Print what a command returned: tables, JSON and notes.

Which options for output a command takes is in `commands.py`; what they say is an `Output`, which is
given to the method `_print_` of the result.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Group, Parameter

from epicene.app.session import note as note
from epicene.core.control_characters import escape_controls
from epicene.core.errors import InputError

if TYPE_CHECKING:
    import polars
    from rich.console import Console

    from epicene.core.records import Table
    from epicene.show.provenance import Provenance

PIPE_WIDTH = 200
_FORMS = ("json", "csv", "latex", "markdown")


@dataclass(frozen=True)
class Output:
    """How to print a result: a form (of `_FORMS`, or "" for a person at a terminal), and what."""

    form: str = ""
    tables: tuple[str, ...] = ()  # only these
    items: bool = False  # also every judged answer
    scores: bool = False  # also every scored text
    names: bool = False  # only the names of the tables
    explain: bool = False  # also every change of a rewriting
    view: str = ""  # which view of the result, if it has several
    columns: tuple[str, ...] = ()  # of a frame that is shown to a person; all if empty

    @property
    def json(self) -> bool:
        """Whether to print JSON."""
        return self.form == "json"

    @classmethod
    def of(cls, options: Mapping[str, Any], view: str, columns: tuple[str, ...]) -> Output:
        """The output that these options ask for; raises if they contradict each other."""
        forms = [name for name in _FORMS if options.get(name)]
        if len(forms) > 1:
            raise InputError("Choose one of --json, --csv, --latex and --markdown.")
        form = forms[0] if forms else ""
        tables = tuple(options.get("table") or ())
        items, scores, names = (bool(options.get(name)) for name in ("items", "scores", "list"))
        if items and form != "json":
            raise InputError("--items requires --json.")
        if scores and form not in ("json", "csv"):
            raise InputError("--scores requires --json or --csv.")
        if scores and form == "csv" and tables:
            raise InputError(
                "--csv --scores writes the scored texts and no tables; remove --table."
            )
        if names and (tables or items or scores or form not in ("", "json")):
            raise InputError("--list can be combined only with --json.")
        explain = bool(options.get("explain"))
        return cls(form, tables, items, scores, names, explain, view, columns)


def _option(kind: Any, sentence: str, **more: Any) -> Any:
    return Annotated[kind, Parameter(help=sentence, group=_GROUP, **more)]


_GROUP = Group("Output", sort_key=1)
OPTIONS = {
    "json": _option(bool, "Print one JSON document on standard output."),
    "csv": _option(bool, "Print CSV."),
    "latex": _option(bool, "Print LaTeX."),
    "markdown": _option(bool, "Print Markdown."),
    "table": _option(list[str], "Only this table; may be repeated.", alias="-t", metavar="NAME"),
    "list": _option(bool, "Print only the names and titles of the tables."),
    "items": _option(bool, "With `--json`: also include every judged answer."),
    "scores": _option(
        bool,
        "With `--json`: also include the log-probability of every scored text; with `--csv`: "
        "write only these.",
    ),
    "dry_run": _option(
        bool,
        "Print the requests that would be sent (with `--json`: one per line) and the cost, without "
        "sending them.",
    ),
    "explain": _option(
        bool,
        "For each change, show whose gender it expresses, which rule made it, and how certain it "
        "is.",
    ),
    "yes": _option(bool, "Do not ask before long, costly or irreversible work.", alias="-y"),
}


def show(result: Any, output: Output) -> int:
    """Print what a command returned, and return the exit code."""
    if hasattr(result, "_print_"):
        return result._print_(output) or 0
    if isinstance(result, Path):
        note(f"Written to {result}")
    elif isinstance(result, str):
        sys.stdout.write(f"{escape_controls(result)}\n")
    elif isinstance(result, Mapping):
        print_json(result)
    elif hasattr(result, "rows"):
        print_frame(result, output)
    elif result is not None:
        for each in result:
            show(each, output)
    return 0


def print_line(text: str = "") -> None:
    """A line on standard output; what would act on a terminal is made visible."""
    sys.stdout.write(f"{escape_controls(text)}\n")


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document."""
    shown = msgspec.json.format(msgspec.json.encode(document), indent=2)
    if sys.stdout.isatty():  # the same document, spelt so that it does nothing to a terminal
        shown = escape_controls(shown.decode()).encode()
    sys.stdout.buffer.write(shown + b"\n")
    sys.stdout.flush()


def print_list(name: str, entries: Iterable[Mapping[str, Any]]) -> None:
    """One more field of a JSON document that is being written: a list, an entry per line.

    Items may be millions, so they are written as they come.
    """
    out = sys.stdout.buffer
    out.write(f',"{name}":['.encode())
    for count, entry in enumerate(entries):
        out.write((b",\n" if count else b"\n") + msgspec.json.encode(entry))
    out.write(b"\n]")


def console() -> Console:
    """A console for standard output, which need not fit a terminal's width where there is none."""
    from rich.console import Console

    class Terminal(Console):
        """A console that raises if the reader of its output has ended; rich would exit with 1."""

        def on_broken_pipe(self) -> None:
            raise

    return Terminal(width=None if sys.stdout.isatty() else PIPE_WIDTH)


def print_tables(tables: Iterable[Table]) -> None:
    """Tables for a person at a terminal."""
    from epicene.show.terminal import print_table

    where = console()
    for table in tables:
        print_table(where, table)


def write_tables(made: Sequence[Table], form: str, source: Provenance | None = None) -> None:
    """Write tables to standard output as csv, latex or markdown, with their provenance."""
    from epicene.show.latex import tables_latex
    from epicene.show.table_formats import tables_csv, tables_markdown

    writers = {"csv": tables_csv, "latex": tables_latex, "markdown": tables_markdown}
    sys.stdout.write(writers[form](made, source))


def print_frame(frame: polars.DataFrame, output: Output) -> None:
    """A frame: as rows of JSON, or as a table."""
    from rich.table import Column, Table

    if output.json:
        print_json({"rows": frame.to_dicts()})
        return
    frame = frame.select(output.columns or frame.columns)
    table = Table(*(Column(name, overflow="fold") for name in frame.columns))
    for row in frame.rows():
        table.add_row(*(escape_controls(_cell(value)) for value in row))
    console().print(table)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "" if value is None else str(value)
