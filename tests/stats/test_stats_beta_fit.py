"""The beta distribution by moments."""

from __future__ import annotations

import numpy as np
import pytest

from epicene.core.errors import InputError
from epicene.stats.beta_fit import beta_by_moments


def test_by_hand() -> None:
    # Mean 0.2, variance 0.08/3: m(1 − m)/v − 1 = 0.16 · 3/0.08 − 1 = 5.
    found = beta_by_moments([0.0, 0.2, 0.2, 0.4])
    assert (found.alpha, found.beta) == pytest.approx((1.0, 4.0))
    assert found.n == 4


def test_disagreements_of_ten_items() -> None:
    # Computed with the code published with "Agree to Disagree?" (moments, n − 1 below).
    found = beta_by_moments([0, 0, 0.2, 0.4, 0, 1, 0.8, 0.2, 0, 0.6])
    assert (found.alpha, found.beta) == pytest.approx((0.195368421, 0.415157895), abs=1e-9)


def test_a_known_beta_is_found_again() -> None:
    found = beta_by_moments(np.random.default_rng(0).beta(2.0, 5.0, size=200_000))
    assert (found.alpha, found.beta) == pytest.approx((2.0, 5.0), rel=0.02)


def test_what_no_beta_fits_says_why() -> None:
    assert beta_by_moments([0.5]).why == "there are fewer than two values"
    assert beta_by_moments([0.3] * 7).why == "all values are equal"
    certain = beta_by_moments([0, 1, 0, 1])
    assert (certain.alpha, certain.beta) == (None, None)
    assert certain.why == "the values vary more than any beta distribution with their mean"
    with pytest.raises(InputError, match="between 0 and 1"):
        beta_by_moments([0.5, 1.5])
