"""Intervals of means, ratios and differences over groups, against closed forms and SciPy."""

from __future__ import annotations

import math
import random
import time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.stats.arrays import Floats, Ints
from epicene.stats.intervals import (
    MAX_BLOCKS,
    clustered_difference,
    clustered_mean,
    statistic_of_rows,
    statistic_of_sums,
)

Z2 = 3.841458820694124


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None, estimate.why
    assert estimate.high is not None
    return estimate.low, estimate.high


def variance_of_sums(sums: Floats) -> Floats:
    n, total, squares = sums.T
    return np.asarray(squares / n - (total / n) ** 2)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_a_mean_of_independent_values_has_student_s_interval(level: float) -> None:
    # A uniform sample has a kurtosis below 3, so all but one of the 40 are degrees of freedom.
    values = np.random.default_rng(1).uniform(-3, 8, size=40)
    expected = stats.ttest_1samp(values, 0).confidence_interval(level)
    found = clustered_mean(values, level=level)
    assert found.value == pytest.approx(values.mean())
    assert ends(found) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert (found.n, found.groups) == (40, 40)


def test_a_paired_difference_has_student_s_interval() -> None:
    rng = np.random.default_rng(8)
    second = rng.normal(0, 10, size=200)
    first = second + 1 + rng.uniform(-1, 1, size=200)
    expected = stats.ttest_rel(first, second).confidence_interval()
    found = clustered_difference(first, second)
    assert found.value == pytest.approx(float((first - second).mean()))
    assert ends(found) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_one_group_that_differs_leaves_few_degrees_of_freedom() -> None:
    # One 1 and nine 0: a kurtosis of (1 − 3pq)/pq with pq = 0.09, so 2 · 10/(0.73/0.09 − 1)
    # degrees of freedom, 2.8125. The standard error is √(0.1/10) = 0.1; t(2.8125) by SciPy.
    found = clustered_mean([1] + [0] * 9)
    half = 0.1 * float(stats.t.ppf(0.975, 2.8125))
    assert ends(found) == pytest.approx((0.1 - half, 0.1 + half), abs=1e-9)
    assert found.groups == 3.81


def test_a_ratio_of_sums_by_hand() -> None:
    # Without a it is 8/12, without b 1: 1/6 either side of their mean, so a jackknife variance of
    # 1/2 · 2/36, with one degree of freedom.
    found = clustered_mean([1, 8], [1, 12], ["a", "b"])
    half = float(stats.t.ppf(0.975, 1)) / 6
    assert found.value == pytest.approx(9 / 13)
    assert ends(found) == pytest.approx((9 / 13 - half, 9 / 13 + half))


def by_definition(left_out: list[float]) -> tuple[float, float]:
    """The jackknife's standard error and its degrees of freedom, one group after the other."""
    groups = len(left_out)
    mean = math.fsum(left_out) / groups
    error = math.sqrt((groups - 1) / groups * math.fsum((x - mean) ** 2 for x in left_out))
    kurtosis = float(stats.kurtosis(left_out, fisher=False))
    freedom = 2 * groups / (kurtosis - 1) if kurtosis > 1 else math.inf
    return error, max(1.0, min(groups - 1, freedom))


observations = st.lists(
    st.tuples(st.integers(-9, 9), st.integers(1, 3), st.integers(0, 11)), min_size=2, max_size=30
)


@settings(max_examples=60, deadline=None)
@given(observations)
def test_unbounded_intervals_equal_the_definition(rows: list[tuple[int, int, int]]) -> None:
    above, below, labels = map(np.array, zip(*rows, strict=True))
    names = sorted(set(labels.tolist()))
    assume(len(names) > 1)
    without = [float(above[labels != n].sum() / below[labels != n].sum()) for n in names]
    assume(np.ptp(without) > 1e-6)
    error, freedom = by_definition(without)
    half = error * float(stats.t.ppf(0.975, freedom))
    value = above.sum() / below.sum()
    expected = (value - half, value + half)
    assert ends(clustered_mean(above, below, labels)) == pytest.approx(expected, rel=1e-7)
    of_rows = statistic_of_rows(
        lambda kept: float(above[kept].sum() / below[kept].sum()), labels.tolist()
    )
    assert ends(of_rows) == pytest.approx(expected, rel=1e-7)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-1, 1), st.integers(0, 40)), min_size=2, max_size=60),
)
def test_differences_within_bounds_equal_the_definition(gaps: list[tuple[int, int]]) -> None:
    """Student's interval, never nearer than a share of what groups all alike would give."""
    gap, labels = map(np.array, zip(*gaps, strict=True))
    names = sorted(set(labels.tolist()))
    assume(len(names) > 1)
    without = [float(gap[labels != name].mean()) for name in names]
    assume(np.ptp(without) > 1e-6)
    error, freedom = by_definition(without)
    half, value = error * float(stats.t.ppf(0.975, freedom)), float(gap.mean())
    caution = min(1.0, max(0.0, (20 - round(min(len(names), freedom + 1), 2)) / 17))
    reach = caution * Z2 / (len(names) + Z2)
    low = max(-1.0, min(value - half, value - reach * (value + 1)))
    high = min(1.0, max(value + half, value + reach * (1 - value)))
    found = clustered_difference(gap, np.zeros(len(gap)), labels, bounds=(-1, 1))
    assert ends(found) == pytest.approx((low, high), abs=1e-7)


