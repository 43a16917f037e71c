"""Simulate `epicene plan`: do designs that it calls sufficient find the difference?

    python benchmarks/plan.py [--experiments 2000] [--pilots 20]

Each design is planned, then simulated anew with as many groups as the plan says, and every
simulated comparison is tested by the permutation test of `epicene compare`. A second table plans
from pilot runs, whose rates and correlations are estimates. A few minutes on one core; the tables
in docs/guides/plan.md come from here.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.stats.hypothesis_tests import permutation_test
from epicene.stats.power import (
    Clustering,
    detectable_difference,
    difference_shares,
    plan_groups,
    rate_shares,
    score_shares,
    simulate_pool,
)
from epicene.stats.variance_components import variance_components

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.stats.arrays import Floats
    from epicene.stats.power import GroupPool

ALPHA = 0.05


class Design(NamedTuple):
    """What is true of the answers."""

    rate: float
    difference: float
    items: int  # per group
    icc: float
    correlation: float  # of the two models
    samples: int = 1
    agreement: float = 1.0

    @property
    def clustering(self) -> Clustering:
        """How judgements hang together."""
        return Clustering(np.array([self.items]), self.samples, self.icc, self.agreement)

    def shares(self, difference: float) -> Floats:
        """How often judgements differ, and by how much."""
        return difference_shares(rate_shares(self.rate), difference, self.correlation)

    def pool(self, loss: float) -> GroupPool:
        """Simulated groups where the second model is that much worse."""
        return simulate_pool(self.shares(-loss), self.clustering)


DESIGNS = (
    *(
        Design(rate, -difference, items, icc, correlation)
        for rate, difference in ((0.5, 0.05), (0.8, 0.05), (0.95, 0.03), (0.98, 0.02))
        for items, icc in ((1, 0.0), (4, 0.3), (20, 0.1))
        for correlation in (0.0, 0.7)
    ),
    Design(0.8, -0.1, 1, 0.0, 0.0, samples=5, agreement=0.6),
    Design(0.8, -0.05, 4, 0.2, 0.5, samples=3, agreement=0.5),
)


def found_share(design: Design, groups: int, experiments: int, seed: int) -> float:
    """The share of new experiments in which the permutation test finds the difference."""
    shares = design.shares(design.difference)
    found = 0
    for number in range(experiments):
        drawn = simulate_pool(shares, design.clustering, groups=groups, seed=seed + number)
        test = permutation_test(drawn.sums, np.zeros(groups), resamples=2000, seed=number)
        found += test.p is not None and test.p <= ALPHA
    return found / experiments


def planned(experiments: int) -> Iterator[str]:
    """A row per design."""
    yield "| rate | difference | group of | icc | models | samples | groups | found | detectable |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for number, design in enumerate(DESIGNS):
        plan = plan_groups(simulate_pool(design.shares(design.difference), design.clustering))
        found = found_share(design, plan.groups, experiments, 10_000 * (number + 1))
        detectable = detectable_difference(design.pool, plan.groups, design.rate)
        yield (
            f"| {design.rate} | {-design.difference} | {design.items} | {design.icc} | "
            f"{design.correlation} | {design.samples} | {plan.groups} | {100 * found:.1f} % | "
            f"{detectable:.3f} |"
        )


def planned_from_pilots(pilots: int, experiments: int) -> Iterator[str]:
    """Plans from pilot runs of one model, whose rate and correlation are estimates."""
    yield "| pilot groups | mean groups planned | lowest | highest | found on average |"
    yield "|---|---|---|---|---|"
    design = Design(0.8, -0.05, 4, 0.3, 0.0)
    for size in (30, 100, 300):
        plans, found = [], []
        for pilot in range(pilots):
            scores, groups = pilot_scores(design, size, seed=pilot)
            parts = variance_components(scores, groups, np.arange(len(scores)))
            shares = difference_shares(score_shares(scores), design.difference, 0.0)
            clustering = Clustering(np.array([design.items]), 1, parts.icc)
            plan = plan_groups(simulate_pool(shares, clustering))
            plans.append(plan.groups)
            found.append(found_share(design, plan.groups, experiments // pilots, 7_000 * pilot))
        yield (
            f"| {size} | {np.mean(plans):.0f} | {min(plans)} | {max(plans)} | "
            f"{100 * np.mean(found):.1f} % |"
        )


def pilot_scores(design: Design, groups: int, seed: int) -> tuple[Floats, Floats]:
    """The right and wrong answers of one model, and their groups."""
    rng = np.random.default_rng(seed)
    own = rng.random((groups, design.items)) < design.rate
    common = rng.random((groups, 1)) < design.rate
    copied = rng.random((groups, design.items)) < np.sqrt(design.icc)
    scores = np.where(copied, common, own).astype(np.float64)
    return scores.ravel(), np.repeat(np.arange(groups), design.items)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--experiments", type=int, default=2000)
    parser.add_argument("--pilots", type=int, default=20)
    given = parser.parse_args()
    for line in planned(given.experiments):
        print(line, flush=True)
    print()
    for line in planned_from_pilots(given.pilots, given.experiments):
        print(line, flush=True)


if __name__ == "__main__":
    main()
