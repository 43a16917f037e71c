"""Power and plans against closed forms, published sizes, and the test that `compare` runs."""

from __future__ import annotations

import numpy as np
import pytest

from epicene.core.errors import InputError
from epicene.stats.hypothesis_tests import permutation_test
from epicene.stats.power import (
    Clustering,
    GroupPool,
    detectable_difference,
    difference_shares,
    plan_groups,
    rate_shares,
    rejected,
    score_shares,
    shifted_pool,
    simulate_pool,
    simulated_power,
)

STEPS = np.arange(-1, 1.01, 0.25)
SINGLE = Clustering(np.array([1]))


@pytest.mark.parametrize("correlation", [0.0, 0.6])
@pytest.mark.parametrize(("rate", "difference"), [(0.8, -0.05), (0.3, 0.1), (0.95, -0.2)])
def test_the_two_models_have_the_rates_and_the_correlation_asked_for(
    rate: float, difference: float, correlation: float
) -> None:
    shares = difference_shares(rate_shares(rate), difference, correlation)
    assert shares.sum() == pytest.approx(1)
    assert shares @ STEPS == pytest.approx(difference)
    second = rate + difference
    independent = rate * (1 - second) + second * (1 - rate)
    coupled = abs(difference)  # the least that two such models can disagree
    assert 1 - shares[4] == pytest.approx(correlation * coupled + (1 - correlation) * independent)


def test_scores_between_right_and_wrong_keep_their_mean() -> None:
    scores = np.array([0.0, 0.1, 1 / 3, 0.5, 0.9, 1.0])
    shares = score_shares(scores)
    assert shares @ np.linspace(0, 1, 5) == pytest.approx(scores.mean())


@pytest.mark.parametrize(
    ("items", "samples", "icc", "agreement"), [(4, 1, 0.3, 1.0), (1, 5, 0.0, 0.6), (3, 4, 0.2, 0.5)]
)
def test_the_variance_is_that_of_the_design_effect(
    items: int, samples: int, icc: float, agreement: float
) -> None:
    """Kish: 1 + (m − 1)ρ, here with a second level for the samples of an item."""
    shares = difference_shares(rate_shares(0.7), -0.1, 0.2)
    pool = simulate_pool(shares, Clustering(np.array([items]), samples, icc, agreement))
    variance = shares @ STEPS**2 - (shares @ STEPS) ** 2
    effect = 1 + (samples - 1) * agreement + (items - 1) * samples * icc
    assert pool.variance == pytest.approx(variance * effect / (items * samples), rel=0.03)
    assert pool.sums.sum() / pool.sizes.sum() == pytest.approx(-0.1, abs=1e-4)


def test_without_groups_it_needs_what_a_textbook_says() -> None:
    """McNemar's test: (z √p + z √(p − d²))²/d² pairs, p being the share of pairs that disagree
    (Connor 1987). 0.8 against 0.7, independent: p = 0.38, 295 pairs."""
    z_alpha, z_power, disagree, difference = 1.959964, 0.841621, 0.38, 0.1
    connor = (
        z_alpha * np.sqrt(disagree) + z_power * np.sqrt(disagree - difference**2)
    ) ** 2 / difference**2
    assert connor == pytest.approx(295, abs=1)
    plan = plan_groups(simulate_pool(difference_shares(rate_shares(0.8), -0.1, 0.0), SINGLE))
    continuity = 1 / difference  # as the permutation test is exact: Miettinen (1968)
    assert plan.groups == pytest.approx(connor + continuity, rel=0.03)
    assert plan.power == pytest.approx(0.8, abs=0.02)


def test_plan_and_detectable_difference_are_inverse() -> None:
    clustering = Clustering(np.array([2, 4, 6]), icc=0.3)

    def pool_at(difference: float) -> GroupPool:
        return simulate_pool(difference_shares(rate_shares(0.75), -difference, 0.4), clustering)

    plan = plan_groups(pool_at(0.08))
    assert detectable_difference(pool_at, plan.groups, 0.75) == pytest.approx(0.08, rel=0.04)


