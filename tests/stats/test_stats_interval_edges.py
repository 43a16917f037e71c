"""What docs/background/statistics.md says of intervals where nothing, or little, is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from epicene.stats.intervals import clustered_difference, clustered_mean, proportion


@pytest.mark.parametrize(
    ("wrong", "printed", "groups"),
    [
        (0, (85.7, 100.0), 23),
        (1, (84.4, 99.9), 3.29),
        (2, (86.6, 99.6), 6.35),
        (5, (87.9, 97.7), 23),
    ],
)
def test_the_figures_of_the_page(wrong: int, printed: tuple[float, float], groups: float) -> None:
    right = np.ones((23, 4))
    right[:wrong, 0] = 0
    made = proportion(right.ravel(), groups=np.repeat(np.arange(23), 4))
    assert made.low is not None
    assert made.high is not None
    assert (100 * made.low, 100 * made.high) == pytest.approx(printed, abs=0.05)
    assert made.groups == groups


def test_the_first_row_with_an_error_by_hand() -> None:
    """One slip in one of 23 groups of four: Wilson's interval on the items it is worth."""
    share, spread = 91 / 92, 1 / 23 * 22 / 23  # the variance of one 1 among 23
    kurtosis = (1 - 3 * spread) / spread
    freedom = 2 * 23 / (kurtosis - 1)
    error = float(stats.t.ppf(0.975, freedom)) * math.sqrt(spread / 22) / 4
    items = max(23.0, share * (1 - share) * 3.841458820694124 / error**2)
    wilson = proportion_confint(share * items, items, method="wilson")
    caution = (20 - round(freedom + 1, 2)) / 17
    low = share - caution * share * 3.841458820694124 / 26.841458820694124
    made = proportion([1] * 91 + [0], groups=np.repeat(np.arange(23), 4))
    assert made.low == pytest.approx(min(wilson[0], low), abs=1e-9)


def test_ends_are_plain_floats_where_all_groups_are_alike() -> None:
    """NumPy's cannot be written as JSON: `tables --json` of a small GramVis run failed, whose table
    of stereotypes computes the bounds."""
    least, most = np.array([0.0, 1.0])
    groups = ["a", "b", "b"]
    for made in (
        clustered_mean(np.zeros(3), np.ones(3), groups, bounds=(least, most)),
        clustered_difference(np.zeros(3), np.zeros(3), groups, bounds=(least - 1, most)),
        clustered_difference(np.arange(3), np.zeros(3), groups, bounds=(least - 2, 2 * most)),
    ):
        assert (type(made.value), type(made.low), type(made.high)) == (float, float, float)
