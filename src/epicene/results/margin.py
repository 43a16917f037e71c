"""Is a new run no worse than an old one by more than a margin? Pass, fail or undecided.

The change of each headline is the new run minus the old one, over the judgements that both have.
Its 95 % interval decides: pass if it is above −margin, fail if it is below, otherwise undecided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.core.errors import InputError
from epicene.core.records import ENOUGH_GROUPS, Column, Estimate, Row, Table
from epicene.results.paired_differences import paired_scores, spread_of_scores
from epicene.results.run_pair import POSITIONS, headline_figures, read_pair
from epicene.results.summary import protocol_method, settings_diff_sentences
from epicene.stats.power import POWER, groups_needed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars

    from epicene.results.run_pair import HeadlineFigures
    from epicene.runs.stored_run import StoredRun
    from epicene.stats.paired_spread import PairedSpread

Outcome: TypeAlias = Literal["pass", "fail", "undecided"]

_LEAST_COVERED = 0.95  # of the old run's judgements, for a pass
_LEAST_DISTANCE = 0.05  # of the margin: nearer to it, no number of groups is promised
_WHY = {
    "pass": "no headline is worse by {margin} or more",
    "fail": "worse by more than {margin}: {named}",
    "undecided": "a loss of {margin} or more is not excluded: {named}",
}


@dataclass(frozen=True)
class Verdict:
    """The outcome for one headline, with the interval that decided it."""

    suite: str  # and the protocol
    headline: str
    outcome: Outcome
    values: tuple[Estimate, ...]  # old, new
    change: Estimate
    groups: int
    note: str = ""  # what is missing, or how many groups would decide it


@dataclass(frozen=True)
class MarginCheck:
    """Whether a new run, or a folder of them, is no worse than an old one."""

    old: str
    new: str
    margin: float
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        """Fail if a headline fails, pass if all pass."""
        found = {each.outcome for each in self.verdicts}
        return "fail" if "fail" in found else "undecided" if "undecided" in found else "pass"

    @property
    def sentence(self) -> str:
        """The outcome, and why."""
        several = len({each.suite for each in self.verdicts}) > 1
        named = ", ".join(
            f"“{each.headline}”" + (f" of {each.suite}" if several else "")
            for each in self.verdicts
            if each.outcome == self.outcome
        )
        why = _WHY[self.outcome].format(margin=self._points, named=named)
        return f"{self.outcome.upper()}: {self.new} against {self.old}: {why}."

    @property
    def _points(self) -> str:
        shown = f"{100 * self.margin:.3g}"
        return f"{shown} point" if shown == "1" else f"{shown} points"

    @property
    def metrics(self) -> dict[str, Estimate]:
        """The changes, by suite and headline."""
        return {f"{each.suite}/{each.headline}": each.change for each in self.verdicts}

    @property
    def tables(self) -> tuple[Table]:
        """One table with one row per headline."""
        table = Table(
            name="margin",
            title=f"{self.new} against {self.old}, with a margin of {self._points}",
            levels=("suite", "headline"),
            columns=(
                Column(name="outcome", unit="text"),
                Column(name="old"),
                Column(name="new"),
                Column(name="change"),
                Column(name="groups", unit="count"),
            ),
            rows=tuple(
                Row(
                    keys=(each.suite, each.headline),
                    cells=(each.outcome, *each.values, each.change, Estimate(value=each.groups)),
                )
                for each in self.verdicts
            ),
            notes=(
                "Change is new minus old, over the judgements that both have, with its 95 % "
                "interval over groups. Pass: the interval is above −margin. Fail: it is below.",
            ),
        )
        return (table,)


def check_margin(pairs: Sequence[tuple[StoredRun, StoredRun]], margin: float) -> MarginCheck:
    """Decide for each headline of each pair of an old and a new run."""
    verdicts: list[Verdict] = []
    notes: list[str] = []
    for old, new in pairs:
        read = read_pair(old, new)
        _check_same_method(old, new)
        notes += read.notes
        suite = f"{new.suite.name} ({new.protocol.name})"
        for figures in headline_figures(read):
            if figures.headline.item_scores is None:
                notes.append(
                    f"“{figures.headline.name}” of {suite} is not decided, because none of its "
                    "values is better than another."
                )
            elif figures.scores is None:
                raise read.shares_nothing("judged item")
            elif len(figures.scores):  # else neither run measures it
                both = paired_scores(figures.scores, POSITIONS, suite=new.suite.name)
                if not len(both):
                    raise read.shares_nothing(f"judgement of “{figures.headline.name}”")
                verdicts.append(_verdict(suite, figures, figures.scores, both, margin))
    if not verdicts:
        raise InputError(" ".join(("There is no headline to decide on.", *notes)))
    notes += [f"“{each.headline}” of {each.suite}: {each.note}." for each in verdicts if each.note]
    labels = [{run.info.model for run in runs} for runs in zip(*pairs, strict=True)]
    one_each = len(labels[0]) == len(labels[1]) == 1 and labels[0] != labels[1]
    old_name, new_name = map(min, labels) if one_each else ("the old", "the new")
    return MarginCheck(old_name, new_name, margin, tuple(verdicts), tuple(dict.fromkeys(notes)))


def _check_same_method(old: StoredRun, new: StoredRun) -> None:
    """Raise if the two were asked in different ways, which is not a difference between models."""
    if protocol_method(old) != protocol_method(new):
        told = " ".join(settings_diff_sentences([old, new]))
        raise InputError(f"{told} --margin compares models under the same method.")


def _verdict(
    suite: str,
    figures: HeadlineFigures,
    scores: polars.DataFrame,
    both: polars.DataFrame,
    margin: float,
) -> Verdict:
    spread = spread_of_scores(both)
    change = spread.estimate()
    covered = len(both) / int((scores["model"] == POSITIONS[0]).sum())
    outcome: Outcome = "undecided"
    note = ""
    if change.high is not None and change.high < -margin:
        outcome = "fail"
    elif covered < _LEAST_COVERED:
        note = (
            f"only {100 * covered:.1f} % of the old run's judgements are in the new run (a pass "
            f"needs {100 * _LEAST_COVERED:.0f} %)"
        )
    elif change.low is not None and change.low > -margin:
        outcome = "pass"
    else:
        note = _needed(spread, margin)
    return Verdict(
        suite, figures.headline.name, outcome, figures.values, change, spread.groups, note
    )


def _needed(spread: PairedSpread, margin: float) -> str:
    """How many groups would decide; "" if there are too few to say, or if none would."""
    distance = abs(spread.difference + margin)
    if spread.groups < ENOUGH_GROUPS or distance < _LEAST_DISTANCE * margin:
        return ""
    needed = groups_needed(spread, distance).value or 0
    return (
        f"if the true change is the one measured, a new comparison of about {needed:,} groups of "
        f"items (there are {spread.groups:,}) would decide it in {100 * POWER:.0f} % of cases"
    )


# --- folders of runs -------------------------------------------------------------------------


def runs_in(folder: Path) -> list[Path]:
    """The run folders in a folder, or itself if it is one."""
    if (folder / "manifest.json").exists():
        return [folder]
    return sorted(file.parent for file in folder.glob("*/manifest.json")) or [folder]


def match_runs(
    old: Sequence[StoredRun], new: Sequence[StoredRun]
) -> list[tuple[StoredRun, StoredRun]]:
    """The runs of both by suite and protocol."""
    if len(old) == len(new) == 1:
        return [(old[0], new[0])]
    before, after = _by_suite(old), _by_suite(new)
    for name in sorted(before.keys() ^ after.keys()):
        run, side = (before[name], "new") if name in before else (after[name], "old")
        raise InputError(
            f"{run.folder} is a run of {name[0]} under the protocol {name[1]}, which the {side} "
            "runs lack; compare folders with runs of the same suites."
        )
    return [(before[name], after[name]) for name in before]


def _by_suite(runs: Sequence[StoredRun]) -> dict[tuple[str, str], StoredRun]:
    found: dict[tuple[str, str], StoredRun] = {}
    for run in runs:
        name = run.suite.name, run.protocol.name
        if name in found:
            raise InputError(
                f"{found[name].folder} and {run.folder} are both runs of {name[0]} under the "
                f"protocol {name[1]}; keep one of them in the folder, or name one run."
            )
        found[name] = run
    return found
