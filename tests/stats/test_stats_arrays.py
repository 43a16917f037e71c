"""Groups put together by their sums, and sums of whole numbers and fractions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.stats.arrays import collapse_groups
from epicene.stats.intervals import clustered_mean

halves = st.integers(-2, 2).map(lambda number: number / 2)
rows = st.lists(st.tuples(st.integers(0, 5), halves, halves), max_size=40)


@given(st.lists(rows, min_size=1, max_size=4))
def test_classes_are_the_distinct_sums_of_groups_in_order(
    parts: list[list[tuple[int, float, float]]],
) -> None:
    together = [row for part in parts for row in part]
    columns = np.array([row[1:] for row in together]).reshape(-1, 2)
    codes = np.array([group for group, *_ in together], dtype=np.int64)
    found = collapse_groups(columns, codes, [len(part) for part in parts])
    for part, classes in zip(parts, found, strict=True):
        sums = {group: [0.0, 0.0] for group, *_ in part}
        for group, *values in part:
            sums[group] = [a + b for a, b in zip(sums[group], values, strict=True)]
        expected = sorted(Counter(map(tuple, sums.values())).items())
        assert classes.values.tolist() == [list(values) for values, _ in expected]
        assert classes.counts.tolist() == [count for _, count in expected]
        assert classes.groups == len(sums)


@pytest.mark.parametrize("groups", [2, 30, 1500])
def test_halves_of_whole_numbers_have_half_the_interval(groups: int) -> None:
    """Whole numbers and fractions are added up in different ways."""
    whole = np.random.default_rng(3).integers(50, size=groups).astype(float)
    of_whole, of_half = clustered_mean(whole), clustered_mean(whole / 2)
    for name in ("value", "low", "high"):
        assert getattr(of_half, name) == getattr(of_whole, name) / 2
