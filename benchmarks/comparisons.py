"""Simulate comparisons of two models: intervals, margins and plans, with known truth.

    python benchmarks/comparisons.py [--data-sets 2000]

Groups of four answers, correlated within groups (0.3) and between the models (0.5). The figures in
docs/background/statistics.md and docs/guides/plan.md come from here; a minute on one core.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np

from epicene.stats.paired_spread import PairedSpread, paired_spread
from epicene.stats.power import groups_needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.stats.arrays import Ints

RATES = (0.5, 0.8, 0.95)
MARGIN = 0.05
ICC, AGREEMENT = 0.3, 0.5


def compared(sizes: Ints, rate: float, change: float, rng: np.random.Generator) -> PairedSpread:
    """Two simulated models: the rate of the second is the first's plus the change.

    An answer takes its group's draw with the chance √icc, and the second model the first's random
    number with the chance of their agreement.
    """
    second = rate + change
    gained, lost = max(0.0, change), max(0.0, -change)
    shares = [
        AGREEMENT * lost + (1 - AGREEMENT) * rate * (1 - second),
        0.0,
        AGREEMENT * gained + (1 - AGREEMENT) * second * (1 - rate),
    ]
    shares[1] = 1 - shares[0] - shares[2]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    common = rng.choice([-1.0, 0.0, 1.0], p=shares, size=len(sizes))[groups]
    own = rng.choice([-1.0, 0.0, 1.0], p=shares, size=len(groups))
    gaps = np.where(rng.random(len(groups)) < np.sqrt(ICC), common, own)
    return paired_spread(gaps, np.zeros(len(gaps)), groups)


def sizes_of(kind: str, groups: int, rng: np.random.Generator) -> Ints:
    """Groups of four, or of very unequal size."""
    if kind == "4":
        return np.full(groups, 4)
    return np.minimum(300, np.ceil(2 * (1 + rng.pareto(1.2, groups)))).astype(np.int64)


def decided(spread: PairedSpread) -> str:
    """The outcome of a margin."""
    found = spread.estimate()
    if found.high is not None and found.high < -MARGIN:
        return "fail"
    return "pass" if found.low is not None and found.low > -MARGIN else "undecided"


def errors(data_sets: int) -> Iterator[str]:
    """How often intervals miss, and how often a margin errs; lowest to highest of the rates."""
    yield "| groups | sizes | covered | p ≤ 5 % of equal models | wrong pass | wrong fail |"
    yield "|---|---|---|---|---|---|"
    for kind in ("4", "Pareto"):
        for groups in (10, 30, 100, 300):
            cells = np.array([list(_errors(kind, groups, rate, data_sets)) for rate in RATES])
            shown = " | ".join(
                f"{100 * low:.1f}–{100 * high:.1f}"
                for low, high in zip(cells.min(axis=0), cells.max(axis=0), strict=True)
            )
            yield f"| {groups} | {kind} | {shown} |"


def _errors(kind: str, groups: int, rate: float, data_sets: int) -> Iterator[float]:
    rng = np.random.default_rng(groups)
    sizes = sizes_of(kind, groups, rng)
    equal = [compared(sizes, rate, 0.0, rng) for _ in range(data_sets)]
    worse = [compared(sizes, rate, -MARGIN, rng) for _ in range(data_sets)]
    yield float(np.mean([_covers(each, -MARGIN) for each in worse]))
    yield float(np.mean([(each.test().p or 0.0) <= 0.05 for each in equal]))
    outcomes = [decided(each) for each in worse]
    yield outcomes.count("pass") / data_sets
    yield outcomes.count("fail") / data_sets


def _covers(spread: PairedSpread, truth: float) -> bool:
    found = spread.estimate()
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


def margins(data_sets: int) -> Iterator[str]:
    """How often a margin passes and fails, by the true change."""
    changes = (-0.15, -0.1, -0.05, -0.025, 0.0, 0.025)
    yield "| groups of 4 | " + " | ".join(f"{100 * each:+.1f}" for each in changes) + " |"
    yield "|---|" + "---|" * len(changes)
    for groups in (50, 100, 200, 400, 800):
        rng = np.random.default_rng(groups)
        cells = []
        for change in changes:
            found = [
                decided(compared(np.full(groups, 4), 0.8, change, rng)) for _ in range(data_sets)
            ]
            cells.append(
                f"{100 * found.count('pass') / data_sets:.0f} / "
                f"{100 * found.count('fail') / data_sets:.0f}"
            )
        yield f"| {groups} | " + " | ".join(cells) + " |"


def plans(data_sets: int) -> Iterator[str]:
    """Plans from pilots of two equal models, and how often they find a loss of 5 points."""
    yield "| pilot groups | rate | planned: mean | lowest | highest | found |"
    yield "|---|---|---|---|---|---|"
    for groups in (10, 20, 50, 100):
        for rate in RATES:
            rng = np.random.default_rng(groups)
            planned, found = [], []
            for _ in range(data_sets // 4):
                pilot = compared(np.full(groups, 4), rate, 0.0, rng)
                planned.append(int(groups_needed(pilot, MARGIN).value or 0))
                test = compared(np.full(planned[-1], 4), rate, -MARGIN, rng).test()
                found.append(test.p is not None and test.p <= 0.05)
            yield (
                f"| {groups} | {rate} | {np.mean(planned):.0f} | {min(planned)} | "
                f"{max(planned)} | {100 * np.mean(found):.0f} % |"
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-sets", type=int, default=2000)
    given = parser.parse_args()
    for part in (errors, margins, plans):
        print(*part(given.data_sets), "", sep="\n", flush=True)


if __name__ == "__main__":
    main()
