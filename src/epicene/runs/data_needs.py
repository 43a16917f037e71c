"""How much data a comparison needs, and what a design can detect, from pilot runs or from rates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.runs.compare import POSITIONS, check_same_suite, headline_figures, read_pair
from epicene.runs.paired_differences import paired_scores
from epicene.runs.summary import summarise
from epicene.runs.wordings import components_of_scores
from epicene.stats.arrays import encode_groups, group_sums
from epicene.stats.paired_spread import ALPHA, POWER, check_share
from epicene.stats.power import (
    Clustering,
    GroupPool,
    detectable_difference,
    difference_shares,
    plan_groups,
    rate_shares,
    score_shares,
    shifted_pool,
    simulate_pool,
)
from epicene.stats.tabulate import group_codes
from epicene.stats.variance_components import VarianceComponents, variance_components
from epicene.suites.headline_metrics import headline_metrics_of
from epicene.suites.wordings import FACET, unmarked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars

    from epicene.core.records import Item
    from epicene.runs.stored_run import StoredRun
    from epicene.stats.arrays import Floats

SAMPLES_SHOWN = (1, 2, 3, 5, 10)
_WORDINGS = (FACET, "template")  # facets that say how an item was put
# Where nothing is known: the correlation of a group's items, and of one item's judgements.
_ASSUMED_ICC = 0.3
_ASSUMED_AGREEMENT = 0.6


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """What a design should detect, and what is assumed about its answers."""

    difference: float = 0.05
    items: int | None = None  # the size of a design whose detectable difference is asked for
    models: int = 2
    rate: float | None = None
    icc: float | None = None
    correlation: float = 0.0  # of two models' answers to the same item
    samples: int | None = None
    agreement: float | None = None
    alpha: float = ALPHA
    power: float = POWER
    seed: int = 0

    def check(self) -> None:
        """Raise if a number is out of range."""
        for name, value in (("alpha", self.alpha), ("power", self.power)):
            check_share(f"--{name}", value)
        check_share("--difference", self.difference)
        for name, share in (
            ("rate", self.rate),
            ("icc", self.icc),
            ("correlation", self.correlation),
            ("agreement", self.agreement),
        ):
            if share is not None and not 0 <= share <= 1:
                raise InputError(f"--{name} must be between 0 and 1, not {share:g}.")
        for name, count, least in (
            ("items", self.items, 2),
            ("models", self.models, 2),
            ("samples", self.samples, 1),
        ):
            if count is not None and count < least:
                raise InputError(f"--{name} must be at least {least}, not {count}.")

    @property
    def pairs(self) -> int:
        """How many pairs of models are compared."""
        return self.models * (self.models - 1) // 2


@dataclass(frozen=True)
class Pilot:
    """What is known about a headline before the run: how often it is right, and how answers are
    correlated.
    """

    headline: str
    rate: float
    clustering: Clustering
    pool_at: Callable[[float], GroupPool]  # groups with a true difference
    components: VarianceComponents | None = None  # None if they are assumed
    groups: int = 0  # of the pilot run or the data
    items_per_group: float = 1.0  # of the data; each may be asked in several ways
    judgements_per_group: float = 1.0

    @property
    def direction(self) -> int:
        """A direction towards a rate of one half, where differences vary most."""
        return -1 if self.rate >= 0.5 else 1


@dataclass(frozen=True)
class DataNeeds:
    """What one headline needs."""

    pilot: Pilot
    difference: float
    groups: int
    items: int
    judgements: int
    power: float  # simulated, of so many groups
    given_groups: int
    detectable: Estimate  # the smallest difference that the given groups find
    by_samples: tuple[tuple[int, int, int], ...]  # samples of each prompt, items, judgements


@dataclass(frozen=True)
class DataPlan:
    """What every headline of a suite needs."""

    suite: str
    assumptions: Assumptions
    needs: tuple[DataNeeds, ...]
    comparisons: int  # over which the error rate is kept
    notes: tuple[str, ...] = ()


def plan_from_runs(runs: Sequence[StoredRun], assumptions: Assumptions) -> DataPlan:
    """What is needed by the headlines of one pilot run, or of a pair of them."""
    assumptions.check()
    for option, value in (
        ("--rate", assumptions.rate),
        ("--icc", assumptions.icc),
        ("--agreement", assumptions.agreement),
        ("--samples", assumptions.samples),
    ):
        if value is not None:
            raise InputError(f"{option} cannot be combined with --from: it is taken from the run.")
    notes: tuple[str, ...]
    if len(runs) == 1:
        pilots, notes = list(_pilots_of_run(runs[0], assumptions)), _ONE_RUN
    elif len(runs) == 2:
        if assumptions.correlation:
            raise InputError(
                "--correlation cannot be combined with two pilot runs: it is taken from them."
            )
        check_same_suite(*runs)
        pilots, notes = list(_pilots_of_pair(*runs)), _TWO_RUNS
    else:
        raise InputError(f"--from takes one run or two, not {len(runs)}.")
    if not pilots:
        raise InputError(
            f"{runs[0].folder} has no headline with right and wrong outcomes that can be paired "
            "by item, so it cannot be used for planning."
        )
    alike = [
        f"“{each.headline}”" for each in pilots if each.components and not each.components.total
    ]
    if alike:
        notes = (
            *notes,
            f"Answers do not vary on {', '.join(alike)}, so correlations are assumed, not "
            "measured; use a pilot in which some answers are wrong to measure them.",
        )
    return _plan(runs[0].suite.name, pilots, assumptions, notes)


def plan_from_items(
    suite: str, items: Sequence[Item], assumptions: Assumptions, group_size: int | None = None
) -> DataPlan:
    """What is needed at the given rates, with the groups of these items or with other groups."""
    assumptions.check()
    sizes = np.bincount(encode_groups([item.cluster for item in items], len(items)))
    if group_size is not None:
        if group_size < 1:
            raise InputError(f"--group-size must be at least 1, not {group_size}.")
        sizes = np.full(max(1, round(len(items) / group_size)), group_size)
    rate = 0.5 if assumptions.rate is None else assumptions.rate
    samples = assumptions.samples or 1
    icc = _ASSUMED_ICC if assumptions.icc is None else assumptions.icc
    if sizes.max() == 1:
        icc = 0.0
    agreement = assumptions.agreement
    if agreement is None:
        agreement = 1.0 if samples == 1 else max(_ASSUMED_AGREEMENT, icc)
    clustering = Clustering(sizes, samples, icc, agreement)
    pool_at = partial(_simulated_pool, rate_shares(rate), clustering, assumptions)
    per_group = float(sizes.mean())
    pilot = Pilot(
        "share right", rate, clustering, pool_at, None, len(sizes), per_group, per_group * samples
    )
    return _plan(suite, [pilot], assumptions, _GIVEN_RATES)


_ONE_RUN = (
    "Rates, groups and correlations are taken from the pilot run. The other model is assumed to "
    "answer independently of it, which needs the most data, unless --correlation says how far "
    "the two agree or --from names a run of each.",
)
_TWO_RUNS = (
    "The groups of the two pilot runs are resampled with their own differences, shifted to the "
    "difference to detect.",
)
_GIVEN_RATES = (
    "The rate and correlations are given or assumed, and the groups are those of the data; use "
    "--from RUN to take them from a run.",
)


# --- pilots ----------------------------------------------------------------------------------


def _pilots_of_run(run: StoredRun, assumptions: Assumptions) -> Iterator[Pilot]:
    results = summarise([run]).results
    for headline in headline_metrics_of(run.suite, results):
        if headline.item_scores is None:
            continue
        frame = headline.item_scores(results)
        if len(frame):
            yield _pilot_of_scores(headline.name, frame, assumptions)


def _pilot_of_scores(headline: str, frame: polars.DataFrame, assumptions: Assumptions) -> Pilot:
    values = frame["score"].to_numpy()
    components = _components(frame, values)
    clustering = _clustering(frame, components)
    pool_at = partial(_simulated_pool, score_shares(values), clustering, assumptions)
    return Pilot(
        headline,
        float(values.mean()),
        clustering,
        pool_at,
        components,
        *_sizes(frame),
    )


def _simulated_pool(
    scores: Floats, clustering: Clustering, assumptions: Assumptions, difference: float
) -> GroupPool:
    """Simulated groups with a true difference between two models whose answers are correlated."""
    shares = difference_shares(scores, difference, assumptions.correlation)
    return simulate_pool(shares, clustering, seed=assumptions.seed)


def _pilots_of_pair(first: StoredRun, second: StoredRun) -> Iterator[Pilot]:
    read = read_pair(first, second)
    for figures in headline_figures(read):
        if figures.scores is None:
            continue
        both = paired_scores(figures.scores, POSITIONS, suite=first.suite.name)
        if not len(both):
            continue
        gaps = both["score_2"].to_numpy() - both["score"].to_numpy()
        if not gaps.any():
            raise InputError(
                f"The two runs never differ on {figures.headline.name!r}, so the variance of "
                "their differences is unknown; use one run, or rates."
            )
        columns = np.column_stack([gaps, np.ones_like(gaps)])
        sums = group_sums(columns, encode_groups(group_codes(both), len(both)))
        components = _components(both, gaps)
        yield Pilot(
            figures.headline.name,
            float(both["score"].to_numpy().mean()),
            _clustering(both, components),
            partial(shifted_pool, sums[:, 0], sums[:, 1]),
            components,
            *_sizes(both),
        )


def _sizes(frame: polars.DataFrame) -> tuple[int, float, float]:
    """The number of groups, and of items and judgements in each; an item in several wordings
    counts once.
    """
    groups = frame["group"].n_unique()
    items = {unmarked(item) for item in frame["item"].unique()}
    return groups, len(items) / groups, len(frame) / groups


def _prompts(frame: polars.DataFrame) -> list[tuple[Any, ...]]:
    """What was asked: the item and the name of the judgement, without the number of the sample."""
    import polars as pl

    names = frame["name"].cast(pl.String).str.replace(r" \d+$", "")
    return list(zip(frame["item"], names, strict=True))


def _components(frame: polars.DataFrame, values: Floats) -> VarianceComponents:
    wording = next((name for name in _WORDINGS if name in frame.columns), None)
    labels = None if wording is None else frame[wording].cast(str).to_list()
    found = variance_components(values, group_codes(frame), _prompts(frame), labels)
    crossed = components_of_scores(frame.with_columns(score=values)) if wording == FACET else None
    return found if crossed is None else found._replace(wording=crossed.wording)


def _clustering(frame: polars.DataFrame, components: VarianceComponents) -> Clustering:
    prompts = encode_groups(_prompts(frame), len(frame))
    groups = group_codes(frame)
    of_prompt = np.zeros(prompts.max() + 1, dtype=np.int64)
    of_prompt[prompts] = groups
    per_item = max(1, round(len(frame) / len(of_prompt)))
    sizes = np.bincount(of_prompt)
    icc, agreement = components.icc, components.agreement
    if not components.total:  # nothing varies, so nothing is known of what varies together
        icc = _ASSUMED_ICC if sizes.max() > 1 else 0.0
        agreement = 1.0 if per_item == 1 else _ASSUMED_AGREEMENT
    return Clustering(sizes, per_item, icc, max(agreement, icc))


# --- the plan --------------------------------------------------------------------------------


def _plan(
    suite: str, pilots: Sequence[Pilot], assumptions: Assumptions, notes: tuple[str, ...]
) -> DataPlan:
    comparisons = assumptions.pairs * len(pilots)
    return DataPlan(
        suite=suite,
        assumptions=assumptions,
        needs=tuple(_needs(pilot, assumptions, comparisons) for pilot in pilots),
        comparisons=comparisons,
        notes=notes,
    )


def _needs(pilot: Pilot, assumptions: Assumptions, comparisons: int) -> DataNeeds:
    alpha, power, seed = assumptions.alpha / comparisons, assumptions.power, assumptions.seed
    difference = pilot.direction * assumptions.difference
    pool = pilot.pool_at(difference)
    found = plan_groups(pool, alpha=alpha, power=power, seed=seed)
    given = pilot.groups
    if assumptions.items is not None:
        given = max(1, round(assumptions.items / pilot.items_per_group))
    most = pilot.rate if pilot.direction < 0 else 1 - pilot.rate
    detectable = detectable_difference(
        lambda size: pilot.pool_at(pilot.direction * size),
        given,
        most,
        alpha=alpha,
        power=power,
        seed=seed,
    )
    items = math.ceil(found.groups * pilot.items_per_group)
    return DataNeeds(
        pilot=pilot,
        difference=difference,
        groups=found.groups,
        items=items,
        judgements=math.ceil(found.groups * pilot.judgements_per_group),
        power=found.power,
        given_groups=given,
        detectable=Estimate(
            value=detectable,
            n=given,
            why=""
            if detectable is not None
            else f"{given} groups cannot detect any difference, however large",
        ),
        by_samples=tuple(_by_samples(pilot, items)),
    )


def _by_samples(pilot: Pilot, items: int) -> Iterator[tuple[int, int, int]]:
    """How many items and judgements are needed with other numbers of samples, from the variance
    components.
    """
    icc, agreement = pilot.clustering.icc, pilot.clustering.agreement
    if agreement >= 1:
        return
    prompts = float(pilot.clustering.items.mean())

    def variance(samples: int) -> float:
        return icc + (agreement - icc + (1 - agreement) / samples) / prompts

    for samples in SAMPLES_SHOWN:
        needed = math.ceil(items * variance(samples) / variance(pilot.clustering.per_item))
        asked = needed / pilot.items_per_group * prompts
        yield samples, needed, math.ceil(asked * samples)
