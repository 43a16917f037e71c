"""Rank runs by a metric, with ranges of ranks that missing judgements can only widen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from epicene.runs.frames import check_unique_judgements
from epicene.stats.ranking import (
    RankRange,
    compact_letter_display,
    rank_ranges,
    significant_pairs,
    superiority_p_values,
)
from epicene.stats.tabulate import group_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars

    from epicene.stats.arrays import Floats, Ints

_KEYS = ("item", "name", "group")


@dataclass(frozen=True)
class RankedModel:
    """One model's range of ranks. Models that share a letter do not differ significantly."""

    model: str
    rank: RankRange
    letters: str
    better_than: tuple[str, ...]
    lacking: int  # expected judgements that this run lacks


@dataclass(frozen=True)
class Ranking:
    """Models by their worst possible rank, then by their mean."""

    models: tuple[RankedModel, ...]
    judgements: int  # expected
    shared: int  # that all runs have

    @property
    def any_significant(self) -> bool:
        """Whether any two models differ significantly."""
        return any(model.better_than for model in self.models)


def rank(
    frame: polars.DataFrame,
    models: Sequence[str],
    *,
    suite: str,
    seed: int = 0,
) -> Ranking:
    """Pair the figures (between 0 and 1) of judgements by item and name, clustered by group.

    A judgement that a model lacks counts as wrong when testing whether that model is better, and as
    right when testing whether another model is: missing judgements help no model. Rows of models
    other than these are expected judgements, of which only the keys are read: this covers what is
    missing everywhere.
    """
    figures, groups = _figures(frame, models, suite)
    missing = np.isnan(figures)
    low, high = (_sums(np.where(missing, filling, figures), groups) for filling in (0.0, 1.0))
    significant = significant_pairs(superiority_p_values(low, high, seed=seed))
    ends = rank_ranges(significant)
    means = low.sum(axis=0)
    order = sorted(range(len(models)), key=lambda one: (ends[one].worst, -means[one], models[one]))
    names = compact_letter_display(significant, order)
    ranked = tuple(
        RankedModel(
            model=models[one],
            rank=ends[one],
            letters=names[one],
            better_than=tuple(models[other] for other in order if significant[one, other]),
            lacking=int(missing[:, one].sum()),
        )
        for one in order
    )
    shared = int(np.count_nonzero(~missing.any(axis=1)))
    return Ranking(ranked, judgements=len(figures), shared=shared)


def _figures(frame: polars.DataFrame, models: Sequence[str], suite: str) -> tuple[Floats, Ints]:
    """One row per judgement, one column per model, NaN if the model lacks it; and the number of
    each row's group.
    """
    import polars as pl

    texts = frame.select(pl.col(*_KEYS, "model").cast(pl.String), "score")
    check_unique_judgements(texts.filter(pl.col("model").is_in(models)), suite)
    keys = texts.select(_KEYS).unique().sort(_KEYS)
    columns = []
    for model in models:
        own = texts.filter(pl.col("model") == model).drop("model")
        joined = keys.join(own, on=_KEYS, how="left", maintain_order="left")
        columns.append(joined["score"].cast(pl.Float64).fill_null(np.nan).to_numpy())
    return np.column_stack(columns), group_codes(keys)


def _sums(figures: Floats, groups: Ints) -> Floats:
    """The sum of each group, column by column."""
    return np.column_stack([np.bincount(groups, weights=column) for column in figures.T])
