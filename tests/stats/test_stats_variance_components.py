"""Components of variance against a case computed by hand, and against known truth."""

from __future__ import annotations

import numpy as np
import pytest

from epicene.stats.variance_components import variance_components


def test_two_groups_by_hand() -> None:
    """Deviations 1, 1, −1, −1 in two groups of two: every product within a group is 1; the mean's
    variance is (2² + 2²)/16 = 0.5, which each product lacks."""
    found = variance_components(np.array([2.0, 2.0, 0.0, 0.0]), ["a", "a", "b", "b"], [1, 2, 3, 4])
    assert found.total == pytest.approx(1.5)
    assert found.group == pytest.approx(1.5)
    assert found.icc == 1
    assert found.item is None
    assert found.agreement == 1
    assert found.rest == 0


@pytest.mark.parametrize(
    ("group", "item", "rest"), [(1.0, 0.5, 2.0), (0.0, 1.0, 1.0), (0.2, 0.0, 1.0)]
)
def test_known_components_come_back(group: float, item: float, rest: float) -> None:
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(3000), rng.integers(1, 8, size=3000))  # items of unequal groups
    between = rng.normal(0, np.sqrt(group), 3000)[groups]
    items = between + rng.normal(0, np.sqrt(item), len(groups))
    values = (items[:, None] + rng.normal(0, np.sqrt(rest), (len(groups), 3))).ravel()
    found = variance_components(values, groups.repeat(3), np.arange(len(groups)).repeat(3))
    assert found.group == pytest.approx(group, abs=0.08)
    assert found.item == pytest.approx(item, abs=0.08)
    assert found.rest == pytest.approx(rest, abs=0.08)
    assert found.agreement == pytest.approx((group + item) / (group + item + rest), abs=0.05)


def test_a_balanced_design_gives_the_estimates_of_anova() -> None:
    """Two-level, balanced: the between and within mean squares of a one-way analysis."""
    rng = np.random.default_rng(8)
    values = rng.normal(0, 1, (200, 1)) + rng.normal(0, 1, (200, 4))
    within = values.var(axis=1, ddof=1).mean()
    between = (4 * values.mean(axis=1).var(ddof=1) - within) / 4
    found = variance_components(values.ravel(), np.arange(200).repeat(4), np.arange(800))
    assert found.group == pytest.approx(between, rel=0.02)
    assert found.rest == pytest.approx(within, rel=0.02)


def test_wordings_cross_the_groups() -> None:
    rng = np.random.default_rng(6)
    wording = np.tile(np.arange(30), 200)
    group = np.arange(200).repeat(30)
    effects = rng.normal(0, 1, 30)
    values = effects[wording] + rng.normal(0, 1, len(wording))
    found = variance_components(values, group, np.arange(len(values)), wording)
    assert found.wording == pytest.approx(effects.var(), rel=0.1)
    same = np.zeros(len(values), dtype=np.int64)
    assert variance_components(values, group, np.arange(len(values)), same).wording is None
