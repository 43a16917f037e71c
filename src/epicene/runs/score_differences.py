"""Differences between two runs in scores computed from sums, such as F0.5 and BLEU.

Such a score is not a mean of item scores, so it is paired by adding up each run's counts over the
items that both have, and leaving out one group after another from both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.records import Column, Estimate, Row, Table
from epicene.runs.paired_differences import KEYS, join_judgements
from epicene.stats.tabulate import group_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars

    from epicene.stats import SignificanceResult
    from epicene.stats.arrays import Floats
    from epicene.suites import Results
    from epicene.suites.headline_metrics import SumScore

_NOTES = (
    "The second minus the first, over the judgements that both have; the two values are also "
    "computed over these. Intervals and tests leave out one group at a time; p (means) comes "
    "from Student's t, which tests whether the difference is zero. Holm correction over all rows "
    "of this table.",
)


def score_table(
    scores: Sequence[SumScore],
    parts: tuple[Results[Any], Results[Any]],
    models: tuple[str, str],
) -> Table | None:
    """One row per score that both runs have; None if there are none."""
    from epicene.stats.hypothesis_tests import holm

    compared = {
        score.name: _compare(score, both) for score in scores if len(both := _paired(score, parts))
    }
    if not compared:
        return None
    adjusted = holm([test.p for _, test in compared.values()])
    first, second = models
    return Table(
        name="scores",
        title=f"{second} against {first}, by scores of sums",
        levels=("score",),
        columns=(
            *(
                Column(name=name, unit="number", decimals=3)
                for name in (f"first: {first}", f"second: {second}", "difference")
            ),
            Column(name="p (means)", unit="p"),
            Column(name="p (Holm)", unit="p"),
            Column(name="judgements", unit="count"),
        ),
        rows=tuple(
            Row(
                keys=(name,),
                cells=(
                    *estimates,
                    *(Estimate(value=each, n=test.n, why=test.why) for each in (test.p, p)),
                    Estimate(value=estimates[-1].n),
                ),
            )
            for (name, (estimates, test)), p in zip(compared.items(), adjusted, strict=True)
        ),
        notes=_NOTES,
    )


def _paired(score: SumScore, parts: tuple[Results[Any], Results[Any]]) -> polars.DataFrame:
    """The counts of both runs, one row per judgement that both have; the second's end in _2."""
    import polars as pl

    first, second = (
        score.judgements(part).select(pl.col(*KEYS, "group").cast(pl.String), *score.counts)
        if len(score.judgements(part))
        else pl.DataFrame(schema=dict.fromkeys((*KEYS, "group"), pl.String))
        for part in parts
    )
    return join_judgements(first, second)


def _compare(
    score: SumScore, both: polars.DataFrame
) -> tuple[tuple[Estimate, Estimate, Estimate], SignificanceResult]:
    from epicene.stats.hypothesis_tests import studentised_test_of_sums
    from epicene.stats.intervals import statistic_of_sums

    size, groups = len(score.counts), group_codes(both)
    names = [*score.counts, *(f"{name}_2" for name in score.counts)]
    columns = both.select(names).to_numpy().astype(float)

    def difference(sums: Floats) -> Floats:
        return score.statistic(sums[:, size:]) - score.statistic(sums[:, :size])

    low, high = score.bounds
    return (
        (
            statistic_of_sums(columns[:, :size], score.statistic, groups, bounds=score.bounds),
            statistic_of_sums(columns[:, size:], score.statistic, groups, bounds=score.bounds),
            statistic_of_sums(
                columns, difference, groups, bounds=(low - high, high - low), scale="difference"
            ),
        ),
        studentised_test_of_sums(columns, difference, groups),
    )
