"""What a gate decides on intervals: rules, margins, corrections, nights; and how often it errs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.runs.gate.decision import HeadlineEvidence, Outcome, decide, failures, overall
from epicene.runs.gate.gate import distance_from_zero
from epicene.runs.gate.nightly import Night, read_nights, write_nights
from epicene.runs.gate.policy import GatePolicy, HeadlinePolicy, Rule, read_policy
from epicene.stats.arrays import NORMAL
from epicene.stats.independent_difference import IndependentDifference
from epicene.stats.paired_spread import PairedSpread, paired_spread

FIGURE = Estimate(value=0.5, low=0.4, high=0.6, n=100)


def evidence(
    change: PairedSpread | IndependentDifference | None,
    rule: Rule = "non-inferiority",
    margin: float = 0.05,
    coverage: float = 1.0,
) -> HeadlineEvidence:
    return HeadlineEvidence(
        headline="right",
        rule=rule,
        margin=margin,
        baseline=FIGURE,
        new=FIGURE,
        change=change,
        paired=isinstance(change, PairedSpread),
        judgements=100,
        coverage=coverage,
        why="" if change else "there is nothing",
    )


def known(value: float, half: float) -> IndependentDifference:
    """A change with a 95 % interval of value ± half."""
    return IndependentDifference(value, half, half)


@pytest.mark.parametrize(
    ("value", "half", "inferiority", "regression"),
    [
        (0.0, 0.03, "pass", "pass"),
        (0.0, 0.08, "undecided", "undecided"),
        (-0.02, 0.01, "pass", "fail"),  # worse, but by less than the margin
        (-0.08, 0.02, "fail", "fail"),
        (-0.08, 0.05, "undecided", "fail"),  # worse; whether by more than the margin is open
        (-0.04, 0.05, "undecided", "undecided"),
        (0.1, 0.2, "undecided", "undecided"),
        (0.1, 0.05, "pass", "pass"),
    ],
)
def test_the_interval_decides(
    value: float, half: float, inferiority: Outcome, regression: Outcome
) -> None:
    wanted: tuple[tuple[Rule, Outcome], ...] = (
        ("non-inferiority", inferiority),
        ("no-regression", regression),
    )
    for rule, outcome in wanted:
        (verdict,) = decide([evidence(known(value, half), rule)], GatePolicy())
        assert verdict.outcome == outcome
        assert verdict.change.low == pytest.approx(value - half)
        assert (verdict.times_needed is not None) == (outcome == "undecided")


def test_it_says_how_much_data_would_decide() -> None:
    """By hand: ((1.96 + 0.84) · error / 0.05)² with an error of 0.065/1.96."""
    (verdict,) = decide([evidence(known(0.01, 0.065))], GatePolicy())
    error = 0.065 / 1.959964
    assert verdict.expected == 0
    assert verdict.times_needed == pytest.approx(((1.959964 + 0.841621) * error / 0.05) ** 2)
    (loss,) = decide([evidence(known(-0.03, 0.065))], GatePolicy())
    assert loss.expected == pytest.approx(-0.03)
    assert loss.times_needed == pytest.approx(((1.959964 + 0.841621) * error / 0.02) ** 2)
    (near,) = decide([evidence(known(-0.0499, 0.06))], GatePolicy())
    assert near.times_needed is None  # no amount of data is promised


def test_what_looks_worse_is_decided_by_failing_where_that_takes_less_data() -> None:
    """By hand: ((2.81 + 0.84) · error / distance)², at 0.25 % on either of two headlines."""
    error = 0.07 / 1.959964
    regression = evidence(known(-0.05, 0.07), "no-regression")  # at the margin: no pass in sight
    (verdict, other) = decide([regression, evidence(known(-0.09, 0.07))], GatePolicy(), alpha=0.01)
    assert (verdict.outcome, other.outcome) == ("undecided", "undecided")
    assert verdict.times_needed == pytest.approx(((2.807034 + 0.841621) * error / 0.05) ** 2)
    assert other.times_needed == pytest.approx(((2.807034 + 0.841621) * error / 0.04) ** 2)


def test_the_reason_does_not_call_a_sure_loss_none() -> None:
    (loss, open_) = decide([evidence(known(-0.08, 0.05)), evidence(known(0, 0.08))], GatePolicy())
    assert loss.why == "the interval excludes neither a loss of 5 points nor a smaller one"
    assert open_.why == "the interval excludes neither a loss of 5 points nor none"


def test_what_is_undecided_needs_more_groups_than_there_are() -> None:
    change = paired_spread(np.array([-1.0] * 12 + [0.0] * 28), np.ones(40))
    (verdict,) = decide([evidence(change)], GatePolicy(), alpha=0.0005)
    assert verdict.outcome == "undecided"
    assert verdict.groups_needed is not None
    assert 40 < verdict.groups_needed < 100


def test_too_few_shared_judgements_decide_nothing() -> None:
    (verdict,) = decide([evidence(known(0, 0.01), coverage=0.5)], GatePolicy())
    assert verdict.outcome == "undecided"
    assert verdict.why.startswith("the new run has only 50.0% as many judgements as the baseline")
    (nothing,) = decide([evidence(None)], GatePolicy())
    assert (nothing.outcome, nothing.why) == ("undecided", "there is nothing")


class Upper(NamedTuple):
    """A normal estimate of −z with an error of 1: its p-value is that of z."""

    z: float

    def high(self, level: float) -> float:
        return -self.z + NORMAL.inv_cdf(level)


def by_p_values(p_values: Sequence[float], correction: str) -> set[int]:
    changes = [(Upper(NORMAL.inv_cdf(1 - p)), 0.0) for p in p_values]
    return failures(changes, 0.025, correction)[0]  # type: ignore[arg-type]


def test_holms_steps_are_holms() -> None:
    """0.025/3 = 0.0083, 0.025/2 = 0.0125, 0.025."""
    assert by_p_values([0.008, 0.012, 0.02], "holm") == {0, 1, 2}
    assert by_p_values([0.009, 0.012, 0.02], "holm") == set()
    assert by_p_values([0.008, 0.013, 0.02], "holm") == {0}
    assert by_p_values([0.008, 0.012, 0.02], "bonferroni") == {0}
    assert by_p_values([0.009, 0.012, 0.03], "none") == {0, 1}


def test_holm_agrees_with_adjusted_p_values() -> None:
    from epicene.stats.hypothesis_tests import holm

    rng = np.random.default_rng(2)
    for p_values in rng.beta(0.3, 3, size=(200, 4)).tolist():
        adjusted = holm(p_values)
        assert by_p_values(p_values, "holm") == {
            number for number, p in enumerate(adjusted) if p is not None and p < 0.025
        }


def test_what_fails_is_shown_below_its_boundary() -> None:
    found = decide(
        [
            evidence(known(-0.2, 0.05), "no-regression"),
            evidence(known(-0.05, 0.047), "no-regression"),
        ],
        GatePolicy(),
    )
    assert [each.outcome for each in found] == ["fail", "fail"]
    assert found[1].change.high == 0  # Bonferroni's bound is above, Holm's is the boundary
    assert found[0].change.high is not None
    assert found[0].change.high < -0.13


def test_overall() -> None:
    assert overall(["pass", "pass"]) == "pass"
    assert overall(["pass", "undecided"]) == "undecided"
    assert overall(["undecided", "fail"]) == "fail"


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.95])
def test_equal_models_seldom_fail(rate: float) -> None:
    """Two headlines of 60 groups of four, correlation 0.3; the full simulation is
    benchmarks/gate.py."""
    rng = np.random.default_rng(11)
    failed = 0
    for _ in range(300):
        changes = []
        for _ in range(2):
            draws = rng.random((2, 60, 4))
            common = rng.random((2, 60, 1))
            right = np.where(rng.random((2, 60, 4)) < np.sqrt(0.3), common, draws) < rate
            sums = (right[1].astype(float) - right[0]).sum(axis=1)
            changes.append(evidence(paired_spread(sums, np.full(60, 4.0)), "no-regression"))
        failed += any(each.outcome == "fail" for each in decide(changes, GatePolicy()))
    assert failed / 300 <= 0.05


def test_a_hundred_nights_keep_the_error_rate() -> None:
    """100 series against baselines whose answers stay the same; without --nights some 40 alarm."""
    rng = np.random.default_rng(12)
    alpha = read_nights(Path("none.json"), GatePolicy()).alpha_per_night
    once, kept = 0, 0
    for _ in range(100):
        right = rng.beta(1, 1, size=(60, 1)).repeat(4, axis=1)
        baseline = rng.random((60, 4)) < right
        new = rng.random((100, 60, 4)) < right
        sums = (new.astype(np.float64) - baseline).sum(axis=2)
        spread = paired_spread(sums, np.full(60, 4.0))
        once += bool((spread.high(1 - 0.05 / 2) < 0).any())
        kept += bool((spread.high(1 - alpha / 2) < 0).any())
    assert once > 15
    assert kept <= 5


@pytest.mark.parametrize(("gained", "most"), [(0.02, 0.04), (0.0, 0.065)])
def test_models_at_the_margin_seldom_pass(gained: float, most: float) -> None:
    """Nominally 2.5 %; a model that only ever loses, which is the most skewed, passes in 5 %."""
    rng = np.random.default_rng(13)

    def drawn(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        chance = rng.random(shape)
        lost = chance < 0.05 + gained
        return np.where(lost, -1.0, np.where(chance < 0.05 + 2 * gained, 1.0, 0.0))

    own, common = drawn(2000, 150, 4), drawn(2000, 150, 1)
    copied = rng.random((2000, 150, 4)) < np.sqrt(0.3)
    sums = np.where(copied, common, own).sum(axis=2)
    spread = paired_spread(sums, np.full(150, 4.0))
    assert np.mean(spread.low(0.975) >= -0.05) <= most


@pytest.mark.parametrize(
    ("figure", "wanted"),
    [
        ((-0.3, -0.5, -0.1), (0.3, 0.1, 0.5)),
        ((0.1, -0.2, 0.4), (0.1, 0.0, 0.4)),
        ((-0.1, -0.4, 0.2), (0.1, 0.0, 0.4)),
    ],
)
def test_a_distance_from_zero_has_the_interval_of_one(
    figure: tuple[float, float, float], wanted: tuple[float, float, float]
) -> None:
    value, low, high = figure
    found = distance_from_zero(Estimate(value=value, low=low, high=high))
    assert (found.value, found.low, found.high) == wanted


# --- nights ----------------------------------------------------------------------------------


def test_nights_share_alpha_and_a_second_look_costs_nothing(tmp_path: Path) -> None:
    policy = read_policy({"nightly": {"nights": 2}})
    path = tmp_path / "nights.json"
    series = read_nights(path, policy)
    assert series.alpha_per_night == 0.025
    for evidence_hash in ("a", "a", "b"):
        series.check_left(evidence_hash, path)
        series = series.with_night(Night(run="r", evidence=evidence_hash, outcome="pass"))
        write_nights(path, series)
        series = read_nights(path, policy)
    assert [night.evidence for night in series.done] == ["a", "b"]
    assert series.number("a") == 1
    series.check_left("a", path)
    with pytest.raises(InputError, match=r"All 2 nights of .* are used up"):
        series.check_left("c", path)
    with pytest.raises(InputError, match=r"started with alpha = 0\.05 over 2 nights"):
        read_nights(path, GatePolicy())
    path.write_text("{}")
    with pytest.raises(InputError, match="does not contain a series of nights"):
        read_nights(path, policy)


# --- policies --------------------------------------------------------------------------------


def test_what_a_headline_leaves_out_is_as_for_all(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(
        'rule = "no-regression"\nmargin = 0.01\n[headlines."a b"]\nmargin = 0.1\n'
        "[headlines.c]\ngate = false\n"
    )
    policy = read_policy(path)
    assert policy.for_headline("a b") == HeadlinePolicy(rule="no-regression", margin=0.1)
    assert policy.for_headline("other") == HeadlinePolicy(rule="no-regression", margin=0.01)
    assert not policy.for_headline("c").gate
    assert read_policy(None) == GatePolicy()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("margn = 1", "gate.toml: there is no key 'margn'; did you mean 'margin'?"),
        ("margin = 0", "gate.toml, margin: Expected `float` > 0.0."),
        ('alpha = "x"', "gate.toml, alpha: Expected `float`, got `str`."),
        (
            'rule = "strict"',
            "gate.toml, rule: Invalid enum value 'strict'; known: 'non-inferiority', "
            "'no-regression'.",
        ),
        (
            "[headlines.x]\nmargins = 1",
            "gate.toml, [headlines.\"x\"]: there is no key 'margins'; did you mean 'margin'?",
        ),
        (
            '[headlines.x]\nbetter = "up"',
            "gate.toml, [headlines.\"x\"], better: Invalid enum value 'up'; known: 'higher', "
            "'lower', 'nearer zero'.",
        ),
        ("headlines.x = 3", 'gate.toml, [headlines."x"]: Expected `object`, got `int`.'),
        ("nightly = 3", "gate.toml, nightly: Expected `object`, got `int`."),
        ("[nightly]\nnights = 0", "gate.toml, [nightly], nights: Expected `int` >= 1."),
        ("min_coverage = 2", "gate.toml, min_coverage: Expected `float` <= 1.0."),
        ("margin = ]", "gate.toml is not TOML: Invalid value (at line 1, column 10)."),
    ],
)
def test_an_error_names_the_wrong_key(
    content: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gate.toml").write_text(content)
    with pytest.raises(InputError) as error:
        read_policy(Path("gate.toml"))
    assert str(error.value) == told
