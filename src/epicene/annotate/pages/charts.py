"""How agreement grew, as the points of a small line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epicene.annotate.quality import QuestionGrowth

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