def test_any_function_of_sums_by_the_definition() -> None:
    values = np.random.default_rng(12).lognormal(sigma=0.8, size=25)
    columns = np.column_stack([np.ones(25), values, values**2])
    error, freedom = by_definition([float(np.delete(values, at).var()) for at in range(25)])
    half = error * float(stats.t.ppf(0.975, freedom))
    found = statistic_of_sums(columns, variance_of_sums)
    expected = (values.var() - half, values.var() + half)
    assert ends(found) == pytest.approx(expected, rel=1e-9)
    assert found.groups == pytest.approx(freedom + 1, abs=0.005)


def test_a_coefficient_within_bounds_has_wilson_s_interval_on_the_items_it_is_worth() -> None:
    """A mean seen as any function of sums: it has no floor at the number of groups."""
    values = np.random.default_rng(2).uniform(-1, 1, size=50)
    error, freedom = by_definition([float(np.delete(values, at).mean()) for at in range(50)])
    share = (float(values.mean()) + 1) / 2
    t = float(stats.t.ppf(0.975, freedom))
    items = share * (1 - share) * Z2 / (t * error / 2) ** 2
    centre = (share + Z2 / (2 * items)) / (1 + Z2 / items)
    root = math.sqrt(share * (1 - share) * Z2 / items + Z2**2 / (4 * items**2))
    low, high = centre - root / (1 + Z2 / items), centre + root / (1 + Z2 / items)
    columns = np.column_stack([values, np.ones(50)])
    found = statistic_of_sums(columns, lambda sums: sums[:, 0] / sums[:, 1], bounds=(-1, 1))
    assert ends(found) == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-9)


def test_groups_are_left_out_whole() -> None:
    # Four rows alike in each of 25 groups: the interval of 25 rows, not of 100.
    shares = [1] * 15 + [0] * 10
    once = clustered_mean(shares)
    four_times = clustered_mean(np.repeat(shares, 4), None, np.repeat(np.arange(25), 4))
    assert ends(once) == pytest.approx(ends(four_times))
    assert (four_times.n, four_times.groups) == (100, 25)


def test_unequal_groups_count_as_fewer() -> None:
    # Kish: (8 · 1 + 12)² / (8 · 1 + 144) of the nine groups.
    found = clustered_mean([1, 0] * 4 + [6], [1] * 8 + [12], bounds=(0, 1))
    assert found.groups == round(400 / 152, 2)


def test_difference_of_ratios_with_a_row_that_one_lacks() -> None:
    # The second system has no answer to the last row.
    found = clustered_difference([1, 1, 0, 1], [1, 0, 0, 0], second_denominators=[1, 1, 1, 0])
    assert found.value == pytest.approx(3 / 4 - 1 / 3)
    assert found.n == 4


def test_what_has_no_value_says_why() -> None:
    assert clustered_mean([]) == Estimate(value=None, why="there are no rows")
    assert clustered_mean([0, 0], [0, 0]).value is None
    assert clustered_difference([1, 0], [1, 0], second_denominators=[0, 0]).why == (
        "the denominators of one side sum to zero"
    )
    assert statistic_of_rows(lambda _: 1.0, []).value is None
    assert statistic_of_rows(lambda _: None, [1, 2]).why == "it is undefined for these data"


def test_one_group_has_a_value_and_no_interval() -> None:
    found = clustered_mean([1, 0, 1], None, ["a", "a", "a"])
    assert found.value == pytest.approx(2 / 3)
    assert (found.low, found.high) == (None, None)
    assert found.why == "no interval: there is one group only"
    assert statistic_of_rows(lambda rows: float(len(rows)), ["a", "a"]).why == found.why


def test_groups_all_alike_have_no_interval_unless_the_range_is_known() -> None:
    values, groups = [0.1] * 6, list("aabbcc")
    assert clustered_mean(values, None, groups).why == "no interval: the 3 groups are all alike"
    hidden = Z2 / (3 + Z2)
    bounded = clustered_mean(values, None, groups, bounds=(0, 1))
    assert ends(bounded) == pytest.approx((0.1 - hidden * 0.1, 0.1 + hidden * 0.9))
    same = clustered_difference([1, 0, 1], [1, 0, 1], bounds=(-1, 1))
    assert ends(same) == pytest.approx((-hidden, hidden))


def test_a_perfect_mean_narrows_only_with_more_groups() -> None:
    lows = [ends(clustered_mean([1.0] * n, bounds=(0, 1)))[0] for n in (1, 2, 5, 20, 400)]
    assert lows == sorted(lows)
    assert len(set(lows)) == 5


