"""Plan a comparison: how much data it needs, and what a design can find."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from epicene.api.progress import scoring_progress
from epicene.api.results import Run, TabledResults, stored_run
from epicene.api.wording import keyword_errors
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.api.results import PathLike, RunLike
    from epicene.core.records import Estimate, Table
    from epicene.runs.data_needs import DataNeeds, DataPlan
    from epicene.suites import SuiteLike


class Plan(TabledResults):
    """How much data a comparison needs, headline by headline."""

    def __init__(self, result: DataPlan) -> None:
        self.result = result

    @property
    def headlines(self) -> dict[str, DataNeeds]:
        """What each headline needs: `items`, `groups`, `power`, `detectable`."""
        return {each.pilot.headline: each for each in self.result.needs}

    @property
    def items(self) -> int:
        """How many items are enough for every headline."""
        return max(each.items for each in self.result.needs)

    def _estimates(self) -> Mapping[str, Estimate]:
        return {name: each.detectable for name, each in self.headlines.items()}

    def _tables(self) -> Sequence[Table]:
        from epicene.report.data_needs import data_needs_tables

        return data_needs_tables(self.result)

    def _headline_table(self) -> Table:
        return self._tables()[0]

    def __repr__(self) -> str:
        """The suite and the number of items."""
        size = 100 * self.result.assumptions.difference
        return f"<Plan of {self.result.suite}: {self.items:,} items find {size:.3g} points>"


@keyword_errors
def plan(
    suite: SuiteLike,
    *,
    difference: float = 0.05,
    items: int | None = None,
    models: int = 2,
    from_: RunLike | Sequence[RunLike] = (),
    rate: float | None = None,
    icc: float | None = None,
    correlation: float = 0.0,
    group_size: int | None = None,
    samples: int | None = None,
    agreement: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    data: PathLike | None = None,
    seed: int = 0,
) -> Plan:
    """How many items a comparison of models needs to find a difference.

    >>> import epicene
    >>> plan = epicene.plan("alternations", rate=0.8, group_size=1, difference=0.1)
    >>> 290 < plan.items < 320
    True

    difference: what is to be found, as a share.
    items: a number of items, to learn which difference they find; by default those at hand.
    models: how many models are compared, each with each.
    from_: a pilot run, or one of each of two models, from which rates and correlations are taken.
    rate: without a pilot run, the share that is right.
    icc: the correlation of two items of a group.
    correlation: that of two models' answers to the same item.
    group_size: items per group; by default as in the data.
    samples: judgements of each item: samples of a model, or annotators.
    agreement: the correlation of two judgements of an item; of annotators, κ.
    data: your items; by default the suite's starter set.
    """
    from epicene.runs.data_needs import Assumptions, plan_from_items, plan_from_runs
    from epicene.suites import DataSource, choose_protocol, find_suite

    chosen = find_suite(suite)
    assumed = Assumptions(
        difference=difference,
        items=items,
        models=models,
        rate=rate,
        icc=icc,
        correlation=correlation,
        samples=samples,
        agreement=agreement,
        alpha=alpha,
        power=power,
        seed=seed,
    )
    pilots = [from_] if isinstance(from_, Run | str | Path) else list(from_)
    if pilots:
        if group_size is not None or data is not None:
            raise InputError("--group-size and --data are taken from the run beside --from.")
        stored = [stored_run(run) for run in pilots]
        for run in stored:
            if run.suite.name != chosen.name:
                raise InputError(
                    f"{run.folder} is a run of {run.suite.name}, not of {chosen.name}."
                )
        with scoring_progress():
            return Plan(plan_from_runs(stored, assumed))
    protocol = choose_protocol(chosen, "epicene", {}, None)
    source = DataSource(path=None if data is None else Path(data))
    at_hand = list(chosen.read(source, protocol).items)
    return Plan(plan_from_items(chosen.name, at_hand, assumed, group_size))
