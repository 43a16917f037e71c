"""Runs as files for a paper: tables in four forms, figures in two, and a card about all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.export.discretion import discreet_runs
from epicene.export.folders import new_folder, write_text
from epicene.export.parts import part_of, side_by_side
from epicene.export.results_card import results_card
from epicene.report.document import document
from epicene.runs.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from epicene.export.parts import Part
    from epicene.runs.results import Finished


def write_results(runs: Sequence[Finished], folder: Path) -> None:
    """Write a folder of its own for each suite and protocol, and one card."""
    new_folder(folder)
    together: dict[tuple[str, str], list[Finished]] = {}
    for run in discreet_runs(runs):
        together.setdefault((run.suite.name, run.protocol.name), []).append(run)
    parts = [part_of("-".join(names), mine) for names, mine in together.items()]
    for part in parts:
        _write_tables(part, folder / part.folder)
        _write_figures(part, folder / part.folder / "figures")
    if len(parts) > 1:
        _write_profile(parts, folder)
    write_text(folder / "README.md", results_card(parts))


def _write_tables(part: Part, folder: Path) -> None:
    from epicene.report.latex import as_latex
    from epicene.report.plain import as_csv, as_markdown

    tables = [each.table for each, _ in part.tables]
    _write_json(folder / "results.json", document(part.summary, tables, part.compared.said))
    for (table, source, by_run), stem in part.tables:
        for suffix, text in (
            ("tex", as_latex(table, source)),
            ("csv", as_csv(by_run, source)),
            ("md", as_markdown(table, source)),
        ):
            write_whole(folder / "tables" / f"{stem}.{suffix}", text.encode())


def _write_profile(parts: Sequence[Part], folder: Path) -> None:
    """The headlines of all suites together; as CSV a line for each, with the run it is of."""
    from epicene.report.latex import as_latex
    from epicene.report.plain import as_json, as_markdown, cells_csv

    if (found := side_by_side(parts)) is None:
        return
    table = found.table
    _write_json(folder / "profile.json", as_json(table))
    for suffix, text in (
        ("tex", as_latex(table)),
        ("csv", cells_csv(found.by_suite)),
        ("md", as_markdown(table)),
    ):
        write_whole(folder / f"profile.{suffix}", text.encode())


def _write_json(path: Path, content: dict[str, object]) -> None:
    write_whole(path, msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")


def _write_figures(part: Part, folder: Path) -> None:
    from epicene.report.figures import png, svg

    for figure, stem in part.figures:
        drawn = svg(figure)
        write_whole(folder / f"{stem}.svg", drawn.encode())
        write_whole(folder / f"{stem}.png", png(drawn))
