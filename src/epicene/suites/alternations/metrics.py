"""Accuracy on minimal pairs, and the suite's headline metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Estimate
from epicene.stats.tabulate import distinct_values, group_codes, rows_where
from epicene.suites.alternations.protocol import ACCEPTABILITY, CLOZE, PROMPT
from epicene.suites.headline_metrics import HeadlineMetric, accuracy_metric, with_item_scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars

    from epicene.suites import Results
    from epicene.suites.alternations.protocol import AlternationsProtocol

if TYPE_CHECKING:
    Outcomes = Results[AlternationsProtocol]

ALL = "all"
TIES = "A tie counts half."

_MASKED_METHODS = ("original", "within-word", "whole-word")


def main_scores(results: Outcomes) -> polars.DataFrame:
    """One judgement per pair, by the protocol's own measure."""
    return rows_where(results.frame, format=ACCEPTABILITY, main="yes")


def accuracy(frame: polars.DataFrame) -> Estimate:
    """The share of pairs whose acceptable sentence is likelier; a tie counts half.

    The interval is Wilson's, on the effective number of pairs where several are of one group.
    """
    from epicene.stats.intervals import proportion

    if not len(frame):
        return Estimate(value=None, why="nothing was judged")
    return proportion(frame["credit"].to_numpy(), groups=group_codes(frame))


def overall_and_by_phenomenon(frame: polars.DataFrame) -> Iterator[tuple[str, polars.DataFrame]]:
    """All judgements, then those of each phenomenon."""
    yield ALL, frame
    for name in distinct_values(frame, "phenomenon"):
        yield name, rows_where(frame, phenomenon=name)


def model_type(results: Outcomes, model: str) -> str:
    """Masked or causal, or what else the model's answers say made the numbers."""
    methods = distinct_values(
        rows_where(results.frame, model=model, format=ACCEPTABILITY), "method"
    )
    if any(method.startswith(_MASKED_METHODS) for method in methods):
        return "masked"
    return methods[0] if methods else ""


def parameter_count(results: Outcomes, model: str) -> float | None:
    """How many parameters a model has, where it says so."""
    for run in results.runs:
        if run.model == model:
            for identity in (each for role in run.identities.values() for each in role):
                if size := identity.about.get("parameters"):
                    return float(size)
    return None


def _main_cloze(results: Outcomes) -> polars.DataFrame:
    return rows_where(results.frame, format=CLOZE, main="yes")


def _main_prompt(results: Outcomes) -> polars.DataFrame:
    return rows_where(results.frame, format=PROMPT, main="yes")


HEADLINE_METRICS = (
    HeadlineMetric(
        name="acceptable sentence likelier",
        estimate=lambda results: accuracy(main_scores(results)),
        item_scores=lambda results: with_item_scores(main_scores(results)),
    ),
    accuracy_metric("agreeing causative in the gap", _main_cloze),
    accuracy_metric("agreeing causative when asked", _main_prompt),
)
