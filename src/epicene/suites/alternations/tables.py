"""Accuracy by phenomenon, class and any column; the paper's Tables 2 and 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.alternations import published
from epicene.suites.alternations.acceptability import ACCEPTABILITY
from epicene.suites.alternations.cloze_tables import cloze_metrics, cloze_tables
from epicene.suites.alternations.published import CLASSES, VARIANTS, printed
from epicene.suites.tabulate import codes, mean, only, undetected, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars

    from epicene.suites import Results
    from epicene.suites.alternations.protocol import AlternationsProtocol

    Outcomes = Results[AlternationsProtocol]

# Columns of the frame that are not of the user's file.
_OWN = frozenset(
    {
        "run", "model", "protocol", "item", "group", "language", "name", "outcome", "label",
        "value", "format", "measure", "method", "main", "phenomenon", "ranking",
    }
)  # fmt: skip
_MOST_VALUES = 40  # a column with more different values says nothing in a table

_TIES = "A tie counts half."


def main_judgements(results: Outcomes) -> polars.DataFrame:
    """One judgement per pair, by the protocol's own measure."""
    return only(results.frame, format=ACCEPTABILITY, main="yes")


def accuracy(frame: polars.DataFrame) -> Estimate:
    """The share of pairs whose acceptable sentence is likelier; a tie counts half."""
    import polars as pl

    from epicene.stats.proportions import proportion

    judged = frame.filter(pl.col("outcome").is_not_null())
    if not len(judged):
        return Estimate(value=None, why="nothing was judged")
    outcome = pl.col("outcome").cast(pl.String)
    right = judged.select(
        pl.when(outcome == "right").then(1.0).when(outcome == "undetected").then(0.5).otherwise(0.0)
    ).to_series()
    return proportion(right.to_numpy(), groups=codes(judged))


def metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """Accuracy overall and by phenomenon, and ties."""
    frame = main_judgements(results)
    made: dict[str, Estimate] = {}
    if len(frame):
        made["accuracy"] = accuracy(frame)
        made["ties"] = undetected(frame)
        for name in values_of(frame, "phenomenon"):
            made[f"accuracy {name}"] = accuracy(only(frame, phenomenon=name))
    return {**made, **cloze_metrics(results)}


def tables(results: Outcomes) -> Iterator[Table]:
    """The paper's tables where there are Hindi variants, then those of any pairs."""
    frame = main_judgements(results)
    if len(frame):
        yield from _acceptability(results, frame)
    yield from cloze_tables(results)


def _acceptability(results: Outcomes, frame: polars.DataFrame) -> Iterator[Table]:
    if set(VARIANTS) & set(values_of(frame, "phenomenon")):
        yield _table_2(results, frame)
        if "class" in frame.columns:
            yield _table_5(frame)
    yield _by_phenomenon(frame)
    yield _by_column(frame)
    yield _by_measure(only(results.frame, format=ACCEPTABILITY))


def kind_of(results: Outcomes, model: str) -> str:
    """Masked or causal, as the model's answers say."""
    methods = values_of(only(results.frame, model=model, format=ACCEPTABILITY), "method")
    masked = {"original", "within-word", "whole-word"} & set(methods)
    return "masked" if masked else methods[0] if methods else ""


def _table_2(results: Outcomes, frame: polars.DataFrame) -> Table:
    rows = [
        Row(
            keys=(kind_of(results, model), "", model),
            cells=tuple(accuracy(only(frame, model=model, phenomenon=name)) for name in VARIANTS),
        )
        for model in values_of(frame, "model")
    ]
    rows += [
        Row(
            keys=(about.kind, about.languages, name),
            cells=tuple(printed(value) for value in published.TABLE_2[name]),
            origin="published",
        )
        for name, about in published.MODELS.items()
    ]
    people = tuple(printed(value) for value in published.PEOPLE)
    rows.append(Row(keys=("people", "", "people"), cells=people, origin="published"))
    return Table(
        name="2",
        title="Accuracy by variant",
        levels=("type", "languages", "model"),
        columns=tuple(Column(name=name) for name in VARIANTS),
        rows=tuple(rows),
        notes=(_TIES, "The paper's pairs are not ours: only a sample of them is published."),
    )


