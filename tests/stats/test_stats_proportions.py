"""Wilson's interval, and the share of right answers in groups."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.stats.intervals import proportion, wilson


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def test_wilson_gives_the_interval_printed_for_eighty_one_of_263() -> None:
    # Newcombe (1998), Statistics in Medicine 17, Table I, method 3 (score): 81/263 and 0/20.
    assert ends(wilson(81, 263)) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert ends(wilson(0, 20)) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert ends(wilson(1, 29)) == pytest.approx((0.0061, 0.1718), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_equals_scipy(case: tuple[int, int]) -> None:
    successes, n = case
    expected = binomtest(successes, n).proportion_ci(method="wilson")
    found = ends(wilson(successes, n))
    assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_takes_half_successes_for_ties() -> None:
    estimate = wilson(27.5, 56)
    assert estimate.value == pytest.approx(27.5 / 56)
    assert ends(estimate) == pytest.approx(proportion_confint(27.5, 56, method="wilson"))
    assert estimate.n == 56


def test_wilson_at_another_level() -> None:
    assert ends(wilson(7, 10, level=0.9)) == pytest.approx(
        proportion_confint(7, 10, alpha=0.1, method="wilson")
    )


def test_no_items_is_a_dash_with_the_reason() -> None:
    assert wilson(0, 0) == Estimate(value=None, why="there are no items")
    assert proportion([]) == Estimate(value=None, why="there are no items")
    assert proportion([0, 0], [0, 0]).why == "there are no items"


def test_impossible_counts_are_refused_with_their_place() -> None:
    with pytest.raises(InputError, match=r"5 successes in 4"):
        wilson(5, 4)
    with pytest.raises(InputError, match=r"3\.0 right answers out of 2\.0 at index 1"):
        proportion([1, 3], [2, 2])
    with pytest.raises(InputError, match="nan at index 1"):
        proportion([1, math.nan])
    with pytest.raises(InputError, match=r"between 0 and 1, e\.g\. 0\.95; it was 95"):
        proportion([1, 0], level=95)


def test_rows_that_stand_alone_get_the_plain_wilson_interval() -> None:
    right = [1, 0, 1, 1, 0.5, 1, 0]
    assert proportion(right) == wilson(4.5, 7)
    assert proportion(right, None, list("abcdefg")) == wilson(4.5, 7)
    # A row without items is no item.
    assert proportion([1, 0, 0], [1, 1, 0]) == wilson(1, 2)


def test_the_effective_number_of_items_by_hand() -> None:
    # 12 groups 2/2, 9 groups 0/2 and 9 groups 1/2. Share 33/60; residuals 0.9, −1.1 and −0.1, whose
    # squares sum to 20.7; the jackknife of equal groups has 20.7/3600 · 30/29; the residuals'
    # kurtosis is below 3, so there are 29 degrees of freedom: t = 2.04523.
    variance = 20.7 / 3600 * 30 / 29 * (2.045229642 / 1.959963985) ** 2
    effective = (33 / 60 * 27 / 60) / variance
    assert 30 < effective < 60
    expected = proportion_confint(33 / 60 * effective, effective, method="wilson")
    right = [1, 1] * 12 + [0, 0] * 9 + [1, 0] * 9
    found = proportion(right, None, np.repeat(np.arange(30), 2))
    assert ends(found) == pytest.approx(expected, abs=1e-8)
    assert (found.n, found.groups) == (60, 30)
    assert found == proportion([2] * 12 + [0] * 9 + [1] * 9, [2] * 30)


def test_groups_right_or_wrong_as_a_whole_are_as_many_items() -> None:
    # Nothing varies more than that, so with few groups the variance cannot make it fewer.
    found = proportion([1, 1, 0, 0, 1, 1, 1, 1], None, list("aabbccdd"))
    assert ends(found) == pytest.approx(proportion_confint(3, 4, method="wilson"))


def test_groups_never_make_the_interval_narrower_than_independent_items() -> None:
    # Each group's rows cancel out but for one group: hardly any variance between groups.
    right = [1, 0] * 30 + [1, 1]
    groups = np.repeat(np.arange(31), 2)
    assert ends(proportion(right, None, groups)) == ends(wilson(32, 62))


@pytest.mark.parametrize("share", [0, 1])
def test_all_right_or_all_wrong_narrows_with_the_number_of_groups(share: int) -> None:
    widths = []
    for groups in (1, 2, 3, 5, 10, 100, 1000):
        found = proportion([share] * groups * 4, None, np.repeat(np.arange(groups), 4))
        assert found.value == share
        assert ends(found) == pytest.approx(ends(wilson(share * groups, groups)), abs=1e-12)
        widths.append(np.subtract(*ends(found)[::-1]))
    assert all(wider > narrower for wider, narrower in itertools.pairwise(widths))


def test_more_rows_of_the_same_groups_do_not_narrow_a_perfect_score() -> None:
    few = proportion([1] * 5, None, range(5))
    many = proportion([1] * 500, None, [row % 5 for row in range(500)])
    assert ends(few) == pytest.approx(ends(many))


def test_groups_all_half_right_are_not_certain() -> None:
    # As many right as wrong in each of 10 groups: a share of groups not yet seen,
    # z²/(10 + z²), may be all right or all wrong.
    hidden = 3.841458821 / 13.841458821
    found = proportion([1, 0] * 10, None, np.repeat(np.arange(10), 2))
    assert ends(found) == pytest.approx((0.5 - hidden / 2, 0.5 + hidden / 2))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rows_does_not_matter(
    rows: list[tuple[int, int]], shuffler: random.Random
) -> None:
    right = [third / 3 for third, _ in rows]
    groups = [f"group {group}" for _, group in rows]
    order = list(range(len(rows)))
    shuffler.shuffle(order)
    shuffled = proportion([right[i] for i in order], None, [groups[i] for i in order])
    assert shuffled == proportion(right, None, groups)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=40))
def test_the_interval_lies_in_the_unit_and_holds_the_share(rows: list[tuple[bool, int]]) -> None:
    found = proportion([right for right, _ in rows], None, [group for _, group in rows])
    low, high = ends(found)
    assert found.value is not None
    assert 0 <= low <= found.value + 1e-12
    assert found.value - 1e-12 <= high <= 1
    assert high > low


def test_intervals_cover_where_items_come_in_groups() -> None:
    """Ten answers per item, alike within items: Wilson over answers covers far too rarely."""
    rng = np.random.default_rng(20)
    truth, items, answers = 0.8, 30, 10
    clustered_hits = naive_hits = 0
    for _ in range(1000):
        chances = rng.beta(truth * 2, (1 - truth) * 2, size=items)
        right = rng.binomial(answers, chances)
        low, high = ends(proportion(right, np.full(items, answers)))
        clustered_hits += low <= truth <= high
        low, high = ends(wilson(int(right.sum()), items * answers))
        naive_hits += low <= truth <= high
    assert 0.93 <= clustered_hits / 1000 <= 0.98
    assert naive_hits / 1000 < 0.75
