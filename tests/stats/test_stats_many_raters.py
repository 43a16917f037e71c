"""Agreement of many raters, against published values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.stats.agreement import DistanceMetric, cohen, fleiss, krippendorff

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers,
# twelve units; he prints 0.743 (nominal), 0.815 (ordinal) and 0.849 (interval).
OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
UNITS = [[None if v == "." else int(v) for v in unit] for unit in zip(*OBSERVERS, strict=True)]

# A textbook table of ten subjects and fourteen raters with five categories; its κ is 0.210.
SUBJECTS = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]
RATINGS = [[label for label, count in enumerate(row) for _ in range(count)] for row in SUBJECTS]


def value(estimate: Estimate) -> float:
    assert estimate.value is not None, estimate.why
    return estimate.value


def test_fleiss_as_published() -> None:
    found = fleiss(RATINGS)
    assert value(found) == pytest.approx(0.210, abs=5e-4)
    assert found.n == 10
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.210 < found.high


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abc"), min_size=4, max_size=4), min_size=2, max_size=20))
def test_fleiss_equals_statsmodels(ratings: list[list[str]]) -> None:
    assume(len(set(itertools.chain(*ratings))) > 1)
    expected = fleiss_kappa(aggregate_raters(np.array(ratings))[0])
    assert value(fleiss(ratings)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_krippendorff_as_published(metric: DistanceMetric, printed: float) -> None:
    found = krippendorff(UNITS, metric=metric)
    assert value(found) == pytest.approx(printed, abs=5e-4)
    assert found.n == 11  # the twelfth unit has one rating
    assert found.low is not None
    assert found.high is not None
    assert found.low < printed < found.high <= 1


def by_definition(units: Sequence[Sequence[Any]], distance: Callable[[Any, Any], float]) -> float:
    """α from its definition: all pairs within units against all pairs whatever."""
    units = [unit for unit in units if len(unit) >= 2]
    values = [value for unit in units for value in unit]
    within = sum(
        distance(a, b) / (len(unit) - 1)
        for unit in units
        for a, b in itertools.permutations(unit, 2)
    )
    across = sum(distance(a, b) for a, b in itertools.permutations(values, 2))
    return 1 - (len(values) - 1) * within / across


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=5), min_size=2, max_size=12))
def test_krippendorff_equals_its_definition(units: list[list[int]]) -> None:
    pairable = [unit for unit in units if len(unit) >= 2]
    pooled = [value for unit in pairable for value in unit]
    assume(len(set(pooled)) > 1)

    def ranks_between(a: int, b: int) -> float:
        inside = sum(min(a, b) <= value <= max(a, b) for value in pooled)
        return (inside - (pooled.count(a) + pooled.count(b)) / 2) ** 2

    distances: dict[DistanceMetric, Callable[[int, int], float]] = {
        "nominal": lambda a, b: a != b,
        "interval": lambda a, b: (a - b) ** 2,
        "ordinal": lambda a, b: ranks_between(a, b) if a != b else 0,
    }
    for metric, distance in distances.items():
        found = krippendorff(units, metric=metric)
        assert value(found) == pytest.approx(by_definition(units, distance), abs=1e-9)


def test_ordinal_labels_in_words() -> None:
    words = ["bad", "poor", "fair", "good", "best"]
    named = [[None if v is None else words[v - 1] for v in unit] for unit in UNITS]
    found = krippendorff(named, metric="ordinal", order=words)
    assert value(found) == pytest.approx(0.815, abs=5e-4)
    with pytest.raises(InputError, match=r"lacks 'best'"):
        krippendorff(named, metric="ordinal", order=words[:4])
    with pytest.raises(InputError, match=r"'bad' is not a number"):
        krippendorff(named, metric="interval")
    with pytest.raises(InputError, match="did you mean 'nominal'"):
        krippendorff(named, metric="nominl")  # type: ignore[arg-type]


def test_alpha_of_two_complete_raters_is_kappa_like() -> None:
    """With many items, nominal α of two raters with equal margins nears Cohen's κ."""
    rng = np.random.default_rng(2)
    first = rng.integers(0, 3, size=3000)
    second = np.where(rng.random(3000) < 0.7, first, rng.integers(0, 3, size=3000))
    alpha = krippendorff([*zip(first.tolist(), second.tolist(), strict=True)])
    kappa = cohen(first, second)
    assert value(alpha) == pytest.approx(value(kappa), abs=0.002)
    # And so do the intervals.
    assert alpha.low == pytest.approx(kappa.low, abs=0.004)
    assert alpha.high == pytest.approx(kappa.high, abs=0.004)


def test_intervals_over_items_cover() -> None:
    """Three raters of 60 items who say the truth 8 times in 10, else one of three labels."""
    rng = np.random.default_rng(9)
    chance_free = 0.8**2  # two raters who both know: α and κ in the long run
    hits = np.zeros(2)
    for _ in range(300):
        truth = rng.integers(0, 3, size=(60, 1))
        guess = rng.integers(0, 3, size=(60, 3))
        ratings = np.where(rng.random((60, 3)) < 0.8, truth, guess).tolist()
        for place, coefficient in enumerate((fleiss, krippendorff)):
            found = coefficient(ratings)
            assert found.low is not None
            assert found.high is not None
            hits[place] += found.low <= chance_free <= found.high
    assert (hits / 300 >= 0.92).all()
    assert (hits / 300 <= 0.98).all()


def test_groups_of_items_are_left_out_together() -> None:
    five_times = [unit for unit in UNITS for _ in range(5)]
    groups = [str(place) for place in range(12) for _ in range(5)]
    grouped = krippendorff(five_times, groups)
    alone = krippendorff(five_times)
    once = krippendorff(UNITS)
    # α counts ratings less one, so it is not quite the same.
    assert grouped.low == pytest.approx(once.low, abs=0.02)
    assert grouped.groups == once.groups
    assert alone.low is not None
    assert grouped.low is not None
    assert alone.low > grouped.low + 0.1


def test_what_has_no_agreement_says_why() -> None:
    assert fleiss([]).why == krippendorff([["a"], [None, "b"]]).why == "no item has two ratings"
    assert fleiss([["a", "a"], ["a", "a"]]).why == "only one label was ever given"
    assert krippendorff([["a", "a"], ["a", "a"]]).why == "only one label was ever given"
    unequal = fleiss([["a", "b"], ["a", "b", "b"]])
    assert unequal.value is None
    assert unequal.why.startswith("the items have 2 to 3 ratings")
    with pytest.raises(InputError, match=r"ratings \(2\), groups \(1\)"):
        krippendorff([["a", "b"], ["a", "a"]], ["x"])


def test_raters_who_never_disagree_are_surer_only_with_more_items() -> None:
    for coefficient in (fleiss, krippendorff):
        lows = []
        for items in (2, 6, 20, 200):
            found = coefficient([["m"] * 3, ["f"] * 3] * (items // 2))
            assert (found.value, found.high) == (1, 1)
            assert found.low is not None
            lows.append(found.low)
        assert lows == sorted(lows)
        assert len(set(lows)) == 4
    # Fleiss: chance agrees on half, so κ loses twice the share not yet seen.
    assert fleiss([["m"] * 3, ["f"] * 3] * 100).low == pytest.approx(
        1 - 2 * 3.841458821 / 203.841458821
    )
    # Krippendorff: of 4 m and 2 f, two drawn without replacement agree by chance in 14 of 30.
    unseen = 3.841458821 / 6.841458821
    assert krippendorff([["m", "m"], ["m", "m"], ["f", "f"]]).low == pytest.approx(
        1 - unseen / (16 / 30)
    )
