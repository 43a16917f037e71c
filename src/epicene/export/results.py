"""Runs as files for a paper: tables in four forms, figures in two, and a card about all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.export.discretion import discreet_runs
from epicene.export.folders import file_names, new_folder, write_text
from epicene.export.results_card import results_card
from epicene.report.document import document
from epicene.runs.files import write_whole
from epicene.runs.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from epicene.records import Figure, Table
    from epicene.runs.results import Finished
    from epicene.runs.summary import Summary


class Part(NamedTuple):
    """The runs of one suite under one protocol, and where in the folder their files are."""

    folder: str
    runs: Sequence[Finished]
    summary: Summary
    tables: Sequence[tuple[Table, str]]  # with the names of their files
    figures: Sequence[tuple[Figure, str]]


def write_results(runs: Sequence[Finished], folder: Path) -> None:
    """Write a folder of its own for each suite and protocol, and one card."""
    new_folder(folder)
    together: dict[tuple[str, str], list[Finished]] = {}
    for run in discreet_runs(runs):
        together.setdefault((run.suite.name, run.protocol.name), []).append(run)
    parts = [_part("-".join(names), mine) for names, mine in together.items()]
    for part in parts:
        _write_tables(part, folder / part.folder)
        _write_figures(part, folder / part.folder / "figures")
    write_text(folder / "README.md", results_card(parts))


def _part(name: str, runs: Sequence[Finished]) -> Part:
    summary = summarise(runs)
    tables, figures = summary.tables, summary.figures
    stems = [stem for _, stem in file_names(table.name for table in tables)]
    drawn = [stem for _, stem in file_names(figure.name for figure in figures)]
    return Part(
        name,
        runs,
        summary,
        list(zip(tables, stems, strict=True)),
        list(zip(figures, drawn, strict=True)),
    )


def _write_tables(part: Part, folder: Path) -> None:
    from epicene.report.latex import as_latex
    from epicene.report.plain import as_csv, as_markdown

    found = msgspec.json.format(msgspec.json.encode(document(part.summary)), indent=2)
    write_whole(folder / "results.json", found + b"\n")
    for table, stem in part.tables:
        for suffix, write in (("tex", as_latex), ("csv", as_csv), ("md", as_markdown)):
            write_whole(folder / "tables" / f"{stem}.{suffix}", write(table).encode())


def _write_figures(part: Part, folder: Path) -> None:
    from epicene.report.figures import png, svg

    for figure, stem in part.figures:
        drawn = svg(figure)
        write_whole(folder / f"{stem}.svg", drawn.encode())
        write_whole(folder / f"{stem}.png", png(drawn))
