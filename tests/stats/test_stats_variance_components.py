"""Components of variance against a case computed by hand, and against known truth."""

from __future__ import annotations

import numpy as np
import pytest

from epicene.stats.variance_components import crossed_components, variance_components


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


def cells(table: list[list[float]]) -> tuple[np.ndarray, list[int], list[int]]:
    """The values of a table of items by wordings, with the number of each."""
    values = np.array(table)
    items, wordings = np.indices(values.shape)
    return values.ravel(), items.ravel().tolist(), wordings.ravel().tolist()


def test_crossed_components_by_hand() -> None:
    """Items have means 1, 4, 7 and wordings 2, 6; the whole has 4.

    Items: 2 × ((−3)² + 0² + 3²)/2 = 18. Residuals: ±1, 0, ∓1, so (1 + 0 + 1) × 2 / (2 × 1) = 2 for
    the interaction. Wordings: (2² + 2²)/1 = 8, less chance 2/3. Item: (18 − 2)/2 = 8.
    """
    found = crossed_components(*cells([[0.0, 2.0], [2.0, 6.0], [4.0, 10.0]]))
    assert found is not None
    assert found.item == pytest.approx(8)
    assert found.interaction == pytest.approx(2)
    assert found.wording == pytest.approx(8 - 2 / 3)
    assert found.sample is None
    assert found.items == 3
    assert found.wording / found.total == pytest.approx((22 / 3) / (8 + 2 + 22 / 3))


def test_samples_are_a_part_of_their_own() -> None:
    """Two samples in every cell, 1 above and below its mean: their variance is 2, and half of it is
    in the mean of a cell, which leaves 2 − 1 for the interaction."""
    values, items, wordings = cells([[0.0, 2.0], [2.0, 6.0], [4.0, 10.0]])
    twice = np.concatenate([values + 1, values - 1])
    found = crossed_components(twice, items * 2, wordings * 2)
    assert found is not None
    assert found.sample == pytest.approx(2)
    assert found.interaction == pytest.approx(1)
    assert found.item == pytest.approx(8)


def test_what_lacks_a_wording_is_left_out() -> None:
    values, items, wordings = cells([[0.0, 2.0], [2.0, 6.0], [4.0, 10.0]])
    whole = crossed_components(values, items, wordings)
    more = crossed_components(np.append(values, 99.0), [*items, 7], [*wordings, 0])
    assert more == whole
    assert crossed_components(values[:2], items[:2], wordings[:2]) is None  # one item
    assert crossed_components(values, items, [0] * 6) is None  # one wording


def test_wordings_that_differ_by_chance_have_no_variance() -> None:
    """Items in groups whose wordings differ together: over groups, the difference is chance."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(300):
        of_group = rng.normal(0, 1, (12, 4)).repeat(5, axis=0)  # group × wording, five items each
        values, items, wordings = cells((of_group + rng.normal(0, 0.5, (60, 4))).tolist())
        groups = np.arange(12).repeat(5).repeat(4)
        clustered = crossed_components(values, items, wordings, groups)
        plain = crossed_components(values, items, wordings)
        assert clustered is not None
        assert plain is not None
        found.append((clustered.wording, plain.wording))
    clustered_mean, plain_mean = np.mean(found, axis=0)
    assert clustered_mean < plain_mean / 1.5  # which takes 60 items for independent


@pytest.mark.parametrize(("item", "wording", "rest"), [(1.0, 0.3, 0.5), (0.5, 0.0, 1.0)])
def test_known_crossed_components_come_back(item: float, wording: float, rest: float) -> None:
    rng = np.random.default_rng(11)
    found = []
    for _ in range(200):
        table = (
            rng.normal(0, np.sqrt(item), (80, 1))
            + rng.normal(0, np.sqrt(wording), (1, 5))
            + rng.normal(0, np.sqrt(rest), (80, 5))
        )
        parts = crossed_components(*cells(table.tolist()))
        assert parts is not None
        found.append(parts[:3])
    assert np.mean(found, axis=0) == pytest.approx([item, wording, rest], abs=0.05)
