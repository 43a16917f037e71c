"""Estimates and accuracy tables from a frame of judgements.

A table has many cells, and reading the columns of a frame takes longer than computing an estimate.
The functions named `…_of_parts` therefore read a frame once and return a function that estimates
many parts of it together, each given by its row numbers (`rows_by`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from epicene.core.records import Column, Estimate, Row, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import polars
    from numpy.typing import NDArray

    from epicene.stats.arrays import Ints
    from epicene.stats.jackknife import Bounds

    # From the rows of each part to its estimate.
    PartEstimator: TypeAlias = Callable[[Sequence[Ints]], list[Estimate]]

NOTHING_JUDGED = Estimate(value=None, why="nothing was judged")


def share(frame: polars.DataFrame, condition: polars.Expr) -> Estimate:
    """The share of rows for which the condition holds, with an interval clustered by group."""
    return estimate_all(share_of_parts(frame, condition), frame)


def mean(
    frame: polars.DataFrame, column: str = "value", *, bounds: Bounds | None = None
) -> Estimate:
    """The mean of a column's non-null values, with an interval clustered by group."""
    return estimate_all(mean_of_parts(frame, column, bounds=bounds), frame)


def accuracy(frame: polars.DataFrame) -> Estimate:
    """The share of right outcomes; undetected ones count as not right."""
    return estimate_all(accuracy_of_parts(frame), frame)


def undetected_share(frame: polars.DataFrame) -> Estimate:
    """The share of outcomes that are neither right nor wrong."""
    return estimate_all(undetected_share_of_parts(frame), frame)


def estimate_all(estimate: PartEstimator, frame: polars.DataFrame) -> Estimate:
    """The estimate of a whole frame."""
    import numpy as np

    return estimate([np.arange(len(frame))])[0]


def share_of_parts(frame: polars.DataFrame, condition: polars.Expr) -> PartEstimator:
    """Like `share`, for parts of the frame."""
    import polars as pl

    from epicene.stats.intervals import proportions

    if not len(frame):
        return lambda parts: [NOTHING_JUDGED] * len(parts)
    flags = frame.select(condition.cast(pl.Float64).alias("flag"))["flag"].to_numpy()
    return _by_group(proportions, flags, frame)


def mean_of_parts(
    frame: polars.DataFrame, column: str = "value", *, bounds: Bounds | None = None
) -> PartEstimator:
    """Like `mean`, for parts of the frame."""
    from epicene.stats.intervals import clustered_means

    known = frame[column].is_not_null().to_numpy()
    means = partial(clustered_means, bounds=bounds)
    estimate = _by_group(means, frame[column].to_numpy(), frame)
    return lambda parts: estimate([rows[known[rows]] for rows in parts])


def _by_group(
    function: Callable[[NDArray[Any], Ints, Sequence[int]], list[Estimate]],
    values: NDArray[Any],
    frame: polars.DataFrame,
) -> PartEstimator:
    """A function of the values of several parts, their groups, and how many rows each has."""
    import numpy as np

    groups = group_codes(frame)

    def estimate(parts: Sequence[Ints]) -> list[Estimate]:
        if not parts:
            return []
        rows, sizes = np.concatenate(parts), [len(part) for part in parts]
        found = function(values[rows], groups[rows], sizes)
        return [each if size else NOTHING_JUDGED for each, size in zip(found, sizes, strict=True)]

    return estimate


def accuracy_of_parts(frame: polars.DataFrame) -> PartEstimator:
    """Like `accuracy`, for parts of the frame."""
    judged, right = _outcomes(frame, "right")
    return lambda parts: right([rows[judged[rows]] for rows in parts])


def undetected_share_of_parts(frame: polars.DataFrame) -> PartEstimator:
    """Like `undetected_share`, for parts of the frame."""
    judged, undetected = _outcomes(frame, "undetected")

    def estimate(parts: Sequence[Ints]) -> list[Estimate]:
        outcomes = [rows[judged[rows]] for rows in parts]
        return [
            _NO_OUTCOME if len(rows) and not len(some) else found
            for rows, some, found in zip(parts, outcomes, undetected(outcomes), strict=True)
        ]

    return estimate


_NO_OUTCOME = Estimate(value=None, why="these scores are numbers, neither right nor wrong")


def _outcomes(frame: polars.DataFrame, outcome: str) -> tuple[NDArray[Any], PartEstimator]:
    """Which rows have an outcome, and in which of those it is this one."""
    import polars as pl

    judged = frame["outcome"].is_not_null().to_numpy()
    return judged, share_of_parts(frame, (pl.col("outcome") == outcome).fill_null(False))


def group_codes(frame: polars.DataFrame) -> Ints:
    """A whole number for each row's group."""
    import polars as pl

    from epicene.stats.arrays import encode_groups

    groups = frame["group"]
    if not groups.dtype.is_integer():
        groups = groups.cast(pl.Categorical).to_physical()
    return encode_groups(groups.cast(pl.Int64).to_numpy(), len(frame))


class RowsBy(dict[tuple[str, ...], "Ints"]):
    """Row numbers by the values of some columns; none for values that do not occur."""

    def __missing__(self, _values: tuple[str, ...]) -> Ints:
        import numpy as np

        return np.empty(0, dtype=np.int64)


def rows_by(frame: polars.DataFrame, *columns: str) -> RowsBy:
    """The rows with each combination of values, sorted by value; combinations with a null are left
    out."""
    import numpy as np
    import polars as pl

    from epicene.stats.arrays import encode_groups

    keys = [pl.col(column).cast(pl.Categorical) for column in columns]
    codes = frame.select(key.to_physical().cast(pl.Int64).fill_null(-1) for key in keys)
    known = np.flatnonzero(codes.min_horizontal().to_numpy() >= 0) if len(codes) else ()
    if not len(known):
        return RowsBy()
    cells = np.zeros_like(known)
    for code in codes:
        numbers = code.to_numpy()[known]
        cells = encode_groups(cells * (numbers.max() + 1) + numbers, len(known))
    # Few cells are sorted fastest as small numbers.
    order = known[np.argsort(cells.astype(np.min_scalar_type(cells.max())), kind="stable")]
    parts = np.split(order, np.bincount(cells).cumsum()[:-1])
    firsts = frame.select(columns)[[part[0] for part in parts]]
    values = firsts.select(pl.all().cast(pl.String)).rows()
    return RowsBy(sorted(zip(values, parts, strict=True)))


def parts_by(
    frame: polars.DataFrame, *columns: str
) -> Iterator[tuple[tuple[str, ...], polars.DataFrame]]:
    """Each combination of values, sorted, with its rows; combinations with a null are left out."""
    for values, rows in rows_by(frame, *columns).items():
        yield values, frame[rows]


def measured_rows(
    parts: Iterable[tuple[tuple[str, ...], Ints]], measures: Iterable[PartEstimator]
) -> list[Row]:
    """One table row per part (given by its keys and rows), with one cell per measure."""
    keys, rows = zip(*parts, strict=True) if (parts := list(parts)) else ((), ())
    columns = [measure(rows) for measure in measures]
    return [
        Row(keys=each, cells=cells)
        for each, cells in zip(keys, zip(*columns, strict=True), strict=True)
    ]


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
    right, undetected = accuracy_of_parts(frame), undetected_share_of_parts(frame)
    keyed = frame.select(pl.col(rows).fill_null("None"), pl.col(columns))
    part = rows_by(keyed, *rows, columns)
    made = []
    for keys, whole in rows_by(keyed, *rows).items():
        cells = right([whole, *(part[*keys, name] for name in names)]) + undetected([whole])
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
