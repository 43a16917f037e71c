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
from epicene.export.path_redaction import runs_without_paths
from epicene.export.results_card import results_card
from epicene.runs.paired_differences import changes_of_suites_table
from epicene.runs.summary import group_by_protocol, summarise
from epicene.show.model_comparison import compare_models, undetected_per_headline
from epicene.show.model_profiles import (
    profile_table,
    suite_titles,
    titled_by_suite,
    with_distinct_labels,
)
from epicene.show.provenance import provenance_of, undetected_line_of
from epicene.show.results_document import metrics_table, results_document

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from epicene.core.records import Figure, Table
    from epicene.runs.stored_run import StoredRun
    from epicene.runs.summary import Summary
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
    tables: Sequence[tuple[ExportedTable, str]]  # all of them, with the names of their files
    figures: Sequence[tuple[Figure, str]]


def protocol_results(folder: str, runs: Sequence[StoredRun]) -> ProtocolResults:
    """Everything that is exported of these runs."""
    summary = summarise(runs)
    source, found = provenance_of(summary, runs), compare_models(summary, runs)
    taken = {table.name for table in summary.tables}
    profile = _profile(summary, source, found, taken)
    made = [
        _metrics(summary, source, taken),
        *([profile] if profile else ()),
        *_comparison_tables(source, found, taken),
        *(ExportedTable(table, source) for table in summary.tables),
    ]
    stems = [stem for _, stem in file_names(each.table.name for each in made)]
    figures = summary.figures
    drawn = [stem for _, stem in file_names(figure.name for figure in figures)]
    return ProtocolResults(
        folder=folder,
        runs=runs,
        summary=summary,
        compared=found,
        tables=list(zip(made, stems, strict=True)),
        figures=list(zip(figures, drawn, strict=True)),
    )


def _metrics(summary: Summary, source: Provenance, taken: Collection[str]) -> ExportedTable:
    table = _with_free_name(metrics_table(summary), "headlines", taken)
    return ExportedTable(table, source)


def _profile(
    summary: Summary, source: Provenance, found: ModelComparison, taken: Collection[str]
) -> ExportedTable | None:
    if not found.entries:
        return None
    made = profile_table([summary], found.entries, [""])
    title = f"Headlines of {summary.suite.card.title}, by model"
    table = _with_free_name(msgspec.structs.replace(made, title=title, notes=()), "profile", taken)
    return ExportedTable(table, source.with_undetected(found.undetected))


def _comparison_tables(
    source: Provenance, found: ModelComparison, taken: Collection[str]
) -> Iterator[ExportedTable]:
    """Rankings and changes, with the undetected rate of the judgements behind each."""
    for entry, made in found.rankings:
        table = _with_free_name(made, f"places by {entry.headline.name}", taken)
        rates = undetected_line_of("these judgements", entry.undetected)
        yield ExportedTable(table, source.with_undetected(rates))
    for compared in (found.changes, found.detectable):
        if compared is None:
            continue
        # Of changes, its own columns say how much is undetected.
        table = _with_free_name(compared, compared.name, taken)
        yield ExportedTable(table, source.with_undetected(""))


def _with_free_name(table: Table, name: str, taken: Collection[str]) -> Table:
    """The table, renamed if a table of the suite has its name."""
    free = name if name not in taken else f"{name} of the runs"
    return msgspec.structs.replace(table, name=free)


class ModelProfiles(NamedTuple):
    """The headlines of all suites, one row per model, and those of each suite with their runs."""

    table: Table
    by_suite: list[tuple[Table, Provenance]]


def model_profiles(parts: Sequence[ProtocolResults]) -> ModelProfiles | None:
    """The headlines of all suites, if any; models that share a label get distinct labels."""
    summaries, by_part = with_distinct_labels(
        [part.summary for part in parts], [part.compared.entries for part in parts]
    )
    found = titled_by_suite(summaries, by_part)
    if not found:
        return None
    sources = [
        provenance_of(summary, part.runs).with_undetected(undetected_per_headline(entries))
        for part, summary, entries in zip(parts, summaries, by_part, strict=True)
    ]
    made = profile_table(summaries, found, [""] * len(summaries))
    notes = tuple(" ".join(source.notes) for source in sources)
    return ModelProfiles(
        msgspec.structs.replace(made, notes=notes),
        [
            (profile_table([summary], entries, [""]), source)
            for summary, entries, source in zip(summaries, by_part, sources, strict=True)
            if entries
        ],
    )


def write_results(runs: Sequence[StoredRun], folder: Path) -> None:
    """Write one folder per suite and protocol, and one card."""
    check_new_folder(folder)
    groups = group_by_protocol(runs_without_paths(runs))
    parts = [protocol_results("-".join(names), group) for names, group in groups.items()]
    with new_folder(folder) as unfinished:
        _write_parts(parts, unfinished)


def _write_parts(parts: Sequence[ProtocolResults], folder: Path) -> None:
    for part in parts:
        _write_tables(part, folder / part.folder)
        _write_figures(part, folder / part.folder / "figures")
    if len(parts) > 1:
        _write_profile(parts, folder)
    write_text(folder / CARD_FILE, results_card(parts))


def _write_tables(part: ProtocolResults, folder: Path) -> None:
    from epicene.show.latex import as_latex
    from epicene.show.table_formats import as_markdown, wide_csv

    tables = [each.table for each, _ in part.tables]
    document = results_document(part.summary, tables, part.compared.reasons)
    write_json(folder / "results.json", msgspec.json.encode(document))
    for (table, source), stem in part.tables:
        for suffix, text in (
            ("tex", as_latex(table, source)),
            ("csv", wide_csv(table, source)),
            ("md", as_markdown(table, source)),
        ):
            write_atomically(folder / "tables" / f"{stem}.{suffix}", text.encode())


def _write_profile(parts: Sequence[ProtocolResults], folder: Path) -> None:
    """Write the headlines of all suites, and all changes with one correction."""
    if (found := model_profiles(parts)) is not None:
        _write_overview("profile", found.table, found.by_suite, folder)
    titles = suite_titles([part.summary for part in parts])
    changes = changes_of_suites_table(
        [(title, part.compared.differences) for title, part in zip(titles, parts, strict=True)]
    )
    if changes is not None:
        _write_overview("changes", changes, [(changes, None)], folder)


def _write_overview(
    stem: str, table: Table, rows: Sequence[tuple[Table, Provenance | None]], folder: Path
) -> None:
    """Write a table about all suites; the CSV file has one line per number with its run."""
    from epicene.show.latex import as_latex
    from epicene.show.table_formats import as_json, as_markdown, long_csv

    write_json(folder / f"{stem}.json", msgspec.json.encode(as_json(table)))
    for suffix, text in (
        ("tex", as_latex(table)),
        ("csv", long_csv(rows)),
        ("md", as_markdown(table)),
    ):
        write_atomically(folder / f"{stem}.{suffix}", text.encode())


def _write_figures(part: ProtocolResults, folder: Path) -> None:
    from epicene.show.figures import png, svg

    for figure, stem in part.figures:
        drawn = svg(figure)
        write_atomically(folder / f"{stem}.svg", drawn.encode())
        write_atomically(folder / f"{stem}.png", png(drawn))
