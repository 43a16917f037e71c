"""The numbers printed in the paper, to show next to a run's."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from epicene.core.records import Estimate, Record, Row


class PublishedModel(Record, frozen=True, kw_only=True):
    """A model of the paper's, with its size as its name says it."""

    family: str
    billions: float | None


class Published(Record, frozen=True, kw_only=True):
    """Tables 8–10 by language and model, in per cent as printed, and Table 1 by language."""

    columns: tuple[str, ...]
    models: dict[str, PublishedModel]
    scores: dict[str, dict[str, tuple[float, ...]]]
    data: dict[str, tuple[float, ...]]


@cache
def published() -> Published:
    """The figures as published.json has them."""
    text = (Path(__file__).parent / "published.json").read_bytes()
    return msgspec.json.decode(text, type=Published)


def score_rows(language: str) -> list[Row]:
    """The paper's rows for a language, as shares; none for a language it does not have."""
    return [
        Row(
            keys=(model,),
            cells=tuple(Estimate(value=value / 100) for value in values),
            origin="published",
        )
        for model, values in published().scores.get(language, {}).items()
    ]


def score_of(language: str, model: str, column: str) -> float:
    """One figure of Tables 8–10, as a share."""
    figures = published()
    return figures.scores[language][model][figures.columns.index(column)] / 100


def data_rows(language: str) -> list[Row]:
    """The paper's row of Table 1 for a language."""
    values = published().data.get(language, ())
    cells = tuple(Estimate(value=value) for value in values)
    return [Row(keys=(language, "MORPHOGEN"), cells=cells, origin="published")] if cells else []
