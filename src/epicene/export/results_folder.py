"""Results for a paper: tables in four formats, figures in two, and a card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.core.files import write_atomically
from epicene.export.folders import (
    CARD_FILE,
    check_new_folder,
    file_names,
    new_folder,
    write_json,
    write_text,
)
from epicene.export.public_names import public_runs
from epicene.export.results_card import results_card
from epicene.results.summary import group_by_protocol, summarise
from epicene.show.model_comparison import compare_models
from epicene.show.model_profiles import profile_table
from epicene.show.provenance import provenance_of, undetected_line_of
from epicene.show.results_document import metrics_table, results_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.core.records import Figure, Table
    from epicene.results.summary import Summary
    from epicene.runs.stored_run import StoredRun
    from epicene.show.model_comparison import ModelComparison
    from epicene.show.provenance import Provenance


class ExportedTable(NamedTuple):
    """A table with its provenance."""

    table: Table
    provenance: Provenance


@dataclass(frozen=True)
class ProtocolResults:
    """The runs of one suite under one protocol, and the location of their files in the folder."""

    folder: str
    runs: Sequence[StoredRun]
    summary: Summary
    compared: ModelComparison
    tables: dict[str, ExportedTable]  # by the names of their files
    figures: dict[str, Figure]


def write_results(runs: Sequence[StoredRun], folder: Path) -> None:
    """Write one folder per suite and protocol, and one card."""
    check_new_folder(folder)
    groups = group_by_protocol(public_runs(runs))
    parts = [_results("-".join(names), group) for names, group in groups.items()]
    with new_folder(folder) as unfinished:
        for part in parts:
            _write_tables(part, unfinished / part.folder)
            _write_figures(part, unfinished / part.folder / "figures")
        write_text(unfinished / CARD_FILE, results_card(parts))


def _results(folder: str, runs: Sequence[StoredRun]) -> ProtocolResults:
    """Everything that is exported of these runs."""
    summary = summarise(runs)
    compared = compare_models(summary, runs)
    tables = list(_tables(summary, provenance_of(summary, runs), compared))
    stems = file_names(each.table.name for each in tables)
    drawn = file_names(figure.name for figure in summary.figures)
    return ProtocolResults(
        folder=folder,
        runs=runs,
        summary=summary,
        compared=compared,
        tables=dict(zip(stems, tables, strict=True)),
        figures=dict(zip(drawn, summary.figures, strict=True)),
    )


def _tables(
    summary: Summary, source: Provenance, compared: ModelComparison
) -> Iterator[ExportedTable]:
    """The tables that all suites have, then the suite's own."""
    own = {table.name for table in summary.tables}
    for each in _common_tables(summary, source, compared):
        name = each.table.name
        free = f"{name} of the runs" if name in own else name
        yield each._replace(table=msgspec.structs.replace(each.table, name=free))
    yield from (ExportedTable(table, source) for table in summary.tables)


def _common_tables(
    summary: Summary, source: Provenance, compared: ModelComparison
) -> Iterator[ExportedTable]:
    """All metrics, the headlines by model, rankings and changes; each with the undetected rate of
    the judgements behind it. Of changes, their own columns say it.
    """
    metrics = msgspec.structs.replace(metrics_table(summary), name="headlines")
    yield ExportedTable(metrics, source)
    if compared.entries:
        title = f"Headlines of {summary.suite.card.title}, by model"
        made = profile_table([summary], compared.entries, [""])
        profile = msgspec.structs.replace(made, name="profile", title=title, notes=())
        yield ExportedTable(profile, source.with_undetected(compared.undetected))
    for entry, ranking in compared.rankings:
        table = msgspec.structs.replace(ranking, name=f"places by {entry.headline.name}")
        rates = undetected_line_of("these judgements", entry.undetected)
        yield ExportedTable(table, source.with_undetected(rates))
    for changes in (compared.changes, compared.detectable):
        if changes is not None:
            yield ExportedTable(changes, source.with_undetected(""))


def _write_tables(part: ProtocolResults, folder: Path) -> None:
    from epicene.show.latex import as_latex
    from epicene.show.table_formats import as_markdown, wide_csv

    tables = [each.table for each in part.tables.values()]
    document = results_document(part.summary, tables, part.compared.reasons)
    write_json(folder / "results.json", msgspec.json.encode(document))
    for stem, (table, source) in part.tables.items():
        path = folder / "tables" / stem
        write_atomically(path.with_name(f"{stem}.tex"), as_latex(table, source).encode())
        write_atomically(path.with_name(f"{stem}.csv"), wide_csv(table, source).encode())
        write_atomically(path.with_name(f"{stem}.md"), as_markdown(table, source).encode())


def _write_figures(part: ProtocolResults, folder: Path) -> None:
    from epicene.show.figures import png, svg

    for stem, figure in part.figures.items():
        drawn = svg(figure)
        write_atomically(folder / f"{stem}.svg", drawn.encode())
        write_atomically(folder / f"{stem}.png", png(drawn))
