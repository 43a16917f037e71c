"""The counts of an audit as tables, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.localisation.audit.findings import PROBLEMS, WHOSE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.localisation.audit.summary import Counts, FileCounts, Summary

_COLUMNS = ("strings", "a man", "a woman", "both", "problems", "undecided")


def summary_tables(summary: Summary) -> Iterator[Table]:
    """Which gender is shown, where and for whom, and which forms are inconsistent."""
    yield Table(
        name="",
        title="Gender shown, by file and first part of the key",
        levels=("file", "keys"),
        columns=tuple(Column(name=name, unit="count") for name in _COLUMNS),
        rows=tuple(row for file in summary.files for row in _rows(file)),
    )
    people = summary.total.people
    if people:
        genders = ("masculine", "feminine", "both", "mixed")
        yield Table(
            name="",
            title="Whose gender is shown",
            levels=("person",),
            columns=tuple(
                Column(name=name, unit="count") for name in ("a man", "a woman", "both", "mixed")
            ),
            rows=tuple(
                _row((whose,), (summary.total.shown(whose, gender) for gender in genders))  # type: ignore[arg-type]
                for whose in WHOSE
                if whose in people
            ),
        )
    if summary.total.problems:
        yield Table(
            name="",
            title="Inconsistent forms",
            levels=("problem", "meaning"),
            columns=(Column(name="strings", unit="count"),),
            rows=tuple(
                _row((kind, sentence), [summary.total.problems[kind]])
                for kind, sentence in PROBLEMS.items()
                if kind in summary.total.problems
            ),
        )


def _rows(file: FileCounts) -> Iterator[Row]:
    name = f"{file.file} ({file.language})"
    yield _row((name, "all"), _numbers(file.counts))
    for prefix, counts in file.main_prefixes():
        yield _row((name, prefix), _numbers(counts))


def _numbers(counts: Counts) -> tuple[int, ...]:
    return (
        counts.strings,
        counts.masculine,
        counts.feminine,
        counts.both,
        counts.with_problems,
        counts.undecided,
    )


def _row(keys: tuple[str, ...], numbers: Iterable[int]) -> Row:
    return Row(keys=keys, cells=tuple(Estimate(value=number) for number in numbers))
