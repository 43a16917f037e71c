"""Bounds of paired differences and detectable differences, against closed forms and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from epicene.core.errors import InputError
from epicene.stats.hypothesis_tests import permutation_test
from epicene.stats.paired_spread import (
    groups_needed,
    minimum_detectable_difference,
    paired_spread,
    smallest_significant,
    spread_of_rows,
)


def test_single_pairs_have_the_bounds_of_bonett_and_price() -> None:
    """Of 21 pairs one is gained and seven are lost: by hand from the formula of 2012, with one
    added to either count; Student's t and n − 1 instead of the normal and n."""
    differences = np.array([1.0] + [-1.0] * 7 + [0.0] * 13)
    gained, lost, n = 2 / 23, 8 / 23, 23
    variance = (gained + lost - (gained - lost) ** 2) / n * n / (n - 1)
    found = paired_spread(differences, np.ones(21))
    t = 2.0738730679  # 97.5 % of Student's t with 22 degrees of freedom, from a table
    assert found.difference == pytest.approx(-6 / 21)
    assert found.low(0.975) == pytest.approx(gained - lost - t * np.sqrt(variance))
    assert found.high(0.975) == pytest.approx(gained - lost + t * np.sqrt(variance))


def test_no_difference_is_no_certainty_and_one_slip_is_no_proof() -> None:
    """The bootstrap has [−0.75, 0.00] with one slip in 100 groups of four, and [−3.7, 3.7] points
    with none."""
    sizes = np.full(100, 4.0)
    none = paired_spread(np.zeros(100), sizes)
    slip = np.zeros(100)
    slip[0] = -1
    one = paired_spread(slip, sizes)
    assert none.low(0.975) == -none.high(0.975)
    assert none.high(0.975) > 0.02
    assert one.high(0.975) > 0.015
    assert one.high(0.975) - one.low(0.975) > 0.7 * (none.high(0.975) - none.low(0.975))


def test_a_whole_group_counts_once() -> None:
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(40), 5)
    first = rng.integers(2, size=40).repeat(5).astype(float)
    second = rng.integers(2, size=40).repeat(5).astype(float)
    rows = spread_of_rows(first, second, groups)
    once = spread_of_rows(first[::5], second[::5])
    assert rows.error == pytest.approx(float(once.error))
    assert rows.groups == 40
    order = rng.permutation(200)
    assert spread_of_rows(first[order], second[order], groups[order]) == rows


@pytest.mark.parametrize("groups", [10, 50, 400])
def test_the_detectable_difference_is_that_of_a_paired_t_test(groups: int) -> None:
    rng = np.random.default_rng(groups)
    differences = rng.normal(0, 0.1, groups)
    spread = paired_spread(differences, np.ones(groups))
    found = minimum_detectable_difference(spread)
    effect = TTestPower().solve_power(nobs=spread.freedom + 1, alpha=0.05, power=0.8)
    assert found.value is not None
    assert found.value >= effect * spread.error * np.sqrt(spread.freedom + 1) - 1e-6
    if groups > 50:  # where a permutation test needs no more than a t-test
        assert found.value == pytest.approx(
            effect * spread.error * np.sqrt(spread.freedom + 1), rel=1e-4
        )


def test_where_nothing_differs_it_is_what_a_permutation_test_needs() -> None:
    """Six groups must differ in one direction: 2/2⁶ < 0.05 < 2/2⁵."""
    from scipy.stats import binom

    assert smallest_significant(0.05) == 6
    found = minimum_detectable_difference(paired_spread(np.zeros(100), np.ones(100)))
    assert found.value is not None
    assert binom.sf(5, 100, found.value) == pytest.approx(0.8)
    few = minimum_detectable_difference(paired_spread(np.zeros(5), np.ones(5)))
    assert few.value is None
    assert "no difference can be significant" in few.why


def test_a_permutation_test_finds_it_in_80_percent() -> None:
    """60 groups of five answers with a correlation of 0.3, rates around 0.5."""
    rng = np.random.default_rng(4)

    def drawn(difference: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        own = rng.random((60, 5, 2))
        shared = rng.random((60, 1, 2))
        draws = np.where(rng.random((60, 5, 1)) < np.sqrt(0.3), shared, own)
        right = draws < 0.5 + difference * np.array([-0.5, 0.5])
        sums: np.ndarray[tuple[int], np.dtype[np.float64]] = (
            right[..., 1].sum(axis=1) - right[..., 0].sum(axis=1)
        ).astype(np.float64)
        return sums

    def detectable() -> float:
        value = minimum_detectable_difference(paired_spread(drawn(0), np.full(60, 5.0))).value
        assert value is not None
        return value

    difference = float(np.mean([detectable() for _ in range(50)]))
    found = [
        permutation_test(sums, np.zeros(60), resamples=1000).p
        for sums in map(drawn, [difference] * 400)
    ]
    assert 0.74 < np.mean([p is not None and p <= 0.05 for p in found]) < 0.86


def test_more_groups_shrink_the_error_as_they_should() -> None:
    """Of many groups that vary, Lakens' (1.96 + 0.84)² σ²/Δ² exclude a loss of Δ with 80 %; of
    groups that are all alike 2.8 √2/Δ, as only what is added to them varies."""
    vary = paired_spread(np.array([1.0, -1.0] * 40 + [0.0] * 120), np.ones(200))
    lakens = (1.959964 + 0.841621) ** 2 * 0.4 / 0.02**2
    assert groups_needed(vary, 0.02, alpha=0.025, power=0.8) == pytest.approx(lakens, rel=0.01)
    alike = paired_spread(np.zeros(200), np.ones(200))
    needed = groups_needed(alike, 0.02, alpha=0.025, power=0.8)
    assert needed == pytest.approx(2.801585 * np.sqrt(2) / 0.02, abs=3)
    # With so many groups the bound is where it was promised to be, without the allowance for power.
    more = paired_spread(np.zeros(needed), np.ones(needed))
    assert -0.0145 < more.low(0.975) < -0.0135


@pytest.mark.parametrize("wrong", [{"alpha": 0.0}, {"power": 1.0}])
def test_impossible_shares_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        minimum_detectable_difference(paired_spread(np.zeros(10), np.ones(10)), **wrong)
