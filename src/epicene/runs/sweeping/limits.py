"""What a sweep is refused for before anything is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.errors import InputError
from epicene.models.prices import dollars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.runs.costs import Spending
    from epicene.runs.sweeping.plan import Limits
    from epicene.runs.sweeping.prospect import Outlook

HOUR = 3600.0


def unknown_spending(spending: Spending) -> str:
    """Why nothing more is spent where nobody can tell what already is."""
    runs = " and ".join(map(str, spending.unknown))
    return (
        f"what {runs} has spent cannot be read, so that max_cost cannot be kept: mend it, or move "
        "it away and take what it cost from max_cost, or leave out the limit"
    )


def refuse_over(limits: Limits, ahead: Outlook, spent: float) -> None:
    """Raise if what is left, with what is `spent` in dollars, is above a limit."""
    over = list(_over(limits, ahead, spent))
    if over:
        raise InputError(
            f"The sweep is over its limits, so nothing was asked: {'; '.join(over)}. Raise the "
            "limit, or make the plan smaller."
        )


def _over(limits: Limits, ahead: Outlook, spent: float) -> Iterator[str]:
    tally = ahead.tally
    tokens = tally.tokens_read + tally.tokens_written
    counts = (
        ("requests", "max_requests", tally.left, limits.max_requests),
        ("tokens", "max_tokens", tokens, limits.max_tokens),
        ("images", "max_images", tally.images, limits.max_images),
    )
    for what, name, number, limit in counts:
        if limit is not None and number > limit:
            yield f"{number:,} {what}, and {name} is {limit:,}"
    cost, most = tally.cost, limits.max_cost
    if most is not None and tally.left and cost is not None and spent + cost > most:
        before = f" beside the {dollars(spent)} that is spent" if spent else ""
        yield f"it may cost {dollars(cost)}{before}, and max_cost is {dollars(most)}"
    seconds, hours = ahead.seconds, limits.max_hours
    if hours is not None and seconds is not None and seconds > hours * HOUR:
        yield f"about {seconds / HOUR:.2g} hours, and max_hours is {hours:g}"
