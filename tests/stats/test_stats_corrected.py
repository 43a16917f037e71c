"""Rates corrected by labels: closed forms, hand-computed cases, another package, a simulation."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from epicene.core.errors import InputError
from epicene.stats.corrected import (
    CheckedRate,
    corrected_combination,
    corrected_rate,
    rogan_gladen,
)
from epicene.stats.intervals import clustered_mean, wilson

if TYPE_CHECKING:
    from epicene.core.records import Estimate

NONE = np.nan
_LABELLED = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]
_AUTOMATIC = [1, 1, 0, 1, 1, 1, 0, 0, 1, 1]
_REST = [1, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0]


def small() -> CheckedRate:
    human = [*map(float, _LABELLED), *([NONE] * len(_REST))]
    return CheckedRate(np.array([*_AUTOMATIC, *_REST], dtype=np.float64), np.array(human))


# What ppi-python 0.2.3 (`ppi_mean_pointestimate`) gives for the same rows.
@pytest.mark.parametrize(("tuning", "value"), [(0, 0.7), (0.5, 0.7125), (1, 0.725)])
def test_the_value_is_that_of_prediction_powered_inference(tuning: float, value: float) -> None:
    assert corrected_rate(small(), tuning=tuning).corrected.value == pytest.approx(value)


# ppi-python averages predictions over the rows without a label, Epicene over all rows: its λ is
# Epicene's times the share of rows without one. The values are those of ppi-python 0.2.3.
@pytest.mark.parametrize(("tuning", "value"), [(0, 0.62), (0.5, 0.62039375), (1, 0.6207875)])
def test_predictions_that_are_shares_agree_with_ppi_python(tuning: float, value: float) -> None:
    assert corrected_rate(graded(), tuning=tuning).corrected.value == pytest.approx(value, abs=1e-9)


def graded() -> CheckedRate:
    """200 labels of 2,000 answers, and a judge that says how sure it is, in fortieths."""
    rows = np.arange(2000)
    truth = (rows * 7919 % 100 < 62).astype(np.float64)
    automatic = np.clip(np.where(rows * 31 % 10 < 1, 1 - truth, truth) * 0.8 + rows % 9 / 40, 0, 1)
    return CheckedRate(automatic, np.where(rows < 200, truth, NONE))


def test_many_labels_agree_with_ppi_python_in_value_and_interval() -> None:
    rows = np.arange(8400)
    truth = (rows * 7919 % 1000 < 700).astype(np.float64)
    automatic = np.where(rows * 104729 % 1000 < 120, 1 - truth, truth)
    found = corrected_rate(CheckedRate(automatic, np.where(rows % 21 == 0, truth, NONE)))
    # ppi-python 0.2.3: 0.69975 [0.66793, 0.73157]; λ = 0: 0.7 [0.65509, 0.74491].
    assert found.corrected.value == pytest.approx(0.69975, abs=2e-5)
    assert found.corrected.low == pytest.approx(0.66793, abs=2e-3)
    assert found.corrected.high == pytest.approx(0.73157, abs=2e-3)
    assert found.human.low == pytest.approx(0.65509, abs=3e-3)
    assert found.automatic.value == pytest.approx(automatic.mean())
    assert found.tuning[0] == pytest.approx(0.69, abs=0.01)


def test_labels_alone_are_a_mean_over_strata_by_their_sizes() -> None:
    # Stratum 0: eight rows, labels 1, 0; stratum 1: two rows, labels 1, 1.
    human = np.array([1, 0, *[NONE] * 6, 1, 1])
    rate = CheckedRate(np.zeros(10), human, strata=np.array([0] * 8 + [1] * 2))
    found = corrected_rate(rate)
    assert found.human.value == pytest.approx(0.8 * 0.5 + 0.2 * 1)
    assert found.human.n == 4


def test_weights_count_labels_by_what_they_represent() -> None:
    human = np.array([1, 0, 0, NONE, NONE, NONE, NONE, NONE])
    rate = CheckedRate(np.zeros(8), human, weights=np.array([4.0, 2, 2, 1, 1, 1, 1, 1]))
    assert corrected_rate(rate).human.value == pytest.approx(4 / 8)


def test_the_correction_by_hand_over_strata() -> None:
    automatic = np.array([1, 1, 0, 1, 0, 0, 1, 0], dtype=np.float64)
    human = np.array([1, 0, NONE, NONE, 0, 1, NONE, NONE])
    rate = CheckedRate(automatic, human, strata=np.repeat([0, 1], 4))
    # 4/8 by automatic values; wrong by (0 − 1)/2 in the first stratum, (0 + 1)/2 in the second.
    assert corrected_rate(rate, tuning=1).corrected.value == pytest.approx(0.5 - 0.25 + 0.25)
    # λ = 1/2: 1/4 + the means of human − automatic/2, each stratum half: (0, 1/2).
    assert corrected_rate(rate, tuning=0.5).corrected.value == pytest.approx(0.25 + 0.25)


def test_left_out_groups_are_computed_as_defined() -> None:
    """Against the definition: the rate without each group, group by group."""
    random = np.random.default_rng(4)
    groups, strata = random.integers(0, 12, 90), random.integers(0, 3, 90)
    automatic = random.random(90).round()
    human = np.where(random.random(90) < 0.5, random.random(90).round(), NONE)
    weights = random.uniform(1, 3, 90)
    found = corrected_rate(CheckedRate(automatic, human, groups, strata, weights), tuning=0.6)
    without = []
    for group in range(12):
        kept = groups != group
        rate = CheckedRate(*(each[kept] for each in (automatic, human, groups, strata, weights)))
        without.append(corrected_rate(rate, tuning=0.6).corrected.value)
    values = np.array(without, dtype=np.float64)
    variance = 11 / 12 * ((values - values.mean()) ** 2).sum()
    assert found.corrected.low is not None
    assert found.corrected.high is not None
    assert found.corrected.value is not None
    half = (found.corrected.high - found.corrected.low) / 2
    # Twelve groups: Student's t and the unseen errors make it wider than two standard errors.
    assert 1.96 < half / np.sqrt(variance) < 3.5


def test_labels_and_groups_that_say_the_same_give_the_known_interval() -> None:
    """With every judgement labelled and its own group, it is nearly Wilson's interval."""
    values = np.array([1.0] * 140 + [0.0] * 60)
    found = corrected_rate(CheckedRate(values, values.copy())).human
    known = clustered_mean(values, bounds=(0, 1))
    assert found.value == known.value
    assert found.low == pytest.approx(known.low, abs=2e-3)
    assert found.high == pytest.approx(known.high, abs=2e-3)


