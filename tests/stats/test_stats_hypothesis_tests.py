"""Paired tests, against SciPy and published examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from epicene.core.errors import InputError
from epicene.stats.hypothesis_tests import paired_t_test, studentised_test
from epicene.stats.intervals import clustered_difference

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from epicene.stats import SignificanceResult
    from epicene.stats.arrays import Floats, Groups


def mean(sums: Floats) -> Floats:
    return sums[:, 0] / sums[:, 1]


def studentised(gaps: ArrayLike, groups: Groups = None) -> SignificanceResult:
    """The test of the mean of these differences."""
    values = np.asarray(gaps, dtype=np.float64)
    return studentised_test(np.column_stack([values, np.ones_like(values)]), mean, groups)


def test_a_studentised_test_of_independent_rows_is_student_s() -> None:
    gaps = np.random.default_rng(6).uniform(-1, 2, size=30)  # a kurtosis below 3: 29 degrees
    expected = stats.ttest_1samp(gaps, 0)
    found = studentised(gaps)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert found.n == 30


def test_a_studentised_test_rejects_where_the_interval_excludes_zero() -> None:
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(25), rng.integers(1, 6, size=25))
    for shift in np.linspace(0, 1.5, 30):
        gaps = rng.normal(shift, 1, size=25)[labels]
        found = studentised(gaps, labels)
        interval = clustered_difference(gaps, np.zeros(len(gaps)), labels)
        assert interval.low is not None
        assert interval.high is not None
        assert found.p is not None
        assert (found.p < 0.05) == (not interval.low <= 0 <= interval.high)


def test_a_studentised_test_keeps_its_level_for_skewed_means_of_zero() -> None:
    """Half the groups lose a little and few gain much."""
    rng = np.random.default_rng(13)
    found = [studentised(rng.exponential(size=20) - 1).p for _ in range(400)]
    assert np.mean([p is not None and p <= 0.05 for p in found]) <= 0.085


def test_a_studentised_test_without_a_spread_says_why() -> None:
    assert studentised([]).why == "there are no pairs"
    assert studentised([1, 2], ["a", "a"]).why == "there is one group only"
    assert studentised([0, 0]).why == "all differences are equal"


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


def test_wrong_calls_of_paired_tests_are_refused() -> None:
    with pytest.raises(InputError, match=r"first \(2\), second \(1\)"):
        paired_t_test([1, 2], [1])
