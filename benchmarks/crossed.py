"""How often 95 % intervals cover where templates and names are crossed, by simulation.

    python benchmarks/crossed.py [--data-sets 1000] [--part designs|draws]

Every template is asked with every name. Templates, names and single answers each have their share
of the variance (on the scale of a probit), and the truth is the rate over all templates and names.
Each line has the coverage of the interval that leaves out templates alone, and of the two-way
interval; then the same of the difference between two equal models that differ by template, name
and answer, with the false alarms of the two-way test. A second table is of repeated draws of a
model: groups of four prompts, each with its own chance of a right answer, of which so many draws
are taken. It takes some minutes on one core.
"""

from __future__ import annotations

import argparse
from itertools import product
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.stats.draws import mean_over_draws
from epicene.stats.intervals import clustered_difference, proportion
from epicene.stats.two_way import crossed_mean, crossed_test

if TYPE_CHECKING:
    from epicene.core.records import Estimate
    from epicene.stats.arrays import Floats

DESIGNS = ((100, 5), (100, 10), (30, 30), (100, 30))
COMPONENTS = ((0.2, 0.0), (0.2, 0.05), (0.2, 0.2), (0.0, 0.2))
RATES = (0.5, 0.9, 0.98)


class Design(NamedTuple):
    """So many templates and names, and their shares of the variance."""

    templates: int
    names: int
    of_templates: float
    of_names: float
    rate: float

    def answers(self, rng: np.random.Generator) -> Floats:
        """Right (1) or wrong (0), template × name."""
        rest = 1 - self.of_templates - self.of_names
        latent = (
            rng.normal(0, self.of_templates**0.5, (self.templates, 1))
            + rng.normal(0, self.of_names**0.5, (1, self.names))
            + rng.normal(0, rest**0.5, (self.templates, self.names))
        )
        return np.asarray(latent < NormalDist().inv_cdf(self.rate), dtype=np.float64)


def covers(found: Estimate, truth: float) -> bool:
    """Whether the interval has the truth."""
    assert found.low is not None
    assert found.high is not None
    return found.low <= truth <= found.high


def measure(design: Design, data_sets: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Per cent that cover: one-way and two-way, of a share and of a difference; false alarms; the
    median of the effective groups."""
    templates = np.repeat(np.arange(design.templates), design.names)
    names = np.tile(np.arange(design.names), design.templates)
    hits, groups = [], []
    for _ in range(data_sets):
        first, second = design.answers(rng).ravel(), design.answers(rng).ravel()
        both = crossed_mean(first, templates, names)
        gap = crossed_mean(second - first, templates, names, bounds=(-1, 1), scale="difference")
        test = crossed_test(second, first, templates, names)
        hits.append(
            (
                covers(proportion(first, groups=templates), design.rate),
                covers(both, design.rate),
                covers(clustered_difference(second, first, templates, bounds=(-1, 1)), 0),
                covers(gap, 0),
                test.p is not None and test.p <= 0.05,
            )
        )
        groups.append(both.groups or 0.0)
    return (*(100 * np.mean(hits, axis=0)), float(np.median(groups)))


class Repeated(NamedTuple):
    """So many draws of groups of four prompts; `shared` is the variance that a draw has in common
    (on the scale of a probit)."""

    groups: int
    draws: int
    rate: float
    shared: float

    def measure(self, data_sets: int, rng: np.random.Generator) -> tuple[float, ...]:
        """Per cent that cover: over groups with one draw and with all, over groups and draws, and
        over draws of the same prompts."""
        prompts = 4 * self.groups
        labels = np.repeat(np.arange(prompts), self.draws)
        draws = np.tile(np.arange(self.draws), prompts)
        hits = []
        for _ in range(data_sets):
            own = rng.normal(0, 0.2**0.5, self.groups).repeat(4) + rng.normal(0, 0.3**0.5, prompts)
            noise = rng.normal(0, (0.5 - self.shared) ** 0.5, (prompts, self.draws))
            common = rng.normal(0, self.shared**0.5, (1, self.draws))
            bar = NormalDist().inv_cdf(self.rate)
            right = np.asarray(own[:, None] + common + noise < bar, dtype=np.float64)
            # The chance of each prompt, over further draws.
            truth = np.mean([NormalDist(0, 0.5**0.5).cdf(bar - each) for each in own])
            values = right.ravel()
            hits.append(
                (
                    covers(proportion(right[:, 0], groups=np.arange(prompts) // 4), self.rate),
                    covers(proportion(values, groups=labels // 4), self.rate),
                    covers(crossed_mean(values, labels // 4, draws), self.rate),
                    covers(mean_over_draws(right).estimate, float(truth)),
                )
            )
        return tuple(100 * np.mean(hits, axis=0))


def print_designs(data_sets: int) -> None:
    """The table of templates and names in Markdown."""
    print(
        "| templates × names | variance of templates, names | share: one-way | two-way | "
        "difference: one-way | two-way | false alarms | effective groups |"
    )
    print("|---" * 8 + "|")
    for (templates, names), (of_templates, of_names) in product(DESIGNS, COMPONENTS):
        found = []
        for rate in RATES:
            rng = np.random.default_rng([templates, names, int(1000 * rate)])
            design = Design(templates, names, of_templates, of_names, rate)
            found.append(measure(design, data_sets, rng))
        low, high = np.min(found, axis=0), np.max(found, axis=0)
        fields = [f"{a:.1f}–{b:.1f}" for a, b in zip(low[:5], high[:5], strict=True)]
        fields.append(f"{low[5]:.0f}–{high[5]:.0f}")
        print(
            f"| {templates} × {names} | {of_templates}, {of_names} | {' | '.join(fields)} |",
            flush=True,
        )


def print_draws(data_sets: int) -> None:
    """The table of repeated draws in Markdown."""
    print(
        "| groups × draws | rate | a draw's own part | over groups, one draw | all draws | "
        "over groups and draws | these items |"
    )
    print("|---" * 7 + "|")
    for groups, draws, rate, shared in product((30, 100), (3, 10), (0.5, 0.9), (0.0, 0.02)):
        rng = np.random.default_rng([groups, draws, int(1000 * rate)])
        covered = Repeated(groups, draws, rate, shared).measure(data_sets, rng)
        fields = [f"{each:.1f}" for each in covered]
        print(f"| {groups} × {draws} | {rate} | {shared} | {' | '.join(fields)} |", flush=True)


PARTS = {"designs": print_designs, "draws": print_draws}


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data-sets", type=int, default=1000)
    arguments.add_argument("--part", choices=PARTS, nargs="+", default=list(PARTS))
    chosen = arguments.parse_args()
    for part in chosen.part:
        PARTS[part](chosen.data_sets)


if __name__ == "__main__":
    main()
