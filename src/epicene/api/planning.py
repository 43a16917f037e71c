"""Plan a comparison: how much data it needs, and what a design can detect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.api.progress import scoring_progress
from epicene.api.results import TabledResults, stored_run
from epicene.api.wording import keyword_errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.api.results import RunLike
    from epicene.core.records import Estimate, Table
    from epicene.runs.data_needs import DataNeeds, DataPlan


class Plan(TabledResults):
    """How much data a comparison needs, headline by headline."""

    def __init__(self, result: DataPlan) -> None:
        self.result = result

    @property
    def headlines(self) -> dict[str, DataNeeds]:
        """What each headline needs: `items`, `groups`, `detectable`."""
        return {each.headline: each for each in self.result.needs}

    @property
    def items(self) -> int:
        """The number of items that is enough for every headline."""
        return max(int(each.items.value or 0) for each in self.result.needs)

    def _estimates(self) -> Mapping[str, Estimate]:
        return {name: each.items for name, each in self.headlines.items()}

    def _tables(self) -> Sequence[Table]:
        return (self.result.table,)

    def __repr__(self) -> str:
        """The suite and the number of items."""
        size = 100 * self.result.difference
        return f"<Plan of {self.result.suite}: {self.items:,} items find {size:.3g} points>"


@keyword_errors
def plan(
    pilot: RunLike,
    other: RunLike | None = None,
    *,
    difference: float = 0.05,
    items: int | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
) -> Plan:
    """Estimate how many items a comparison of two models needs to detect a difference.

    pilot: a run, which shows how much answers vary.
    other: a run of the other model on the same items, which shows how much the two differ.
    difference: the difference to detect, as a share.
    items: report which difference this many items can detect (default: as many as the pilot has).
    power: how often the difference should be detected.
    alpha: the significance level over all headlines.

    >>> epicene.plan("runs/pilot", difference=0.02).items   # doctest: +SKIP
    """
    from epicene.runs.data_needs import plan_from_runs

    runs = [stored_run(run) for run in (pilot, other) if run is not None]
    with scoring_progress():
        return Plan(
            plan_from_runs(runs, difference=difference, items=items, power=power, alpha=alpha)
        )
