"""Which kind of verb fills the gap, how often it agrees, and whether the two formats agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites import agreement
from epicene.suites.alternations.acceptability import ACCEPTABILITY
from epicene.suites.alternations.analyser import (
    DIRECT,
    INDIRECT,
    INTRANSITIVE,
    NOT_A_VERB,
    TRANSITIVE,
)
from epicene.suites.alternations.cloze import CLOZE, PROMPT
from epicene.suites.alternations.published import VARIANTS
from epicene.suites.tabulate import mean, only, share, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars

    from epicene.suites import Results
    from epicene.suites.alternations.protocol import AlternationsProtocol

    Outcomes = Results[AlternationsProtocol]

KINDS = (INDIRECT, DIRECT, TRANSITIVE, INTRANSITIVE, NOT_A_VERB)


def cloze_metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """The share of -vā causatives and of agreement errors."""
    made: dict[str, Estimate] = {}
    for form in (CLOZE, PROMPT):
        frame = only(results.frame, format=form, main="yes")
        if len(frame):
            made[f"{form} indirect causatives"] = of_kind(frame, INDIRECT)
            made[f"{form} agreement errors"] = agreement_errors(frame)
    return made


def of_kind(frame: polars.DataFrame, kind: str) -> Estimate:
    """The share of gaps that a verb of that kind fills."""
    import polars as pl

    return share(frame, pl.col("label") == kind)


def agreement_errors(frame: polars.DataFrame) -> Estimate:
    """Of the verbs, the share that does not agree."""
    import polars as pl

    return share(frame.filter(pl.col("is_verb") == 1), pl.col("agrees") == 0)


def cloze_tables(results: Outcomes) -> Iterator[Table]:
    """Tables of the gaps, where there are some."""
    forms = [form for form in (CLOZE, PROMPT) if len(only(results.frame, format=form))]
    if not forms:
        return
    yield _kinds(results, forms)
    if len(only(results.frame, format=ACCEPTABILITY)):
        yield _formats(results, forms)


def _kinds(results: Outcomes, forms: list[str]) -> Table:
    rows = []
    for form in forms:
        frame = only(results.frame, format=form)
        for model in values_of(frame, "model"):
            for ranking in values_of(only(frame, model=model), "ranking"):
                part = only(frame, model=model, ranking=ranking)
                cells = (
                    Estimate(value=len(part), n=len(part)),
                    *(of_kind(part, kind) for kind in KINDS),
                    agreement_errors(part),
                    mean(part, "gold_first"),
                    mean(part, "gold_among"),
                )
                rows.append(Row(keys=(form, model, ranking), cells=cells))
    return Table(
        name="cloze",
        title="What fills the gap",
        levels=("format", "model", "ranking"),
        columns=(
            Column(name="gaps", unit="count"),
            *(Column(name=kind) for kind in KINDS),
            Column(name="agreement errors"),
            Column(name="gold first"),
            Column(name="gold among"),
        ),
        rows=tuple(rows),
        notes=(
            "Agreement errors are of the verbs; gold among: the expected verb is one of the "
            "completions ranked.",
            "In the paper 28 % of completions were ungrammatical, and people preferred the gold "
            "verb in 85.9 % of choices.",
        ),
    )


def _formats(results: Outcomes, forms: list[str]) -> Table:
    """Acceptability and cloze on the same pairs: outcomes paired by model and item."""
    rows = []
    scored = only(results.frame, format=ACCEPTABILITY, main="yes")
    for form in forms:
        filled = only(results.frame, format=form, main="yes")
        for model in values_of(scored, "model"):
            for variant in ("all", *VARIANTS):
                one, two = only(scored, model=model), only(filled, model=model)
                if variant != "all":
                    one, two = only(one, phenomenon=variant), only(two, phenomenon=variant)
                if not len(two):
                    continue
                pairs = agreement.paired_outcomes(one, _decided(two))
                cells = (
                    Estimate(value=len(pairs), n=len(pairs)),
                    mean(pairs, "a"),
                    mean(pairs, "b"),
                    agreement.raw(pairs, clustered=True),
                    agreement.mcc(pairs, clustered=True),
                    agreement.kappa(pairs, clustered=True),
                )
                rows.append(Row(keys=(form, model, variant), cells=cells))
    return Table(
        name="formats",
        title="Acceptability against cloze on the same verbs",
        levels=("format", "model", "variant"),
        columns=(
            Column(name="pairs", unit="count"),
            Column(name="acceptability"),
            Column(name="cloze"),
            Column(name="agreement"),
            Column(name="MCC", unit="number", decimals=3),
            Column(name="κ", unit="number", decimals=3),
        ),
        rows=tuple(rows),
        notes=(
            "Right in the cloze is a -vā causative that agrees; a word that is no verb is not. "
            "Ties of the scores are left out. Intervals resample verbs.",
        ),
    )


def _decided(frame: polars.DataFrame) -> polars.DataFrame:
    """A gap filled with no verb is a gap not filled rightly."""
    import polars as pl

    outcome = pl.col("outcome").cast(pl.String).replace("undetected", "wrong")
    return frame.with_columns(outcome.alias("outcome"))
