"""Estimates and accuracy tables from a frame of judgements.

A table has many cells, and reading columns of a frame takes longer than computing an estimate. So
the functions named `…_of_rows` read a frame once and return a function that estimates any of its
rows, given by their numbers (`rows_by`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from epicene.core.records import Column, Estimate, Row, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import polars
    from numpy.typing import NDArray

    from epicene.stats.arrays import Ints

    # From numbers of rows to their estimate.
    RowEstimator: TypeAlias = Callable[[Ints], Estimate]

NOTHING_JUDGED = Estimate(value=None, why="nothing was judged")


def share(frame: polars.DataFrame, condition: polars.Expr) -> Estimate:
    """The share of rows where the condition holds, with an interval that clusters by group."""
    return share_of_rows(frame, condition)(all_rows(frame))


def mean(frame: polars.DataFrame, column: str = "value") -> Estimate:
    """The mean of a column's values where it has some, clustered by group."""
    return mean_of_rows(frame, column)(all_rows(frame))


def accuracy(frame: polars.DataFrame) -> Estimate:
    """The share of right outcomes; what is undetected is not right."""
    return accuracy_of_rows(frame)(all_rows(frame))


def undetected_share(frame: polars.DataFrame) -> Estimate:
    """The share of outcomes that are neither right nor wrong."""
    return undetected_share_of_rows(frame)(all_rows(frame))


def share_of_rows(frame: polars.DataFrame, condition: polars.Expr) -> RowEstimator:
    """Like `share`, for any rows of the frame."""
    import polars as pl

    from epicene.stats.intervals import proportion

    if not len(frame):
        return lambda _: NOTHING_JUDGED
    flags = frame.select(condition.cast(pl.Float64).alias("flag"))["flag"].to_numpy()
    groups = group_codes(frame)
    return lambda rows: (
        proportion(flags[rows], groups=groups[rows]) if len(rows) else NOTHING_JUDGED
    )


def mean_of_rows(frame: polars.DataFrame, column: str = "value") -> RowEstimator:
    """Like `mean`, for any rows of the frame."""
    from epicene.stats.intervals import clustered_mean

    values, groups = frame[column].to_numpy(), group_codes(frame)
    known = frame[column].is_not_null().to_numpy()

    def estimate(rows: Ints) -> Estimate:
        rows = rows[known[rows]]
        return clustered_mean(values[rows], groups=groups[rows]) if len(rows) else NOTHING_JUDGED

    return estimate


def accuracy_of_rows(frame: polars.DataFrame) -> RowEstimator:
    """Like `accuracy`, for any rows of the frame."""
    judged, right = _outcomes(frame, "right")
    return lambda rows: right(rows[judged[rows]])


def undetected_share_of_rows(frame: polars.DataFrame) -> RowEstimator:
    """Like `undetected_share`, for any rows of the frame."""
    judged, undetected = _outcomes(frame, "undetected")

    def estimate(rows: Ints) -> Estimate:
        outcomes = rows[judged[rows]]
        if len(rows) and not len(outcomes):
            why = "these judgements are numbers, neither right nor wrong"
            return Estimate(value=None, why=why)
        return undetected(outcomes)

    return estimate


def _outcomes(frame: polars.DataFrame, outcome: str) -> tuple[NDArray[Any], RowEstimator]:
    """Which rows have an outcome, and how often it is this one in rows that do."""
    import polars as pl

    judged = frame["outcome"].is_not_null().to_numpy()
    return judged, share_of_rows(frame, (pl.col("outcome") == outcome).fill_null(False))


def group_codes(frame: polars.DataFrame) -> Ints:
    """A whole number for each row's group."""
    import polars as pl

    from epicene.stats.arrays import encode_groups

    groups = frame["group"]
    if not groups.dtype.is_integer():
        groups = groups.cast(pl.Categorical).to_physical()
    return encode_groups(groups.cast(pl.Int64).to_numpy(), len(frame))


def all_rows(frame: polars.DataFrame) -> Ints:
    """The numbers of all rows."""
    import numpy as np

    return np.arange(len(frame))


class RowsBy(dict[tuple[str, ...], "Ints"]):
    """Numbers of rows by the values of some columns; none for values that do not occur."""

    def __missing__(self, _values: tuple[str, ...]) -> Ints:
        import numpy as np

        return np.empty(0, dtype=np.int64)


def rows_by(frame: polars.DataFrame, *columns: str) -> RowsBy:
    """The rows with each combination of values, sorted by value, but for those with a null."""
    import numpy as np
    import polars as pl

    from epicene.stats.arrays import encode_groups

    keys = [frame[column].cast(pl.Categorical) for column in columns]
    codes = [key.to_physical().cast(pl.Int64).fill_null(-1).to_numpy() for key in keys]
    known = np.flatnonzero(np.min(codes, axis=0) >= 0)
    if not len(known):
        return RowsBy()
    cells = np.zeros_like(known)
    for code in codes:
        cells = encode_groups(cells * (code.max() + 1) + code[known], len(known))
    # Few cells are sorted fastest as small numbers.
    order = known[np.argsort(cells.astype(np.min_scalar_type(cells.max())), kind="stable")]
    parts = np.split(order, np.bincount(cells).cumsum()[:-1])
    firsts = [part[0] for part in parts]
    values = zip(*(key.gather(firsts).cast(pl.String) for key in keys), strict=True)
    return RowsBy(sorted(zip(values, parts, strict=True)))


def rows_where(frame: polars.DataFrame, **values: str) -> polars.DataFrame:
    """The rows with these values (`a_b` is the column "a b"); none if a column is missing."""
    import polars as pl

    for column, value in values.items():
        name = column if column in frame.columns else column.replace("_", " ")
        frame = frame.filter(pl.col(name) == value) if name in frame.columns else frame.clear()
    return frame


def distinct_values(frame: polars.DataFrame, column: str) -> list[str]:
    """A column's distinct values, sorted."""
    return sorted(frame[column].unique().drop_nulls().cast(str))


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
    right, undetected = accuracy_of_rows(frame), undetected_share_of_rows(frame)
    keyed = frame.select(pl.col(rows).fill_null("None"), pl.col(columns))
    part = rows_by(keyed, *rows, columns)
    made = []
    for keys, whole in rows_by(keyed, *rows).items():
        cells = [right(whole), *(right(part[*keys, name]) for name in names), undetected(whole)]
        made.append(Row(keys=keys, cells=tuple(cells)))
    heads = ["all", *names, "undetected"]
    return Table(
        name=name,
        title=title,
        levels=tuple(rows),
        columns=tuple(Column(name=head) for head in heads),
        rows=tuple(made),
        notes=tuple(notes),
    )
