"""Agreement of two raters, against published strings and statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.stats.agreement import cohen, fisher_interval, matthews, raw_agreement
from epicene.stats.intervals import standard_error

# Two evaluations of one model, counted as (both wrong, first wrong, second wrong, both right);
# κ, half its interval, MCC and its interval as printed in Tables 1, 3 and 4 of "Agree to
# Disagree? A Meta-Evaluation of LLM Misgendering". The counts were solved from those strings:
# of all tables with 750 items, each is the only one that rounds to them.
PRINTED = {
    (2, 11, 44, 693): ("0.042", "0.089", "0.051", "-0.020", "0.122"),
    (0, 13, 17, 720): ("-0.020", "0.007", "-0.020", "-0.092", "0.051"),
    (0, 12, 13, 725): ("-0.017", "0.007", "-0.017", "-0.088", "0.055"),
    (0, 21, 8, 721): ("-0.016", "0.008", "-0.018", "-0.089", "0.054"),
    (3, 28, 21, 698): ("0.076", "0.116", "0.076", "0.005", "0.147"),
    (0, 31, 5, 714): ("-0.012", "0.009", "-0.017", "-0.088", "0.055"),
    (3, 25, 51, 671): ("0.025", "0.080", "0.027", "-0.045", "0.098"),
    (2, 26, 66, 656): ("-0.012", "0.058", "-0.013", "-0.085", "0.058"),
    (1, 14, 39, 696): ("0.007", "0.070", "0.008", "-0.063", "0.080"),
    (8, 55, 68, 619): ("0.026", "0.078", "0.026", "-0.046", "0.097"),
    (7, 56, 38, 649): ("0.064", "0.090", "0.065", "-0.006", "0.136"),
    (2, 16, 54, 678): ("0.018", "0.072", "0.022", "-0.050", "0.093"),
    (0, 18, 25, 707): ("-0.029", "0.009", "-0.029", "-0.100", "0.043"),
    (19, 20, 237, 474): ("0.042", "0.046", "0.072", "0.000", "0.143"),
    (10, 29, 125, 586): ("0.037", "0.065", "0.047", "-0.025", "0.118"),
    (33, 50, 115, 552): ("0.168", "0.082", "0.177", "0.107", "0.246"),
}


def raters(table: tuple[int, int, int, int]) -> tuple[list[str], list[str]]:
    a, b, c, d = table
    first = ["wrong"] * (a + b) + ["right"] * (c + d)
    second = ["wrong"] * a + ["right"] * b + ["wrong"] * c + ["right"] * d
    return first, second


def numbers(estimate: Estimate) -> tuple[float, float, float]:
    assert estimate.value is not None, estimate.why
    assert estimate.low is not None, estimate.why
    assert estimate.high is not None
    return estimate.value, estimate.low, estimate.high


@pytest.mark.parametrize(("table", "printed"), PRINTED.items())
def test_kappa_and_matthews_as_printed(
    table: tuple[int, int, int, int], printed: tuple[str, ...]
) -> None:
    kappa, low, high = numbers(cohen(*raters(table), textbook=True))
    found = (kappa, (high - low) / 2, *numbers(matthews(*raters(table), textbook=True)))
    assert tuple(f"{number:.3f}" for number in found) == printed


def test_unrounded_values_of_one_table() -> None:
    # Computed with SciPy's pearsonr and sem and statsmodels' cohens_kappa.
    first, second = raters((2, 11, 44, 693))
    kappa, low, high = numbers(cohen(first, second, textbook=True))
    assert kappa == pytest.approx(0.041900868676544946, abs=1e-14)
    assert (high - low) / 2 == pytest.approx(0.08876020239015754, abs=1e-14)
    assert numbers(matthews(first, second, textbook=True)) == pytest.approx(
        (0.05120777100120645, -0.02045587702855588, 0.12234791522980935), abs=1e-14
    )
    agreed = [a == b for a, b in zip(first, second, strict=True)]
    assert raw_agreement(first, second).value == pytest.approx(0.9266666666666666)
    assert standard_error(agreed).value == pytest.approx(0.009525144543724565, abs=1e-15)
    assert standard_error(agreed).value == pytest.approx(float(stats.sem(agreed)))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from("mfxn")] * 2), min_size=2, max_size=40))
def test_kappa_equals_statsmodels_on_the_square_table(pairs: list[tuple[str, str]]) -> None:
    first, second = [list(side) for side in zip(*pairs, strict=True)]
    assume(len(set(first)) > 1 and len(set(second)) > 1 and first != second)
    labels = sorted({*first, *second})
    table = np.zeros((len(labels), len(labels)))
    for a, b in pairs:
        table[labels.index(a), labels.index(b)] += 1
    expected = cohens_kappa(table)
    kappa, low, high = numbers(cohen(first, second, level=0.9, textbook=True))
    assert kappa == pytest.approx(expected.kappa, abs=1e-12)
    half = float(stats.norm.ppf(0.95)) * expected.std_kappa
    assert (high - low) / 2 == pytest.approx(half, abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=4, max_size=40))
def test_matthews_equals_scipy_s_pearson(pairs: list[tuple[bool, bool]]) -> None:
    first, second = [list(side) for side in zip(*pairs, strict=True)]
    same = sum(a == b for a, b in pairs)
    assume(len(set(first)) == len(set(second)) == 2 and 0 < same < len(pairs))
    expected = stats.pearsonr(np.array(first, float), np.array(second, float))
    interval = expected.confidence_interval()
    assert numbers(matthews(first, second, textbook=True)) == pytest.approx(
        (expected.statistic, interval.low, interval.high), abs=1e-9
    )


def test_fisher_s_interval() -> None:
    assert numbers(fisher_interval(0.686, 440)) == pytest.approx(
        (0.686, 0.6331178467690194, 0.7325082428253696), abs=1e-12
    )
    # By hand: tanh(atanh 0.5 ∓ 1.96 / 5) with 28 pairs.
    low, high = math.tanh(0.5493061443 - 0.391992797), math.tanh(0.5493061443 + 0.391992797)
    assert numbers(fisher_interval(0.5, 28))[1:] == pytest.approx((low, high), abs=1e-9)
    assert fisher_interval(0.5, 3).why == "no interval: it needs more than three pairs"
    assert fisher_interval(-1, 30).why == "no interval: the correlation is perfect"
    with pytest.raises(InputError, match=r"between −1 and 1; it was 1\.1"):
        fisher_interval(1.1, 30)


def test_one_constant_rater() -> None:
    first, second = ["right"] * 750, ["wrong"] * 130 + ["right"] * 620
    assert matthews(first, second) == Estimate(
        value=None, n=750, why="the first always said the same"
    )
    kappa = cohen(first, second)
    assert (kappa.value, kappa.low, kappa.high) == (0, None, None)
    why = "no interval: the first always said the same, so κ is 0 whatever the other said"
    assert kappa.why == cohen(first, second, textbook=True).why == why
    assert cohen(second, first).why.startswith("no interval: the second always")


def test_undefined_agreement_is_a_dash_with_the_reason() -> None:
    same = ["yes"] * 5
    assert cohen(same, same) == Estimate(value=None, n=5, why="only one label was ever given")
    assert matthews(same, same).why == "the first and the second always said the same"
    assert matthews(list("abc"), list("acb")).why == "it is for two labels, and there are 3"
    assert cohen([], []).why == matthews([], []).why == "there are no items"
    assert raw_agreement([], []).value is None
    assert standard_error([1]).why == "there are fewer than two values"
    with pytest.raises(InputError, match=r"first \(2\), second \(1\)"):
        cohen(["a", "b"], ["a"])


def test_perfect_agreement_is_surer_only_with_more_items() -> None:
    lows = []
    for items in (2, 4, 10, 50, 1000):
        labels = ["m", "f"] * (items // 2)
        value, low, high = numbers(cohen(labels, labels))
        assert (value, high) == (1, 1)
        assert numbers(matthews(labels, labels)) == (value, low, high)
        lows.append(low)
    assert lows == sorted(lows)
    # With half of each label, chance agrees on 1/2: κ loses twice the share not yet seen.
    assert lows[-1] == pytest.approx(1 - 2 * 3.841458821 / 1003.841458821)
    assert lows[0] == pytest.approx(1 - 2 * 3.841458821 / 5.841458821)


def test_perfect_disagreement_mirrors_perfect_agreement() -> None:
    labels, opposite = ["m", "f", "f"] * 20, ["f", "m", "m"] * 20
    value, low, high = numbers(matthews(labels, opposite))
    flipped = numbers(matthews(labels, labels))
    assert (value, low, high) == pytest.approx((-1, -1, -flipped[1]))


def test_groups_widen_the_intervals_of_repeated_items() -> None:
    rng = np.random.default_rng(4)
    first = rng.integers(0, 2, size=100)
    second = np.where(rng.random(100) < 0.8, first, 1 - first)
    five_times = np.repeat(first, 5), np.repeat(second, 5)
    groups = np.repeat(np.arange(100), 5)
    for coefficient in (cohen, matthews):
        plain = numbers(coefficient(first, second))
        grouped = numbers(coefficient(*five_times, groups))
        assert grouped == pytest.approx(plain)
        # With many items and common labels the textbook's interval is much the same.
        assert plain == pytest.approx(numbers(coefficient(first, second, textbook=True)), abs=0.05)
        ignored = numbers(coefficient(*five_times))
        assert ignored[2] - ignored[1] < 0.6 * (grouped[2] - grouped[1])
    raw = numbers(raw_agreement(*five_times, groups))
    assert raw == pytest.approx(numbers(raw_agreement(first, second)), abs=0.01)
    textbook = raw_agreement(*five_times, groups, textbook=True)
    assert numbers(textbook) == numbers(raw_agreement(*five_times))


def test_intervals_cover_where_a_label_is_rare() -> None:
    """Two raters, each right 95 times in 100 about 300 items, one in 20 of them positive: the
    textbook's Fisher z covers far too rarely."""
    rng = np.random.default_rng(21)
    both, one = 0.05 * 0.95**2 + 0.95 * 0.05**2, 0.05 * 0.95 + 0.95 * 0.05
    true = (both - one**2) / (one * (1 - one))  # equal margins: κ and MCC are the same
    hits = dict.fromkeys(["cohen", "matthews", "textbook"], 0)
    for _ in range(400):
        truth = rng.random(300) < 0.05
        first, second = (truth ^ (rng.random(300) < 0.05) for _ in range(2))
        for name, found in (
            ("cohen", cohen(first, second)),
            ("matthews", matthews(first, second)),
            ("textbook", matthews(first, second, textbook=True)),
        ):
            _, low, high = numbers(found)
            hits[name] += low <= true <= high
    assert 0.92 <= hits["cohen"] / 400 <= 0.98
    assert 0.92 <= hits["matthews"] / 400 <= 0.98
    assert hits["textbook"] / 400 < 0.85


def test_perfect_agreement_of_few_groups_is_marked() -> None:
    """It has no variance to count groups by, so it counts the groups themselves."""
    labels = [number % 2 for number in range(60)]
    few, many = ([number // size for number in range(60)] for size in (4, 2))
    for coefficient in (cohen, matthews):
        assert coefficient(labels, labels, few).groups == 15
        assert coefficient(labels, labels, few).few_groups
        assert not coefficient(labels, labels, many).few_groups
    assert matthews(labels, [1 - label for label in labels], few).few_groups
