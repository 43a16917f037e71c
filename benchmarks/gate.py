"""Simulate `epicene gate`: false alarms, wrong passes, power, and a hundred nights.

    python benchmarks/gate.py [--pairs 1000] [--series 1000] [--part PART]

The parts are suites, bootstrap, unequal, power and nights. Groups and sizes are those of each
suite's starter set; answers are simulated with known rates, so that it is known whether the new
model is worse. All parts take a few minutes on one core; the tables in docs/guides/gate.md come
from here.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import epicene
from epicene.core.records import Estimate
from epicene.runs.gate.decision import HeadlineEvidence, decide
from epicene.runs.gate.gate import distance_from_zero
from epicene.runs.gate.policy import GatePolicy
from epicene.stats.independent_difference import independent_difference
from epicene.stats.paired_spread import PairedSpread, paired_spread
from epicene.suites.gramvis import suite as gramvis
from epicene.suites.gramvis.counts import CountArray, WordKey
from epicene.suites.gramvis.items import CONDITIONS, LABELS
from epicene.suites.gramvis.metrics import headline_effects
from epicene.suites.headline_metrics import headline_metrics_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.stats.arrays import Floats, Ints

RATES = (0.02, 0.1, 0.5, 0.9, 0.98)
CORRELATIONS = (0.0, 0.3, 0.8)  # within groups
AGREEMENTS = (0.0, 0.7)  # between models
MARGIN = 0.05
ALPHA = 0.05


class Model(NamedTuple):
    """How the answers of two models are drawn."""

    rate: float
    difference: float = 0.0
    icc: float = 0.3
    agreement: float = 0.5


def simulate(sizes: Ints, model: Model, data_sets: int, rng: np.random.Generator) -> Floats:
    """The sums of differences by data set and group: the second model minus the first.

    A judgement takes its group's draw with the chance √icc, and the second model the first's
    random number with the chance `agreement`.
    """
    shares = _difference_shares(model)
    common = rng.choice([-1.0, 0.0, 1.0], size=(data_sets, len(sizes)), p=shares)
    same = rng.binomial(sizes, np.sqrt(model.icc), size=(data_sets, len(sizes)))
    own = rng.multinomial(np.broadcast_to(sizes, same.shape) - same, shares)
    sums: Floats = same * common + own[..., 2] - own[..., 0]
    return sums


def _difference_shares(model: Model) -> list[float]:
    first, second = model.rate, model.rate + model.difference
    lost = model.agreement * max(0.0, first - second) + (1 - model.agreement) * first * (1 - second)
    gained = model.agreement * max(0.0, second - first) + (1 - model.agreement) * second * (
        1 - first
    )
    return [lost, 1 - lost - gained, gained]


def _nth(spread: PairedSpread, number: int) -> PairedSpread:
    """One data set of those side by side."""
    parts: list[Any] = [part if isinstance(part, int) else part[number] for part in spread]
    return PairedSpread(*parts)


def decided(spreads: list[PairedSpread], number: int, rule: str, alpha: float | None = None) -> str:
    """What the gate says of one data set, by the code that the command runs."""
    policy = GatePolicy(rule=rule, margin=MARGIN)  # type: ignore[arg-type]
    figure = Estimate(value=0.5, low=0.4, high=0.6)
    evidence = [
        HeadlineEvidence(
            headline=str(index),
            rule=policy.rule,
            margin=MARGIN,
            baseline=figure,
            new=figure,
            change=_nth(spread, number),
            paired=True,
            judgements=1,
        )
        for index, spread in enumerate(spreads)
    ]
    outcomes = {each.outcome for each in decide(evidence, policy, alpha=alpha)}
    return next(each for each in ("fail", "undecided", "pass") if each in outcomes)


# --- equal models, suite by suite ------------------------------------------------------------


def headline_sizes(suite: str) -> list[Ints]:
    """The sizes of the groups behind each headline of a suite's starter set."""
    with tempfile.TemporaryDirectory() as folder:
        run = epicene.run(suite, "random", out=Path(folder) / "run", progress=False)
        results = run.summary.results
        frames = [
            headline.item_scores(results)
            for headline in headline_metrics_of(run.stored[0].suite, results)
            if headline.item_scores is not None
        ]
        return [
            frame.group_by("group").len()["len"].to_numpy().astype(np.int64)
            for frame in frames
            if len(frame)
        ]


class Alarms(NamedTuple):
    """Shares of pairs of equal models, and of models at the margin, that get a wrong answer."""

    failed: float
    failed_by_no_regression: float
    passed_at_margin: float


