"""Groups put together by their sums, and sums of whole numbers over resamples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.stats.arrays import collapse_groups
from epicene.stats.intervals import clustered_mean

rows = st.lists(st.tuples(*[st.integers(-2, 2).map(lambda n: n / 2)] * 3), min_size=1, max_size=40)


@given(rows)
def test_classes_are_the_distinct_sums_in_order(sums: list[tuple[float, ...]]) -> None:
    found = collapse_groups(np.array(sums))
    expected = sorted(Counter(sums).items())
    assert [*map(tuple, found.values.tolist())] == [values for values, _ in expected]
    assert found.counts.tolist() == [count for _, count in expected]
    assert found.groups == len(sums)


@pytest.mark.parametrize("groups", [2, 30, 1500])
def test_halves_of_whole_numbers_have_half_the_interval(groups: int) -> None:
    """Whole numbers and fractions are added up in different ways."""
    whole = np.random.default_rng(3).integers(50, size=groups).astype(float)
    of_whole, of_half = clustered_mean(whole), clustered_mean(whole / 2)
    for name in ("value", "low", "high"):
        assert getattr(of_half, name) == getattr(of_whole, name) / 2
