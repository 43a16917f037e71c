"""The benchmark of planted effects at a small size: intervals contain what was planted."""

from __future__ import annotations

import math

import pytest

from planted import TRIALS, contains, coverage


@pytest.mark.parametrize(
    ("suite", "scale", "headlines"),
    [("gramvis", 0.2, 2), ("misgendering", 0.2, 2), ("genform", 0.2, 2), ("apgc", 0.2, 2),
     ("alternations", 0.2, 3)],
)  # fmt: skip
def test_planted_values_are_recovered(suite: str, scale: float, headlines: int) -> None:
    found = coverage(suite, 10, scale)
    assert len(found) == headlines
    for headline, trials in found.items():
        hits = sum(contains(planted, estimate) for planted, estimate in trials)
        # With 95 in 100, fewer than 7 of 10 would contain it in one of 1,000 such tests.
        assert hits >= 7, headline
        values = [estimate.value for _, estimate in trials if estimate.value is not None]
        planted, mean = trials[0][0], sum(values) / len(values)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
        assert abs(mean - planted) < 4 * deviation / math.sqrt(len(values)), headline
        assert planted != pytest.approx(0)


def test_a_wrong_value_is_not_contained() -> None:
    """The same intervals do not contain just any value."""
    (trials, *_) = coverage("misgendering", 3, 0.3).values()
    assert not any(contains(planted - 0.3, estimate) for planted, estimate in trials)
    assert set(TRIALS) == {"gramvis", "misgendering", "genform", "apgc", "alternations"}