def test_one_slip_does_not_narrow_a_difference() -> None:
    """A seam that there was: no slip [−3.7, 3.7], one slip [−0.75, 0]."""
    first, groups = np.ones(400), np.repeat(np.arange(100), 4)
    second = first.copy()
    none = ends(clustered_difference(second, first, groups, bounds=(-1, 1)))
    second[0] = 0
    one = ends(clustered_difference(second, first, groups, bounds=(-1, 1)))
    assert one[0] < none[0]
    assert one[1] - one[0] > 0.99 * (none[1] - none[0])


def test_a_statistic_that_needs_one_group_has_no_interval() -> None:
    # Groups without a denominator are none; of a function of sums nobody can tell.
    assert clustered_mean([1, 0, 0], [2, 0, 0]).why == "no interval: there is one group only"

    def needs_all_twelve(sums: Floats) -> Floats:
        return np.where(sums[:, 0] < 12, np.nan, sums[:, 1])

    columns = np.column_stack([np.ones(12), np.arange(12.0)])
    found = statistic_of_sums(columns, needs_all_twelve)
    assert found.value == 66
    assert found.why == "no interval: it is undefined without one of the groups"


def test_a_slow_function_is_called_once_per_block_of_groups() -> None:
    values = np.random.default_rng(3).normal(size=4 * MAX_BLOCKS)
    calls: list[int] = []

    def mean(rows: Ints) -> float:
        calls.append(len(rows))
        return float(values[rows].mean())

    found = statistic_of_rows(mean, np.arange(len(values)))
    assert len(calls) == 1 + MAX_BLOCKS
    assert set(calls[1:]) == {len(values) - 4}
    assert found.groups == MAX_BLOCKS
    exact = ends(clustered_mean(values))
    assert ends(found) == pytest.approx(exact, abs=0.1 * (exact[1] - exact[0]))


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(InputError, match=r"rows \(3\), groups \(2\)"):
        clustered_mean([1, 2, 3], None, ["a", "b"])
    with pytest.raises(InputError, match=r"numerators \(3\), denominators \(2\)"):
        clustered_mean([1, 2, 3], [1, 1])
    with pytest.raises(InputError, match="negative"):
        clustered_mean([1, 2], [1, -1])
    with pytest.raises(InputError, match=r"between 0 and 1, e\.g\. 0\.95; it was 95"):
        clustered_mean([1, 2], level=95)
    with pytest.raises(InputError, match="inf at index 0"):
        clustered_mean([np.inf, 2])
    with pytest.raises(InputError, match="2 dimensions"):
        clustered_mean([[1, 2], [3, 4]])


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-5, 5), st.integers(1, 3), st.integers(0, 8)), min_size=1, max_size=30
    ),
    st.randoms(use_true_random=False),
)
def test_the_same_rows_in_any_order_give_the_same_bits(
    rows: list[tuple[float, int, int]], shuffler: random.Random
) -> None:
    def estimate(rows: list[tuple[float, int, int]]) -> Estimate:
        above, below, groups = zip(*rows, strict=True)
        return clustered_mean(above, below, [f"g{label}" for label in groups])

    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    assert estimate(shuffled) == estimate(rows)


def test_labels_as_text_numbers_and_arrays_are_the_same_groups() -> None:
    values = [1, 0, 1, 1, 0, 0, 1, 1]
    labels = [3, 3, 7, 7, 9, 9, 1, 1]
    found = {
        clustered_mean(values, None, groups)
        for groups in (
            labels,
            np.array(labels),
            [str(one) for one in labels],
            np.array(list("ccggiiaa")),
        )
    }
    assert len(found) == 1


def test_the_clustered_interval_covers_where_a_naive_one_does_not() -> None:
    """Eight rows per group that share most of their variance."""
    rng = np.random.default_rng(11)
    groups, rows = 40, 8
    labels = np.repeat(np.arange(groups), rows)
    hits = naive_hits = 0
    for _ in range(600):
        values = np.repeat(rng.normal(size=groups), rows) + rng.normal(size=groups * rows)
        low, high = ends(clustered_mean(values, None, labels))
        hits += low <= 0 <= high
        naive_hits += abs(values.mean()) <= 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    assert 0.93 <= hits / 600 <= 0.97
    assert naive_hits / 600 < 0.75


def test_a_million_answers_of_a_million_items_take_ten_times_as_long_as_a_tenth() -> None:
    right = (np.random.default_rng(0).random(1_000_000) < 0.7).astype(float)
    labels = [f"item-{row}" for row in range(1_000_000)]

    def seconds(rows: int) -> tuple[float, Estimate]:
        start = time.process_time()
        found = clustered_mean(right[:rows], None, labels[:rows])
        return time.process_time() - start, found

    tenth = min(seconds(100_000)[0] for _ in range(3))
    whole, found = seconds(1_000_000)
    assert whole < 40 * tenth
    error = 1.96 * np.sqrt(0.7 * 0.3 / 1e6)
    assert found.value is not None
    assert ends(found) == pytest.approx((found.value - error, found.value + error), abs=6e-5)
