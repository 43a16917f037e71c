"""Which runs a table is based on, to accompany it in every format.

In LaTeX and Markdown it is notes below the table, in CSV columns of each row: the run, its
protocol, how much of it was judged and how much of that was undetected.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from epicene.report import method_line
from epicene.report.comparison import protocols_of
from epicene.runs.summary import settings_diff_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.core.records import Row, Table
    from epicene.runs.results import Coverage, StoredRun
    from epicene.runs.summary import RunSummary, Summary
    from epicene.suites import Protocol

# Each begins so, as tables have columns of their own about what is undetected or judged.
RUN_FIELDS = (
    "run suite", "run protocol", "run method", "run data", "run items", "run judged",
    "run requests", "run answered", "run undetected",
)  # fmt: skip


@dataclass(frozen=True)
class Provenance:
    """Of which runs some tables speak, and how their numbers came about."""

    suite: str
    protocol: str
    how: str  # protocol, normalisers, every choice of method
    undetected: str
    further: tuple[str, ...]  # what was judged of what, what runs differ in, known faults
    runs: Mapping[str, RunSummary]  # by model, as in the tables
    protocols: Mapping[str, Protocol]  # of each

    @property
    def notes(self) -> tuple[str, ...]:
        """All of it in words."""
        return (f"{method_line.joined_line((self.how, self.undetected))}.", *self.further)

    def noted(self, table: Table) -> Table:
        """The table with these notes below its own."""
        return msgspec.structs.replace(table, notes=(*table.notes, *self.notes))

    def of(self, undetected: str) -> Provenance:
        """The same for a table of some of the judgements, of which so much is undetected."""
        return replace(self, undetected=undetected)

    def fields(self, row: Row, column: str = "") -> list[object]:
        """What `RUN_FIELDS` are of the runs that a row, or the column, names, and of all if it
        names none; of what a paper printed nothing is known."""
        if row.origin == "published":
            return [None] * len(RUN_FIELDS)
        named = [model for model in self.runs if model in row.keys or model == column]
        runs = {model: self.runs[model] for model in named or self.runs}
        covered = [run.coverage for run in runs.values() if run.coverage is not None]
        return [
            self.suite,
            self.protocol,
            method_line.protocol_line({model: self.protocols[model] for model in runs}),
            ", ".join(dict.fromkeys(run.data for run in runs.values())),
            *(_total(covered, name) for name in ("items", "judged", "requests", "answered")),
            _undetected_share(list(runs.values())),
        ]


def provenance(summary: Summary, runs: Sequence[StoredRun]) -> Provenance:
    """What qualifies the tables of a summary of these runs."""
    protocols = protocols_of(summary, runs)
    return Provenance(
        suite=summary.suite.name,
        protocol=summary.protocol.name,
        how=f"{summary.suite.card.title}, {method_line.protocol_line(protocols)}",
        undetected=method_line.undetected_line(summary.runs),
        further=tuple(_further_notes(summary, runs)),
        runs={run.info.model: run for run in summary.runs},
        protocols=protocols,
    )


def _further_notes(summary: Summary, runs: Sequence[StoredRun]) -> Iterator[str]:
    if judged := _judged_note(summary.runs):
        yield judged
    yield from settings_diff_sentences(runs)
    if faults := summary.suite.card.faults:
        yield (
            f"Known faults of the published version: {len(faults)}; `epicene suites --json` "
            "lists them."
        )


def _judged_note(runs: Sequence[RunSummary]) -> str:
    """Which runs are whole and which lack judgements; "" where nobody knows what was asked."""
    data = ", ".join(dict.fromkeys(run.data for run in runs))
    if lacking := method_line.coverage_line(runs):
        return f"Data {data}. Incomplete: {lacking}."
    items = sorted({run.coverage.items for run in runs if run.coverage is not None})
    if not items:
        return ""
    number = str(items[0]) if len(items) == 1 else f"{items[0]} to {items[-1]}"
    return f"Data {data}: all {number} items are judged{' in every run' * (len(runs) > 1)}."


def _total(covered: Sequence[Coverage], name: str) -> int | None:
    return sum(getattr(each, name) for each in covered) if covered else None


def _undetected_share(runs: Sequence[RunSummary]) -> float | None:
    """Of all outcomes of the runs together."""
    known = [
        (run.undetected.value, run.undetected.n)
        for run in runs
        if run.undetected.value is not None and run.undetected.n
    ]
    if not known:
        return None
    return sum(value * n for value, n in known) / sum(n for _, n in known)
