"""The paper's tables from any runs, its printed numbers beside them, and ours."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.records import Column, Estimate, Row, Table
from epicene.suites import agreement
from epicene.suites.likelihood import MEASURES
from epicene.suites.misgendering.formats import (
    FAMILIES,
    MODES,
    chose_otherwise,
    generations,
    paired,
    probabilities,
    pronouns_of,
    with_all_facets,
)
from epicene.suites.misgendering.published_kappa import published_kappa
from epicene.suites.tabulate import accuracy, mean, share, undetected, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import polars

    from epicene.suites import Results
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

    Outcomes = Results[MisgenderingProtocol]

_NO_PRONOUN = {
    "paper": "A generation without a pronoun counts as right here, as in the paper.",
    "epicene": "A generation without a pronoun is left out here; the paper counts it as right.",
}


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
    return made


def tables(results: Outcomes) -> Iterator[Table]:
    """The tables of the paper that numbers fill, then ours."""
    results = replace(results, frame=with_all_facets(results.frame))
    for name, statistic, family, settings in _AGREEMENTS:
        yield _agreement(results, name, statistic, family, settings)
    for name, family, setting in _REPETITIONS:
        yield _repetition(results, name, family, setting)
    yield _accuracy(results)
    yield _outcomes(results)
    yield _by_facet(results)
    yield _by_measure(results)
    yield _disagreement(results)
    if values_of(results.frame, "distractors"):
        yield distractor_table(results)


# --- agreement -----------------------------------------------------------------------------

_STATISTICS: dict[str, Callable[..., Estimate]] = {"mcc": agreement.mcc, "kappa": agreement.kappa}
_NAMES = {"mcc": "MCC", "kappa": "κ"}

# The paper's tables by number: what, of which datasets, in which settings.
_AGREEMENTS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("1", "mcc", "declared", ("pre",)),
    ("2", "mcc", "open", ("open",)),
    ("3", "mcc", "declared", ("post",)),
    ("4", "kappa", "declared", ("pre", "post")),
    ("5", "kappa", "open", ("open",)),
    ("6", "mcc", "occupation", ("pre", "post")),
    ("7", "kappa", "occupation", ("pre", "post")),
)
_REPETITIONS = (
    ("10", "declared", "pre"),
    ("11", "declared", "post"),
    ("12", "open", "open"),
    ("13", "occupation", "pre"),
    ("14", "occupation", "post"),
)


def _agreement(
    results: Outcomes, name: str, statistic: str, family: str, settings: tuple[str, ...]
) -> Table:
    """Model × pronoun, the paper's rows below ours; with two settings, a level more."""
    protocol = results.protocol
    clustered = protocol.name != "paper"
    names = pronouns_of(results.frame)
    rows = []
    for setting in settings:
        above = (setting,) if len(settings) > 1 else ()
        pairs = paired(results.frame, family, setting, protocol)
        measure = _STATISTICS[statistic]
        if statistic == "kappa" and not clustered:
            measure = published_kappa
        for model in values_of(results.frame, "model"):
            cells = [
                measure(_only(pairs, model=model, pronoun=each), clustered=clustered)
                for each in names
            ]
            rows.append(Row(keys=(*above, model), cells=tuple(cells)))
        rows += _printed(statistic, f"{family} {setting}", above, names)
    return Table(
        name=name,
        title=f"{_NAMES[statistic]} of probability and generation ({' and '.join(settings)}): "
        f"{FAMILIES[family].title}",
        levels=("setting", "model") if len(settings) > 1 else ("model",),
        columns=tuple(Column(name=each, unit="number", decimals=3) for each in names),
        rows=tuple(rows),
        notes=(
            "The first generation of each instance.",
            _NO_PRONOUN["epicene" if clustered else "paper"],
            "Intervals resample templates."
            if clustered
            else "Intervals as the paper's, for independent instances.",
        ),
    )


def _printed(statistic: str, place: str, above: tuple[str, ...], names: Sequence[str]) -> list[Row]:
    """The rows that the paper prints, for the pronouns it has."""
    return [
        Row(
            keys=(*above, model),
            cells=tuple(_printed_cell(statistic, cells.get(name)) for name in names),
            origin="published",
        )
        for model, cells in published()[statistic][place].items()
    ]


def _printed_cell(statistic: str, cell: Sequence[float | None] | None) -> Estimate:
    if cell is None or cell[0] is None:
        return Estimate(value=None, why="the paper prints no number")
    if statistic == "kappa":  # value and half the width of its interval
        value, half = cell[0], cell[1] or 0.0
        return Estimate(value=value, low=value - half, high=value + half)
    return Estimate(value=cell[0], low=cell[1], high=cell[2])


@cache
def published() -> Any:
    """The numbers of the paper's Tables 1 to 7."""
    return json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))


