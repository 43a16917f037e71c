"""The bootstrap over groups, against closed forms, published intervals and SciPy."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.stats.arrays import Floats, Ints
from epicene.stats.intervals import (
    bootstrap,
    bootstrap_sums,
    clustered_difference,
    clustered_mean,
)
from epicene.stats.resampling import Method

# Efron and Tibshirani (1993), An Introduction to the Bootstrap, Table 14.1, variable A. For its
# plug-in variance of 171.5 the book prints 90 % intervals: percentile (100.8, 233.9) and
# BCa (115.8, 259.6), from 2,000 resamples.
SPATIAL = np.array(
    [
        [48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6],
        [0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41],
    ],
    dtype=np.float64,
).ravel()


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None, estimate.why
    assert estimate.high is not None
    return estimate.low, estimate.high


def variance_of_sums(sums: Floats) -> Floats:
    n, total, squares = sums.T
    return np.asarray(squares / n - (total / n) ** 2)


@pytest.mark.parametrize(
    ("method", "printed"), [("percentile", (100.8, 233.9)), ("bca", (115.8, 259.6))]
)
def test_the_book_s_intervals_for_a_variance(method: Method, printed: tuple[float, float]) -> None:
    def variance(rows: Ints) -> float:
        return float(SPATIAL[rows].var())

    slow = bootstrap(variance, range(26), level=0.9, method=method, resamples=10_000)
    columns = np.column_stack([np.ones(26), SPATIAL, SPATIAL**2])
    fast = bootstrap_sums(columns, variance_of_sums, level=0.9, method=method, resamples=50_000)
    assert slow.value == pytest.approx(171.5, abs=0.05)
    assert fast.value == pytest.approx(171.5, abs=0.05)
    assert ends(fast) == pytest.approx(printed, abs=4)
    assert ends(slow) == pytest.approx(ends(fast), abs=4)


def test_percentile_of_a_share_is_the_binomial() -> None:
    # Resampling 60 answers, 42 right, draws Binomial(60, 0.7)/60 and nothing else.
    found = clustered_mean([1] * 42 + [0] * 18, resamples=200_000)
    expected = stats.binom(60, 0.7).ppf([0.025, 0.975]) / 60
    assert found.value == pytest.approx(0.7)
    assert ends(found) == pytest.approx(tuple(expected), abs=1e-12)
    assert found.n == 60


def test_both_ways_of_drawing_are_the_same_bootstrap() -> None:
    """Few distinct groups are drawn as counts, distinct ones one by one."""
    rng = np.random.default_rng(3)
    values = np.repeat(np.arange(10.0), 30)
    nearly = values + rng.uniform(0, 1e-7, size=len(values))
    by_counts = clustered_mean(values, resamples=40_000)
    one_by_one = clustered_mean(nearly, resamples=40_000, seed=1)
    assert ends(by_counts) == pytest.approx(ends(one_by_one), abs=0.01)
    error = values.std() / np.sqrt(len(values))
    expected = (values.mean() - 1.96 * error, values.mean() + 1.96 * error)
    assert ends(by_counts) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_a_skewed_mean_as_scipy_has_it(method: Method) -> None:
    values = np.random.default_rng(5).lognormal(sigma=1.0, size=80)
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, method=method, rng=np.random.default_rng(1)
    ).confidence_interval
    found = clustered_mean(values, method=method, resamples=40_000)
    assert ends(found) == pytest.approx((expected.low, expected.high), abs=0.015)


def test_bca_of_a_biased_and_skewed_statistic_as_scipy_has_it() -> None:
    values = np.random.default_rng(12).lognormal(sigma=0.8, size=25)
    expected = stats.bootstrap(
        (values,),
        np.var,
        n_resamples=50_000,
        method="BCa",
        rng=np.random.default_rng(1),
        batch=5000,
    ).confidence_interval
    columns = np.column_stack([np.ones(25), values, values**2])
    found = bootstrap_sums(columns, variance_of_sums, method="bca", resamples=100_000)
    assert ends(found) == pytest.approx((expected.low, expected.high), rel=0.015)


def test_bca_of_many_equal_groups_counts_each() -> None:
    # The same data, once as distinct groups with one row each and once seen through `bootstrap`.
    values = np.array([0.0] * 30 + [1.0] * 9 + [5.0])
    fast = clustered_mean(values, method="bca", resamples=30_000)
    slow = bootstrap(
        lambda rows: float(values[rows].mean()), range(40), method="bca", resamples=4000
    )
    assert ends(fast) == pytest.approx(ends(slow), abs=0.05)


def test_groups_are_drawn_whole() -> None:
    # Four rows alike in each of 25 groups: the interval of 25 rows, not of 100.
    shares = [1] * 15 + [0] * 10
    once = clustered_mean(shares, resamples=20_000)
    four_times = clustered_mean(
        np.repeat(shares, 4), None, np.repeat(np.arange(25), 4), resamples=20_000
    )
    assert ends(once) == ends(four_times)
    assert four_times.n == 100


def test_a_ratio_of_sums_weighs_groups_by_their_denominators() -> None:
    found = clustered_mean([1, 8], [1, 12], ["a", "b"], resamples=20_000)
    assert found.value == pytest.approx(9 / 13)
    # Two groups: both a, both b, or one of each with chance 1/2.
    assert ends(found) == pytest.approx((8 / 12, 1.0))


def test_difference_pairs_the_groups() -> None:
    rng = np.random.default_rng(8)
    second = rng.normal(0, 10, size=200)
    first = second + 1 + rng.normal(0, 0.1, size=200)
    found = clustered_difference(first, second, resamples=5000)
    expected = stats.norm(found.value, 0.1 / np.sqrt(200)).ppf([0.025, 0.975])
    assert found.value == pytest.approx(float((first - second).mean()))
    assert ends(found) == pytest.approx(tuple(expected), abs=0.002)


def test_difference_of_ratios_with_a_row_that_one_lacks() -> None:
    # The second system has no answer to the last row.
    found = clustered_difference([1, 1, 0, 1], [1, 0, 0, 0], second_denominators=[1, 1, 1, 0])
    assert found.value == pytest.approx(3 / 4 - 1 / 3)
    assert found.n == 4


def test_what_has_no_value_says_why() -> None:
    assert clustered_mean([]) == Estimate(value=None, why="there are no rows")
    assert clustered_mean([0, 0], [0, 0]).why == "the denominators sum to zero"
    assert clustered_difference([1, 0], [1, 0], second_denominators=[0, 0]).value is None
    assert bootstrap(lambda _: 1.0, []).value is None
    assert bootstrap(lambda _: None, [1, 2]).why == "it is undefined for these data"


def test_one_group_has_a_value_and_no_interval() -> None:
    found = clustered_mean([1, 0, 1], None, ["a", "a", "a"])
    assert found.value == pytest.approx(2 / 3)
    assert (found.low, found.high) == (None, None)
    assert found.why == "no interval: there is one group only"
    assert bootstrap(lambda rows: float(len(rows)), ["a", "a"]).why == found.why


def test_groups_all_alike_have_no_interval_unless_the_range_is_known() -> None:
    values, groups = [0.1] * 6, list("aabbcc")
    assert clustered_mean(values, None, groups).why == "no interval: the 3 groups are all alike"
    hidden = 3.841458821 / 6.841458821
    bounded = clustered_mean(values, None, groups, bounds=(0, 1))
    assert ends(bounded) == pytest.approx((0.1 - hidden * 0.1, 0.1 + hidden * 0.9))
    same = clustered_difference([1, 0, 1], [1, 0, 1], bounds=(-1, 1))
    assert ends(same) == pytest.approx((-hidden, hidden))


def test_a_perfect_mean_narrows_only_with_more_groups() -> None:
    lows = [ends(clustered_mean([1.0] * n, bounds=(0, 1)))[0] for n in (1, 2, 5, 20, 400)]
    assert lows == sorted(lows)
    assert len(set(lows)) == 5


def test_an_often_undefined_resample_is_reported() -> None:
    # Only one of four groups has anything below the line: (3/4)^4 of resamples lack it.
    found = clustered_mean([1, 0, 0, 0], [2, 0, 0, 0])
    assert found.value == 0.5
    assert found.why.startswith("no interval: it is undefined in 3")


def test_bca_says_when_it_is_undefined_without_a_group() -> None:
    def needs_all_twelve(sums: Floats) -> Floats:
        return np.where(sums[:, 0] < 12, np.nan, sums[:, 1])

    columns = np.column_stack([np.ones(12), np.arange(12.0)])
    found = bootstrap_sums(columns, needs_all_twelve, method="bca")
    assert found.value == 66
    assert found.why == "no interval: it is undefined without one of the groups"
    assert bootstrap_sums(columns, needs_all_twelve).low is not None


def test_bca_says_when_all_resamples_are_on_one_side() -> None:
    # Irrational values: no other draw has the same sum, so each falls short of the whole.
    columns = np.sqrt(np.arange(2.0, 14.0))[:, None]
    whole = columns.sum()
    found = bootstrap_sums(
        columns, lambda sums: -np.abs(sums[:, 0] - whole), method="bca", resamples=500
    )
    assert found.value == pytest.approx(0)
    assert found.why == "no interval: every resample is on one side of the value"


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(InputError, match=r"rows \(3\), groups \(2\)"):
        clustered_mean([1, 2, 3], None, ["a", "b"])
    with pytest.raises(InputError, match=r"numerators \(3\), denominators \(2\)"):
        clustered_mean([1, 2, 3], [1, 1])
    with pytest.raises(InputError, match="did you mean 'bca'"):
        clustered_mean([1, 2], method="bcaa")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="negative"):
        clustered_mean([1, 2], [1, -1])
    with pytest.raises(InputError, match="at least one resample"):
        clustered_mean([1, 2], resamples=0)
    with pytest.raises(InputError, match="inf at place 0"):
        clustered_mean([np.inf, 2])
    with pytest.raises(InputError, match="2 dimensions"):
        clustered_mean([[1, 2], [3, 4]])


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-5, 5), st.integers(1, 3), st.integers(0, 8)), min_size=1, max_size=30
    ),
    st.sampled_from(["percentile", "bca"]),
    st.randoms(use_true_random=False),
)
def test_the_same_rows_in_any_order_give_the_same_bits(
    rows: list[tuple[float, int, int]], method: Method, shuffler: random.Random
) -> None:
    def estimate(rows: list[tuple[float, int, int]]) -> Estimate:
        above, below, groups = zip(*rows, strict=True)
        return clustered_mean(
            above, below, [f"g{label}" for label in groups], method=method, resamples=50
        )

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


def test_a_seed_is_all_the_chance_there_is() -> None:
    values = np.random.default_rng(0).normal(size=50)
    assert clustered_mean(values, seed=4) == clustered_mean(values, seed=4)
    assert clustered_mean(values, seed=4) != clustered_mean(values, seed=5)


def test_the_clustered_interval_covers_where_a_naive_one_does_not() -> None:
    """Eight rows per group that share most of their variance."""
    rng = np.random.default_rng(11)
    groups, rows = 40, 8
    labels = np.repeat(np.arange(groups), rows)
    hits: dict[str, int] = {"percentile": 0, "bca": 0, "naive": 0}
    for trial in range(300):
        values = np.repeat(rng.normal(size=groups), rows) + rng.normal(size=groups * rows)
        for method in ("percentile", "bca"):
            low, high = ends(
                clustered_mean(values, None, labels, method=method, resamples=200, seed=trial)
            )
            hits[method] += low <= 0 <= high
        naive = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
        hits["naive"] += abs(values.mean()) <= naive
    shares = {name: count / 300 for name, count in hits.items()}
    assert 0.91 <= shares["percentile"] <= 0.97
    assert 0.91 <= shares["bca"] <= 0.97
    assert shares["naive"] < 0.75


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
