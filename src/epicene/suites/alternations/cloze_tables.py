"""Which kind of verb fills the gap, how often it agrees, and whether the two formats agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites import agreement
from epicene.suites.alternations.accuracy import ALL, scored, with_all
from epicene.suites.alternations.analyser import (
    DIRECT,
    INDIRECT,
    INTRANSITIVE,
    NOT_A_VERB,
    TRANSITIVE,
)
from epicene.suites.alternations.pairs import DIFFERENT_VERB, SAME_VERB, VARIANTS
from epicene.suites.alternations.protocol import CLOZE, PROMPT
from epicene.suites.alternations.published import PREFERRED_GOLD, UNGRAMMATICAL
from epicene.suites.tabulate import codes, only, share, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars

    from epicene.suites.alternations.accuracy import Outcomes

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


def _flagged(frame: polars.DataFrame, column: str) -> Estimate:
    """The share of rows that have a 1 there."""
    import polars as pl

    return share(frame, pl.col(column) == 1)


def cloze_tables(results: Outcomes) -> Iterator[Table]:
    """Tables of the gaps, where there are some."""
    forms = [form for form in (CLOZE, PROMPT) if len(only(results.frame, format=form))]
    if forms:
        yield _kinds(results, forms)
        if len(scored(results)):
            yield _formats(results, forms)


def _kinds(results: Outcomes, forms: Sequence[str]) -> Table:
    rows = []
    for form in forms:
        frame = only(results.frame, format=form)
        for model in values_of(frame, "model"):
            for ranking in values_of(only(frame, model=model), "ranking"):
                part = only(frame, model=model, ranking=ranking)
                rows += [
                    Row(keys=(form, model, ranking, name), cells=_kind_cells(each))
                    for name, each in with_all(part)
                ]
    return Table(
        name="cloze",
        title="What fills the gap",
        levels=("format", "model", "ranking", "variant"),
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
            "completions ranked. The gap of DV is that of SV, and is counted once.",
            f"The paper's two models rarely wrote a -vā causative; {UNGRAMMATICAL:.0%} of their "
            f"completions were ungrammatical, and people preferred the gold verb in "
            f"{PREFERRED_GOLD:.1%} of choices.",
        ),
    )


def _kind_cells(part: polars.DataFrame) -> tuple[Estimate, ...]:
    return (
        Estimate(value=len(part), n=len(part)),
        *(of_kind(part, kind) for kind in KINDS),
        agreement_errors(part),
        _flagged(part, "gold_first"),
        _flagged(part, "gold_among"),
    )


# --- the two formats -------------------------------------------------------------------------


def _formats(results: Outcomes, forms: Sequence[str]) -> Table:
    """Acceptability and cloze on the same verbs and variants."""
    rows = []
    for form in forms:
        for model in values_of(scored(results), "model"):
            pairs = paired_formats(results, model, form)
            for variant in (ALL, *VARIANTS):
                part = pairs if variant == ALL else only(pairs, phenomenon=variant)
                if len(part):
                    rows.append(Row(keys=(form, model, variant), cells=_format_cells(part)))
    return Table(
        name="formats",
        title="Acceptability against cloze on the same verbs",
        levels=("format", "model", "variant"),
        columns=(
            Column(name="pairs", unit="count"),
            Column(name="acceptability"),
            Column(name="cloze"),
            Column(name="acceptability minus cloze"),
            Column(name="agreement"),
            Column(name="MCC", unit="number", decimals=3),
            Column(name="κ", unit="number", decimals=3),
        ),
        rows=tuple(rows),
        notes=(
            "Right in the cloze is a -vā causative that agrees; a word that is no verb is not. "
            "Ties of the scores are left out. Intervals resample verbs.",
            "DV is set against the gap of SV, which is its own.",
        ),
    )


def paired_formats(results: Outcomes, model: str, form: str) -> polars.DataFrame:
    """One row per pair of sentences and its gap: `a` is 1 where the acceptable sentence is
    likelier, `b` where the gap is filled rightly.
    """
    import polars as pl

    one = only(scored(results), model=model)
    outcome = pl.col("outcome").cast(pl.String)
    # A gap filled with no verb is a gap not filled rightly.
    two = only(results.frame, model=model, format=form, main="yes").with_columns(
        outcome.replace("undetected", "wrong")
    )
    own = agreement.paired_outcomes(one, two, on=("item",))
    shared = agreement.paired_outcomes(
        only(one, phenomenon=DIFFERENT_VERB),
        only(two, phenomenon=SAME_VERB).unique("group"),
        on=("group",),
    )
    return pl.concat([own, shared], how="diagonal")


def _format_cells(pairs: polars.DataFrame) -> tuple[Estimate, ...]:
    from epicene.stats.bootstrap import difference

    a, b = pairs["a"].to_numpy(), pairs["b"].to_numpy()
    return (
        Estimate(value=len(pairs), n=len(pairs)),
        _flagged(pairs, "a"),
        _flagged(pairs, "b"),
        difference(a, b, groups=codes(pairs), bounds=(-1, 1)),
        agreement.raw(pairs, clustered=True),
        agreement.mcc(pairs, clustered=True),
        agreement.kappa(pairs, clustered=True),
    )
