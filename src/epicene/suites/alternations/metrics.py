"""Accuracy on minimal pairs, what fills the gaps, and the suite's headline metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Estimate
from epicene.stats import paired_agreement
from epicene.stats.tabulate import (
    distinct_values,
    group_codes,
    parts_by,
    rows_where,
    share,
    undetected_share,
)
from epicene.suites.alternations.external_answers import CHOICE
from epicene.suites.alternations.hindi_analyser import INDIRECT
from epicene.suites.alternations.items import DIFFERENT_VERB, SAME_VERB
from epicene.suites.alternations.protocol import ACCEPTABILITY, CLOZE, PROMPT
from epicene.suites.headline_metrics import (
    FormatPairs,
    HeadlineMetric,
    accuracy_metric,
    with_item_scores,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars

    from epicene.suites import Results
    from epicene.suites.alternations.protocol import AlternationsProtocol

    Outcomes = Results[AlternationsProtocol]

ALL = "all"

_MASKED_METHODS = ("original", "within-word", "whole-word")


def ties_note(protocol: AlternationsProtocol) -> str:
    """How a tie counts, for the notes of a table."""
    if protocol.ties == "half":
        return "A tie counts half."
    return "A tie scores 0, as in the paper, where the sentence with the higher score wins."


def main_scores(results: Outcomes) -> polars.DataFrame:
    """One judgement per pair, by the protocol's own measure."""
    return rows_where(results.frame, format=ACCEPTABILITY, main="yes")


def accuracy(frame: polars.DataFrame) -> Estimate:
    """The share of pairs whose acceptable sentence is more likely; the protocol decides how a tie
    counts.

    The interval is Wilson's, on the effective number of pairs if several are in the same group.
    """
    from epicene.stats.intervals import proportion

    if not len(frame):
        return Estimate(value=None, why="nothing was judged")
    return proportion(frame["credit"].to_numpy(), groups=group_codes(frame))


def share_of_ties(frame: polars.DataFrame) -> Estimate:
    """The share of pairs whose sentences are equally likely; choices have no ties."""
    import polars as pl

    scored = frame.filter(pl.col("measure") != CHOICE)
    if len(frame) and not len(scored):
        return Estimate(value=None, why="choices were given, not scores")
    return undetected_share(scored)


def overall_and_by_phenomenon(frame: polars.DataFrame) -> Iterator[tuple[str, polars.DataFrame]]:
    """All judgements, then those of each phenomenon."""
    yield ALL, frame
    for (name,), part in parts_by(frame, "phenomenon"):
        yield name, part


def share_of_kind(frame: polars.DataFrame, kind: str) -> Estimate:
    """The share of gaps filled with a verb of that kind."""
    import polars as pl

    return share(frame, pl.col("label") == kind)


def agreement_errors(frame: polars.DataFrame) -> Estimate:
    """The share of verbs that do not agree."""
    import polars as pl

    return share(frame.filter(pl.col("is_verb") == 1), pl.col("agrees") == 0)


def share_flagged(frame: polars.DataFrame, column: str) -> Estimate:
    """The share of rows whose flag is 1."""
    import polars as pl

    return share(frame, pl.col(column) == 1)


def paired_formats(results: Outcomes, model: str, form: str) -> polars.DataFrame:
    """A row per pair and its gap: `a` is 1 where the acceptable sentence is likelier, `b` where
    the gap is filled correctly.
    """
    import polars as pl

    one = rows_where(main_scores(results), model=model)
    outcome = pl.col("outcome").cast(pl.String)
    # A gap filled with a word that is no verb is not filled correctly.
    two = rows_where(results.frame, model=model, format=form, main="yes").with_columns(
        outcome.replace("undetected", "wrong")
    )
    own = paired_agreement.paired_outcomes(one, two, on=("item",))
    shared = paired_agreement.paired_outcomes(
        rows_where(one, phenomenon=DIFFERENT_VERB),
        rows_where(two, phenomenon=SAME_VERB).unique("group"),
        on=("group",),
    )
    return pl.concat([own, shared], how="diagonal")


def all_metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """Accuracy overall and by phenomenon, ties, and what fills the gaps."""
    frame = main_scores(results)
    found: dict[str, Estimate] = {}
    if len(frame):
        found["accuracy"] = accuracy(frame)
        found["ties"] = share_of_ties(frame)
        for (name,), part in parts_by(frame, "phenomenon"):
            found[f"accuracy {name}"] = accuracy(part)
    for form in (CLOZE, PROMPT):
        frame = rows_where(results.frame, format=form, main="yes")
        if len(frame):
            found[f"{form} indirect causatives"] = share_of_kind(frame, INDIRECT)
            found[f"{form} agreement errors"] = agreement_errors(frame)
    return found


def model_type(results: Outcomes, model: str) -> str:
    """Masked or causal, or the scoring method that the model's answers name."""
    methods = distinct_values(
        rows_where(results.frame, model=model, format=ACCEPTABILITY), "method"
    )
    if any(method.startswith(_MASKED_METHODS) for method in methods):
        return "masked"
    return methods[0] if methods else ""


def unused_settings(results: Outcomes) -> frozenset[str]:
    """The settings of masking if every model was causal and so has no masks; and how a tie counts,
    which the notes of the tables state.
    """
    methods = distinct_values(rows_where(results.frame, format=ACCEPTABILITY), "method")
    causal = methods and all(method.startswith("causal") for method in methods)
    return frozenset({"ties", "maskings", "boundaries"} if causal else {"ties"})


def parameter_count(results: Outcomes, model: str) -> float | None:
    """The number of a model's parameters, if known."""
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


LIKELIER = "acceptable sentence likelier"

HEADLINE_METRICS = (
    HeadlineMetric(
        name=LIKELIER,
        estimate=lambda results: accuracy(main_scores(results)),
        item_scores=lambda results: with_item_scores(main_scores(results)),
        chance=0.5,
        contrasts=("controller gender", "phenomenon"),
    ),
    accuracy_metric("agreeing causative in the gap", _main_cloze),
    accuracy_metric("agreeing causative when asked", _main_prompt),
)


def _acceptability_and_cloze(results: Outcomes) -> polars.DataFrame:
    import polars as pl

    return pl.concat(
        (paired_formats(results, run.model, CLOZE) for run in results.runs), how="diagonal"
    )


FORMAT_PAIRS = FormatPairs("acceptability", "gap", "formats", _acceptability_and_cloze)
