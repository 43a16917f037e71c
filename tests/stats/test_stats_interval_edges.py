"""What docs/statistics.md says of intervals where nothing, or hardly anything, is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from epicene.stats.intervals import clustered_mean, proportion


@pytest.mark.parametrize(
    ("wrong", "of_shares", "resampled"),
    [
        (0, (85.7, 100.0), (85.7, 100.0)),
        (1, (93.6, 99.8), (96.7, 100.0)),
        (2, (92.0, 99.4), (94.6, 100.0)),
    ],
)
def test_the_figures_of_the_page(
    wrong: int, of_shares: tuple[float, float], resampled: tuple[float, float]
) -> None:
    right = np.ones((23, 4))
    right[:wrong, 0] = 0
    groups = np.repeat(np.arange(23), 4)
    for made, wanted in (
        (proportion(right.ravel(), groups=groups), of_shares),
        (clustered_mean(right.ravel(), groups=groups, bounds=(0, 1)), resampled),
    ):
        assert made.low is not None
        assert made.high is not None
        assert (100 * made.low, 100 * made.high) == pytest.approx(wanted, abs=0.05)


def test_ends_are_plain_floats_where_all_groups_are_alike() -> None:
    """NumPy's cannot be written as JSON: `tables --json` of a small GramVis run failed, whose table
    of stereotypes computes the bounds."""
    least, most = np.array([0.0, 1.0])
    made = clustered_mean(np.zeros(3), np.ones(3), ["a", "b", "b"], bounds=(least, most))
    assert (type(made.value), type(made.low), type(made.high)) == (float, float, float)
