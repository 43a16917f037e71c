"""Plan a comparison: how much data it needs, and what a design can detect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from epicene.app.arguments import TEXTS, Data, RunLike, SuiteLike, data_source
from epicene.app.output import Output, print_json
from epicene.app.progress import scoring_progress
from epicene.app.results import TabledResults, stored_runs
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from epicene.core.records import Estimate, Table
    from epicene.runs.data_needs import DataNeeds, DataPlan


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
        """The number of items that is enough for every headline."""
        return max(each.items for each in self.result.needs)

    def _estimates(self) -> Mapping[str, Estimate]:
        return {name: each.detectable for name, each in self.headlines.items()}

    def _tables(self) -> Sequence[Table]:
        from epicene.report.data_needs import data_needs_tables

        return data_needs_tables(self.result)

    def __repr__(self) -> str:
        """The suite and the number of items."""
        size = 100 * self.result.assumptions.difference
        return f"<Plan of {self.result.suite}: {self.items:,} items find {size:.3g} points>"

    def _print_(self, output: Output) -> int:
        from epicene.report.data_needs import data_needs_document

        if not output.json:
            return super()._print_(output)
        print_json(data_needs_document(self.result))
        return 0


def plan(
    suite: SuiteLike,
    *,
    difference: float = 0.05,
    items: int | None = None,
    models: int = 2,
    pilot: Annotated[
        RunLike | Sequence[RunLike], TEXTS, Parameter(name="--from", metavar="RUN")
    ] = (),
    rate: float | None = None,
    icc: float | None = None,
    correlation: float = 0.0,
    group_size: int | None = None,
    samples: int | None = None,
    agreement: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    data: Data = None,
    seed: int = 0,
) -> Plan:
    """Estimate how many items a comparison of models needs to detect a difference.

    Args:
        suite: The suite.
        difference: The difference to detect, as a share: 0.05 is 5 percentage points.
        items: Report which difference this many items can detect (default: the number of items in
            the data).
        models: The number of models, each compared with every other.
        pilot: A pilot run to take rates and correlations from; repeat the option to name one run of
            each of two models.
        rate: Without a pilot run: the share of correct answers (default: 0.5).
        icc: Without a pilot run: the correlation within a group (default: 0.3).
        correlation: The correlation between two models' answers to the same item.
        group_size: Items per group (default: as in the data).
        samples: Judgements per item: samples of a model, or annotators.
        agreement: The correlation between judgements of the same item; for annotators, κ.
        power: The power: how often the difference should be detected.
        alpha: The significance level.
        data: Your file or folder (default: the starter set).
        seed: The random seed of the simulation.

    Examples:
        >>> import epicene
        >>> plan = epicene.plan("alternations", rate=0.8, group_size=1, difference=0.1)
        >>> 290 < plan.items < 320
        True
    """
    from epicene.runs.data_needs import Assumptions, plan_from_items, plan_from_runs
    from epicene.suites import choose_protocol, find_suite

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
    if pilot:
        if group_size is not None or data is not None:
            raise InputError(
                "--group-size and --data cannot be combined with --from: both are taken from the "
                "run."
            )
        stored = stored_runs([pilot])
        for run in stored:
            if run.suite.name != chosen.name:
                raise InputError(
                    f"{run.folder} is a run of {run.suite.name}, not of {chosen.name}."
                )
        with scoring_progress():
            return Plan(plan_from_runs(stored, assumed))
    named = chosen.headline_metrics
    if named and not callable(named) and all(each.item_scores is None for each in named):
        raise InputError(
            f"No headline of {chosen.name} has right and wrong outcomes that can be paired by "
            "item, so there is nothing to plan."
        )
    protocol = choose_protocol(chosen, "epicene", {}, None)
    at_hand = list(chosen.read(data_source(data), protocol).items)
    return Plan(plan_from_items(chosen.name, at_hand, assumed, group_size))
