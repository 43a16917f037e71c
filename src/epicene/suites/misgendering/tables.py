"""The paper's tables from any runs, its printed numbers beside them, and ours."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites import agreement
from epicene.suites.likelihood import MEASURES
from epicene.suites.misgendering.agreement_tables import (
    agreement_tables,
    format_table,
    repetition_tables,
)
from epicene.suites.misgendering.disagreement import (
    all_pairs,
    beta_table,
    conflict,
    conflict_table,
    disagreement_table,
)
from epicene.suites.misgendering.facet_tables import facet_tables
from epicene.suites.misgendering.formats import (
    MODES,
    generations,
    paired,
    probabilities,
    pronouns_of,
    with_all_facets,
)
from epicene.suites.misgendering.variation import variation_table
from epicene.suites.tabulate import accuracy, only, share, undetected, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.suites import Results
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

    Outcomes = Results[MisgenderingProtocol]


def metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """Accuracy by each format, the share without a pronoun, and how the formats agree."""
    frame = with_all_facets(results.frame)
    made = {}
    if len(generations(frame)):
        made["accuracy_generation"] = accuracy(generations(frame))
        made["no_pronoun"] = undetected(generations(frame))
    if len(probabilities(frame)):
        made["accuracy_probability"] = accuracy(probabilities(frame))
    for family, setting in MODES:
        name = setting if setting == "open" else f"{family}_{setting}"
        part = generations(frame, family, setting)
        if len(part):
            made[f"accuracy_{name}"] = accuracy(part)
            made[f"no_pronoun_{name}"] = undetected(part)
            pairs = paired(frame, family, setting, results.protocol)
            made[f"agreement_{name}"] = agreement.raw(pairs, clustered=True)
            made[f"mcc_{name}"] = agreement.mcc(pairs, clustered=True)
    pairs = all_pairs(frame, results.protocol)
    if len(pairs):
        made["conflict"] = conflict(pairs)
    return made


def tables(results: Outcomes) -> Iterator[Table]:
    """The tables of the paper that numbers fill, then ours."""
    results = replace(results, frame=with_all_facets(results.frame))
    yield from agreement_tables(results)
    yield from repetition_tables(results)
    yield _accuracy(results)
    yield _outcomes(results)
    yield _by_measure(results)
    yield format_table(results)
    yield variation_table(results)
    yield conflict_table(results)
    yield beta_table(results)
    yield disagreement_table(results)
    yield from facet_tables(results)
    if values_of(results.frame, "distractors"):
        yield distractor_table(results)


def _accuracy(results: Outcomes) -> Table:
    """Every dataset and format by pronoun, no pronoun counted both ways."""
    import polars as pl

    names = pronouns_of(results.frame)
    rows = []
    for model in values_of(results.frame, "model"):
        for dataset in values_of(results.frame, "dataset"):
            part = only(results.frame, model=model, dataset=dataset)
            formats = {"probability": probabilities(part)}
            for setting in ("pre", "post", "open"):
                formats[setting] = generations(part, setting=setting)
            for form, judged in formats.items():
                if not len(judged):
                    continue
                cells = [accuracy(judged)]
                cells += [accuracy(only(judged, pronoun=each)) for each in names]
                cells.append(share(judged, pl.col("outcome") != "wrong"))
                cells.append(undetected(judged))
                rows.append(Row(keys=(model, dataset, form), cells=tuple(cells)))
    heads = ("all", *names, "no misgendering", "no pronoun")
    return Table(
        name="accuracy",
        title="Right pronoun",
        levels=("model", "dataset", "format"),
        columns=tuple(Column(name=head) for head in heads),
        rows=tuple(rows),
        notes=(
            "A generation without a pronoun is not right; in the column `no misgendering` it "
            "counts, as in the paper.",
        ),
    )


def _outcomes(results: Outcomes) -> Table:
    """What the first pronoun of a continuation was, by dataset, setting and pronoun."""
    import polars as pl

    judged = generations(results.frame)
    rows = []
    for model in values_of(judged, "model"):
        for dataset in values_of(only(judged, model=model), "dataset"):
            part = only(judged, model=model, dataset=dataset)
            for setting in values_of(part, "setting"):
                for name in pronouns_of(part):
                    mine = only(part, setting=setting, pronoun=name)
                    cells = [
                        share(mine, pl.col("outcome") == outcome)
                        for outcome in ("right", "wrong", "undetected")
                    ]
                    cells.append(share(mine, pl.col("outcome") != "wrong"))
                    cells += [
                        share(mine, pl.col(facet) == "yes")
                        for facet in ("wrong_later", "extraneous")
                    ]
                    rows.append(Row(keys=(model, dataset, setting, name), cells=tuple(cells)))
    heads = (
        "correct",
        "misgendering",
        "no pronoun",
        "correct as the paper counts",
        "any wrong pronoun",
        "extraneous gendered words",
    )
    return Table(
        name="outcomes",
        title="Continuations by their first pronoun",
        levels=("model", "dataset", "setting", "pronoun"),
        columns=tuple(Column(name=head) for head in heads),
        rows=tuple(rows),
        notes=("The paper counts a text without a pronoun as correct.",),
    )


def _by_measure(results: Outcomes) -> Table:
    import polars as pl

    frame = results.frame.filter(pl.col("format") == "probability")
    return Table(
        name="measures",
        title="Right pronoun by probability, by how likelihood is normalised",
        levels=("model", "dataset"),
        columns=tuple(Column(name=measure) for measure in MEASURES),
        rows=tuple(
            Row(
                keys=(model, dataset),
                cells=tuple(
                    accuracy(only(frame, model=model, dataset=dataset, measure=measure))
                    for measure in MEASURES
                ),
            )
            for model in values_of(frame, "model")
            for dataset in values_of(only(frame, model=model), "dataset")
        ),
        notes=(f"The protocol's measure is {results.protocol.measure}.",),
    )


def distractor_table(results: Outcomes) -> Table:
    """Accuracy by probability over the number of sentences about somebody else (RUFF in full)."""
    import polars as pl

    scored = probabilities(results.frame).filter(pl.col("dataset") == "ruff")
    scored = scored.with_columns(pl.col("distractors").cast(pl.String).fill_null("0"))
    numbers = values_of(scored, "distractors")
    rows = [
        Row(
            keys=(model, which.get("pronoun", "all")),
            cells=tuple(
                accuracy(only(scored, model=model, distractors=number, **which))
                for number in numbers
            ),
        )
        for model in values_of(scored, "model")
        for which in ({}, *({"pronoun": name} for name in pronouns_of(scored)))
    ]
    return Table(
        name="distractors",
        title="Right pronoun by probability, by number of distractors",
        levels=("model", "pronoun"),
        columns=tuple(Column(name=number) for number in numbers),
        rows=tuple(rows),
    )