# --- the other tables ----------------------------------------------------------------------


def _repetition(results: Outcomes, name: str, family: str, setting: str) -> Table:
    part = generations(results.frame, family, setting)
    names = pronouns_of(results.frame)
    return Table(
        name=name,
        title=f"Repetition rate, {setting}: {FAMILIES[family].title}",
        levels=("model",),
        columns=tuple(Column(name=each, unit="number", decimals=3) for each in names),
        rows=tuple(
            Row(
                keys=(model,),
                cells=tuple(mean(_only(part, model=model, pronoun=each)) for each in names),
            )
            for model in values_of(results.frame, "model")
        ),
        notes=("Over the words of context and continuation together, as in the paper.",),
    )


def _accuracy(results: Outcomes) -> Table:
    """Every dataset and format by pronoun, no pronoun counted both ways."""
    import polars as pl

    names = pronouns_of(results.frame)
    rows = []
    for model in values_of(results.frame, "model"):
        for dataset in values_of(results.frame, "dataset"):
            part = _only(results.frame, model=model, dataset=dataset)
            formats = {"probability": probabilities(part)}
            for setting in ("pre", "post", "open"):
                formats[setting] = part.filter(pl.col("setting") == setting)
            for form, judged in formats.items():
                if not len(judged):
                    continue
                cells = [accuracy(judged)]
                cells += [accuracy(_only(judged, pronoun=each)) for each in names]
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
        for dataset in values_of(_only(judged, model=model), "dataset"):
            part = _only(judged, model=model, dataset=dataset)
            for setting in values_of(part, "setting"):
                for name in pronouns_of(part):
                    mine = _only(part, setting=setting, pronoun=name)
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


def _by_facet(results: Outcomes) -> Table:
    """Right by probability and by generation, for each value of each facet."""
    frame = results.frame
    rows = []
    for model in values_of(frame, "model"):
        mine = _only(frame, model=model)
        for facet in ("case", "names", "antecedent", "occupation"):
            for value in values_of(mine, facet):
                part = _only(mine, **{facet: value})
                cells = (
                    accuracy(probabilities(part)),
                    accuracy(generations(part)),
                    undetected(generations(part)),
                )
                rows.append(Row(keys=(model, facet, value), cells=cells))
    return Table(
        name="facets",
        title="Right pronoun, by grammatical case, list of names, antecedent and occupation",
        levels=("model", "facet", "of"),
        columns=tuple(Column(name=head) for head in ("probability", "generation", "no pronoun")),
        rows=tuple(rows),
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
                    accuracy(_only(frame, model=model, dataset=dataset, measure=measure))
                    for measure in MEASURES
                ),
            )
            for model in values_of(frame, "model")
            for dataset in values_of(_only(frame, model=model), "dataset")
        ),
        notes=(f"The protocol's measure is {results.protocol.measure}.",),
    )


def _disagreement(results: Outcomes) -> Table:
    """Observed disagreement beside the expected one and its floor (Appendix E)."""
    import polars as pl

    rows = []
    for model in values_of(results.frame, "model"):
        mine = _only(results.frame, model=model)
        for family in ("declared", "occupation"):
            pairs = paired(mine, family, "pre", results.protocol)
            scored = (
                probabilities(mine)
                .filter(pl.col("dataset").cast(pl.String).is_in(FAMILIES[family].datasets))
                .with_columns(pl.col("least").cast(pl.String).cast(pl.Float64))
            )
            for name in pronouns_of(mine):
                both = _only(pairs, pronoun=name)
                part = _only(scored, pronoun=name)
                found = both.filter(pl.col("label_b").is_not_null())
                cells = (
                    share(both, pl.col("a") != pl.col("b")),
                    share(found, chose_otherwise()),
                    mean(part),
                    mean(part, "least"),
                )
                rows.append(Row(keys=(model, family, name), cells=cells))
    return Table(
        name="disagreement",
        title="Observed and expected disagreement of probability and pre-mask generation",
        levels=("model", "family", "pronoun"),
        columns=tuple(
            Column(name=head)
            for head in ("observed outcome", "observed pronoun", "expected δ", "floor δ*")
        ),
        rows=tuple(rows),
        notes=(
            "Observed: how often one format is right and the other wrong, and how often they "
            "choose different pronouns where the generation has one.",
            "Expected is Equation 15 of the paper: one minus the share, among the candidates' "
            "next-word probabilities, of the pronoun that probability chooses; the floor is "
            "Equation 16. Both suppose that the pronoun comes at once.",
        ),
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
                accuracy(_only(scored, model=model, distractors=number, **which))
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


def _only(frame: polars.DataFrame, **values: str) -> polars.DataFrame:
    """The rows with those values."""
    import polars as pl

    return frame.filter([pl.col(name) == value for name, value in values.items()])
