"""Tables of the gaps: kinds of verb, agreement errors, acceptability against cloze."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats import paired_agreement
from epicene.stats.tabulate import distinct_values, group_codes, parts_by, rows_where
from epicene.suites.alternations.hindi_analyser import (
    DIRECT,
    INDIRECT,
    INTRANSITIVE,
    NOT_A_VERB,
    TRANSITIVE,
)
from epicene.suites.alternations.items import SAME_VERB, VARIANTS
from epicene.suites.alternations.metrics import (
    ALL,
    agreement_errors,
    main_scores,
    overall_and_by_phenomenon,
    paired_formats,
    share_flagged,
    share_of_kind,
)
from epicene.suites.alternations.protocol import CLOZE, PROMPT
from epicene.suites.alternations.published import PREFERRED_GOLD, UNGRAMMATICAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.suites.alternations.metrics import Outcomes

# What Table 3 shows of a judgement: the filled sentence, its completions, and the expected verb.
TABLED_EVIDENCE = ("answer", "completions", "expected")

VERB_KINDS = (INDIRECT, DIRECT, TRANSITIVE, INTRANSITIVE, NOT_A_VERB)


def cloze_tables(results: Outcomes) -> Iterator[Table]:
    """Tables of the gaps, where there are some."""
    forms = [form for form in (CLOZE, PROMPT) if len(rows_where(results.frame, format=form))]
    if forms:
        if (table := _table_3(results, forms)) is not None:
            yield table
        yield _cloze_table(results, forms)
        if len(main_scores(results)):
            yield _formats_table(results, forms)


def _table_3(results: Outcomes, forms: Sequence[str]) -> Table | None:
    """The full frames with the expected verb and what each model puts there; None for a single
    model."""
    import polars as pl

    frame = rows_where(results.frame, main="yes", phenomenon=SAME_VERB)
    frame = frame.filter(pl.col("format").cast(pl.String).is_in(forms))
    models = distinct_values(frame, "model")
    if len(models) < 2:
        return None
    gaps: dict[tuple[str, str], dict[str, str]] = {}
    for row in frame.sort("item", maintain_order=True).iter_rows(named=True):
        first = (row["evidence completions"] or "").split(" / ")[0]
        before, _, after = row["evidence answer"].rpartition(f" {first} " if first else "  ")
        key = (f"{before} … {after}", row["evidence expected"])
        gaps.setdefault(key, {})[row["model"]] = f"{first} ({row['label']})"
    return Table(
        name="3",
        title="What models put in the gap of the full frame",
        levels=("sentence", "expected"),
        columns=tuple(Column(name=model, unit="text") for model in models),
        rows=tuple(
            Row(keys=key, cells=tuple(filled.get(model, "") for model in models))
            for key, filled in gaps.items()
        ),
        notes=(
            "The paper gives one example: instead of the expected *made to extinguish* (a "
            "candle, with a fan), HindBERT writes *bought* and IndicBERT v2 *removed*.",
        ),
    )


def _cloze_table(results: Outcomes, forms: Sequence[str]) -> Table:
    rows = []
    for form in forms:
        frame = rows_where(results.frame, format=form)
        rows += [
            Row(keys=(form, *keys, name), cells=_kind_cells(each))
            for keys, part in parts_by(frame, "model", "ranking")
            for name, each in overall_and_by_phenomenon(part)
        ]
    return Table(
        name="cloze",
        title="What fills the gap",
        levels=("format", "model", "ranking", "variant"),
        columns=(
            Column(name="gaps", unit="count"),
            *(Column(name=kind) for kind in VERB_KINDS),
            Column(name="agreement errors"),
            Column(name="gold first"),
            Column(name="gold among"),
        ),
        rows=tuple(rows),
        notes=_cloze_notes(set(VARIANTS) & set(distinct_values(results.frame, "phenomenon"))),
    )


def _cloze_notes(variants: set[str]) -> tuple[str, ...]:
    """What the columns mean, with the paper's findings only for the paper's variants."""
    meaning = (
        "Agreement errors are of the verbs; gold among: the expected verb is one of the "
        "completions ranked."
    )
    if not variants:
        return (f"{meaning} Kinds of verb and agreement are those of Hindi.",)
    return (
        f"{meaning} The gap of DV is that of SV, and is counted once.",
        f"The paper's two models rarely wrote a -vā causative; {UNGRAMMATICAL:.0%} of their "
        f"completions were ungrammatical, and people preferred the gold verb in "
        f"{PREFERRED_GOLD:.1%} of choices.",
    )


def _kind_cells(part: polars.DataFrame) -> tuple[Estimate, ...]:
    return (
        Estimate(value=len(part), n=len(part)),
        *(share_of_kind(part, kind) for kind in VERB_KINDS),
        agreement_errors(part),
        share_flagged(part, "gold_first"),
        share_flagged(part, "gold_among"),
    )


def _formats_table(results: Outcomes, forms: Sequence[str]) -> Table:
    """Acceptability and cloze on the same verbs and variants."""
    rows = []
    for form in forms:
        for model in distinct_values(main_scores(results), "model"):
            pairs = paired_formats(results, model, form)
            for variant in (ALL, *VARIANTS):
                part = pairs if variant == ALL else rows_where(pairs, phenomenon=variant)
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
            "Ties of the scores are left out. Intervals are over verbs.",
            "DV is set against the gap of SV, which is its own.",
        ),
    )


def _format_cells(pairs: polars.DataFrame) -> tuple[Estimate, ...]:
    from epicene.stats.intervals import clustered_difference

    a, b = pairs["a"].to_numpy(), pairs["b"].to_numpy()
    return (
        Estimate(value=len(pairs), n=len(pairs)),
        share_flagged(pairs, "a"),
        share_flagged(pairs, "b"),
        clustered_difference(a, b, groups=group_codes(pairs), bounds=(-1, 1)),
        paired_agreement.raw(pairs, clustered=True),
        paired_agreement.mcc(pairs, clustered=True),
        paired_agreement.kappa(pairs, clustered=True),
    )
