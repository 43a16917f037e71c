"""Paired differences of shares, and how many groups they need, by hand and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.stats.paired_spread import PairedSpread, paired_spread
from epicene.stats.power import detectable_difference, groups_needed


def ends(found: Estimate) -> tuple[float, float, float]:
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    return found.value, found.low, found.high


def spread_of(gaps: list[float] | np.ndarray[tuple[int], np.dtype[np.float64]]) -> PairedSpread:
    return paired_spread(gaps, np.zeros(len(gaps)))


def test_single_pairs_have_the_interval_of_bonett_and_price() -> None:
    """Of 21 pairs one is gained and seven are lost: by hand from the formula of 2012, with one
    added to either count; Student's t and n − 1 instead of the normal and n."""
    found = spread_of([1.0] + [-1.0] * 7 + [0.0] * 13)
    gained, lost, n = 2 / 23, 8 / 23, 23
    error = math.sqrt((gained + lost - (gained - lost) ** 2) / n * n / (n - 1))
    t = 2.0738730679  # 97.5 % of Student's t with 22 degrees of freedom, from a table
    centre = gained - lost
    assert ends(found.estimate()) == pytest.approx(
        (-6 / 21, centre - t * error, centre + t * error)
    )
    assert found.estimate().groups == found.test().n == 21
    assert found.test().p == pytest.approx(2 * stats.t(22).cdf(centre / error))


def test_the_test_rejects_where_the_interval_excludes_zero() -> None:
    rng = np.random.default_rng(3)
    for shift in np.linspace(-0.4, 0.4, 40):
        groups = rng.integers(0, 12, size=60)
        gaps = rng.choice([-1.0, 0.0, 1.0], p=[0.3 - shift / 2, 0.4, 0.3 + shift / 2], size=60)
        found = paired_spread(gaps, np.zeros(60), groups)
        _, low, high = ends(found.estimate())
        p = found.test().p
        assert p is not None
        assert (p < 0.05) == (not low <= 0 <= high)


def test_no_difference_is_no_certainty_and_one_slip_is_no_proof() -> None:
    groups = np.repeat(np.arange(100), 4)
    slips = np.where(groups == 0, -1.0, 0.0)
    _, low, high = ends(paired_spread(np.zeros(400), np.zeros(400), groups).estimate())
    assert -low == high > 0.02
    _, low_1, high_1 = ends(paired_spread(slips, np.zeros(400), groups).estimate())
    assert high_1 > 0.015
    assert high_1 - low_1 > 0.7 * (high - low)


def test_a_whole_group_counts_once() -> None:
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(40), 5)
    first, second = (rng.integers(2, size=40).repeat(5).astype(float) for _ in range(2))
    rows = paired_spread(first, second, groups)
    once = paired_spread(first[::5], second[::5])
    assert rows.error == pytest.approx(once.error)
    assert (rows.groups, rows.effective) == (40, 40)
    order = rng.permutation(200)
    assert paired_spread(first[order], second[order], groups[order]) == rows
    alone = paired_spread([1.0, 0.0], [0.0, 0.0], ["a", "a"])
    assert alone.estimate().why == "no interval: there is only one group"
    assert alone.test().p is None


def test_an_interval_stays_within_its_bounds() -> None:
    value, low, high = ends(spread_of(np.ones(300)).estimate())
    assert (value, high) == (1, 1)
    assert 0.97 < low < 1


def test_groups_needed_are_those_of_the_closed_formula() -> None:
    """(1.96 + 0.84)² (s² + d − d²)/d², s² at its upper 80 % limit, and at its 95 % limits."""
    spread = spread_of([1.0, -1.0] * 40 + [0.0] * 120)
    planned, low, high = ends(groups_needed(spread, 0.05))
    assert spread.variance == pytest.approx(80 / 199)

    def by_hand(level: float) -> int:
        variance = spread.variance * 199 / stats.chi2(199).ppf(1 - level) + 0.05 - 0.05**2
        return math.ceil(float((1.959964 + 0.841621) ** 2 * variance / 0.05**2))

    assert (planned, low, high) == (by_hand(0.8), by_hand(0.025), by_hand(0.975))
    found = ends(detectable_difference(spread, planned))
    assert found[0] == pytest.approx(0.05, rel=0.001)
    assert found[1] < found[0] < found[2]


def test_a_difference_varies_even_if_nothing_varied() -> None:
    """If a difference of d is d of the groups that change, their variance is d − d²."""
    spread = spread_of(np.zeros(1000))
    needed = groups_needed(spread, 0.05).value
    assert needed == math.ceil((1.959964 + 0.841621) ** 2 * (0.05 - 0.05**2) / 0.05**2)
    none = detectable_difference(spread, 1.0, power=0.99)
    assert none.value is not None
    wild = spread_of([1.0, -1.0] * 10)
    few = detectable_difference(wild, 2.0)
    assert few.value is None
    assert few.why == "2 groups cannot detect any difference, however large"


@pytest.mark.parametrize("pilot", [10, 30, 100])
def test_a_plan_reaches_its_power(pilot: int) -> None:
    """Groups of four judgements that share most of what makes them differ; a loss of 10 points."""
    rng = np.random.default_rng(pilot)

    def drawn(groups: int, loss: float) -> PairedSpread:
        shares = [0.17 + loss / 2, 0.66, 0.17 - loss / 2]
        common = rng.choice([-1.0, 0.0, 1.0], p=shares, size=(groups, 1))
        own = rng.choice([-1.0, 0.0, 1.0], p=shares, size=(groups, 4))
        gaps = np.where(rng.random((groups, 4)) < 0.6, common, own).ravel()
        return paired_spread(gaps, np.zeros(len(gaps)), np.repeat(np.arange(groups), 4))

    found = []
    for _ in range(200):
        needed = int(groups_needed(drawn(pilot, 0), 0.1).value or 0)
        p = drawn(needed, 0.1).test().p
        found.append(p is not None and p <= 0.05)
    assert 0.75 <= np.mean(found) <= 0.95


def test_wrong_pilots_are_refused() -> None:
    with pytest.raises(InputError, match=r"9 groups of items say too little .* at least 10"):
        groups_needed(spread_of(np.zeros(9)), 0.05)
    with pytest.raises(InputError, match="There are no pairs"):
        spread_of([])
