"""Accuracy by variant, and by model size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.show import charts
from epicene.stats.tabulate import distinct_values, rows_where
from epicene.suites.alternations.items import VARIANTS
from epicene.suites.alternations.metrics import accuracy, main_scores, model_type, parameter_count
from epicene.suites.alternations.published import (
    PEOPLE_ACCURACY,
    PUBLISHED_MODELS,
    TABLE_2,
    published_share,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars

    from epicene.core.records import Figure
    from epicene.suites.alternations.metrics import Outcomes

    Rows = list[dict[str, charts.Value]]


_CHANCE = "The dashed line is chance."


def figures(results: Outcomes) -> Iterator[Figure]:
    """Accuracy by variant and by size, where there are Hindi variants."""
    frame = main_scores(results)
    if len(frame) and set(VARIANTS) & set(distinct_values(frame, "phenomenon")):
        yield _by_variant(frame)
        yield _by_size(results, frame)


def _by_variant(frame: polars.DataFrame) -> Figure:
    rows: Rows = [
        {
            "variant": variant,
            "accuracy": accuracy(rows_where(frame, model=model, phenomenon=variant)),
            "model": model,
        }
        for model in distinct_values(frame, "model")
        for variant in VARIANTS
    ]
    rows += [
        {"variant": variant, "accuracy": published_share(value), "model": "people (published)"}
        for variant, value in zip(VARIANTS, PEOPLE_ACCURACY, strict=True)
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
    models = distinct_values(frame, "model")
    unknown = [model for model in models if parameter_count(results, model) is None]
    unknown += [name for name, model in PUBLISHED_MODELS.items() if model.parameters is None]
    return charts.lines(
        "size",
        "Accuracy by model size",
        [*_published_sizes(), *_own_sizes(results, frame)],
        x="parameters",
        y="accuracy",
        color="models",
        facet="variant",
        unit="share",
        log_x=True,
        reference=0.5,
        notes=(_CHANCE, *charts.unknown_size_note(unknown)),
    )


def _published_sizes() -> Rows:
    return [
        {
            "parameters": model.parameters,
            "accuracy": published_share(value),
            "models": f"{model.family} ({model.type}, published)",
            "variant": variant,
        }
        for name, model in PUBLISHED_MODELS.items()
        if model.parameters is not None
        for variant, value in zip(VARIANTS, TABLE_2[name], strict=True)
    ]


def _own_sizes(results: Outcomes, frame: polars.DataFrame) -> Rows:
    return [
        {
            "parameters": size,
            "accuracy": accuracy(rows_where(frame, model=model, phenomenon=variant)),
            "models": f"{model_type(results, model)} (run)",
            "variant": variant,
        }
        for model in distinct_values(frame, "model")
        for size in (parameter_count(results, model),)
        if size is not None
        for variant in VARIANTS
    ]
