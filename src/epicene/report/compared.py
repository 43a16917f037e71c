"""How the models of one suite stand to each other, or why they are not compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from epicene.records import Table
from epicene.report import how
from epicene.report.profile import entries_of
from epicene.report.standing import changes_table, places
from epicene.runs.expected import unjudged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars

    from epicene.report.profile import Entry
    from epicene.runs.results import Finished
    from epicene.runs.summary import Summary
    from epicene.suites import Protocol


@dataclass(frozen=True)
class Compared:
    """The headlines of all runs, and what may be said of the models by them."""

    entries: tuple[Entry, ...]
    places: tuple[tuple[Entry, Table], ...]  # by the headlines that tell models apart
    changes: Table | None
    said: tuple[str, ...]  # in sentences: why there are no places

    @property
    def undetected(self) -> str:
        """The undetected rates of the judgements behind each headline."""
        return undetected_behind(self.entries)


def compared(summary: Summary, runs: Sequence[Finished]) -> Compared:
    """Places and changes where all runs were made by one method."""
    entries = tuple(entries_of(summary))
    if unlike := how.differing(protocols_of(summary, runs)):
        sentence = (
            f"These runs differ in settings ({', '.join(unlike)}), so their models are not ranked "
            "and not compared."
        )
        return Compared(entries, (), None, (sentence,))
    lacking = _lacking(summary, runs)
    told = [(entry, each) for entry in entries for each in places(summary, [entry], lacking)]
    return Compared(
        entries,
        tuple((entry, each) for entry, each in told if isinstance(each, Table)),
        changes_table(summary, entries),
        tuple(each for _, each in told if isinstance(each, str)),
    )


def undetected_behind(entries: Sequence[Entry]) -> str:
    """The undetected rates of the judgements behind each headline, whosever they are."""
    return how.line(
        how.undetected_of(f"“{entry.headline.name}”", entry.undetected)
        for entry in entries
        if not entry.language
    )


def protocols_of(summary: Summary, runs: Sequence[Finished]) -> Mapping[str, Protocol]:
    """Under which protocol each model was run, all of one name."""
    return {told.info.model: run.protocol for told, run in zip(summary.runs, runs, strict=True)}


def _lacking(summary: Summary, runs: Sequence[Finished]) -> polars.DataFrame | None:
    """The judgements that the runs were to have and have no answer for."""
    whole = all(run.coverage is None or run.coverage.whole for run in summary.runs)
    if whole or summary.same is None or len(runs) < 2:
        return None
    return unjudged(runs, summary.same)
