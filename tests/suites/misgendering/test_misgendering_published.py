"""The paper's κ, its table of one row included."""

from __future__ import annotations

import polars as pl
import pytest

from epicene.stats import paired_agreement
from epicene.stats.tabulate import estimate_all
from epicene.suites.misgendering.published import published_kappa


def pairs(
    both_wrong: int, only_prob_wrong: int, only_gen_wrong: int, both_right: int
) -> pl.DataFrame:
    """Outcomes by probability (a) and by generation (b)."""
    rows = [(0, 0)] * both_wrong + [(0, 1)] * only_prob_wrong
    rows += [(1, 0)] * only_gen_wrong + [(1, 1)] * both_right
    return pl.DataFrame(
        {
            "a": [row[0] for row in rows],
            "b": [row[1] for row in rows],
            "group": [str(place) for place in range(len(rows))],
        }
    )


@pytest.mark.parametrize(("wrong", "half"), [(130, 0.18504), (106, 0.17993)])
def test_a_format_that_never_errs(wrong: int, half: float) -> None:
    # Probability is always right: Table 4 prints 0.000 with an interval of this half width.
    given = pairs(0, 0, wrong, 750 - wrong)
    found = estimate_all(published_kappa(given), given)
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.high == pytest.approx(half, abs=1e-5)
    proper = paired_agreement.kappa(given, clustered=False)
    assert (proper.value, proper.low, proper.high) == (0, None, None)
    assert proper.why.startswith("no interval: ")


def test_every_other_table_is_the_usual_kappa() -> None:
    given = pairs(2, 11, 44, 693)  # published as 0.042 with half width 0.089
    found = estimate_all(published_kappa(given), given)
    assert found == paired_agreement.kappa(given, clustered=False)
    assert found.value == pytest.approx(0.041900868676544946)
    assert found.high == pytest.approx(0.041900868676544946 + 0.08876020239015754)
