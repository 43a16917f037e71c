"""Who is better than whom: by hand, against the binomial, and never more of it with less data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from epicene.core.errors import InputError
from epicene.stats.ranking import (
    RankRange,
    compact_letter_display,
    rank_ranges,
    significant_pairs,
    superiority_p_values,
)

Figures = NDArray[Any]


def sums(*systems: list[float]) -> Figures:
    """Groups of one judgement each, a column for each system."""
    return np.array(systems, dtype=np.float64).T


def complete(*systems: list[float]) -> Figures:
    figures = sums(*systems)
    return superiority_p_values(figures, figures)


def test_of_two_by_hand() -> None:
    # Right in all five groups against none: of 32 ways to flip, only flipping nothing reaches it.
    p = complete([1, 1, 1, 1, 1], [0, 0, 0, 0, 0])
    assert p[0, 1] == 1 / 32
    assert p[1, 0] == 1
    # Better in two groups, worse in one, alike in the rest: what is flipped must sum to ≤ 0, which
    # of the 8 ways for these three groups it does unless a better one is flipped and not undone:
    # {}, {worse}, {better, worse} twice.
    p = complete([1, 1, 0, 1, 0], [0, 0, 1, 1, 0])
    assert p[0, 1] == 4 / 8


def test_groups_flip_as_a_whole() -> None:
    # Ten judgements in two groups are two units, not ten.
    p = superiority_p_values(np.array([[5.0, 0.0], [5.0, 0.0]]), np.array([[5.0, 0.0], [5.0, 0.0]]))
    assert p[0, 1] == 1 / 4


def test_many_groups_agree_with_the_binomial() -> None:
    # 14 groups better, 4 worse, 30 alike: P(X ≤ Y) with X ~ B(14, ½) and Y ~ B(4, ½).
    first = [1.0] * 14 + [0.0] * 4 + [1.0] * 30
    second = [0.0] * 14 + [1.0] * 4 + [1.0] * 30
    exact = sum(
        stats.binom.pmf(worse, 4, 0.5) * stats.binom.cdf(worse, 14, 0.5) for worse in range(5)
    )
    found = complete(first, second)[0, 1]
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact / 10_000))
    assert found > 1 / 10_001  # no p is 0


def test_places_by_hand() -> None:
    # Eight groups. The first is right in all, the second in none, the third in half of them.
    p = complete([1] * 8, [0] * 8, [1, 1, 1, 1, 0, 0, 0, 0])
    assert p[0, 1] == 2**-8  # times 6 pairs is below 5 %
    assert p[0, 2] == p[2, 1] == 2**-4  # not
    told = significant_pairs(p)
    assert np.argwhere(told).tolist() == [[0, 1]]
    assert rank_ranges(told) == [RankRange(1, 2), RankRange(2, 3), RankRange(1, 3)]
    assert compact_letter_display(told, [0, 2, 1]) == ["a", "b", "ab"]


def test_without_significant_differences_there_is_no_ranking() -> None:
    told = significant_pairs(complete([1, 0, 1], [0, 1, 1], [1, 1, 0]))
    assert not told.any()
    assert rank_ranges(told) == [RankRange(1, 3)] * 3
    assert compact_letter_display(told, [0, 1, 2]) == ["a"] * 3


def test_a_clear_order_has_single_places() -> None:
    told = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=np.bool_)
    assert rank_ranges(told) == [RankRange(1, 1), RankRange(2, 2), RankRange(3, 3)]
    assert compact_letter_display(told, [0, 1, 2]) == ["a", "b", "c"]


def test_a_clear_order_of_many_is_significant_too() -> None:
    """The smallest p-value must survive a correction over 600 pairs."""
    sums = np.zeros((40, 25))
    sums[:, 0] = 1.0  # one is right always, the others never
    told = significant_pairs(superiority_p_values(sums, sums))
    assert told[0, 1:].all()
    assert told.sum() == 24


def test_letters_are_shared_exactly_by_those_that_do_not_differ() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        told = np.triu(rng.random((7, 7)) < 0.4, k=1)
        names = compact_letter_display(told, list(range(7)))
        for a in range(7):
            for b in range(a + 1, 7):
                assert bool(set(names[a]) & set(names[b])) == (not told[a, b])


def test_sums_of_another_shape_are_refused() -> None:
    with pytest.raises(InputError, match="shapes"):
        superiority_p_values(np.zeros((3, 2)), np.zeros((2, 2)))


# --- less data -----------------------------------------------------------------------------

MISSING = np.nan


def judged_as(figures: Figures) -> Figures:
    return superiority_p_values(np.nan_to_num(figures, nan=0.0), np.nan_to_num(figures, nan=1.0))


@st.composite
def some_and_fewer(draw: st.DrawFn) -> tuple[Figures, Figures]:
    """Outcomes of three systems, some missing, and the same with more of them missing."""
    # Above 13 groups flips are drawn, below all are tried.
    groups = draw(st.sampled_from([3, 8, 13, 20]))
    cells = st.sampled_from([0.0, 0.5, 1.0, MISSING])
    whole = np.array(draw(st.lists(cells, min_size=3 * groups, max_size=3 * groups)))
    gone = np.array(draw(st.lists(st.booleans(), min_size=3 * groups, max_size=3 * groups)))
    return whole.reshape(groups, 3), np.where(gone, MISSING, whole).reshape(groups, 3)


@given(some_and_fewer())
@settings(deadline=None, max_examples=60)
def test_no_place_improves_with_less_data(both: tuple[Figures, Figures]) -> None:
    whole, fewer = both
    before, after = judged_as(whole), judged_as(fewer)
    assert (after >= before - 1e-12).all()
    # At any level, not only the usual one, at which so few groups tell little apart.
    for level in (0.05, 0.5, 0.99):
        for old, new in zip(
            rank_ranges(significant_pairs(before, level)),
            rank_ranges(significant_pairs(after, level)),
            strict=True,
        ):
            assert new.worst >= old.worst
            assert new.best <= old.best


@given(st.integers(1, 6), st.integers(2, 12))
@settings(deadline=None, max_examples=30)
def test_the_same_shares_of_fewer_groups_tell_no_more(groups: int, times: int) -> None:
    few = sums([1.0] * groups, [0.0] * groups)
    many = np.tile(few, (times, 1))
    assert superiority_p_values(few, few)[0, 1] >= superiority_p_values(many, many)[0, 1]
