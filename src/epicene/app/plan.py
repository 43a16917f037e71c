"""Plan a comparison: how much data it needs, and what a design can detect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from epicene.app.arguments import RunLike
from epicene.app.output import Output, print_json
from epicene.app.progress import scoring_progress
from epicene.app.results import TabledResults, stored_run

if TYPE_CHECKING:
    from epicene.core.records import Estimate, Table
    from epicene.results.data_needs import DataNeeds, DataPlan


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

    def _print_(self, output: Output) -> int:
        from epicene.show.table_formats import tables_json

        if not output.json:
            return super()._print_(output)
        made = self.result
        tables = tables_json([made.table])
        print_json({"suite": made.suite, "difference": made.difference, "tables": tables})
        return 0


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

    Args:
        pilot: A pilot run, which shows how much answers vary.
        other: A run of the other model on the same items, which shows how much the two differ.
        difference: The difference to detect, as a share: 0.05 is 5 percentage points.
        items: Report which difference this many items can detect (default: as many as the pilot
            has).
        power: The power: how often the difference should be detected.
        alpha: The significance level over all headlines.

    Examples:
        >>> epicene.plan("runs/pilot", difference=0.02).items   # doctest: +SKIP
    """
    from epicene.results.data_needs import plan_from_runs

    runs = [stored_run(run) for run in (pilot, other) if run is not None]
    with scoring_progress():
        return Plan(
            plan_from_runs(runs, difference=difference, items=items, power=power, alpha=alpha)
        )
