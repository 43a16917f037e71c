"""How much data a comparison needs, by headline, from one pilot run or from a run of each model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import InputError, pluralise
from epicene.core.records import Column, Estimate, Row, Table
from epicene.results.paired_differences import paired_scores, spread_of_scores
from epicene.results.run_pair import POSITIONS, headline_figures, read_pair
from epicene.results.summary import summarise
from epicene.stats.paired_spread import paired_spread
from epicene.stats.power import ALPHA, POWER, check_share, detectable_difference, groups_needed
from epicene.stats.tabulate import group_codes
from epicene.suites.headline_metrics import headline_metrics_of
from epicene.suites.wordings import unmarked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.runs.stored_run import StoredRun
    from epicene.stats.paired_spread import PairedSpread


class DataNeeds(NamedTuple):
    """What one headline needs; the intervals are what the pilot leaves open."""

    headline: str
    items: Estimate
    groups: Estimate
    detectable: Estimate  # by the items of the pilot, or by a given number


@dataclass(frozen=True)
class DataPlan:
    """What every headline of a suite needs to detect a difference."""

    suite: str
    difference: float
    needs: tuple[DataNeeds, ...]
    notes: tuple[str, ...]

    @property
    def table(self) -> Table:
        """One row per headline."""
        points = f"{100 * self.difference:.3g} points"
        return Table(
            name="plan",
            title=f"{self.suite}: data needed to find a difference of {points}",
            levels=("headline",),
            columns=(
                Column(name="items needed", unit="count"),
                Column(name="groups needed", unit="count"),
                Column(name="detectable difference"),
            ),
            rows=tuple(Row(keys=each[:1], cells=each[1:]) for each in self.needs),
            notes=self.notes,
        )


def plan_from_runs(
    runs: Sequence[StoredRun],
    *,
    difference: float = 0.05,
    items: int | None = None,
    power: float = POWER,
    alpha: float = ALPHA,
) -> DataPlan:
    """What the headlines of one pilot run need, or of a run of each of two models."""
    for name, share in (("difference", difference), ("power", power), ("alpha", alpha)):
        check_share(f"--{name}", share)
    if items is not None and items < 2:
        raise InputError(f"--items must be at least 2, not {items}.")
    pilots = list(_pilots_of_pair(*runs) if len(runs) == 2 else _pilots_of_run(*runs))
    if not pilots:
        raise InputError(
            f"{runs[0].folder} has no headline with right and wrong outcomes that can be paired "
            "by item, so it cannot be used for planning."
        )
    needs = []
    for headline, frame, spread in pilots:
        # An item in several wordings counts once.
        per_group = len({unmarked(item) for item in frame["item"].unique()}) / spread.groups
        there = spread.groups if items is None else items / per_group
        level = alpha / len(pilots)
        groups = groups_needed(spread, difference, alpha=level, power=power)
        detectable = detectable_difference(spread, there, alpha=level, power=power)
        needs.append(DataNeeds(headline, _times(groups, per_group), groups, detectable))
    given = "as many items as the pilot has" if items is None else f"{items:,} items"
    return DataPlan(
        runs[0].suite.name,
        difference,
        tuple(needs),
        (
            f"A difference is found if it is significant at {100 * alpha:.3g} % over "
            f"{pluralise(len(pilots), 'headline')}, in {100 * power:.3g} % of comparisons; the "
            f"detectable difference is what {given} can find. The variance is the upper 80 % limit "
            "of the pilot's, and intervals are what the pilot leaves open (95 %).",
            _ONE_RUN if len(runs) == 1 else _TWO_RUNS,
        ),
    )


_ONE_RUN = (
    "The other model is assumed to answer independently of this one, which needs the most data; "
    "with a run of each, fewer items may do."
)
_TWO_RUNS = "The differences between the two models are assumed to vary as in these two runs."


def _times(groups: Estimate, per_group: float) -> Estimate:
    """Groups as items."""
    value, low, high = (
        math.ceil((end or 0) * per_group) for end in (groups.value, groups.low, groups.high)
    )
    return Estimate(value=value, low=low, high=high, n=groups.n)


def _pilots_of_run(run: StoredRun) -> Iterator[tuple[str, polars.DataFrame, PairedSpread]]:
    """Each headline with its judgements, and how much two independent models like it differ."""
    results = summarise([run]).results
    for headline in headline_metrics_of(run.suite, results):
        if headline.item_scores is not None:
            frame = headline.item_scores(results)
            if len(frame):
                scores = frame["score"].to_numpy()
                # Right minus wrong has four times the variance of right, two models have twice.
                spread = paired_spread(scores, 1 - scores, groups=group_codes(frame))
                yield headline.name, frame, spread._replace(variance=spread.variance / 2)


def _pilots_of_pair(
    first: StoredRun, second: StoredRun
) -> Iterator[tuple[str, polars.DataFrame, PairedSpread]]:
    for figures in headline_figures(read_pair(first, second)):
        if figures.scores is not None:
            both = paired_scores(figures.scores, POSITIONS, suite=first.suite.name)
            if len(both):
                yield figures.headline.name, both, spread_of_scores(both)
