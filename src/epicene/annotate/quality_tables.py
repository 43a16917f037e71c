"""Quality and agreement as tables, of any study whatever its suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.annotate.quality import PASSING, agreement, people
from epicene.records import Column, Estimate, Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.annotate.quality import PersonQuality
    from epicene.studies import Response, Study


def quality_tables(study: Study, responses: Sequence[Response]) -> tuple[Table, ...]:
    """The tables that the responses have something to say in."""
    found = people(study, responses)
    tables = []
    if any(each.checks_seen or each.median_seconds is not None for each in found):
        tables.append(_each_person(found))
    rows = tuple(_agreement_rows(study, responses))
    if rows:
        tables.append(_questions(rows))
    return tuple(tables)


def _each_person(found: Sequence[PersonQuality]) -> Table:
    from epicene.stats.proportions import wilson

    no_check = Estimate(value=None, why="no attention check was answered")
    no_time = Estimate(value=None, why="no time was taken")
    rows = []
    for each in found:
        seconds = each.median_seconds
        cells = (
            _count(each.items),
            _count(each.checks_seen),
            wilson(each.checks_right, each.checks_seen) if each.checks_seen else no_check,
            no_time if seconds is None else Estimate(value=seconds, n=each.items),
            {None: "—", True: "yes", False: "no"}[each.passed],
        )
        rows.append(Row(keys=(each.participant,), cells=cells))
    return Table(
        name="quality",
        title="What each person did",
        levels=("person",),
        columns=(
            Column(name="items", unit="count"),
            Column(name="attention checks", unit="count"),
            Column(name="right"),
            Column(name="seconds (median)", unit="number"),
            Column(name="passed", unit="text"),
        ),
        rows=tuple(rows),
        notes=(
            f"Passed: at least {PASSING:.0%} of the attention checks right. Nobody is left out for "
            "not passing unless --passed or --without says so.",
        ),
    )


def _agreement_rows(study: Study, responses: Sequence[Response]) -> Iterator[Row]:
    """A row per question, or tag, that two people answered about one item."""
    for each in agreement(study, responses):
        if each.items:
            cells = (
                _count(each.items),
                _count(each.people),
                each.raw,
                each.cohen,
                each.fleiss,
                each.krippendorff,
            )
            yield Row(keys=(each.question, each.option or "all"), cells=cells)


def _questions(rows: tuple[Row, ...]) -> Table:
    return Table(
        name="questions",
        title="Agreement on each question",
        levels=("question", "of"),
        columns=(
            Column(name="items", unit="count"),
            Column(name="people", unit="count"),
            Column(name="agreement", unit="number", decimals=3),
            Column(name="Cohen's κ", unit="number", decimals=3),
            Column(name="Fleiss' κ", unit="number", decimals=3),
            Column(name="Krippendorff's α", unit="number", decimals=3),
        ),
        rows=rows,
        notes=(
            "Items that two people or more judged; agreement and Cohen's κ are of every two of "
            "them, for κ in both orders where they are three or more. Tags are compared as whole "
            "sets and one by one, marks word by word, texts by their letters. Intervals resample "
            "groups of items; settled answers do not count.",
        ),
    )


def _count(number: int) -> Estimate:
    return Estimate(value=number, n=number)
