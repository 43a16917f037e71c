"""Gate a new run against a baseline: collect the evidence by headline, check, decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

from epicene.core.errors import InputError, unknown
from epicene.core.records import Estimate, digest
from epicene.runs.compare import POSITIONS, check_same_suite, headline_figures, read_pair
from epicene.runs.gate.baseline import StoredResults
from epicene.runs.gate.decision import (
    HeadlineEvidence,
    HeadlineVerdict,
    Outcome,
    decide,
    overall,
)
from epicene.runs.gate.nightly import Night, read_nights, write_nights
from epicene.runs.matching import SHORT_HASH
from epicene.runs.paired_differences import paired_scores
from epicene.runs.summary import (
    primary_judgements,
    protocol_method,
    settings_diff_sentences,
    summarise,
)
from epicene.stats.independent_difference import independent_difference
from epicene.stats.paired_spread import spread_of_rows
from epicene.stats.tabulate import group_codes, undetected_share
from epicene.suites.headline_metrics import headline_metrics_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import polars

    from epicene.runs.compare import HeadlineFigures
    from epicene.runs.gate.policy import GatePolicy, HeadlinePolicy
    from epicene.runs.manifest import Coverage
    from epicene.runs.stored_run import StoredRun
    from epicene.suites.headline_metrics import HeadlineMetric


@dataclass(frozen=True)
class GateCheck:
    """A limit that does not depend on chance."""

    name: Literal["coverage", "undetected"]
    outcome: Outcome
    value: float
    limit: float
    why: str


@dataclass(frozen=True)
class GateResult:
    """Whether a new run is no worse than a baseline, and why."""

    suite: str
    protocol: str
    new: str
    baseline: str
    policy: GatePolicy
    verdicts: tuple[HeadlineVerdict, ...]
    checks: tuple[GateCheck, ...]
    notes: tuple[str, ...]
    alpha: float  # for a false alarm, of this night
    night: int | None = None  # which of the policy's nights it is

    @property
    def outcome(self) -> Outcome:
        """Fail if a headline or a check fails, pass if all pass."""
        return overall(
            [*(each.outcome for each in self.verdicts), *(each.outcome for each in self.checks)]
        )


def gate_run(
    new: StoredRun,
    baseline: StoredRun | StoredResults,
    policy: GatePolicy,
    nights: Path | None = None,
) -> GateResult:
    """Decide by the policy; with `nights`, as one night of the series in that file."""
    if isinstance(baseline, StoredResults):
        gathered = _against_results(new, baseline, policy)
    else:
        gathered = _against_run(new, baseline, policy)
    if not gathered.evidence:
        raise InputError(
            " ".join((f"There is no headline to gate {new.folder} on.", *gathered.notes))
        )
    if all(_nothing_shared(each) for each in gathered.evidence):
        raise InputError(
            " ".join(
                (
                    f"{new.folder} and its baseline share no judgements, so there is nothing to "
                    "compare; run both on the same items.",
                    *gathered.notes,
                )
            )
        )
    series, night, alpha = None, None, policy.alpha
    seen = _evidence_digest(gathered.evidence)
    if nights is not None:
        series = read_nights(nights, policy)
        series.check_left(seen, nights)
        night, alpha = series.number(seen), series.alpha_per_night
    result = GateResult(
        suite=new.suite.name,
        protocol=new.protocol.name,
        new=gathered.labels[1],
        baseline=gathered.labels[0],
        policy=policy,
        verdicts=tuple(decide(gathered.evidence, policy, alpha=alpha)),
        checks=tuple(_checks(gathered, policy)),
        notes=gathered.notes,
        alpha=alpha,
        night=night,
    )
    if nights is not None and series is not None:
        done = Night(run=str(new.folder), evidence=seen, outcome=result.outcome)
        write_nights(nights, series.with_night(done))
    return result


def _nothing_shared(each: HeadlineEvidence) -> bool:
    """Whether both runs have judgements for a headline, but of different items."""
    known = each.new.value is not None and each.baseline.value is not None
    return known and each.paired and not each.judgements


def _evidence_digest(evidence: Sequence[HeadlineEvidence]) -> str:
    """A hash of all differences: the same answers have the same hash."""
    parts = [
        (each.headline, each.judgements, each.new.value, each.baseline.value)
        + ((float(each.change.low(0.975)), float(each.change.high(0.975))) if each.change else ())
        for each in evidence
    ]
    return digest(parts).hex()[: 2 * SHORT_HASH]


@dataclass(frozen=True)
class _Gathered:
    """Everything that the decision is based on."""

    labels: tuple[str, str]  # baseline, new
    evidence: tuple[HeadlineEvidence, ...]
    notes: tuple[str, ...]
    coverage: Coverage | None
    undetected: Estimate


def _checks(gathered: _Gathered, policy: GatePolicy) -> Iterator[GateCheck]:
    """Whether enough is judged, and whether too much is undetected."""
    if (coverage := gathered.coverage) is not None:
        answered = coverage.answered / coverage.requests if coverage.requests else 1.0
        share = min(answered, coverage.judged / coverage.items if coverage.items else 1.0)
        met = share >= policy.min_coverage
        yield GateCheck(
            "coverage",
            "pass" if met else "undecided",
            share,
            policy.min_coverage,
            "" if met else f"{coverage}; run the same command again to resume",
        )
    if policy.max_undetected is not None:
        undetected = gathered.undetected.value or 0.0
        met = undetected <= policy.max_undetected
        yield GateCheck(
            "undetected",
            "pass" if met else "fail",
            undetected,
            policy.max_undetected,
            "" if met else "too many answers are neither right nor wrong",
        )


# --- a baseline with its judgements ----------------------------------------------------------


def _against_run(new: StoredRun, baseline: StoredRun, policy: GatePolicy) -> _Gathered:
    check_same_suite(baseline, new)
    _check_same_method(baseline, new)
    read = read_pair(baseline, new)
    evidence: list[HeadlineEvidence] = []
    notes: list[str] = []
    others = dict(policy.headlines)
    names = []
    for figures in headline_figures(read):
        names.append(figures.headline.name)
        others.pop(figures.headline.name, None)
        own = policy.for_headline(figures.headline.name)
        if not own.gate:
            continue
        if figures.scores is None:
            old, now = (figures.headline.estimate(part) for part in figures.parts)
            _add_independent(figures.headline, own, (old, now), evidence, notes)
        elif len(figures.scores):  # else neither run measures it
            evidence.append(_paired(figures, figures.scores, own, new.suite.name))
    if others:
        old_metrics, metrics = (summarise([run]).runs[0].metrics for run in (baseline, new))
        evidence += _metric_evidence(others, old_metrics, metrics, names)
    _check_margins(evidence)
    return _Gathered(
        labels=(read.infos[0].model, read.infos[1].model),
        evidence=tuple(evidence),
        notes=(*read.notes, *notes),
        coverage=read.coverages[1],
        undetected=undetected_share(primary_judgements(read.frames[1])),
    )


def _check_same_method(baseline: StoredRun, new: StoredRun) -> None:
    """Raise if the two were asked in different ways, which is not a difference between models."""
    if protocol_method(baseline) != protocol_method(new):
        told = " ".join(settings_diff_sentences([baseline, new]))
        raise InputError(f"{told} A gate compares models under the same method.")


def _paired(
    figures: HeadlineFigures, scores: polars.DataFrame, own: HeadlinePolicy, suite: str
) -> HeadlineEvidence:
    import polars as pl

    name = figures.headline.name
    if own.better == "nearer zero":
        raise InputError(
            f"{name!r} is a share, so better must be higher or lower, not nearer zero."
        )
    both = paired_scores(scores, POSITIONS, suite=suite)
    of_baseline = len(scores.filter(pl.col("model") == POSITIONS[0]))
    new, old = (both[column].to_numpy() for column in ("score_2", "score"))
    if own.better == "lower":
        new, old = old, new
    first, second = (figures.headline.estimate(part) for part in figures.parts)
    return HeadlineEvidence(
        headline=name,
        rule=own.rule,
        margin=own.margin,
        baseline=first,
        new=second,
        change=spread_of_rows(new, old, groups=group_codes(both)) if len(both) else None,
        paired=True,
        judgements=len(both),
        coverage=len(both) / of_baseline if of_baseline else 1.0,
        why="" if len(both) else "the two runs share no judgements",
    )


# --- figures with intervals only -------------------------------------------------------------

_UNPAIRED = (
    "The baseline is a file of results, so the two runs are treated as independent. Use the run "
    "folder as the baseline to compare item by item, which gives narrower intervals."
)


def _against_results(new: StoredRun, baseline: StoredResults, policy: GatePolicy) -> _Gathered:
    for what, old, now in (
        ("suite", baseline.suite, new.suite.name),
        ("protocol", baseline.protocol, new.protocol.name),
    ):
        if old != now:
            raise InputError(
                f"{baseline.path} has the {what} {old} and {new.folder} has {now}; a gate "
                "compares models under the same method."
            )
    summary = summarise([new])
    evidence: list[HeadlineEvidence] = []
    notes: list[str] = []
    if baseline.data != new.manifest.settings.data:
        notes.append(
            f"The baseline used the data {baseline.data!r} and the new run "
            f"{new.manifest.settings.data!r}, so the change is not due to the model alone."
        )
    others = dict(policy.headlines)
    headlines = headline_metrics_of(new.suite, summary.results)
    for headline in headlines:
        others.pop(headline.name, None)
        own = policy.for_headline(headline.name)
        figure, known = headline.estimate(summary.results), baseline.estimates.get(headline.name)
        if not own.gate or (known is None and figure.value is None):
            continue
        if known is None:
            raise InputError(
                f"{baseline.path} has no {headline.name!r}; `epicene export results RUN` writes a "
                "file with all headlines (results.json)."
            )
        _add_independent(headline, own, (known, figure), evidence, notes)
    (run,) = summary.runs
    names = [headline.name for headline in headlines]
    evidence += _metric_evidence(others, baseline.estimates, run.metrics, names)
    if more := [each for each in evidence if each.baseline.n and each.new.n > each.baseline.n]:
        named = ", ".join(f"“{each.headline}”" for each in more)
        notes.append(f"The new run has more judgements than the baseline for {named}.")
    _check_margins(evidence)
    return _Gathered(
        labels=(f"{baseline.model} ({baseline.path.name})", run.info.model),
        evidence=tuple(evidence),
        notes=(_UNPAIRED, *notes),
        coverage=run.coverage,
        undetected=run.undetected,
    )


def _add_independent(
    headline: HeadlineMetric,
    own: HeadlinePolicy,
    figures: tuple[Estimate, Estimate],
    evidence: list[HeadlineEvidence],
    notes: list[str],
) -> None:
    """Add the evidence from two intervals, or a note on why the headline is not gated."""
    if headline.item_scores is None and own.better is None:
        notes.append(
            f"“{headline.name}” is not gated, because none of its values is better than another; "
            'set better = "nearer zero" (or higher, lower) in a policy to say which is better.'
        )
    else:
        evidence.append(_independent_evidence(headline.name, own, *figures))


def _metric_evidence(
    policies: Mapping[str, HeadlinePolicy],
    old: Mapping[str, Estimate],
    new: Mapping[str, Estimate],
    headlines: Sequence[str],
) -> Iterator[HeadlineEvidence]:
    """Metrics that the policy names and that are not headlines, from their intervals."""
    for name, own in policies.items():
        if name not in new or name not in old:
            known = {*headlines, *({*new} & {*old})}
            raise unknown("headline or metric", name, known, every=True)
        if own.gate:
            yield _independent_evidence(name, own, old[name], new[name])


def _independent_evidence(
    name: str, own: HeadlinePolicy, old: Estimate, new: Estimate
) -> HeadlineEvidence:
    match own.better:
        case "lower":
            first, second = new, old
        case "nearer zero":
            first, second = distance_from_zero(new), distance_from_zero(old)
        case _:
            first, second = old, new
    change = independent_difference(first, second)
    return HeadlineEvidence(
        headline=name,
        rule=own.rule,
        margin=own.margin,
        baseline=old,
        new=new,
        change=change,
        paired=False,
        judgements=new.n,
        # Of a file of results it is not known which judgements it has, only how many.
        coverage=min(1.0, new.n / old.n) if old.n else 1.0,
        why="" if change else old.why or new.why or "a value has no interval",
    )


def _check_margins(evidence: Sequence[HeadlineEvidence]) -> None:
    """Raise if a share has a margin that no loss can exceed, such as 5 for 5 points (0.05)."""
    for each in evidence:
        ends = [each.baseline.value, each.baseline.high, each.new.value, each.new.high]
        share = each.paired or all(end is None or abs(end) <= 1 for end in ends)
        if each.margin >= 1 and share:
            raise InputError(
                f"The margin of {each.headline!r} is {each.margin:g}, which no loss can exceed: "
                f"margins are shares, so write {each.margin / 100:g} for {each.margin:g} points."
            )


def distance_from_zero(figure: Estimate) -> Estimate:
    """How far a value is from zero, with the interval of that distance."""
    if figure.value is None or figure.low is None or figure.high is None:
        return figure
    ends = abs(figure.low), abs(figure.high)
    inside = figure.low <= 0 <= figure.high
    return msgspec.structs.replace(
        figure, value=abs(figure.value), low=0.0 if inside else min(ends), high=max(ends)
    )
