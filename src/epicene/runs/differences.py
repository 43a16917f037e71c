"""Two runs by the names of their judgements: both figures, their difference, and its test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.tabulate import codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars

    from epicene.stats import Test

ALL = "all"

_KEYS = ("item", "name")
_NOTES = (
    "Share of right outcomes, or the mean value where a judgement has no outcome: each run's own, "
    "of all its judgements of that name.",
    "The second minus the first, over the judgements both have: paired by item, intervals and the "
    "permutation test clustered by group, Holm over all rows of this table.",
)

Pair = tuple["polars.DataFrame", "polars.DataFrame"]


def paired(frames: Pair) -> polars.DataFrame:
    """One row per judgement that both runs have; the second run's columns end in _2."""
    first, second = (
        frame.select(*_KEYS, "group", "outcome", "figure") for frame in map(_with_figures, frames)
    )
    return first.join(second.drop("group"), on=_KEYS, suffix="_2", maintain_order="left")


def _with_figures(frame: polars.DataFrame) -> polars.DataFrame:
    """How right a judgement with an outcome is, and otherwise its value."""
    import polars as pl

    right = (pl.col("outcome") == "right").cast(pl.Float64)
    if "credit" in frame.columns:
        right = pl.col("credit").fill_null(right)
    figure = pl.when(pl.col("outcome").is_not_null()).then(right).otherwise(pl.col("value"))
    return frame.with_columns(figure.alias("figure"))


class Differences(NamedTuple):
    """The table, and its differences by name."""

    table: Table
    metrics: dict[str, Estimate]


def differences(frames: Pair, models: tuple[str, str], *, alike: bool) -> Differences:
    """A row per name of judgements that both runs have; one for all outcomes together, if these
    are `alike`."""
    from epicene.stats.correction import holm

    parts = _parts(frames, alike=alike)
    tested = {name: _tested(part) for name, part in parts.items()}
    adjusted = holm([test.p for _, test in tested.values()])
    first, second = models
    table = Table(
        name="difference",
        title=f"{second} against {first}, by the names of judgements",
        levels=("judgement",),
        columns=(
            Column(name=f"first: {first}", unit="number", decimals=3),
            Column(name=f"second: {second}", unit="number", decimals=3),
            Column(name="difference", unit="number", decimals=3),
            Column(name="p", unit="p"),
            Column(name="p (Holm)", unit="p"),
            Column(name="judgements", unit="count"),
        ),
        rows=tuple(
            Row(
                keys=(name,),
                cells=(
                    *estimates,
                    *(Estimate(value=each, n=test.n, why=test.why) for each in (test.p, p)),
                    Estimate(value=estimates[2].n),
                ),
            )
            for (name, (estimates, test)), p in zip(tested.items(), adjusted, strict=True)
        ),
        notes=_NOTES,
    )
    return Differences(
        table, {f"difference_{name}": estimates[2] for name, (estimates, _) in tested.items()}
    )


def _parts(frames: Pair, *, alike: bool) -> dict[str, Pair]:
    """What the rows are of: each run's judgements that have a figure."""
    import polars as pl

    figured = [_with_figures(frame).filter(pl.col("figure").is_not_null()) for frame in frames]
    first, second = figured
    both = first.join(second, on=_KEYS, how="semi")
    names = sorted(both["name"].unique().to_list())
    if len(names) <= 1:
        return {ALL: _of(figured, pl.col("name").is_in(names))}
    parts = {}
    # Shares of right outcomes have a mean together; with other values it would mean nothing.
    if alike and both["outcome"].is_not_null().any():
        parts[ALL] = _of(figured, pl.col("outcome").is_not_null())
    return parts | {name or "(unnamed)": _of(figured, pl.col("name") == name) for name in names}


def _of(frames: Sequence[polars.DataFrame], which: polars.Expr) -> Pair:
    first, second = (frame.filter(which) for frame in frames)
    return first, second


def _tested(part: Pair) -> tuple[tuple[Estimate, Estimate, Estimate], Test]:
    from epicene.stats.bootstrap import difference
    from epicene.stats.paired import permutation

    both = paired(part)
    a, b, groups = both["figure"].to_numpy(), both["figure_2"].to_numpy(), codes(both)
    shares = all(map(_are_shares, part))
    estimates = (
        *map(_own, part),
        # Shares lie between 0 and 1; of other values the range is not known.
        difference(b, a, groups=groups, bounds=(-1, 1) if shares else None),
    )
    return (estimates[0], estimates[1], estimates[2]), permutation(b, a, groups=groups)


def _own(frame: polars.DataFrame) -> Estimate:
    """One run's figure, with the interval that it has in every other table."""
    from epicene.stats.proportions import proportion
    from epicene.suites.tabulate import mean

    if _are_shares(frame):
        return proportion(frame["figure"].to_numpy(), groups=codes(frame))
    return mean(frame, "figure")


def _are_shares(frame: polars.DataFrame) -> bool:
    return bool(frame["outcome"].is_not_null().all())


def changed(both: polars.DataFrame) -> list[dict[str, Any]]:
    """The judgements with another outcome, before and after."""
    import polars as pl

    moved = both.filter(pl.col("outcome") != pl.col("outcome_2"))
    return [
        {
            "item": row["item"],
            "name": row["name"],
            "first": row["outcome"],
            "second": row["outcome_2"],
        }
        for row in moved.iter_rows(named=True)
    ]
