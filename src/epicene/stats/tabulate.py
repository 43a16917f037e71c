"""Estimates and accuracy tables from a frame of judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.records import Column, Estimate, Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars
    from numpy.typing import NDArray


def share(frame: polars.DataFrame, condition: polars.Expr) -> Estimate:
    """The share of rows where the condition holds, with an interval that clusters by group."""
    import polars as pl

    from epicene.stats.intervals import proportion

    if not len(frame):
        return Estimate(value=None, why="nothing was judged")
    flags = frame.select(condition.cast(pl.Float64).alias("flag"))["flag"].to_numpy()
    return proportion(flags, groups=group_codes(frame))


def mean(frame: polars.DataFrame, column: str = "value") -> Estimate:
    """The mean of a column's values where it has some, clustered by group."""
    import polars as pl

    from epicene.stats.intervals import clustered_mean

    frame = frame.filter(pl.col(column).is_not_null())
    if not len(frame):
        return Estimate(value=None, why="nothing was judged")
    return clustered_mean(frame[column].to_numpy(), groups=group_codes(frame))


def accuracy(frame: polars.DataFrame) -> Estimate:
    """The share of right outcomes; what is undetected is not right."""
    import polars as pl

    judged = frame.filter(pl.col("outcome").is_not_null())
    return share(judged, pl.col("outcome") == "right")


def undetected_share(frame: polars.DataFrame) -> Estimate:
    """The share of outcomes that are neither right nor wrong."""
    import polars as pl

    judged = frame.filter(pl.col("outcome").is_not_null())
    if len(frame) and not len(judged):
        return Estimate(value=None, why="these judgements are numbers, neither right nor wrong")
    return share(judged, pl.col("outcome") == "undetected")


def group_codes(frame: polars.DataFrame) -> NDArray[Any]:
    """A whole number for each row's group."""
    import polars as pl

    return frame.select(pl.col("group").rank("dense").cast(pl.Int64) - 1)["group"].to_numpy()


def rows_where(frame: polars.DataFrame, **values: str) -> polars.DataFrame:
    """The rows with these values (`a_b` is the column "a b"); none if a column is missing."""
    import polars as pl

    for column, value in values.items():
        name = column if column in frame.columns else column.replace("_", " ")
        frame = frame.filter(pl.col(name) == value) if name in frame.columns else frame.clear()
    return frame


def distinct_values(frame: polars.DataFrame, column: str) -> list[str]:
    """A column's distinct values, sorted."""
    return sorted(frame[column].cast(str).drop_nulls().unique().to_list())


def accuracy_table(
    frame: polars.DataFrame,
    *,
    name: str,
    title: str,
    rows: Sequence[str],
    columns: str,
    notes: Iterable[str] = (),
) -> Table:
    """Accuracy by the row keys and one column facet, `all` first, undetected last."""
    import polars as pl

    names = distinct_values(frame, columns)
    made = []
    for keys, part in sorted(frame.group_by([pl.col(r).cast(pl.String) for r in rows])):
        cells = [accuracy(part)]
        cells += [accuracy(part.filter(pl.col(columns) == value)) for value in names]
        cells.append(undetected_share(part))
        made.append(Row(keys=tuple(str(key) for key in keys), cells=tuple(cells)))
    heads = ["all", *names, "undetected"]
    return Table(
        name=name,
        title=title,
        levels=tuple(rows),
        columns=tuple(Column(name=head) for head in heads),
        rows=tuple(made),
        notes=tuple(notes),
    )
