"""The tables: accuracy by format and by gender."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.stats.tabulate import accuracy_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Table
    from epicene.suites import Results
    from reflexives.protocol import ReflexiveProtocol


def tables(results: Results[ReflexiveProtocol]) -> Iterator[Table]:
    """By format, then by gender within each."""
    notes = ("A generation without a reflexive is undetected, and not right.",)
    yield accuracy_table(
        results.frame,
        name="accuracy",
        title="Right reflexive, by gender of the subject",
        rows=("model", "format"),
        columns="gender",
        notes=notes,
    )
    yield accuracy_table(
        results.frame,
        name="formats",
        title="Right reflexive, by format",
        rows=("model",),
        columns="format",
        notes=notes,
    )
