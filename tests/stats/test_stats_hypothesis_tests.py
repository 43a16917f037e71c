"""Paired tests, against enumeration by hand, SciPy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from epicene.core.errors import InputError
from epicene.stats.hypothesis_tests import (
    mcnemar_test,
    paired_t_test,
    permutation_test,
    studentised_test,
)
from epicene.stats.intervals import clustered_difference


def outcomes(
    both: int, only_first: int, only_second: int, neither: int
) -> tuple[list[int], list[int]]:
    first = [1] * (both + only_first) + [0] * (only_second + neither)
    second = [1] * both + [0] * only_first + [1] * only_second + [0] * neither
    return first, second


def test_permutation_by_hand() -> None:
    # Differences 1, 2, 3: of the 8 signed sums, 6 and −6 reach 6.
    found = permutation_test([1, 2, 3], [0, 0, 0])
    assert found.statistic == pytest.approx(2)
    assert found.p == 2 / 8
    assert found.n == 3
    # Differences 1, 2, −3 sum to 0: every sum reaches it.
    assert permutation_test([1, 2, 0], [0, 0, 3]).p == 1


def test_permutation_has_fisher_s_p_for_darwin_s_plants() -> None:
    # Fisher (1935), The Design of Experiments, section 21: the 15 differences between crossed
    # and self-fertilised plants in eighths of an inch sum to 314; 863 of the 32,768 sign
    # arrangements reach that on one side, 1,726 on either.
    plants = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    found = permutation_test(plants, np.zeros(15))
    assert sum(plants) == 314
    assert found.p == 1726 / 32768


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-3, 3).map(lambda x: round(x, 2)), min_size=2, max_size=9))
def test_permutation_equals_scipy_where_all_flips_are_tried(gaps: list[float]) -> None:
    expected = stats.permutation_test(
        (np.array(gaps), np.zeros(len(gaps))),
        lambda a, b: abs((a - b).mean()),
        permutation_type="samples",
        alternative="greater",
        n_resamples=np.inf,
    )
    assert permutation_test(gaps, [0.0] * len(gaps)).p == pytest.approx(expected.pvalue)


def test_units_that_do_not_differ_keep_the_test_exact() -> None:
    # 3 of 10,003 items differ, all one way.
    first, second = outcomes(5000, 3, 0, 5000)
    found = permutation_test(first, second)
    assert found.p == 2 / 8
    assert found.n == 10_003


def test_random_flips_come_near_the_exact_p() -> None:
    # With differences of 1 only, the exact p is the binomial's: 40 against 22 of 62.
    first, second = outcomes(20, 40, 22, 20)
    exact = 2 * float(stats.binom(62, 0.5).cdf(22))
    assert permutation_test(first, second, resamples=200_000).p == pytest.approx(exact, abs=0.001)


def test_distinct_differences_flip_like_the_normal() -> None:
    gaps = np.random.default_rng(1).normal(0.15, 1, size=400)
    z = gaps.sum() / np.sqrt((gaps**2).sum())
    assert permutation_test(gaps, np.zeros(400), resamples=50_000).p == pytest.approx(
        2 * float(stats.norm.sf(abs(z))), abs=0.004
    )


def test_no_p_from_random_flips_is_zero() -> None:
    found = permutation_test(np.ones(100), np.zeros(100), resamples=999)
    assert found.p == 1 / 1000


def test_groups_flip_whole() -> None:
    # 4 groups of 10 rows, all better: 2 of 16 flips, not 2 of 2^40.
    found = permutation_test(np.ones(40), np.zeros(40), np.repeat(list("abcd"), 10))
    assert found.p == 2 / 16
    assert found.n == 4
    assert found.statistic == 1


def test_a_naive_test_of_grouped_rows_raises_false_alarms_and_a_grouped_one_does_not() -> None:
    rng = np.random.default_rng(7)
    labels = np.repeat(np.arange(15), 6)
    alarms = np.zeros(2)
    for trial in range(300):
        gaps = np.repeat(rng.normal(size=15), 6) + 0.3 * rng.normal(size=90)
        for place, groups in enumerate((labels, None)):
            p = permutation_test(gaps, np.zeros(90), groups, resamples=200, seed=trial).p
            assert p is not None
            alarms[place] += p <= 0.05
    grouped, naive = alarms / 300
    assert 0.02 <= grouped <= 0.08
    assert naive > 0.25


def test_a_studentised_test_of_independent_rows_is_student_s() -> None:
    gaps = np.random.default_rng(6).uniform(-1, 2, size=30)  # a kurtosis below 3: 29 degrees
    expected = stats.ttest_1samp(gaps, 0)
    found = studentised_test(gaps, np.zeros(30))
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert found.n == 30


def test_a_studentised_test_rejects_where_the_interval_excludes_zero() -> None:
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(25), rng.integers(1, 6, size=25))
    for shift in np.linspace(0, 1.5, 30):
        gaps = rng.normal(shift, 1, size=25)[labels]
        found = studentised_test(gaps, np.zeros(len(gaps)), labels)
        interval = clustered_difference(gaps, np.zeros(len(gaps)), labels)
        assert interval.low is not None
        assert interval.high is not None
        assert found.p is not None
        assert (found.p < 0.05) == (not interval.low <= 0 <= interval.high)


def test_only_the_studentised_test_keeps_its_level_for_skewed_means_of_zero() -> None:
    """Half the groups lose a little and few gain much: a mean of zero, but no equal signs."""
    rng = np.random.default_rng(13)
    alarms = np.zeros(2)
    for trial in range(400):
        gaps = rng.exponential(size=20) - 1
        for place, p in enumerate(
            (
                studentised_test(gaps, np.zeros(20)).p,
                permutation_test(gaps, np.zeros(20), resamples=400, seed=trial).p,
            )
        ):
            assert p is not None
            alarms[place] += p <= 0.05
    studentised, permutation = alarms / 400
    assert studentised < permutation
    assert studentised <= 0.085


def test_a_studentised_test_without_a_spread_says_why() -> None:
    assert studentised_test([], []).why == "there are no pairs"
    assert studentised_test([1, 2], [0, 0], ["a", "a"]).why == "there is one group only"
    assert studentised_test([1, 0], [1, 0]).why == "all differences are equal"


def test_identical_systems_differ_by_nothing() -> None:
    found = permutation_test([1, 0, 1], [1, 0, 1])
    assert (found.statistic, found.p) == (0, 1)


def test_paired_t_on_student_s_own_data() -> None:
    # Student (1908): hours of sleep gained by ten patients with two drugs; mean difference
    # −1.58, t = −4.0621 on 9 degrees of freedom, p = 0.002833.
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    found = paired_t_test(first, second)
    assert found.statistic == pytest.approx(-4.0621, abs=5e-5)
    assert found.p == pytest.approx(0.002833, abs=5e-7)
    assert found.n == 10


def test_paired_t_over_groups_takes_their_means() -> None:
    first, groups = [1.0, 3.0, 4.0, 9.0, 9.0, 9.0], list("aabccc")
    found = paired_t_test(first, np.zeros(6), groups)
    expected = stats.ttest_1samp([2.0, 4.0, 9.0], 0)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.n == 3


def test_paired_t_says_why_it_has_no_p() -> None:
    assert paired_t_test([], []).why == "there are no pairs"
    assert paired_t_test([1], [0]).why == "there is only one pair or group"
    assert paired_t_test([0.3, 0.4, 0.5], [0.2, 0.3, 0.4]).why == "all differences are equal"
    assert paired_t_test([1, 2], [0, 0], ["a", "a"]).p is None
    assert permutation_test([], []).why == "there are no pairs"


def test_mcnemar_by_hand() -> None:
    # 150 against 86, as in Agresti's approval of a prime minister: 64² / 236 = 17.3559.
    first, second = outcomes(794, 150, 86, 570)
    plain = mcnemar_test(first, second, method="chi-square")
    corrected = mcnemar_test(first, second, method="chi-square-corrected")
    assert plain.statistic == pytest.approx(17.3559, abs=5e-5)
    assert corrected.statistic == pytest.approx(63**2 / 236)
    assert plain.n == 1600
    # 5 against 1: (6 choose 0 + 6 choose 1) / 64, twice.
    assert mcnemar_test(*outcomes(3, 5, 1, 2)).p == pytest.approx(2 * 7 / 64)
    # 2 against 2: twice the tail is more than 1.
    assert mcnemar_test(*outcomes(0, 2, 2, 0)).p == 1


@given(*[st.integers(0, 60)] * 4)
def test_mcnemar_equals_statsmodels(both: int, first: int, second: int, neither: int) -> None:
    if not first + second:
        first = 1
    table = [[both, first], [second, neither]]
    data = outcomes(both, first, second, neither)
    for method, exact, correction in (
        ("exact", True, False),
        ("chi-square", False, False),
    ):
        expected = statsmodels_mcnemar(table, exact=exact, correction=correction)
        found = mcnemar_test(*data, method=method)  # type: ignore[arg-type]
        assert found.statistic == pytest.approx(expected.statistic)
        assert found.p == pytest.approx(min(1.0, expected.pvalue), rel=1e-9)


def test_the_correction_never_turns_no_difference_into_one() -> None:
    # |2 − 2| − 1 would square to 1.
    found = mcnemar_test(*outcomes(0, 2, 2, 0), method="chi-square-corrected")
    assert (found.statistic, found.p) == (0, 1)


def test_mcnemar_without_disagreement_is_a_dash() -> None:
    found = mcnemar_test([1, 0], [1, 0])
    assert (found.statistic, found.p, found.why) == (None, None, "the two never disagree")
    assert found.n == 2


def test_wrong_calls_of_paired_tests_are_refused() -> None:
    with pytest.raises(InputError, match=r"first \(2\), second \(1\)"):
        permutation_test([1, 2], [1])
    with pytest.raises(InputError, match="0 and 1"):
        mcnemar_test([0.5, 1], [1, 1])
    with pytest.raises(InputError, match="chi-square"):
        mcnemar_test([1], [0], method="chi")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least one"):
        permutation_test([1, 2], [1, 1], resamples=0)
