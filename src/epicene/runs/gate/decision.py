"""Decide headline by headline on intervals: pass, fail or undecided.

A gate passes only if every headline passes, so the bound for a pass needs no correction; it fails
if any headline fails, so the bound for a failure is corrected over all headlines.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, SupportsFloat, TypeAlias

import msgspec

from epicene.core.records import Estimate
from epicene.stats.paired_spread import PairedSpread, groups_needed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from epicene.runs.gate.policy import Correction, GatePolicy, Rule
    from epicene.stats.independent_difference import IndependentDifference

Outcome: TypeAlias = Literal["pass", "fail", "undecided"]

# With a change so near the margin that more data than this would be needed, none is promised.
MOST_TIMES = 1000
_ROUNDING = 1e-9


class UpperBound(Protocol):
    """What has an upper bound at any one-sided level."""

    def high(self, level: float) -> SupportsFloat: ...


@dataclass(frozen=True)
class HeadlineEvidence:
    """How much better the new model is on one headline; negative is worse."""

    headline: str
    rule: Rule
    margin: float
    baseline: Estimate
    new: Estimate
    change: PairedSpread | IndependentDifference | None  # None if there is no interval
    paired: bool
    judgements: int
    coverage: float = 1.0  # of the baseline's judgements, those that the new run has
    why: str = ""  # why there is no interval

    @property
    def boundary(self) -> float:
        """A change that is significantly below this is a failure."""
        return 0.0 if self.rule == "no-regression" else -self.margin

    @property
    def effective_groups(self) -> float | None:
        """The effective number of groups that the interval is based on."""
        if isinstance(self.change, PairedSpread):
            return round(float(self.change.freedom) - 1, 2)  # two groups are added to those seen
        known = [each.groups for each in (self.baseline, self.new) if each.groups is not None]
        return min(known, default=None)


@dataclass(frozen=True)
class HeadlineVerdict:
    """The outcome for one headline, with the interval that decided it."""

    evidence: HeadlineEvidence
    outcome: Outcome
    change: Estimate
    why: str = ""
    groups: int | None = None  # None if it is not paired
    times_needed: float | None = None  # as many groups, to decide with the policy's power
    expected: float | None = None  # the change that this takes to be the true one

    @property
    def groups_needed(self) -> int | None:
        """How many groups in total would decide it."""
        if self.groups is None or self.times_needed is None:
            return None
        return round(self.groups * self.times_needed)


def decide(
    evidence: Sequence[HeadlineEvidence], policy: GatePolicy, *, alpha: float | None = None
) -> list[HeadlineVerdict]:
    """The outcome for each headline; `alpha` is the level for failures, if it is not the
    policy's.
    """
    tail = (policy.alpha if alpha is None else alpha) / 2
    failed, level, first_level = failures(
        [(each.change, each.boundary) for each in evidence if each.change is not None],
        tail,
        policy.correction,
    )
    verdicts, number = [], 0
    for each in evidence:
        if each.change is None:
            verdicts.append(
                HeadlineVerdict(each, "undecided", Estimate(value=None, why=each.why), why=each.why)
            )
            continue
        high = float(each.change.high(level))
        if number in failed:
            # Holm's bound of what is rejected: below the boundary, and no more unless
            # Bonferroni's is lower.
            high = min(each.boundary, float(each.change.high(first_level)))
        verdicts.append(_verdict(each, each.change, policy, high, level, failed=number in failed))
        number += 1
    return verdicts


def failures(
    changes: Sequence[tuple[UpperBound, float]], tail: float, correction: Correction
) -> tuple[set[int], float, float]:
    """Which changes are significantly below their boundaries; the level of the bounds of the
    others, and that of the first step.

    Holm's step-down: those that fail at tail/k leave the others with tail/(k − failures).
    """
    first = 1 - (tail if correction == "none" else tail / max(1, len(changes)))
    level, failed = first, _below(changes, first)
    while correction == "holm" and len(failed) < len(changes):
        level = 1 - tail / (len(changes) - len(failed))
        more = _below(changes, level)
        if more <= failed:
            break
        failed |= more
    return failed, level, first


def _below(changes: Sequence[tuple[UpperBound, float]], level: float) -> set[int]:
    return {
        number
        for number, (change, boundary) in enumerate(changes)
        if float(change.high(level)) < boundary
    }


def _verdict(
    evidence: HeadlineEvidence,
    change: PairedSpread | IndependentDifference,
    policy: GatePolicy,
    high: float,
    level: float,
    *,
    failed: bool,
) -> HeadlineVerdict:
    """`level` is the level of the upper end, `high` if nothing failed."""
    low = float(change.low(1 - policy.alpha / 2))
    value = float(change.difference)
    groups = change.groups if isinstance(change, PairedSpread) else None
    shown = Estimate(
        value=value,
        low=min(low, high),
        high=high,
        n=evidence.judgements,
        groups=evidence.effective_groups,
    )
    if groups is not None:  # a difference of shares
        shown = msgspec.structs.replace(shown, low=max(-1.0, min(low, high)), high=min(1.0, high))
    margin = evidence.margin
    if failed:
        more = "" if evidence.rule == "no-regression" else f" by more than {points(margin)}"
        return HeadlineVerdict(evidence, "fail", shown, f"it is worse{more}", groups)
    if evidence.coverage < policy.min_coverage:
        share, least = f"{evidence.coverage:.1%}", f"(min_coverage is {policy.min_coverage:.0%})"
        why = f"only {share} of the baseline's judgements are in the new run {least}"
        if not evidence.paired:
            why = f"the new run has only {share} as many judgements as the baseline {least}"
        return HeadlineVerdict(evidence, "undecided", shown, why, groups)
    if low >= -margin:
        return HeadlineVerdict(
            evidence, "pass", shown, f"a loss of {points(margin)} or more is excluded", groups
        )
    why = f"the interval excludes neither a loss of {points(margin)} nor "
    why += "none" if high >= 0 else "a smaller one"
    expected = min(value, 0.0)
    times = _times_needed(evidence, change, expected, policy, 1 - level)
    known = None if times > MOST_TIMES else times
    return HeadlineVerdict(evidence, "undecided", shown, why, groups, known, expected)


def _times_needed(
    evidence: HeadlineEvidence,
    change: PairedSpread | IndependentDifference,
    expected: float,
    policy: GatePolicy,
    tail: float,
) -> float:
    """How many data would decide, if the true change is as expected: by a pass or by a failure,
    whichever needs fewer. `tail` is what a failure may spend.
    """
    times = []
    for distance, alpha, failing in (
        (expected + evidence.margin, policy.alpha / 2, False),
        (evidence.boundary - expected, tail, True),
    ):
        if distance < _ROUNDING:
            continue
        if isinstance(change, PairedSpread):
            needed = groups_needed(change, distance, alpha=alpha, power=policy.power)
            times.append(max(needed, change.groups + 1) / change.groups)
        else:
            times.append(
                change.times_needed(distance, alpha=alpha, power=policy.power, below=failing)
            )
    return min(times, default=math.inf)


def points(share: float) -> str:
    """A share in percentage points: 5 points."""
    shown = f"{100 * share:.3g}"
    return f"{shown} point" if shown == "1" else f"{shown} points"


def overall(outcomes: Collection[Outcome]) -> Outcome:
    """Fail if anything fails, pass if everything passes."""
    if "fail" in outcomes:
        return "fail"
    return "undecided" if "undecided" in outcomes else "pass"
