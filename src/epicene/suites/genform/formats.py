"""The two other formats: which form is likelier, and which gender a translation assumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites import agreement
from epicene.suites.genform.ask import GENERATION, PROBABILITY, TRANSLATION
from epicene.suites.genform.census import rules_in
from epicene.suites.likelihood import MEASURES
from epicene.suites.tabulate import accuracy, only, share, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars

ASSUMED = ("masculine", "feminine", "mixed", "undetected")


def probabilities(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements by probability, by the protocol's measure."""
    import polars as pl

    return _of(frame, PROBABILITY).filter(~pl.col("name").cast(pl.String).str.ends_with(")"))


def translations(frame: polars.DataFrame) -> polars.DataFrame:
    """The translations that could be read: those into a language that has a rewriter."""
    import polars as pl

    return _of(frame, TRANSLATION).filter(pl.col("label") != "unknown")


def _of(frame: polars.DataFrame, form: str) -> polars.DataFrame:
    import polars as pl

    return frame.filter(pl.col("format") == form)


def paired(frame: polars.DataFrame) -> polars.DataFrame:
    """Right by probability and by writing, for each pair and direction."""
    return agreement.paired_outcomes(
        probabilities(frame), _of(frame, GENERATION), on=("model", "item", "target")
    )


# --- probability ---------------------------------------------------------------------------


def probability_tables(frame: polars.DataFrame) -> Iterator[Table]:
    """How often the form that is wanted is likelier; then whether writing agrees."""
    if len(probabilities(frame)):
        yield _accuracies(_of(frame, PROBABILITY))
        if len(paired(frame)):
            yield _agreements(paired(frame))


def _accuracies(scored: polars.DataFrame) -> Table:
    rows = [
        Row(
            keys=keys,
            cells=tuple(accuracy(only(part, measure=measure)) for measure in MEASURES),
        )
        for keys, part in _by_direction(scored)
    ]
    return Table(
        name="probability",
        title="The form that is wanted is likelier, by how likelihood is normalised",
        levels=("model", "language", "target"),
        columns=tuple(Column(name=measure) for measure in MEASURES),
        rows=tuple(rows),
        notes=("Both forms after the same instruction; sentences with two equal forms left out.",),
    )


def _agreements(pairs: polars.DataFrame) -> Table:
    statistics = (agreement.raw, agreement.mcc, agreement.kappa)
    rows = [
        Row(keys=keys, cells=tuple(each(part, clustered=True) for each in statistics))
        for keys, part in _by_direction(pairs)
    ]
    heads = ("agreement", "mcc", "kappa")
    return Table(
        name="agreement",
        title="Whether a model that ranks right also writes right",
        levels=("model", "language", "target"),
        columns=tuple(Column(name=head, unit="number", decimals=3) for head in heads),
        rows=tuple(rows),
        notes=("Written right: word for word. Undetected answers are left out.",),
    )


def _by_direction(
    frame: polars.DataFrame,
) -> Iterator[tuple[tuple[str, str, str], polars.DataFrame]]:
    for model in values_of(frame, "model"):
        for language in values_of(only(frame, model=model), "language"):
            part = only(frame, model=model, language=language)
            yield (model, language, "both"), part
            for target in values_of(part, "target"):
                yield (model, language, target), only(part, target=target)


# --- translation ---------------------------------------------------------------------------


def translation_metrics(frame: polars.DataFrame) -> dict[str, Estimate]:
    """How often which gender was assumed."""
    import polars as pl

    read = translations(frame)
    if not len(read):
        return {}
    return {f"assumed_{name}": share(read, pl.col("label") == name) for name in ASSUMED}


def translation_tables(frame: polars.DataFrame) -> Iterator[Table]:
    """The gender that translations assume, by rule."""
    asked = _of(frame, TRANSLATION)
    rows = [
        row
        for model in values_of(asked, "model")
        for language in values_of(only(asked, model=model), "language")
        for row in _assumed(only(asked, model=model, language=language), model, language)
    ]
    if rows:
        yield Table(
            name="translation",
            title="The speaker's gender in translations from English, which gives none",
            levels=("model", "language", "rule"),
            columns=tuple(Column(name=name) for name in ASSUMED),
            rows=tuple(rows),
            notes=(
                "Found with the rule-based rewriter: words that it would change for a woman are "
                "masculine, and the other way round; undetected where it would change none.",
            ),
        )


def _assumed(asked: polars.DataFrame, model: str, language: str) -> Iterator[Row]:
    import polars as pl

    read = translations(asked)
    if not len(read):
        unread = Estimate(value=None, n=len(asked), why="no rewriter reads this language")
        yield Row(keys=(model, language, "all"), cells=(unread,) * len(ASSUMED))
        return
    rule = pl.col("rule").cast(pl.String).fill_null("")
    parts = [("all", read)]
    parts += [(name or "–", read.filter(rule == name)) for name in rules_in(read, language)]
    for name, part in parts:
        cells = tuple(share(part, pl.col("label") == label) for label in ASSUMED)
        yield Row(keys=(model, language, name), cells=cells)
