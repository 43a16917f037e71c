"""Differences between two runs in scores computed from sums, such as F0.5 and BLEU.

Such a score is not a mean of item scores, so it is paired by adding up each run's counts over the
items that both have, and leaving out one group after another from both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.results.paired_differences import (
    KEYS,
    PairedDifference,
    differences_table,
    join_judgements,
)
from epicene.stats.tabulate import group_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars

    from epicene.core.records import Table
    from epicene.stats.arrays import Floats
    from epicene.suites import Results
    from epicene.suites.headline_metrics import SumScore

_NOTE = (
    "The second minus the first, over the judgements that both have; the two values are also "
    "computed over these. Intervals and tests leave out one group at a time; p comes from "
    "Student's t, and p (Holm) is corrected over all rows of this table."
)


def score_table(
    scores: Sequence[SumScore],
    parts: tuple[Results[Any], Results[Any]],
    models: tuple[str, str],
) -> Table | None:
    """One row per score that both runs have; None if there are none."""
    found = [_compare(score, both) for score in scores if len(both := _shared_counts(score, parts))]
    if not found:
        return None
    first, second = models
    return differences_table(
        found,
        name="scores",
        title=f"{second} against {first}, by scores of sums",
        levels=("score",),
        notes=(_NOTE,),
        values=(f"first: {first}", f"second: {second}"),
        shares=False,
    )


def _shared_counts(score: SumScore, parts: tuple[Results[Any], Results[Any]]) -> polars.DataFrame:
    """The counts of both runs, one row per judgement that both have; the second's end in _2."""
    import polars as pl

    first, second = map(score.judgements, parts)
    if not len(first) or not len(second):
        return pl.DataFrame()
    columns = [pl.col(*KEYS, "group").cast(pl.String), pl.col(score.counts)]
    return join_judgements(first.select(columns), second.select(columns))


def _compare(score: SumScore, both: polars.DataFrame) -> PairedDifference:
    from epicene.stats.hypothesis_tests import studentised_test
    from epicene.stats.intervals import statistic_of_sums

    size, groups = len(score.counts), group_codes(both)
    names = [*score.counts, *(f"{name}_2" for name in score.counts)]
    columns = both.select(names).to_numpy().astype(float)

    def difference(sums: Floats) -> Floats:
        return score.statistic(sums[:, size:]) - score.statistic(sums[:, :size])

    low, high = score.bounds
    gap = statistic_of_sums(
        columns, difference, groups, bounds=(low - high, high - low), scale="difference"
    )
    return PairedDifference(
        (score.name,),
        gap,
        studentised_test(columns, difference, groups),
        shared=gap.n,
        values=tuple(
            statistic_of_sums(each, score.statistic, groups, bounds=score.bounds)
            for each in (columns[:, :size], columns[:, size:])
        ),
    )
