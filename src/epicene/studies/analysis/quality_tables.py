"""Tables of quality and agreement for any study, and the chart of how agreement developed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.records import Column, Estimate, Row, Table
from epicene.studies.analysis.quality import (
    NO_SHARED_ITEM,
    participant_quality,
    pass_threshold,
    question_agreement,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.studies.analysis.quality import (
        ParticipantQuality,
        QuestionAgreement,
        QuestionGrowth,
    )
    from epicene.studies.design.schema import Response, Study


def quality_tables(study: Study, responses: Sequence[Response]) -> tuple[Table, ...]:
    """The tables for which there are responses."""
    found = participant_quality(study, responses)
    tables = []
    if any(each.checks_seen or each.median_seconds is not None for each in found):
        tables.append(_participant_table(found, pass_threshold(study)))
    rows = tuple(_agreement_rows(study, responses))
    if rows:
        tables.append(_question_table(rows))
    return tuple(tables)


def _participant_table(found: Sequence[ParticipantQuality], passing: float) -> Table:
    from epicene.stats.intervals import wilson

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
            f"Passed: at least {passing:.0%} of the attention checks right. Nobody is left "
            "out for not passing unless --passed or --without says so.",
        ),
    )


def _agreement_columns(raw: Column) -> tuple[Column, ...]:
    chance_corrected = ("Cohen's κ", "Fleiss' κ", "Krippendorff's α")
    return (
        Column(name="items", unit="count"),
        Column(name="people", unit="count"),
        raw,
        *(Column(name=name, unit="number", decimals=3) for name in chance_corrected),
    )


def _agreement_cells(each: QuestionAgreement) -> tuple[Estimate, ...]:
    counts = (_count(each.items), _count(each.people))
    return (*counts, each.raw, each.cohen, each.fleiss, each.krippendorff)


def _agreement_rows(study: Study, responses: Sequence[Response]) -> Iterator[Row]:
    """A row per question, or tag, that two people answered about the same item."""
    for each in question_agreement(study, responses):
        if each.items:
            yield Row(keys=(each.question, each.option or "all"), cells=_agreement_cells(each))


def _question_table(rows: tuple[Row, ...]) -> Table:
    return Table(
        name="questions",
        title="Agreement on each question",
        levels=("question", "of"),
        columns=_agreement_columns(Column(name="agreement", unit="number", decimals=3)),
        rows=rows,
        notes=(
            "Items that two people or more judged; agreement and Cohen's κ are of every two of "
            "them, for κ in both orders where they are three or more. Tags are compared as whole "
            "sets and one by one, marks word by word, texts by their letters. Intervals are over "
            "groups of items; settled answers do not count.",
        ),
    )


def _count(number: int) -> Estimate:
    return Estimate(value=number, n=number)


# The plot area, with room for numbers to the left and below
_LEFT, _RIGHT, _TOP, _BOTTOM = 28.0, 202.0, 7.0, 80.0

_MEASURE_NAMES = {"krippendorff": "Krippendorff's α", "raw": "raw agreement"}


class GridLine(NamedTuple):
    """A horizontal grid line and its label."""

    text: str
    y: float
    is_zero: bool


class ChartPoint(NamedTuple):
    """A point of the chart and the ends of its interval, if it has one."""

    x: float
    y: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class GrowthChart:
    """How agreement on a question grew, ready to be drawn."""

    measure: str
    answers: int  # at the last point
    left: float
    right: float
    levels: tuple[GridLine, ...]
    spots: tuple[ChartPoint, ...]

    @property
    def line(self) -> str:
        """The points in the format of an SVG polyline."""
        return " ".join(f"{spot.x},{spot.y}" for spot in self.spots)


def growth_chart(growth: QuestionGrowth) -> GrowthChart | None:
    """The chart; None if agreement is undefined at every point."""
    found = [
        (point.responses, point.agreement.value, point.agreement)
        for point in growth.points
        if point.agreement.value is not None
    ]
    if not found:
        return None
    answers = found[-1][0]
    # From full agreement down to 0, or lower if agreement is below chance.
    lowest = min(each for _, value, at in found for each in (value, at.low) if each is not None)
    bottom = min(0.0, math.floor(2 * lowest) / 2)

    def across(responses: int) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * responses / answers, 1)

    def down(value: float) -> float:
        return round(_TOP + (_BOTTOM - _TOP) * (1 - value) / (1 - bottom), 1)

    return GrowthChart(
        measure=_MEASURE_NAMES[growth.measure],
        answers=answers,
        left=_LEFT,
        right=_RIGHT,
        levels=tuple(
            GridLine(f"{value:g}".replace("-", "\N{MINUS SIGN}"), down(value), value == 0)
            for value in sorted({1.0, 0.0, bottom})
        ),
        spots=tuple(
            ChartPoint(
                across(responses),
                down(value),
                None if at.low is None else down(at.low),
                None if at.high is None else down(at.high),
            )
            for responses, value, at in found
        ),
    )


def growth_table(
    agreements: Sequence[QuestionAgreement], growth: Sequence[QuestionGrowth]
) -> Table:
    """Agreement on each question, with the reason if there is no chart."""
    grown = {each.question: each for each in growth}
    return Table(
        name="agreement",
        title="Agreement",
        levels=("question", "of"),
        columns=(
            *_agreement_columns(Column(name="raw")),
            Column(name="as it grew", unit="text"),
        ),
        rows=tuple(
            Row(
                keys=(each.question, each.option),
                cells=(
                    *_agreement_cells(each),
                    "" if each.option else _why_no_chart(grown[each.question]),
                ),
            )
            for each in agreements
        ),
    )


def _why_no_chart(growth: QuestionGrowth) -> Estimate | str:
    if growth_chart(growth) is not None:
        return ""
    last = growth.points[-1].agreement.why if growth.points else NO_SHARED_ITEM
    return Estimate(value=None, why=last)