def test_judgements_that_cannot_be_wrong_keep_their_value() -> None:
    human = np.array([1, 1, 0, 0, *[NONE] * 6])
    strata = np.array([0] * 8 + [-1, -1])
    found = corrected_rate(CheckedRate(np.ones(10), human, strata=strata))
    assert found.human.value == pytest.approx((8 * 0.5 + 2) / 10)
    nothing_wrong = corrected_rate(CheckedRate(np.zeros(10), human, strata=strata))
    assert nothing_wrong.human.value == pytest.approx((8 * 0.5 + 0) / 10)


def test_rates_whose_labels_change_what_is_counted() -> None:
    """A share among images of men and women: by the label another image may be one of them."""
    automatic, below = np.array([1.0, 0, 1, 0]), np.array([1.0, 1, 1, 0])
    human, human_below = np.array([1.0, 0, 0, 1]), np.array([1.0, 1, 0, 1])
    rate = CheckedRate(automatic, human, below=below, human_below=human_below)
    found = corrected_rate(rate, tuning=1)
    assert found.automatic.value == pytest.approx(2 / 3)
    assert found.human.value == pytest.approx(2 / 3)
    assert found.corrected.value == pytest.approx(2 / 3)


def test_a_corrected_difference_is_that_of_the_corrected_rates() -> None:
    first, second = simulated(1, rate=0.7), simulated(2, rate=0.6)
    both = corrected_combination([first, second], [1, -1])
    one, two = corrected_rate(first), corrected_rate(second)
    for name in ("automatic", "human", "corrected"):
        values = [getattr(each, name).value for each in (both, one, two)]
        assert values[0] == pytest.approx(values[1] - values[2])
    assert both.tuning == one.tuning + two.tuning
    # The groups are the same, so the pair varies less than two independent rates.
    assert both.corrected.low is not None
    assert both.corrected.low > -1


def test_a_difference_with_itself_is_zero() -> None:
    rate = simulated(1)
    found = corrected_combination([rate, rate], [1, -1]).human
    assert found.value == 0
    with pytest.raises(InputError, match="requires their groups"):
        corrected_combination([small(), small()], [1, -1])


