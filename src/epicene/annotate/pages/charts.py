"""Agreement on the owner's page: numbers with their intervals or why there are none, and growth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from epicene.records import Column, Estimate, Row, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.annotate.quality import QuestionAgreement, QuestionGrowth

# Where the drawing stands, with room for numbers beside it and below it.
_LEFT, _RIGHT, _TOP, _BOTTOM = 28.0, 202.0, 7.0, 80.0

_MEASURES = {"krippendorff": "Krippendorff's α", "raw": "raw agreement"}
_TOO_EARLY = "no item was judged by two people"


class Level(NamedTuple):
    """A line across the drawing, and what it stands for."""

    text: str
    y: float
    is_zero: bool


class Spot(NamedTuple):
    """A point, and where its interval begins and ends; nowhere, if it has none."""

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
    levels: tuple[Level, ...]
    spots: tuple[Spot, ...]

    @property
    def line(self) -> str:
        """The points, as a polyline has them."""
        return " ".join(f"{spot.x},{spot.y}" for spot in self.spots)


def growth_chart(growth: QuestionGrowth) -> GrowthChart | None:
    """The drawing; None where agreement is undefined at every point."""
    found = [
        (point.responses, point.agreement.value, point.agreement)
        for point in growth.points
        if point.agreement.value is not None
    ]
    if not found:
        return None
    answers = found[-1][0]
    # Full agreement is on top; agreement below chance needs as much room below 0 as it takes.
    lowest = min(each for _, value, at in found for each in (value, at.low) if each is not None)
    bottom = min(0.0, math.floor(2 * lowest) / 2)

    def across(responses: int) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * responses / answers, 1)

    def down(value: float) -> float:
        return round(_TOP + (_BOTTOM - _TOP) * (1 - value) / (1 - bottom), 1)

    return GrowthChart(
        measure=_MEASURES[growth.measure],
        answers=answers,
        left=_LEFT,
        right=_RIGHT,
        levels=tuple(
            Level(f"{value:g}".replace("-", "\N{MINUS SIGN}"), down(value), value == 0)
            for value in sorted({1.0, 0.0, bottom})
        ),
        spots=tuple(
            Spot(
                across(responses),
                down(value),
                None if at.low is None else down(at.low),
                None if at.high is None else down(at.high),
            )
            for responses, value, at in found
        ),
    )


def agreement_table(
    agreements: Sequence[QuestionAgreement], growth: Sequence[QuestionGrowth]
) -> Table:
    """Agreement on each question; in place of a drawing of its growth, why there is none."""
    grown = {each.question: each for each in growth}
    return Table(
        name="agreement",
        title="Agreement",
        levels=("question", "of"),
        columns=(
            Column(name="items", unit="count"),
            Column(name="people", unit="count"),
            Column(name="raw"),
            *(
                Column(name=name, unit="number", decimals=3)
                for name in ("Cohen's κ", "Fleiss' κ", "Krippendorff's α")
            ),
            Column(name="as it grew", unit="text"),
        ),
        rows=tuple(
            Row(
                keys=(each.question, each.option),
                cells=(
                    Estimate(value=each.items),
                    Estimate(value=each.people),
                    each.raw,
                    each.cohen,
                    each.fleiss,
                    each.krippendorff,
                    "" if each.option else _instead(grown[each.question]),
                ),
            )
            for each in agreements
        ),
    )


def _instead(growth: QuestionGrowth) -> Estimate | str:
    if growth_chart(growth) is not None:
        return ""
    last = growth.points[-1].agreement.why if growth.points else _TOO_EARLY
    return Estimate(value=None, why=last)