def test_the_permutation_test_finds_what_a_plan_promises() -> None:
    """The full simulation is benchmarks/plan.py."""
    shares = difference_shares(rate_shares(0.8), -0.1, 0.5)
    clustering = Clustering(np.array([4]), icc=0.3)
    plan = plan_groups(simulate_pool(shares, clustering))
    found = 0
    for seed in range(400):
        drawn = simulate_pool(shares, clustering, groups=plan.groups, seed=1000 + seed)
        test = permutation_test(drawn.sums, np.zeros(plan.groups), resamples=1000)
        found += test.p is not None and test.p <= 0.05
    assert found / 400 == pytest.approx(0.8, abs=0.06)  # three standard errors


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_rejections_are_those_of_the_permutation_test(alpha: float) -> None:
    rng = np.random.default_rng(3)
    sums = rng.choice([-2.0, -1.0, 0.0, 1.0], p=[0.1, 0.2, 0.6, 0.1], size=(300, 40))
    quick = rejected(sums, alpha, lattice=1.0)
    exact = [permutation_test(row, np.zeros(40), resamples=4000).p for row in sums]
    agree = np.mean(
        [one == (p is not None and p <= alpha) for one, p in zip(quick, exact, strict=True)]
    )
    assert agree > 0.95
    assert abs(np.mean(quick) - np.mean([p is not None and p <= alpha for p in exact])) < 0.04


def test_five_groups_are_never_significant_and_equal_ones_are_not_a_difference() -> None:
    always_lost = GroupPool(-np.ones(10), np.ones(10))
    assert simulated_power(always_lost, 5) == 0
    assert simulated_power(always_lost, 6) == 1
    assert simulated_power(GroupPool(np.zeros(10), np.ones(10)), 50) == 0


def test_a_pilot_is_moved_to_the_difference_in_question() -> None:
    sums, sizes = np.array([1.0, -1.0, 0.0, 2.0]), np.array([2.0, 2.0, 4.0, 4.0])
    moved = shifted_pool(sums, sizes, -0.1)
    assert moved.sums.sum() / moved.sizes.sum() == pytest.approx(-0.1)
    assert moved.variance == pytest.approx(GroupPool(sums, sizes).variance)


@pytest.mark.parametrize("differing", [1, 6])
def test_runs_that_seldom_differ_do_not_make_a_difference_cheap(differing: int) -> None:
    """A difference of 5 points is 5 groups in 100, of which six must be drawn: by the binomial
    157 groups do that in 80 %. Of 300, it is six of those if 2.6 in 100 differ."""
    sums = np.zeros(300)
    sums[:differing] = np.resize([1.0, -1.0], differing)
    pool = shifted_pool(sums, np.ones(300), -0.05)
    assert pool.sums.sum() / pool.sizes.sum() == pytest.approx(-0.05, abs=1e-4)
    assert plan_groups(pool).groups == pytest.approx(157, abs=4)

    def pool_at(difference: float) -> GroupPool:
        return shifted_pool(sums, np.ones(300), difference)

    assert detectable_difference(pool_at, 300, 0.9) == pytest.approx(0.0263, abs=0.001)


def test_a_difference_larger_than_that_of_any_group_moves_all_of_them() -> None:
    moved = shifted_pool(np.array([1.0, 0.0, 0.0]), np.array([4.0, 4.0, 4.0]), -0.5)
    assert (moved.sums.tolist(), moved.sizes.tolist()) == ([-2.0], [4.0])


def test_large_plans_are_those_of_the_normal_distribution() -> None:
    """(1.96 + 0.84)² · 2 · 0.25/0.005² groups of one judgement, a half right, and back again."""

    def pool_at(difference: float) -> GroupPool:
        return simulate_pool(difference_shares(rate_shares(0.5), -difference, 0.0), SINGLE)

    plan = plan_groups(pool_at(0.005))
    assert plan.groups == pytest.approx(2.801585**2 * 0.5 / 0.005**2, rel=0.02)
    assert simulated_power(pool_at(0.005), plan.groups, experiments=400) == pytest.approx(
        0.8, abs=0.06
    )
    assert detectable_difference(pool_at, plan.groups, 0.5) == pytest.approx(0.005, rel=0.02)


def test_few_groups_detect_nothing() -> None:
    def pool_at(difference: float) -> GroupPool:
        return simulate_pool(difference_shares(rate_shares(0.5), -difference, 0.0), SINGLE)

    assert detectable_difference(pool_at, 5, 0.5) is None
    assert detectable_difference(pool_at, 8, 0.2) is None


def test_impossible_designs_are_refused() -> None:
    with pytest.raises(InputError, match=r"cannot change by -0\.5"):
        difference_shares(rate_shares(0.3), -0.5, 0.0)
    with pytest.raises(InputError, match="between 0 and the agreement"):
        simulate_pool(rate_shares(0.5), Clustering(np.array([2]), 2, 0.5, 0.1))
    with pytest.raises(InputError, match="cannot be found"):
        plan_groups(GroupPool(np.array([1.0, -1.0]), np.ones(2)))
    with pytest.raises(InputError, match="a million groups"):
        plan_groups(GroupPool(np.array([1.0, -1.0, 0.00001]), np.ones(3)))