def test_labels_of_great_weight_that_agree_by_chance_do_not_narrow_the_interval() -> None:
    """Ten labels stand for 400 answers, thirty for 60: the ten say the same, the others do not."""
    human = np.concatenate([np.zeros(10), np.tile([1.0, 0, 0], 10), np.full(420, NONE)])
    weights = np.concatenate([np.full(10, 40.0), np.full(30, 2.0), np.ones(420)])
    found = corrected_rate(CheckedRate(np.zeros(460), human, weights=weights)).human
    assert found.value == pytest.approx(20 / 460)
    # By hand, as if the ten varied as all forty do: the sum of squared weights times the mean
    # square of the forty, with degrees of freedom by how far that varies.
    share = 20 / 460
    squares = np.repeat([(1 - share) ** 2, share**2], [10, 30])
    variance = (10 * 40**2 + 30 * 2**2) / 460**2 * squares.mean()
    of_variance = (10 * 40**4 + 30 * 2**4) / 460**4 * squares.var()
    assert found.groups == pytest.approx(2 * variance**2 / of_variance + 1, abs=0.02)
    # No more than as many independent labels as the weights are worth (Kish).
    labels = 460**2 / (10 * 40**2 + 30 * 2**2)
    known = wilson(share * labels, labels)
    assert found.low is not None
    assert found.high is not None
    assert known.low is not None
    assert known.high is not None
    assert found.low <= known.low
    assert known.high <= found.high < 1.1 * known.high


@pytest.mark.parametrize("answers", [400, 4000, 40_000])
def test_unseen_errors_count_less_where_more_else_varies(answers: int) -> None:
    """160 labels without a contradiction: an error may be hidden, which matters little to an
    interval that is wide because the answers are few."""
    truth = (np.arange(answers) % 5 < 3).astype(np.float64)
    human = np.where(np.arange(answers) < 160, truth, NONE)
    found = corrected_rate(CheckedRate(truth, human), tuning=1).corrected
    known = wilson(truth.sum(), answers)
    assert found.low is not None
    assert found.high is not None
    assert known.low is not None
    assert known.high is not None
    # The variance of one hidden error is 1/161², that of the answers 0.24/n.
    hidden, seen = 1 / 161**2, 0.24 / answers
    expected = (seen + hidden * hidden / (hidden + seen)) / seen
    student = 1.975 / 1.960  # 159 degrees of freedom
    ratio = (found.high - found.low) / (known.high - known.low)
    assert ratio == pytest.approx(expected**0.5 * student, rel=0.005)


# --- undefined and few -------------------------------------------------------------------------


def test_without_labels_there_is_a_reason() -> None:
    found = corrected_rate(CheckedRate(np.ones(5), np.full(5, NONE)))
    assert found.automatic.value == 1
    assert found.corrected.value is None
    assert "labelled none" in found.corrected.why
    alone = CheckedRate(np.ones(5), np.array([1.0, *[NONE] * 4]))
    assert "from one group" in corrected_rate(alone).human.why
    assert "no judgements" in corrected_rate(CheckedRate(np.ones(0), np.ones(0))).human.why


def test_few_labels_are_marked() -> None:
    assert corrected_rate(small()).corrected.few_groups
    assert corrected_rate(small()).human.few_groups
    assert not corrected_rate(simulated(3)).corrected.few_groups


def test_a_cell_with_one_label_is_put_together_with_another() -> None:
    """For the variance; its label still counts for the whole cell."""
    human = np.array([1, 0, NONE, NONE, NONE, NONE, 1, NONE])
    found = corrected_rate(CheckedRate(np.zeros(8), human, strata=np.repeat([0, 1], (6, 2)))).human
    assert found.value == pytest.approx(0.75 * 0.5 + 0.25 * 1)
    assert found.low is not None


def test_a_cell_without_labels_counts_as_those_beside_it() -> None:
    human = np.array([1, 0, NONE, NONE, NONE, NONE])
    found = corrected_rate(CheckedRate(np.zeros(6), human, strata=np.repeat([0, 1], (4, 2)))).human
    assert found.value == pytest.approx(0.5)


def test_labels_that_all_agree_leave_room_for_errors() -> None:
    """A judge that 50 labels never contradict may still be wrong: the interval is far wider than
    that of the automatic values."""
    automatic = np.tile([1.0, 1, 1, 0], 1000)
    human = np.where(np.arange(4000) % 80 < 1, automatic, NONE)
    found = corrected_rate(CheckedRate(automatic, human))
    assert width(found.corrected) > 2 * width(found.automatic)
    assert width(found.corrected) <= width(found.human)


