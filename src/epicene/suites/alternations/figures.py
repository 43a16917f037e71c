"""Accuracy by variant, and against the size of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene import charts
from epicene.suites.alternations.accuracy import accuracy, parameters_of, scored, type_of
from epicene.suites.alternations.pairs import VARIANTS
from epicene.suites.alternations.published import MODELS, PEOPLE, TABLE_2, printed
from epicene.suites.tabulate import only, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars

    from epicene.records import Figure
    from epicene.suites.alternations.accuracy import Outcomes

    Rows = list[dict[str, charts.Value]]


_CHANCE = "The dashed line is chance."


def figures(results: Outcomes) -> Iterator[Figure]:
    """Where there are Hindi variants: by variant, and by size."""
    frame = scored(results)
    if len(frame) and set(VARIANTS) & set(values_of(frame, "phenomenon")):
        yield _by_variant(frame)
        yield _by_size(results, frame)


def _by_variant(frame: polars.DataFrame) -> Figure:
    rows: Rows = [
        {
            "variant": variant,
            "accuracy": accuracy(only(frame, model=model, phenomenon=variant)),
            "model": model,
        }
        for model in values_of(frame, "model")
        for variant in VARIANTS
    ]
    rows += [
        {"variant": variant, "accuracy": printed(value), "model": "people (published)"}
        for variant, value in zip(VARIANTS, PEOPLE, strict=True)
    ]
    return charts.points_with_intervals(
        "variants",
        "Accuracy by variant",
        rows,
        x="variant",
        y="accuracy",
        color="model",
        unit="share",
        reference=0.5,
        notes=(_CHANCE,),
    )


def _by_size(results: Outcomes, frame: polars.DataFrame) -> Figure:
    """A curve for each family of the paper's models, and one for the runs' models of each type."""
    models = values_of(frame, "model")
    unknown = [model for model in models if parameters_of(results, model) is None]
    unknown += [name for name, model in MODELS.items() if model.parameters is None]
    return charts.lines(
        "size",
        "Accuracy against size",
        [*_published_sizes(), *_own_sizes(results, frame)],
        x="parameters",
        y="accuracy",
        color="models",
        facet="variant",
        unit="share",
        log_x=True,
        reference=0.5,
        notes=(_CHANCE, *charts.without_size(unknown)),
    )


def _published_sizes() -> Rows:
    return [
        {
            "parameters": model.parameters,
            "accuracy": printed(value),
            "models": f"{model.family} ({model.type}, published)",
            "variant": variant,
        }
        for name, model in MODELS.items()
        if model.parameters is not None
        for variant, value in zip(VARIANTS, TABLE_2[name], strict=True)
    ]


def _own_sizes(results: Outcomes, frame: polars.DataFrame) -> Rows:
    return [
        {
            "parameters": size,
            "accuracy": accuracy(only(frame, model=model, phenomenon=variant)),
            "models": f"{type_of(results, model)} (run)",
            "variant": variant,
        }
        for model in values_of(frame, "model")
        for size in (parameters_of(results, model),)
        if size is not None
        for variant in VARIANTS
    ]
