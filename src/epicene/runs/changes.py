"""What changed between every two of some runs: differences with paired tests, and moves."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from epicene.runs.pairing import refuse_repeated
from epicene.suites.tabulate import codes, undetected

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.records import Estimate
    from epicene.stats import Test

_KEYS = ("item", "name")


class Change(NamedTuple):
    """From one model to another: second minus first over the judgements both have."""

    first: str
    second: str
    difference: Estimate
    test: Test
    gained: int  # judgements that were not right and are
    lost: int  # judgements that were right and are not
    shared: int
    undetected: tuple[Estimate, Estimate]  # of each, among the judgements both have


def changes(frame: polars.DataFrame, models: Sequence[str], *, suite: str) -> Iterator[Change]:
    """Every pair of models, by figures between 0 and 1 paired by item and name.

    Clustered by group, with a permutation test; pairs that share nothing are left out.
    """
    import polars as pl

    from epicene.stats.bootstrap import difference
    from epicene.stats.paired import permutation

    refuse_repeated(frame, suite)
    columns = [*_KEYS, "group", "outcome"]
    texts = frame.select(pl.col(*columns, "model").cast(pl.String), "figure")
    parts = {model: texts.filter(pl.col("model") == model).drop("model") for model in models}
    for first, second in combinations(models, 2):
        both = parts[first].join(
            parts[second].drop("group"), on=_KEYS, suffix="_2", maintain_order="left"
        )
        if not len(both):
            continue
        a, b, groups = both["figure"].to_numpy(), both["figure_2"].to_numpy(), codes(both)
        was, now = (pl.col(name) == "right" for name in ("outcome", "outcome_2"))
        moves = both.select(gained=(now & ~was).sum(), lost=(was & ~now).sum()).row(0)
        yield Change(
            first=first,
            second=second,
            difference=difference(b, a, groups=groups, bounds=(-1, 1)),
            test=permutation(b, a, groups=groups),
            gained=moves[0],
            lost=moves[1],
            shared=len(both),
            undetected=(
                undetected(both),
                undetected(both.select("group", outcome="outcome_2")),
            ),
        )
