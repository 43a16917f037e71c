"""The paper's Tables 2 and 5, with its own numbers beside those of the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.alternations.accuracy import TIES, accuracy, parameters_of, type_of
from epicene.suites.alternations.pairs import VARIANTS
from epicene.suites.alternations.published import (
    CLASSES,
    MODELS,
    PEOPLE,
    TABLE_2,
    TABLE_5,
    printed,
)
from epicene.suites.tabulate import only, values_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars

    from epicene.suites.alternations.accuracy import Outcomes

_TYPES = ("masked", "causal")
_LANGUAGES = ("multilingual", "monolingual", "")

NOT_THE_SAME_PAIRS = "The paper's pairs are not ours: only a sample of them is published."


def table_2(results: Outcomes, frame: polars.DataFrame) -> Table:
    """Accuracy by variant: models by type, by the languages they were made for, by size."""
    rows = [
        Row(
            keys=(type_of(results, model), "", model),
            cells=(
                millions(parameters_of(results, model)),
                *(accuracy(only(frame, model=model, phenomenon=name)) for name in VARIANTS),
            ),
        )
        for model in values_of(frame, "model")
    ]
    return Table(
        name="2",
        title="Accuracy by variant",
        levels=("type", "languages", "model"),
        columns=(
            Column(name="parameters (millions)", unit="count"),
            *(Column(name=name) for name in VARIANTS),
        ),
        rows=(*_grouped([*rows, *published_models()]), published_people()),
        notes=(TIES, NOT_THE_SAME_PAIRS),
    )


def millions(parameters: float | None) -> Estimate:
    """A model's size."""
    if parameters is None:
        return Estimate(value=None, why="the size is not known")
    return Estimate(value=parameters / 1e6)


def published_models() -> list[Row]:
    """The paper's models, keyed by type, languages and name."""
    return [
        Row(
            keys=(model.type, model.languages, name),
            cells=(
                millions(model.parameters),
                *(printed(value) for value in TABLE_2[name]),
            ),
            origin="published",
        )
        for name, model in MODELS.items()
    ]


def published_people() -> Row:
    """The paper's participants."""
    size = Estimate(value=None, why="people have no parameters")
    cells = (size, *(printed(value) for value in PEOPLE))
    return Row(keys=("people", "", "people"), cells=cells, origin="published")


def _grouped(rows: Iterable[Row]) -> list[Row]:
    def place(row: Row) -> tuple[int, int, float, str]:
        kind, languages, name = row.keys
        size = row.cells[0]
        return (
            _TYPES.index(kind) if kind in _TYPES else len(_TYPES),
            _LANGUAGES.index(languages),
            (size.value if isinstance(size, Estimate) else None) or 0.0,
            name,
        )

    return sorted(rows, key=place)


def table_5(frame: polars.DataFrame) -> Table:
    """Accuracy by variant and class of verb."""

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
        for model, by_variant in TABLE_5.items()
        for variant, values in zip(VARIANTS, by_variant, strict=True)
    ]
    return Table(
        name="5",
        title="Accuracy by variant and class of verb",
        levels=("model", "variant"),
        columns=tuple(Column(name=name) for name in CLASSES),
        rows=tuple(rows),
        notes=(
            TIES,
            "The paper's SV columns of the three causal models equal their No Case(I) columns and "
            "contradict its Table 2.",
        ),
    )