@pytest.mark.parametrize("seed", range(4))
def test_labels_that_all_agree_have_as_many_groups_as_labels_alone(seed: int) -> None:
    """Their errors are equal up to rounding, which once left one degree of freedom (seed 1)."""
    rows = np.arange(60)
    automatic = (np.random.default_rng(seed).random(60) < 0.5).astype(np.float64)
    human = np.where(rows % 3 == 0, automatic, NONE)
    weights = np.where(rows % 2 == 0, 2.0, 1.0)
    rate = CheckedRate(automatic, human, groups=rows // 5, weights=weights)
    found = corrected_rate(rate, tuning=0.85)
    assert found.corrected.groups == found.human.groups == pytest.approx(10.98)


# --- Rogan and Gladen --------------------------------------------------------------------------


def test_rogan_gladen_by_hand() -> None:
    # Labels: 8 right of which 7 are called right, 12 wrong of which 9 are called wrong.
    human = np.array([1.0] * 8 + [0.0] * 12)
    automatic = np.array([1.0] * 7 + [0] + [0.0] * 9 + [1] * 3)
    rest = np.array([1.0] * 26 + [0.0] * 54)
    rate = CheckedRate(np.r_[automatic, rest], np.r_[human, np.full(80, NONE)])
    share, right, wrong = 36 / 100, 7 / 8, 9 / 12
    wanted = (share + wrong - 1) / (right + wrong - 1)
    assert rogan_gladen(rate).value == pytest.approx(wanted)


def test_rogan_gladen_says_why_there_is_none() -> None:
    ones = np.ones(6)
    assert "no answer was wrong" in rogan_gladen(CheckedRate(ones, ones.copy())).why
    opposite = CheckedRate(np.array([0.0, 1] * 5), np.array([1.0, 0] * 5))
    assert "no better than chance" in rogan_gladen(opposite).why
    halves = CheckedRate(np.full(6, 0.5), np.array([1.0, 0] * 3))
    assert "right or wrong" in rogan_gladen(halves).why
    assert "labelled none" in rogan_gladen(CheckedRate(ones, np.full(6, NONE))).why


# --- the page ----------------------------------------------------------------------------------


def test_the_example_of_the_page_gives_what_it_prints() -> None:
    page = Path(__file__).parents[2] / "docs" / "guides" / "corrected.md"
    found = doctest.testfile(str(page), module_relative=False)
    assert found.attempted >= 10
    assert not found.failed


# --- coverage ----------------------------------------------------------------------------------


def simulated(
    seed: int, *, rate: float = 0.7, labels: int = 200, groups: int = 300, wrong: float = 0.2
) -> CheckedRate:
    """Groups of about four answers with a common rate; a judge that calls some wrong ones right."""
    random = np.random.default_rng(seed)
    codes = np.repeat(np.arange(groups), random.integers(1, 8, groups))
    truth = (random.random(len(codes)) < random.beta(4 * rate, 4 - 4 * rate, groups)[codes]) * 1.0
    automatic = np.maximum(truth, random.random(len(codes)) < wrong).astype(np.float64)
    human = np.full(len(codes), NONE)
    taken = random.choice(len(codes), labels, replace=False)
    human[taken] = truth[taken]
    return CheckedRate(automatic, human, codes)


def width(estimate: Estimate) -> float:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


def covers(estimate: Estimate, truth: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= truth <= estimate.high


@pytest.mark.parametrize("labels", [50, 200])
def test_corrected_rates_cover_where_a_biased_judge_does_not(labels: int) -> None:
    """A small version of `benchmarks/corrected.py`."""
    found = [corrected_rate(simulated(seed, labels=labels)) for seed in range(80)]
    assert sum(covers(each.corrected, 0.7) for each in found) >= 72
    assert sum(covers(each.automatic, 0.7) for each in found) <= 8
    assert all(width(each.corrected) <= width(each.human) for each in found)
    narrower = np.mean([width(each.corrected) / width(each.human) for each in found])
    assert narrower < 0.95


def test_any_order_of_rows_gives_the_same() -> None:
    rate = simulated(5)
    order = np.random.default_rng(0).permutation(len(rate.automatic))
    assert rate.groups is not None
    mixed = CheckedRate(rate.automatic[order], rate.human[order], np.asarray(rate.groups)[order])
    one, other = corrected_rate(rate).corrected, corrected_rate(mixed).corrected
    assert other.value == pytest.approx(one.value, abs=1e-12)
    assert other.low == pytest.approx(one.low, abs=1e-9)