def alarms(sizes: list[Ints], model: Model, pairs: int, seed: int) -> Alarms:
    """Wrong answers where all headlines have this model."""
    rng = np.random.default_rng(seed)
    equal = [paired_spread(simulate(each, model, pairs, rng), each) for each in sizes]
    failed, regressed = (
        sum(decided(equal, number, rule) == "fail" for number in range(pairs)) / pairs
        for rule in ("non-inferiority", "no-regression")
    )
    worse = model._replace(difference=-MARGIN if model.rate > MARGIN else 0.0)
    passed = float("nan")
    if worse.difference:
        at_margin = [paired_spread(simulate(each, worse, pairs, rng), each) for each in sizes]
        passes = [decided(at_margin, number, "non-inferiority") for number in range(pairs)]
        passed = passes.count("pass") / pairs
    return Alarms(failed, regressed, passed)


def gramvis_alarms(pairs: int, images: int, seed: int) -> tuple[float, float]:
    """False alarms of two equal drawers, gated on effects nearer zero: of each rule."""
    rng = np.random.default_rng(seed)
    entries = epicene.read_data("gramvis").frame()["entry"].to_list()
    words = tuple(
        dict.fromkeys(
            WordKey(each["language"], each["grammar"], each["category"], each["word"])
            for each in entries
        )
    )
    men = np.clip(rng.normal(0.5, 0.25, size=(len(words), 1, len(CONDITIONS))), 0.02, 0.98)

    def drawn() -> dict[str, Estimate]:
        male = rng.binomial(images, men)
        values = np.zeros((len(words), 1, len(CONDITIONS), len(LABELS)))
        values[..., LABELS.index("male")] = male
        values[..., LABELS.index("female")] = images - male
        counts = CountArray(words, ("drawer",), values, np.ones((len(words), 1), dtype=np.bool_))
        found = headline_effects(counts, gramvis.protocols["epicene"])
        return {name: each for name, each in found.items() if name.startswith("english_effect")}

    failed = dict.fromkeys(("non-inferiority", "no-regression"), 0)
    for _ in range(pairs):
        old, new = drawn(), drawn()
        for rule in failed:
            policy = GatePolicy(rule=rule, margin=MARGIN)  # type: ignore[arg-type]
            evidence = [
                HeadlineEvidence(
                    headline=name,
                    rule=policy.rule,
                    margin=MARGIN,
                    baseline=old[name],
                    new=new[name],
                    change=independent_difference(
                        distance_from_zero(new[name]), distance_from_zero(old[name])
                    ),
                    paired=False,
                    judgements=1,
                )
                for name in old
            ]
            failed[rule] += any(each.outcome == "fail" for each in decide(evidence, policy))
    return failed["non-inferiority"] / pairs, failed["no-regression"] / pairs


def suites(pairs: int) -> Iterator[str]:
    """False alarms by suite: the mean and the highest of all cells."""
    yield "| suite | headlines | non-inferiority | no-regression | passes at the margin |"
    yield "|---|---|---|---|---|"
    for suite in ("alternations", "apgc", "genform", "misgendering", "translation"):
        sizes = headline_sizes(suite)
        found = [
            alarms(sizes, Model(rate, 0.0, icc, agreement), pairs, seed)
            for seed, (rate, icc, agreement) in enumerate(
                (rate, icc, agreement)
                for rate in RATES
                for icc in CORRELATIONS
                for agreement in AGREEMENTS
            )
        ]
        shown = [
            f"{100 * np.nanmean(column):.1f} ({100 * np.nanmax(column):.1f})"
            for column in zip(*found, strict=True)
        ]
        groups = ", ".join(str(len(each)) for each in sizes)
        yield f"| {suite} | {len(sizes)} ({groups} groups) | {' | '.join(shown)} |"
    inferior, regressed = gramvis_alarms(pairs, 16, 0)
    yield f"| gramvis | 2 (unpaired) | {100 * inferior:.1f} | {100 * regressed:.1f} | – |"


# --- the bootstrap instead -------------------------------------------------------------------


def bootstrap(pairs: int) -> Iterator[str]:
    """What the percentile bootstrap over groups would decide, beside the gate's bounds."""
    yield "| groups of 4 | rate | wrong fail: gate | bootstrap | wrong pass: gate | bootstrap |"
    yield "|---|---|---|---|---|---|"
    for groups in (10, 30, 100):
        for rate in (0.5, 0.9, 0.98):
            rng = np.random.default_rng(groups)
            sizes = np.full(groups, 4)
            cells = []
            for model in (Model(rate, 0.0), Model(rate, -MARGIN)):
                sums = simulate(sizes, model, pairs, rng)
                ours = paired_spread(sums, sizes)
                theirs = [_bootstrap_ends(each, rng) for each in sums]
                if model.difference:
                    cells += [
                        np.mean(ours.low(0.975) >= -MARGIN),
                        np.mean([low >= -MARGIN for low, _ in theirs]),
                    ]
                else:
                    cells += [
                        np.mean(ours.high(0.975) < 0),
                        np.mean([high < 0 for _, high in theirs]),
                    ]
            yield (
                f"| {groups} | {rate} | " + " | ".join(f"{100 * cell:.1f}" for cell in cells) + " |"
            )


