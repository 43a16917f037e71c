"""Agreement on the owner's page: numbers with their intervals, and a small line of how it grew."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epicene.annotate.quality import QuestionGrowth
    from epicene.records import Estimate

WIDTH, HEIGHT = 120, 30


def growth_line(growth: QuestionGrowth) -> str:
    """The points of a line in a box of WIDTH by HEIGHT, from no agreement up to full."""
    points = [
        (point.responses, point.agreement.value)
        for point in growth.points
        if point.agreement.value is not None
    ]
    if len(points) < 2:
        return ""
    most = max(responses for responses, _ in points)
    return " ".join(
        f"{WIDTH * responses / most:.1f},{HEIGHT * (1 - max(0.0, value)):.1f}"
        for responses, value in points
    )


def with_interval(estimate: Estimate, *, share: bool = False) -> str:
    """A number with its interval, a share as per cent; a dash where it is undefined."""
    if estimate.value is None:
        return "–"
    times, decimals = (100, 1) if share else (1, 3)

    def digits(value: float) -> str:
        return f"{times * value:.{decimals}f}"

    if estimate.low is None or estimate.high is None:
        return digits(estimate.value)
    return f"{digits(estimate.value)} [{digits(estimate.low)}, {digits(estimate.high)}]"
