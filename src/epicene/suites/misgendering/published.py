"""The paper's own numbers, and Cohen's κ as its authors computed it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.core.records import Estimate, Row
from epicene.stats import paired_agreement

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars

    from epicene.stats.arrays import Ints
    from epicene.stats.tabulate import PartEstimator

NOT_PRINTED = Estimate(value=None, why="the paper prints no number")


@cache
def published_figures() -> Any:
    """The numbers that the paper prints, as published.json has them."""
    return json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))


def published_rows(
    statistic: str, mode: str, above: tuple[str, ...], names: Sequence[str]
) -> list[Row]:
    """The paper's rows of a statistic in one family and setting, a cell for each pronoun."""
    return [
        Row(
            keys=(*above, model),
            cells=tuple(_published_cell(statistic, cells.get(name)) for name in names),
            origin="published",
        )
        for model, cells in published_figures()[statistic][mode].items()
    ]


def deviation_mark(deviation: float) -> str:
    """A standard deviation, as printed next to a mean."""
    return f" ± {deviation:.3f}"


def _published_cell(statistic: str, cell: Sequence[float | None] | None) -> Estimate:
    if cell is None or cell[0] is None:
        return NOT_PRINTED
    if statistic == "repetition":  # value and standard deviation
        return Estimate(value=cell[0], mark=deviation_mark(cell[1] or 0.0))
    if statistic == "kappa":  # value and half the width of its interval
        value, half = cell[0], cell[1] or 0.0
        return Estimate(value=value, low=value - half, high=value + half)
    return Estimate(value=cell[0], low=cell[1], high=cell[2])


def published_kappa(pairs: polars.DataFrame, *, clustered: bool = False) -> PartEstimator:
    """κ of the table of the values that occur, which is 1 × 2 if one format is never wrong.

    The library that the authors used accepts such a table and gives it a meaningless interval
    (Table 4, Mixtral-8x22B, xe: 0.000 ± 0.185). In all other cases this is the usual κ.
    """
    import numpy as np

    kappa = paired_agreement.kappa_of_parts(pairs, clustered=clustered)
    first, second = pairs["a"].to_numpy(), pairs["b"].to_numpy()

    def estimate(rows: Ints) -> Estimate:
        a, b = first[rows], second[rows]
        ones, others = np.unique(a), np.unique(b)
        if (len(ones) > 1) == (len(others) > 1):
            return kappa([rows])[0]
        return _kappa_of_table([[int(((a == x) & (b == y)).sum()) for y in others] for x in ones])

    return lambda parts: [estimate(rows) for rows in parts]


def _kappa_of_table(table: list[list[int]]) -> Estimate:
    """κ of a table that need not be square."""
    n = sum(map(sum, table))
    try:
        from statsmodels.stats.inter_rater import cohens_kappa
    except ImportError:
        return Estimate(
            value=None,
            n=n,
            why="the published one-row table needs statsmodels: pip install 'epicene[stats]'",
        )
    import numpy as np
    from scipy.special import ndtri

    with np.errstate(invalid="ignore"):  # from another statistic, which is not used
        found = cohens_kappa(table)
    half = float(ndtri(0.975)) * float(found.std_kappa)
    value = float(found.kappa)
    return Estimate(value=value, low=value - half, high=value + half, n=n)