def _table_5(frame: polars.DataFrame) -> Table:
    def cells(model: str, variant: str) -> tuple[Estimate, ...]:
        part = only(frame, model=model, phenomenon=variant)
        return tuple(accuracy(only(part, valency=name)) for name in CLASSES)

    rows = [
        Row(keys=(model, variant), cells=cells(model, variant))
        for model in values_of(frame, "model")
        for variant in VARIANTS
    ]
    rows += [
        Row(
            keys=(model, variant),
            cells=tuple(printed(value) for value in values),
            origin="published",
        )
        for model, by_variant in published.TABLE_5.items()
        for variant, values in zip(VARIANTS, by_variant, strict=True)
    ]
    return Table(
        name="5",
        title="Accuracy by variant and class of verb",
        levels=("model", "variant"),
        columns=tuple(Column(name=name) for name in CLASSES),
        rows=tuple(rows),
        notes=(
            _TIES,
            "The paper's SV columns of the three causal models equal their No Case(I) columns and "
            "contradict its Table 2.",
        ),
    )


def _cells(part: polars.DataFrame) -> tuple[Estimate, ...]:
    number = Estimate(value=len(part), n=len(part))
    return (number, accuracy(part), undetected(part), mean(part))


_COLUMNS = (
    Column(name="pairs", unit="count"),
    Column(name="accuracy"),
    Column(name="ties"),
    Column(name="margin", unit="number", decimals=2),
)


def _by_phenomenon(frame: polars.DataFrame) -> Table:
    rows = []
    for model in values_of(frame, "model"):
        part = only(frame, model=model)
        rows.append(Row(keys=(model, "all"), cells=_cells(part)))
        rows += [
            Row(keys=(model, name), cells=_cells(only(part, phenomenon=name)))
            for name in values_of(part, "phenomenon")
        ]
    return Table(
        name="phenomena",
        title="Accuracy by phenomenon",
        levels=("model", "phenomenon"),
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(_TIES, "The margin is the mean difference of the two scores, good minus bad."),
    )


def _by_column(frame: polars.DataFrame) -> Table:
    rows = []
    for column in sorted(set(frame.columns) - _OWN):
        if frame[column].dtype.is_numeric() or len(values_of(frame, column)) > _MOST_VALUES:
            continue
        for model in values_of(frame, "model"):
            part = only(frame, model=model)
            rows += [
                Row(keys=(column, model, value), cells=_cells(only(part, **{column: value})))
                for value in values_of(part, column)
            ]
    return Table(
        name="columns",
        title="Accuracy by every column of the data",
        levels=("column", "model", "value"),
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(_TIES, f"Columns with more than {_MOST_VALUES} different values are left out."),
    )


def _by_measure(frame: polars.DataFrame) -> Table:
    names = _measures(frame)
    rows = []
    for model in values_of(frame, "model"):
        for method in values_of(only(frame, model=model), "method"):
            part = only(frame, model=model, method=method)
            cells = tuple(accuracy(only(part, measure=name)) for name in names)
            rows.append(Row(keys=(model, method), cells=cells))
    return Table(
        name="measures",
        title="Accuracy by every measure",
        levels=("model", "method"),
        columns=tuple(Column(name=name) for name in names),
        rows=tuple(rows),
        notes=(
            _TIES,
            "SLOR is our approximation: unigram frequencies are those of the package wordfreq, "
            "per word, not those of the model's training text.",
        ),
    )


def _measures(frame: polars.DataFrame) -> Sequence[str]:
    order = ("sum", "per token", "per word", "per character", "SLOR")
    there = values_of(frame, "measure")
    return [name for name in order if name in there]
