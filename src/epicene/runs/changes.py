"""What changed between every two of some runs: differences with paired tests, and moves."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from epicene.records import Column, Estimate, Row, Table
from epicene.runs.pairing import refuse_repeated
from epicene.suites.tabulate import codes, undetected

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

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


class HeadlineChange(NamedTuple):
    """A change by one headline."""

    headline: str
    change: Change


_NOTES = (
    "The second minus the first, over the judgements both have: paired by item, intervals and the "
    "permutation test clustered by group, Holm over all rows of this table.",
)
_FIGURES = (
    "The two figures are each run's own, of all its judgements; where the runs do not have the "
    "same ones, the difference is not that of the figures.",
)
_COLUMNS = (
    Column(name="difference"),
    Column(name="p", unit="p"),
    Column(name="p (Holm)", unit="p"),
    Column(name="became right", unit="count"),
    Column(name="no longer right", unit="count"),
    Column(name="judgements", unit="count"),
    Column(name="undetected, first"),
    Column(name="undetected, second"),
)


def table_of_changes(found: Sequence[HeadlineChange]) -> Table:
    """A row for each headline and pair of models."""
    return Table(
        name="changes",
        title="What changed between every two models",
        levels=("headline", "first", "second"),
        columns=_COLUMNS,
        rows=tuple(
            Row(keys=(each.headline, each.change.first, each.change.second), cells=cells)
            for each, cells in zip(found, _cells(found), strict=True)
        ),
        notes=_NOTES,
    )


def table_of_two(
    found: Sequence[HeadlineChange], figures: Sequence[tuple[Estimate, Estimate]]
) -> Table:
    """The same of one pair of models, with the headlines of both."""
    first, second, *_ = found[0].change
    return Table(
        name="changes",
        title=f"{second} against {first}, by the suite's headlines",
        levels=("headline",),
        columns=(Column(name=f"first: {first}"), Column(name=f"second: {second}"), *_COLUMNS),
        rows=tuple(
            Row(keys=(each.headline,), cells=(*own, *cells))
            for each, own, cells in zip(found, figures, _cells(found), strict=True)
        ),
        notes=(*_NOTES, *_FIGURES),
    )


def _cells(found: Sequence[HeadlineChange]) -> Iterator[tuple[Estimate, ...]]:
    from epicene.stats.correction import holm

    adjusted = holm([each.change.test.p for each in found])
    for (_, change), p in zip(found, adjusted, strict=True):
        yield (
            change.difference,
            *(Estimate(value=each, why=change.test.why) for each in (change.test.p, p)),
            *(Estimate(value=n) for n in (change.gained, change.lost, change.shared)),
            *change.undetected,
        )
