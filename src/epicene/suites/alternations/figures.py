"""Accuracy against the size of the model, and by variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene import charts
from epicene.suites.alternations import published
from epicene.suites.alternations.published import VARIANTS, printed
from epicene.suites.alternations.tables import accuracy, kind_of, main_judgements
from epicene.suites.tabulate import only, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.records import Figure
    from epicene.suites import Results
    from epicene.suites.alternations.protocol import AlternationsProtocol

    Outcomes = Results[AlternationsProtocol]


def figures(results: Outcomes) -> Iterator[Figure]:
    """Where there are Hindi variants: by variant, and by size."""
    frame = main_judgements(results)
    if not set(VARIANTS) & set(values_of(frame, "phenomenon")):
        return
    models = values_of(frame, "model")
    rows: list[dict[str, charts.Value]] = [
        {
            "variant": variant,
            "accuracy": accuracy(only(frame, model=model, phenomenon=variant)),
            "model": model,
        }
        for model in models
        for variant in VARIANTS
    ]
    rows += [
        {"variant": variant, "accuracy": printed(value), "model": "people (published)"}
        for variant, value in zip(VARIANTS, published.PEOPLE, strict=True)
    ]
    yield charts.points_with_intervals(
        "variants",
        "Accuracy by variant",
        rows,
        x="variant",
        y="accuracy",
        color="model",
        percent=True,
        reference=0.5,
    )
    yield _by_size(results)


def _by_size(results: Outcomes) -> Figure:
    """The paper's models and those of the runs that say how large they are."""
    frame = main_judgements(results)
    rows: list[dict[str, charts.Value]] = []
    for name, model in published.MODELS.items():
        if model.millions is not None:
            accuracies = published.TABLE_2[name]
            rows += [
                {
                    "parameters": model.millions * 1e6,
                    "accuracy": value / 100,
                    "type": f"{model.kind} (published)",
                    "variant": variant,
                    "model": name,
                }
                for variant, value in zip(VARIANTS, accuracies, strict=True)
            ]
    for run in results.runs:
        for identity in (each for role in run.identities.values() for each in role):
            size = identity.about.get("parameters")
            if not size:
                continue
            for variant in VARIANTS:
                found = accuracy(only(frame, model=run.model, phenomenon=variant))
                if found.value is not None:
                    rows.append(
                        {
                            "parameters": float(size),
                            "accuracy": found.value,
                            "type": kind_of(results, run.model),
                            "variant": variant,
                            "model": run.model,
                        }
                    )
    return charts.scatter(
        "size",
        "Accuracy against size",
        rows,
        x="parameters",
        y="accuracy",
        color="type",
        label="model",
        facet="variant",
        percent=True,
        log_x=True,
        notes=("Models whose size is not known are left out.",),
    )
