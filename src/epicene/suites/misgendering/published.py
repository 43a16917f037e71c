"""The paper's own figures, and Cohen's κ as its authors computed it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Estimate
from epicene.stats import paired_agreement

if TYPE_CHECKING:
    import polars


def published_kappa(pairs: polars.DataFrame, *, clustered: bool = False) -> Estimate:
    """κ of the table of the values that occur, which is 1 × 2 where one format never errs.

    The library that the authors used takes such a table and gives it an interval (Table 4,
    Mixtral-8x22B, xe: 0.000 ± 0.185) that means nothing. Everywhere else this is the usual κ.
    """
    if not len(pairs) or (pairs["a"].n_unique() > 1) == (pairs["b"].n_unique() > 1):
        return paired_agreement.kappa(pairs, clustered=clustered)
    try:
        from statsmodels.stats.inter_rater import cohens_kappa
    except ImportError:
        return Estimate(
            value=None,
            n=len(pairs),
            why="the published table of one row needs statsmodels: pip install 'epicene[stats]'",
        )
    import numpy as np
    from scipy.special import ndtri

    table = [
        [
            len(pairs.filter((pairs["a"] == one) & (pairs["b"] == other)))
            for other in sorted(pairs["b"].unique())
        ]
        for one in sorted(pairs["a"].unique())
    ]
    with np.errstate(invalid="ignore"):  # of a further statistic that nobody asks for
        found = cohens_kappa(table)
    half = float(ndtri(0.975)) * float(found.std_kappa)
    value = float(found.kappa)
    return Estimate(value=value, low=value - half, high=value + half, n=len(pairs))
