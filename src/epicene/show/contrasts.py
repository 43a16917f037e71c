"""Compare a headline within each model: masculine with feminine, one pronoun with another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from epicene.stats.hypothesis_tests import studentised_test
from epicene.stats.ranking import SIGNIFICANCE_LEVEL
from epicene.stats.tabulate import distinct_values, group_codes, rows_by, rows_where, share_of_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars

    from epicene.core.records import Estimate
    from epicene.results.summary import Summary
    from epicene.show.model_profiles import HeadlineResult
    from epicene.stats.arrays import Floats

MAX_VALUES = 16  # of a facet; one with more is easier to read in a table
_FIRST = ("masculine",)  # what comes before the rest of the alphabet


@dataclass(frozen=True)
class Gap:
    """The values of a facet for which a model's result is highest and lowest, and whether these
    differ.

    `p` is from Student's t over groups, is never smaller than a sign test on that many groups could
    give, and is corrected (Bonferroni) for all pairs of values and all models of the contrast.
    """

    high: str
    low: str
    p: float

    @property
    def significant(self) -> bool:
        """Whether the two values differ."""
        return self.p < SIGNIFICANCE_LEVEL


@dataclass(frozen=True)
class Contrast:
    """One headline by the values of one facet, for each model."""

    entry: HeadlineResult
    facet: str
    values: tuple[str, ...]
    cells: Mapping[tuple[str, str], Estimate]  # by model and value
    gaps: Mapping[str, Gap]  # by model
    tests: int  # how many comparisons the p-values are corrected for


def contrasts_of(summary: Summary, entries: Sequence[HeadlineResult]) -> Iterator[Contrast]:
    """Every contrast that the headlines name and the judgements have."""
    for entry in entries:
        if entry.language or entry.headline.item_scores is None:
            continue
        judged = entry.headline.item_scores(summary.results)
        for facet in entry.headline.contrasts:
            if facet not in judged.columns:
                continue
            values = tuple(sorted(distinct_values(judged, facet), key=_order))
            if 2 <= len(values) <= MAX_VALUES:
                yield _contrast(summary, entry, judged, facet, values)


def _order(value: str) -> tuple[bool, str]:
    return value not in _FIRST, value


def _contrast(
    summary: Summary,
    entry: HeadlineResult,
    judged: polars.DataFrame,
    facet: str,
    values: tuple[str, ...],
) -> Contrast:
    cells: dict[tuple[str, str], Estimate] = {}
    for run in summary.runs:
        own = rows_where(summary.results.frame, run=run.info.run)
        for value in values:
            part = replace(
                summary.results, frame=rows_where(own, **{facet: value}), runs=(run.info,)
            )
            cells[run.info.model, value] = entry.headline.estimate(part)
    models = [run.info.model for run in summary.runs]
    tests = len(models) * len(list(combinations(values, 2)))
    gaps = {}
    for model in models:
        own_cells = {value: cells[model, value] for value in values}
        if gap := _gap(rows_where(judged, model=model), facet, own_cells, tests):
            gaps[model] = gap
    return Contrast(entry, facet, values, cells, gaps, tests)


def _gap(
    judged: polars.DataFrame, facet: str, cells: Mapping[str, Estimate], tests: int
) -> Gap | None:
    known = {value: cell.value for value, cell in cells.items() if cell.value is not None}
    if len(known) < 2:
        return None
    high, low = max(known, key=lambda v: known[v]), min(known, key=lambda v: known[v])
    if known[high] == known[low]:
        return None
    names = judged[facet].cast(str)
    scores = judged["score"].to_numpy()
    sides = [(names == value).fill_null(value=False).to_numpy() for value in (high, low)]
    columns = np.column_stack([part for side in sides for part in (side * scores, side * 1.0)])
    groups = group_codes(judged)
    found = studentised_test(columns, _difference, groups)
    fewest = min(len(np.unique(groups[side])) for side in sides)
    least = 2.0 ** (1 - fewest)
    p = least if found.p is None else max(found.p, least)
    return Gap(high, low, min(1.0, p * tests))


def _difference(sums: Floats) -> Floats:
    """The difference of the mean scores of two values, from their sums and counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        made: Floats = sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
    return made


@dataclass(frozen=True)
class Agreement:
    """How two ways of measuring agree on the instances of each model."""

    first: str
    second: str
    table: str
    counts: Mapping[str, tuple[int, int, int, int]]  # both right, first only, second only, neither
    conflicts: Mapping[str, Estimate]


def agreement_of(summary: Summary) -> Agreement | None:
    """The two formats of the suite set against each other, if both were measured."""
    import polars as pl

    formats = summary.suite.format_pairs
    if formats is None or not len(summary.results.frame):
        return None
    pairs = formats.pairs(summary.results)
    if not len(pairs):
        return None
    differ = share_of_parts(pairs, pl.col("a") != pl.col("b"))
    counts, conflicts = {}, {}
    for (model,), rows in rows_by(pairs, "model").items():
        one, two = (pairs[name].to_numpy()[rows] == 1 for name in ("a", "b"))
        counts[model] = (
            int((one & two).sum()),
            int((one & ~two).sum()),
            int((~one & two).sum()),
            int((~one & ~two).sum()),
        )
        conflicts[model] = differ([rows])[0]
    return Agreement(formats.first, formats.second, formats.table, counts, conflicts)
