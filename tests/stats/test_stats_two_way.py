"""Crossed designs against statsmodels, a case by hand, and coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from epicene.stats.arrays import Floats, Ints
from epicene.stats.intervals import clustered_mean
from epicene.stats.two_way import crossed_mean, crossed_spread, crossed_test


def crossed(templates: int, names: int) -> tuple[Ints, Ints]:
    return np.repeat(np.arange(templates), names), np.tile(np.arange(names), templates)


def answers(rng: np.random.Generator, templates: int, names: int, of_names: float) -> Floats:
    latent = (
        rng.normal(0, 0.4, (templates, 1))
        + rng.normal(0, of_names, (1, names))
        + rng.normal(0, 0.8, (templates, names))
    )
    return np.asarray(latent.ravel() > 0, dtype=np.float64)


def test_two_templates_by_two_names_by_hand() -> None:
    """Right with one name and wrong with the other. Over templates nothing varies; over names the
    variance is (0.5² + 0.5²)/(2 · 1) = 1/4; over the four cells 4 · 0.5²/(4 · 3) = 1/12. The sum
    1/4 − 1/12 is less than that over names alone, so it is 1/4."""
    found = crossed_spread(np.array([1.0, 0, 1, 0]), *crossed(2, 2))
    assert found.groups.variance == 0
    assert found.crossed.variance == pytest.approx(1 / 4)
    assert found.cells.variance == pytest.approx(1 / 12)
    assert found.both.variance == pytest.approx(1 / 4)
    assert found.both.freedom == 1


def test_the_variance_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(1)
    templates, names = crossed(30, 12)
    values = answers(rng, 30, 12, 0.5)
    fitted = sm.OLS(values, np.ones_like(values)).fit()
    both, first, second = cov_cluster_2groups(fitted, templates, names)
    found = crossed_spread(values, templates, names)
    assert found.groups.variance == pytest.approx(first.item())
    assert found.crossed.variance == pytest.approx(second.item())
    assert found.both.variance == pytest.approx(both.item())
    test = crossed_test(values, np.full_like(values, 0.5), templates, names)
    assert test.statistic == pytest.approx((values.mean() - 0.5) / both.item() ** 0.5)


def test_a_second_factor_never_makes_an_interval_narrower() -> None:
    rng = np.random.default_rng(2)
    for templates, names in ((3, 15), (15, 3), (30, 30)):
        for _ in range(20):
            values = answers(rng, templates, names, 0.0)
            groups, others = crossed(templates, names)
            one = clustered_mean(values, groups=groups, bounds=(0, 1))
            both = crossed_mean(values, groups, others)
            assert both.low is not None and one.low is not None  # noqa: PT018
            assert both.high is not None and one.high is not None  # noqa: PT018
            assert both.low <= one.low <= one.high <= both.high


def test_nested_factors_add_nothing() -> None:
    """Where each name has its own template, names vary as cells do: templates alone decide."""
    values = np.array([1.0, 0, 1, 1, 0, 0])
    groups, names = np.arange(6) // 2, np.arange(6)
    found = crossed_spread(values, groups, names)
    assert found.both.variance == found.groups.variance


@pytest.mark.parametrize("order", [slice(None, None, -1), slice(None)])
def test_edges(order: slice) -> None:
    groups, names = crossed(4, 5)
    right = crossed_mean(np.ones(20)[order], groups[order], names[order])
    assert (right.value, right.high) == (1, 1)
    assert right.low is not None
    assert right.low < 0.6
    assert crossed_mean([], [], []).why == "there are no rows"
    assert crossed_test([], [], [], []).why == "there are no pairs"
    assert crossed_test([1.0], [0.0], ["a"], ["b"]).why == "all differences are equal"
    alone = crossed_mean([1.0], ["a"], ["b"])
    assert alone.low is not None
    assert alone.few_groups
    without = crossed_mean([1.0, 1.0], ["a", "b"], ["c", "d"], bounds=None)
    assert without.why.startswith("no interval")


def test_two_way_intervals_cover_where_one_way_ones_do_not() -> None:
    rng = np.random.default_rng(3)
    groups, names = crossed(60, 25)
    one, both = 0, 0
    for _ in range(200):
        values = answers(rng, 60, 25, 0.4)
        way = clustered_mean(values, groups=groups, bounds=(0, 1))
        two = crossed_mean(values, groups, names)
        assert way.low is not None and two.low is not None  # noqa: PT018
        assert way.high is not None and two.high is not None  # noqa: PT018
        one += way.low <= 0.5 <= way.high
        both += two.low <= 0.5 <= two.high
    assert one < 170
    assert 182 <= both <= 199
