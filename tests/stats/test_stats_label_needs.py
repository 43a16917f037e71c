"""How many labels are needed, and of which cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.stats.corrected import CheckedRate, corrected_rate
from epicene.stats.label_needs import allocate, labels_needed, smoothed_deviations, variance_of


def test_the_textbook_number_without_an_automatic_judgement() -> None:
    """0.25 · (1.96 / 0.03)² = 1,068, and four more for errors unseen."""
    needed = labels_needed(np.array([50_000.0]), np.array([0.5]), variance_of(0.03, 1.95996))
    assert needed == 1072


def test_labels_needed_by_hand_over_cells() -> None:
    sizes, deviations = np.array([100.0, 300.0]), np.array([0.5, 0.1])
    # (0.25 · 0.5 + 0.75 · 0.1)² / n + 1 / (n + 1)² ≤ 0.001
    needed = labels_needed(sizes, deviations, 0.001)
    assert needed is not None
    spread = 0.2**2
    assert spread / needed + 1 / (needed + 1) ** 2 <= 0.001
    assert spread / (needed - 1) + 1 / needed**2 > 0.001
    twice = labels_needed(sizes, deviations, 0.001, design_effect=2)
    assert twice is not None
    assert twice > 1.5 * needed
    assert labels_needed(sizes, deviations, 1e-9) is None


def test_an_empty_cell_gets_none() -> None:
    """Cells of answers that a headline does not count."""
    sizes, deviations = np.array([100.0, 0.0, 300.0]), np.array([0.5, 0.5, 0.1])
    assert allocate(sizes, deviations, 80).tolist() == [50, 0, 30]
    assert allocate(np.zeros(2), np.ones(2), 10).tolist() == [0, 0]


def test_neyman_by_hand() -> None:
    sizes, deviations = np.array([100.0, 300.0]), np.array([0.5, 0.1])
    assert allocate(sizes, deviations, 80).tolist() == [50, 30]
    # The first has no more than 100, and the second gets the rest.
    assert allocate(sizes, deviations, 200).tolist() == [100, 100]
    assert allocate(sizes, np.array([0.5, 0.0]), 80).tolist() == [78, 2]
    assert allocate(np.array([1.0, 300.0]), deviations, 10).tolist() == [1, 9]


@given(
    st.lists(st.tuples(st.integers(1, 200), st.floats(0, 0.5)), min_size=1, max_size=8),
    st.integers(1, 400),
)
def test_an_allocation_sums_up_and_fits(cells: list[tuple[int, float]], total: int) -> None:
    sizes, deviations = (np.array(each, dtype=np.float64) for each in zip(*cells, strict=True))
    found = allocate(sizes, deviations, total)
    assert (found >= 1).all()
    assert (found <= sizes).all()
    if total >= 2 * len(cells):
        assert found.sum() == min(total, int(sizes.sum()))


def test_deviations_are_drawn_towards_the_common_one() -> None:
    values = np.array([1.0, 0, 1, 0, 0, 0, 0, 0])
    cells = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    found = smoothed_deviations(values, cells, 3)
    common = 1 / 6  # squares of one, 8 − 2 degrees of freedom
    assert found[0] == pytest.approx(np.sqrt((1 + 5 * common) / 8))
    assert found[1] == pytest.approx(np.sqrt(5 * common / 8))
    assert found[2] == pytest.approx(np.sqrt(common))  # a cell without labels
    # A pilot that found no error does not say that there is none.
    assert smoothed_deviations(np.zeros(8), cells, 2).min() > 0


def test_the_precision_that_was_planned_is_reached() -> None:
    """An uncertain cell of a fifth of the answers has most errors of the judge."""
    random = np.random.default_rng(8)
    widths = []
    rows = 8000
    for _ in range(20):
        unsure = random.random(rows) < 0.2
        truth = (random.random(rows) < 0.7).astype(np.float64)
        errors = random.random(rows) < np.where(unsure, 0.3, 0.01)
        automatic = np.where(errors, 1 - truth, truth)
        cells = unsure.astype(np.int64)
        sizes = np.bincount(cells).astype(np.float64)
        # Of what is left after the variance of the whole run, with λ about 1.
        left = variance_of(0.025, 1.96) - 0.21 / rows
        needed = labels_needed(sizes, np.sqrt([0.01, 0.3]), left)
        assert needed is not None
        human = np.full(rows, np.nan)
        for cell, number in enumerate(allocate(sizes, np.sqrt([0.01, 0.3]), needed)):
            taken = random.choice(np.flatnonzero(cells == cell), number, replace=False)
            human[taken] = truth[taken]
        found = corrected_rate(CheckedRate(automatic, human, strata=cells)).corrected
        assert found.low is not None
        assert found.high is not None
        widths.append((found.high - found.low) / 2)
    assert np.mean(widths) == pytest.approx(0.025, rel=0.2)
