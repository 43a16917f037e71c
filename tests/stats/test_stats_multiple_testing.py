"""Corrections for many tests, against published examples and statsmodels."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from epicene.core.errors import InputError
from epicene.stats.hypothesis_tests import PValues, benjamini_hochberg, holm

# Benjamini and Hochberg (1995), section 4.1: at 0.05 their procedure rejects four of these
# fifteen, Bonferroni's three.
NEUHAUS = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
NEUHAUS += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]


def rejected(adjusted: tuple[float | None, ...]) -> int:
    return sum(p is not None and p <= 0.05 for p in adjusted)


def test_the_published_example() -> None:
    assert rejected(benjamini_hochberg(NEUHAUS)) == 4
    assert rejected(holm(NEUHAUS)) == 3
    assert benjamini_hochberg(NEUHAUS)[3] == pytest.approx(0.0095 * 15 / 4)


def test_by_hand() -> None:
    p_values = [0.01, 0.04, 0.03, 0.005]
    assert holm(p_values) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert benjamini_hochberg(p_values) == pytest.approx((0.02, 0.04, 0.04, 0.02))


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_both_equal_statsmodels(p_values: list[float]) -> None:
    # statsmodels collects garbage in every call, which takes a second beside many other tests.
    with patch("gc.collect"):
        expected = [tuple(multipletests(p_values, method=name)[1]) for name in ("holm", "fdr_bh")]
    assert holm(p_values) == pytest.approx(expected[0])
    assert benjamini_hochberg(p_values) == pytest.approx(expected[1])


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_a_test_without_a_p_stays_without_and_is_not_counted(
    correct: Callable[[PValues], tuple[float | None, ...]],
) -> None:
    with_gaps = correct([0.01, None, 0.04, None])
    alone = correct([0.01, 0.04])
    assert with_gaps == (alone[0], None, alone[1], None)
    assert correct([]) == ()
    assert correct([None]) == (None,)


def test_what_is_no_p_is_refused() -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        holm([0.5, 1.5])
    with pytest.raises(InputError, match="between 0 and 1"):
        benjamini_hochberg([float("nan")])
