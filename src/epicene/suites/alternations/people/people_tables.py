"""What the tables of both choices share: accuracy of each person and item, agreement."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.studies.responses import as_expected
from epicene.suites import people
from epicene.suites.alternations.pairs import VARIANTS
from epicene.suites.tabulate import only, share, values_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars

    from epicene.studies import Response, StudyItem
    from epicene.suites.alternations.protocol import AlternationsProtocol
    from epicene.suites.studies import StudyResults

    Answered = StudyResults[AlternationsProtocol]

INTERVALS = "Intervals cluster by verb, and take the people as given."


def right(frame: polars.DataFrame) -> Estimate:
    """The share of right choices, clustered by verb."""
    import polars as pl

    return share(frame, pl.col("outcome") == "right")


def variants_of(frame: polars.DataFrame) -> list[str]:
    """The variants there are, in the paper's order; others after them."""
    there = values_of(frame, "variant")
    return [*(name for name in VARIANTS if name in there), *sorted(set(there) - set(VARIANTS))]


def participants(results: Answered) -> Table:
    """How each person did: on the items, on fillers and attention checks, and how fast."""
    besides = defaultdict(list)
    for response in results.besides:
        besides[response.participant].append(response)
    seconds = defaultdict(list)
    for response in results.responses:
        if response.seconds is not None:
            seconds[response.participant].append(response.seconds)
    rows = []
    for person in values_of(results.frame, "person"):
        mine = only(results.frame, person=person)
        cells = (
            Estimate(value=len(mine), n=len(mine)),
            right(mine),
            _as_expected(besides[person], results.study.checks),
            _as_expected(besides[person], results.study.fillers),
            _median(seconds[person]),
        )
        rows.append(Row(keys=(person,), cells=cells))
    return Table(
        name="participants",
        title="Each person",
        levels=("person",),
        columns=(
            Column(name="items", unit="count"),
            Column(name="right"),
            Column(name="attention checks right"),
            Column(name="fillers right"),
            Column(name="seconds (median)", unit="number"),
        ),
        rows=tuple(rows),
        notes=("Whom to leave out is for the owner of the study to say.",),
    )


def _as_expected(responses: Iterable[Response], items: Sequence[StudyItem]) -> Estimate:
    from epicene.stats.proportions import wilson

    expecting = {item.id: item for item in items if item.expected}
    judged = [response for response in responses if response.item in expecting]
    if not judged:
        return Estimate(value=None, why="none was answered")
    good = [as_expected(expecting[response.item], response) for response in judged]
    return wilson(sum(good), len(good))


def _median(seconds: Sequence[float]) -> Estimate:
    if not seconds:
        return Estimate(value=None, why="no time was taken")
    return Estimate(value=statistics.median(seconds), n=len(seconds))


def items(results: Answered) -> Table:
    """How people did on each item; they are independent, so the interval is Wilson's."""
    from epicene.stats.proportions import wilson

    rows = []
    for variant in variants_of(results.frame):
        part = only(results.frame, variant=variant)
        for pair in values_of(part, "pair"):
            outcomes = only(part, pair=pair)["outcome"].cast(str)
            cells = (
                Estimate(value=len(outcomes), n=len(outcomes)),
                wilson(int((outcomes == "right").sum()), len(outcomes)),
            )
            rows.append(Row(keys=(variant, pair), cells=cells))
    return Table(
        name="items",
        title="Each item",
        levels=("variant", "pair"),
        columns=(Column(name="judgements", unit="count"), Column(name="right")),
        rows=tuple(rows),
    )


def agreement(results: Answered) -> Table:
    """Whether people agree with each other."""
    pairs = people.between_people(results.frame)
    return Table(
        name="agreement",
        title="Agreement of people with each other",
        levels=("facet", "of"),
        columns=people.COLUMNS,
        rows=tuple(people.by_facet(pairs, ("variant",), clustered=True)),
        notes=(
            "Items that two people or more judged, every two of them a pair.",
            *people.BETWEEN_PEOPLE,
        ),
    )