def _bootstrap_ends(sums: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """The percentile bootstrap of a mean over groups of four judgements."""
    drawn = sums[rng.integers(len(sums), size=(1000, len(sums)))]
    low, high = np.quantile(drawn.mean(axis=1) / 4, (0.025, 0.975))
    return float(low), float(high)


def unequal(pairs: int) -> Iterator[str]:
    """Groups of very unequal size (Pareto, of 2 to some hundred) that are lost as a whole."""
    yield "| groups | rate | icc | wrong fail | wrong pass |"
    yield "|---|---|---|---|---|"
    for groups in (50, 150, 500):
        ranks = (np.arange(groups) + 0.5) / groups
        sizes = np.round(2 * (1 - ranks) ** (-1 / 1.5)).astype(np.int64)
        for rate in (0.5, 0.9, 0.98):
            for icc in (0.3, 0.8):
                rng = np.random.default_rng(groups)
                equal, worse = (
                    paired_spread(simulate(sizes, Model(rate, change, icc, 0.7), pairs, rng), sizes)
                    for change in (0.0, -MARGIN)
                )
                failed, passed = equal.high(0.975) < 0, worse.low(0.975) >= -MARGIN
                shown = " | ".join(f"{100 * np.mean(each):.1f}" for each in (failed, passed))
                yield f"| {groups} | {rate} | {icc} | {shown} |"


# --- power -----------------------------------------------------------------------------------


def power(pairs: int) -> Iterator[str]:
    """Pass, fail and undecided by the true change."""
    changes = (-0.15, -0.1, -0.075, -0.05, -0.025, 0.0, 0.025, 0.05)
    yield "| groups of 4 | rule | " + " | ".join(f"{100 * each:+.1f}" for each in changes) + " |"
    yield "|---|---|" + "---|" * len(changes)
    for groups in (50, 100, 200, 400, 800):
        sizes = np.full(groups, 4)
        for rule in ("non-inferiority", "no-regression"):
            cells = []
            for change in changes:
                rng = np.random.default_rng(groups)
                spread = paired_spread(simulate(sizes, Model(0.8, change), pairs, rng), sizes)
                outcomes = [decided([spread], number, rule) for number in range(pairs)]
                passed, failed = (100 * outcomes.count(each) / pairs for each in ("pass", "fail"))
                cells.append(f"{passed:.0f} / {failed:.0f}")
            yield f"| {groups} | {rule} | " + " | ".join(cells) + " |"


# --- nights ----------------------------------------------------------------------------------


def nights(series: int, count: int = 100) -> Iterator[str]:
    """Series of nights with equal models, against one baseline whose answers stay the same."""
    yield "| groups of 4 | rate | one look | 100 nights, each at 5 % | 100 nights with --nights |"
    yield "|---|---|---|---|---|"
    for groups in (30, 100, 300):
        for rate in (0.5, 0.9):
            rng = np.random.default_rng(groups)
            one, many, kept = 0, 0, 0
            for _ in range(series):
                # What each item is to these models, alike within groups; the same every night.
                centre = rng.beta(2 * rate, 2 * (1 - rate), size=(groups, 1))
                right = np.clip(rng.normal(centre, 0.1, size=(groups, 4)), 0, 1)
                baseline = rng.random((groups, 4)) < right
                new = rng.random((count, groups, 4)) < right
                sums = (new.astype(np.float64) - baseline).sum(axis=2)
                spread = paired_spread(sums, np.full(groups, 4.0))
                one += bool(spread.high(1 - ALPHA / 2)[0] < 0)
                many += bool((spread.high(1 - ALPHA / 2) < 0).any())
                kept += bool((spread.high(1 - ALPHA / count / 2) < 0).any())
            shown = " | ".join(f"{100 * each / series:.1f} %" for each in (one, many, kept))
            yield f"| {groups} | {rate} | {shown} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--series", type=int, default=1000)
    parser.add_argument("--part", choices=("suites", "bootstrap", "unequal", "power", "nights"))
    given = parser.parse_args()
    parts = {
        "suites": lambda: suites(given.pairs),
        "bootstrap": lambda: bootstrap(given.pairs),
        "unequal": lambda: unequal(given.pairs),
        "power": lambda: power(given.pairs),
        "nights": lambda: nights(given.series),
    }
    for name in [given.part] if given.part else parts:
        print(f"\n{name}\n")
        for line in parts[name]():
            print(line, flush=True)


if __name__ == "__main__":
    main()
