"""What goes out of the runs of one suite under one protocol: its own tables, and before them how
the models stand to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.export.folders import file_names
from epicene.report import how
from epicene.report.compared import compared, undetected_behind
from epicene.report.document import by_model, headlines
from epicene.report.profile import profile_table, told_apart, under_suites
from epicene.report.provenance import provenance
from epicene.runs.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from epicene.records import Figure, Table
    from epicene.report.compared import Compared
    from epicene.report.provenance import Provenance
    from epicene.runs.results import Finished
    from epicene.runs.summary import Summary


class Sourced(NamedTuple):
    """A table and what qualifies its numbers; `by_run` is the same with runs for rows."""

    table: Table
    source: Provenance
    by_run: Table


@dataclass(frozen=True)
class Part:
    """The runs of one suite under one protocol, and where in the folder their files are."""

    folder: str
    runs: Sequence[Finished]
    summary: Summary
    compared: Compared
    tables: Sequence[tuple[Sourced, str]]  # all of them, with the names of their files
    figures: Sequence[tuple[Figure, str]]


def part_of(folder: str, runs: Sequence[Finished]) -> Part:
    """All that goes out of these runs."""
    summary = summarise(runs)
    source, found = provenance(summary, runs), compared(summary, runs)
    taken = {table.name for table in summary.tables}
    profile = _profile(summary, source, found, taken)
    made = [
        _headlines(summary, source, taken),
        *([profile] if profile else ()),
        *_standing(source, found, taken),
        *(Sourced(table, source, table) for table in summary.tables),
    ]
    stems = [stem for _, stem in file_names(each.table.name for each in made)]
    figures = summary.figures
    drawn = [stem for _, stem in file_names(figure.name for figure in figures)]
    return Part(
        folder=folder,
        runs=runs,
        summary=summary,
        compared=found,
        tables=list(zip(made, stems, strict=True)),
        figures=list(zip(figures, drawn, strict=True)),
    )


def _headlines(summary: Summary, source: Provenance, taken: Collection[str]) -> Sourced:
    table = _named(headlines(summary), "headlines", taken)
    return Sourced(table, source, by_model(table))


def _profile(
    summary: Summary, source: Provenance, found: Compared, taken: Collection[str]
) -> Sourced | None:
    if not found.entries:
        return None
    made = profile_table([summary], found.entries, [""])
    title = f"Headlines of {summary.suite.card.title}, by model"
    table = _named(msgspec.structs.replace(made, title=title, notes=()), "profile", taken)
    return Sourced(table, source.of(found.undetected), table)


def _standing(source: Provenance, found: Compared, taken: Collection[str]) -> Iterator[Sourced]:
    """Places and changes, with the undetected rate of the judgements that each is about."""
    for entry, made in found.places:
        table = _named(made, f"places by {entry.headline.name}", taken)
        rates = how.undetected_of("these judgements", entry.undetected)
        yield Sourced(table, source.of(rates), table)
    if found.changes is not None:
        # Its own columns say how much is undetected.
        table = _named(found.changes, "changes", taken)
        yield Sourced(table, source.of(""), table)


def _named(table: Table, name: str, taken: Collection[str]) -> Table:
    """The table under a name that none of the suite's own has."""
    free = name if name not in taken else f"{name} of the runs"
    return msgspec.structs.replace(table, name=free)


class SideBySide(NamedTuple):
    """The headlines of all suites, a row for each model, and suite by suite with their runs."""

    table: Table
    by_suite: list[tuple[Table, Provenance]]


def side_by_side(parts: Sequence[Part]) -> SideBySide | None:
    """The headlines of all suites, if there are any; models of one label are told apart."""
    summaries, by_part = told_apart(
        [part.summary for part in parts], [part.compared.entries for part in parts]
    )
    found = under_suites(summaries, by_part)
    if not found:
        return None
    sources = [
        provenance(summary, part.runs).of(undetected_behind(entries))
        for part, summary, entries in zip(parts, summaries, by_part, strict=True)
    ]
    made = profile_table(summaries, found, [""] * len(summaries))
    notes = tuple(" ".join(source.notes) for source in sources)
    return SideBySide(
        msgspec.structs.replace(made, notes=notes),
        [
            (profile_table([summary], entries, [""]), source)
            for summary, entries, source in zip(summaries, by_part, sources, strict=True)
            if entries
        ],
    )
