"""Differences of independent figures, against Newcombe's published intervals."""

from __future__ import annotations

import pytest

from epicene.core.records import Estimate
from epicene.stats.independent_difference import independent_difference
from epicene.stats.intervals import wilson


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((48, 80), (56, 70), 0.0524, 0.3339),  # Newcombe (1998b), Table II, (a), method 10
        ((3, 10), (9, 10), 0.1705, 0.8090),  # (b)
        ((0, 20), (10, 10), 0.6791, 1.0),  # 10/10 against 0/20, (h)
    ],
)
def test_wilson_intervals_give_newcombes_difference(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    found = independent_difference(wilson(*first), wilson(*second))
    assert found is not None
    assert found.low(0.975) == pytest.approx(low, abs=5e-5)
    assert found.high(0.975) == pytest.approx(high, abs=5e-5)


def test_other_levels_are_wider_in_proportion() -> None:
    found = independent_difference(wilson(48, 80), wilson(56, 70))
    assert found is not None
    assert found.low(0.5) == pytest.approx(0.2)
    assert found.high(0.995) - 0.2 == pytest.approx((found.high(0.975) - 0.2) * 2.575829 / 1.959964)


def test_without_an_interval_there_is_no_difference() -> None:
    assert independent_difference(Estimate(value=0.5), wilson(1, 2)) is None
    assert independent_difference(wilson(1, 2), Estimate(value=None, why="none")) is None
