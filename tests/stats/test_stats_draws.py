"""Means over draws of the same prompts: by hand, and coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from epicene.core.errors import InputError
from epicene.stats.draws import mean_over_draws


def test_by_hand() -> None:
    """Three prompts of two draws; variances 0.5, 0.5, 0: together 1/(2 · 9) = 1/18, with
    1 · 1²/(0.25 + 0.25) = 2 degrees of freedom. Draws have means 1/3 and 1: their variance is
    2/9, halved 1/9, twice as much: F(1, 2) = 2."""
    found = mean_over_draws(np.array([[0.0, 1], [0, 1], [1, 1]]))
    assert found.estimate.value == pytest.approx(2 / 3)
    assert found.alike.statistic == pytest.approx(2)
    assert found.alike.p == pytest.approx(stats.f.sf(2, 1, 2))
    assert found.estimate.groups == 3


def test_many_prompts_give_students_interval() -> None:
    rng = np.random.default_rng(1)
    values = (rng.random((400, 3)) < 0.7).astype(float)
    found = mean_over_draws(values)
    own = values.var(axis=1, ddof=1)
    error = np.sqrt(own.sum() / 3) / 400
    freedom = 2 * own.sum() ** 2 / np.sum(own**2)
    low, high = stats.t.interval(0.95, freedom, values.mean(), error)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((low, high))


def test_draws_that_differ_as_a_whole_are_known_by_their_means() -> None:
    rng = np.random.default_rng(2)
    values = (rng.random((500, 4)) < np.array([0.5, 0.6, 0.7, 0.8])).astype(float)
    found = mean_over_draws(values)
    assert found.alike.p is not None
    assert found.alike.p < 0.001
    means = values.mean(axis=0)
    low, high = stats.t.interval(0.95, 3, means.mean(), means.std(ddof=1) / 2)
    assert found.estimate.low is not None
    assert found.estimate.high is not None
    assert found.estimate.low <= low
    assert found.estimate.high >= min(high, 1)
    assert found.estimate.few_groups


def test_answers_that_never_change_are_no_certainty() -> None:
    same = mean_over_draws(np.repeat([[1.0], [0.0], [1.0], [1.0]], 3, axis=1))
    assert same.estimate.value == 0.75
    assert same.estimate.low is not None
    assert same.estimate.low < 0.75
    assert same.alike.why == "no answer changes"
    with pytest.raises(InputError, match="two draws"):
        mean_over_draws(np.ones((4, 1)))
    with pytest.raises(InputError, match="have nan"):
        mean_over_draws(np.array([[1.0, np.nan]]))


def test_coverage_of_these_prompts() -> None:
    rng = np.random.default_rng(3)
    chances = rng.beta(2, 1, size=150)
    hits = 0
    for _ in range(300):
        found = mean_over_draws((rng.random((150, 3)) < chances[:, None]).astype(float)).estimate
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= chances.mean() <= found.high
    assert 276 <= hits <= 297  # 92 to 99 %
