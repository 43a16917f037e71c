"""Coverage and width of rates corrected by people's labels, by simulation with known truth.

    python benchmarks/corrected.py [--data-sets 300] [--labels 50 200 1000] [--accuracies …]
                                   [--cells]
    python benchmarks/corrected.py --bound

About 2,000 answers in 500 groups of 1 to 7, right at rates .1 and .5, alike in groups.
A judge of 70, 90 or 99 % accuracy errs both ways alike, or calls only wrong answers right or only
right ones wrong (as often as there are such answers). People label some answers: at random; equally
many of 20 cells of unequal size; equally many of those called right and wrong; or those more often
of which the judge is unsure. Each field has the mean, lowest and highest coverage over these cells;
the next ones those cells alone whose intervals rest on 20 groups or more in effect (by the median
data set), and how many of them are between 93 and 97 %; the last ones the mean width relative to
that of the labels alone, and how often an interval is more than 5 % wider. `--cells` prints every
cell. It takes ten minutes on one core.

`--bound` asks how seldom any interval could cover where 50 labels check a judge of 99 %.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.stats import binom, norm

from epicene.core.records import ENOUGH_GROUPS
from epicene.stats.corrected import (
    CheckedRate,
    corrected_combination,
    corrected_rate,
    rogan_gladen,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from epicene.core.records import Estimate
    from epicene.stats.arrays import Floats, Ints

    Flags = NDArray[np.bool_]

RATES = (0.1, 0.5)  # .9 is .1 with right and wrong exchanged
CORRELATION = 0.2  # of answers of one group
BIASES = ("both ways", "too lenient", "too strict")
DESIGNS = ("random", "many cells", "by verdict", "unsure first")
ACCURACIES = (0.7, 0.9, 0.99)
GROUPS = 500


class Cell(NamedTuple):
    """A way to draw data sets."""

    labels: int
    accuracy: float
    rate: float
    bias: str
    design: str

    def generator(self, seed: int) -> np.random.Generator:
        """Random numbers of this cell alone."""
        return np.random.default_rng([seed, *repr(self).encode()])

    def draw(self, rng: np.random.Generator, groups: Ints | None = None) -> CheckedRate:
        """Answers with their automatic value, and the labels of some."""
        scale = 1 / CORRELATION - 1
        chances = rng.beta(self.rate * scale, (1 - self.rate) * scale, size=GROUPS)
        if groups is None:
            groups = np.repeat(np.arange(GROUPS), rng.integers(1, 8, GROUPS))
        truth = (rng.random(len(groups)) < chances[groups]).astype(np.float64)
        unsure = rng.random(len(groups)) < 0.3
        automatic = np.where(self._errors(rng, truth, unsure), 1 - truth, truth)
        return self._label(rng, truth, automatic, unsure, groups)

    def _errors(self, rng: np.random.Generator, truth: Floats, unsure: Flags) -> Flags:
        """Where the judge errs; four of five errors are where it is unsure."""
        wrong = 1 - self.accuracy
        able = {"both ways": truth >= 0, "too lenient": truth == 0, "too strict": truth == 1}
        here = able[self.bias]
        chance = np.where(unsure, 0.8 / 0.3, 0.2 / 0.7) * wrong / max(here.mean(), 1e-9)
        found: Flags = here & (rng.random(len(truth)) < np.minimum(chance, 0.95))
        return found

    def _label(
        self,
        rng: np.random.Generator,
        truth: Floats,
        automatic: Floats,
        unsure: Flags,
        groups: Ints,
    ) -> CheckedRate:
        rows = len(truth)
        cells = {
            "random": np.zeros(rows, dtype=np.int64),
            "many cells": (20 * rng.random(rows) ** 2).astype(np.int64),
            "by verdict": automatic.astype(np.int64),
            "unsure first": unsure.astype(np.int64),
        }[self.design]
        shares = {"unsure first": (0.4, 0.6)}.get(self.design)
        human = np.full(rows, np.nan)
        spare = 0
        kinds = int(cells.max()) + 1
        for cell in range(kinds):
            there = np.flatnonzero(cells == cell)
            wanted = round(self.labels * (shares[cell] if shares else 1 / kinds)) + spare
            taken = rng.choice(there, min(wanted, len(there)), replace=False)
            spare = wanted - len(taken)
            human[taken] = truth[taken]
        return CheckedRate(automatic, human, groups, cells)


class Found(NamedTuple):
    """Shares of data sets, and widths relative to those of labels alone."""

    automatic: float
    human: float
    corrected: float
    rogan_gladen: float
    width: float
    wider: float  # the share of data sets where the interval is more than 5 % wider
    groups: float  # the median number of groups in effect behind the corrected interval


def measure(cell: Cell, data_sets: int) -> Found:
    """Coverage and width in so many data sets."""
    rng = cell.generator(21)
    covered, widths, groups, second = [], [], [], []
    for _ in range(data_sets):
        rate = cell.draw(rng)
        found, other = corrected_rate(rate), rogan_gladen(rate)
        covered.append([_covers(each, cell.rate) for each in found[:3]])
        widths.append([_width(each) for each in found[1:3]])
        groups.append(found.corrected.groups or 0.0)
        if other.low is not None:
            second.append(_covers(other, cell.rate))
    return _found(covered, widths, groups, float(np.mean(second)) if second else float("nan"))


def measure_difference(cell: Cell, data_sets: int) -> Found:
    """The same of a difference of two models, the second 5 points worse, on the same groups."""
    rng = cell.generator(22)
    covered, widths, groups = [], [], []
    for _ in range(data_sets):
        first = cell.draw(rng)
        second = cell._replace(rate=cell.rate - 0.05).draw(rng, np.asarray(first.groups))
        found = corrected_combination([first, second], [1, -1])
        covered.append([_covers(each, 0.05) for each in found[:3]])
        widths.append([_width(each) for each in found[1:3]])
        groups.append(found.corrected.groups or 0.0)
    return _found(covered, widths, groups, float("nan"))


def _found(
    covered: list[list[bool]], widths: list[list[float]], groups: list[float], second: float
) -> Found:
    automatic, human, corrected = np.mean(covered, axis=0).tolist()
    by_labels, by_both = np.array(widths).T
    width = float(by_both.mean() / by_labels.mean())
    wider = float((by_both > 1.05 * by_labels).mean())
    return Found(automatic, human, corrected, second, width, wider, float(np.median(groups)))


def _covers(estimate: Estimate, truth: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= truth <= estimate.high


def _width(estimate: Estimate) -> float:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


def _fields(found: list[Found]) -> Iterator[str]:
    for name in ("corrected", "human", "automatic", "rogan_gladen"):
        values = [100 * getattr(each, name) for each in found]
        if np.isfinite(values).any():
            low, mean, high = np.nanmin(values), np.nanmean(values), np.nanmax(values)
            yield f"{mean:.1f} ({low:.1f}–{high:.1f})"
        else:
            yield "–"
    enough = [each.corrected for each in found if each.groups >= ENOUGH_GROUPS]
    inside = sum(0.93 <= each <= 0.97 for each in enough)
    yield f"{100 * min(enough):.1f}–{100 * max(enough):.1f}" if enough else "–"
    yield f"{inside} of {len(enough)}"
    yield f"{min(each.width for each in found):.2f}–{max(each.width for each in found):.2f}"
    yield f"{100 * max(each.wider for each in found):.1f}"


# --- what no interval can avoid ----------------------------------------------------------------


def lowest_coverage(noise: float, labels: int = 50, least: float = 0.93) -> float:
    """The lowest coverage for a lenient judge of 99 % that a search finds among intervals that
    cover at least so often for every lenient judge of 90 to 100 %.

    The intervals are symmetric, and no narrower with more contradictions among the labels. `noise`
    is the standard error of the automatic rate, without which contradictions are binomial.
    """
    rates = np.array(
        [0.01, 0.0, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.06, 0.07, 0.08, 0.1]
    )
    seen = np.arange(12)
    chances = binom.pmf(seen, labels, rates[:, None])
    errors = seen / labels - rates[:, None]

    def coverage(halves: Floats) -> Floats:
        inside = norm.cdf((halves - errors) / noise) - norm.cdf((-halves - errors) / noise)
        found: Floats = (chances * inside).sum(axis=1) + 0.95 * (1 - chances.sum(axis=1))
        return found

    def loss(steps: Floats) -> float:
        found = coverage(np.cumsum(steps**2))
        return float(found[0] + 200 * np.maximum(least - found, 0).sum())

    rng = np.random.default_rng(21)
    options = {"maxiter": 6000, "maxfev": 6000, "xatol": 1e-5, "fatol": 1e-6}
    starts = [
        np.sqrt([0.035 + 0.02 * rng.random(), *(0.008 * rng.random(len(seen) - 1))])
        for _ in range(8)
    ]
    return min(
        float(minimize(loss, start, method="Nelder-Mead", options=options).fun) for start in starts
    )


def main() -> None:
    """Print a row for each number of labels and accuracy, then one for differences."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-sets", type=int, default=300)
    parser.add_argument("--labels", type=int, nargs="+", default=[50, 200, 1000])
    parser.add_argument("--accuracies", type=float, nargs="+", default=list(ACCURACIES))
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS), choices=DESIGNS)
    parser.add_argument("--cells", action="store_true", help="Print every cell, too.")
    parser.add_argument("--bound", action="store_true", help="How seldom any interval could cover.")
    asked = parser.parse_args()
    if asked.bound:
        for noise in (0.0085, 0.0145):
            print(f"standard error {noise}: {100 * lowest_coverage(noise):.1f} %", flush=True)
        return
    heads = (
        "labels", "judge", "corrected", "labels alone", "automatic", "Rogan–Gladen",
        "on 20 groups or more", "of these 93–97", "width", "wider, %",
    )  # fmt: skip
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for labels, accuracy in product(asked.labels, asked.accuracies):
        single = [Cell(labels, accuracy, *kind) for kind in product(RATES, BIASES, asked.designs)]
        paired = [Cell(labels, accuracy, 0.5, bias, "random") for bias in BIASES]
        for name, cells, by in (
            (f"{labels}", single, measure),
            (f"{labels}, two models", paired, measure_difference),
        ):
            found = [by(cell, asked.data_sets) for cell in cells]
            print(f"| {name} | {100 * accuracy:g} % | {' | '.join(_fields(found))} |", flush=True)
            for cell, each in zip(cells, found, strict=True) if asked.cells else ():
                print(f"{cell}: {each}", flush=True)


if __name__ == "__main__":
    main()
