"""A mean over repeated draws of the same prompts, and how far further draws may move it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.core.errors import InputError
from epicene.stats import SignificanceResult
from epicene.stats.arrays import finite_floats
from epicene.stats.jackknife import Spread, estimate_of_spread

if TYPE_CHECKING:
    from epicene.core.records import Estimate
    from epicene.stats.arrays import Floats

_LEVEL = 0.05


class DrawnMean(NamedTuple):
    """A mean over draws of the same prompts, and whether draws differ more than independent answers
    would by chance."""

    estimate: Estimate
    alike: SignificanceResult  # small p: the answers of one draw have something in common


def mean_over_draws(values: Floats, *, level: float = 0.95) -> DrawnMean:
    """The mean of values between 0 and 1 (prompt × draw), over further draws of these prompts.

    The variance is that of each prompt's own draws, with Satterthwaite's degrees of freedom; it
    assumes that answers are drawn independently. If the means of the draws differ significantly
    more than that (an F test at 5 %), the variance of those means is used, with one degree of
    freedom fewer than draws. If no prompt changes, the interval covers the share of changing
    prompts that is still plausible when none was seen.
    """
    if values.ndim != 2 or values.shape[1] < 2 or not len(values):
        raise InputError("Draws must be a table of prompts × draws with at least two draws.")
    finite_floats(values.ravel(), "values")
    prompts, draws = values.shape
    # Sorted, so that the same prompts in another order give the same bits.
    own = np.sort(values.var(axis=1, ddof=1))
    variance = float(own.sum()) / (draws * prompts**2)
    means = np.sort(np.sort(values, axis=0).mean(axis=0))
    if not variance:
        found, test = Spread(prompts, 0.0, 0.0), _never_change(draws)
    else:
        freedom = (draws - 1) * float(own.sum()) ** 2 / float(np.sum(own**2))
        between = float(means.var(ddof=1)) / draws
        test = _test(between / variance, draws, freedom)
        found = Spread(prompts, variance, freedom)
        if test.p is not None and test.p < _LEVEL:
            found = Spread(prompts, between, draws - 1)
    return DrawnMean(
        estimate_of_spread(
            float(means.mean()),
            found,
            n=values.size,
            level=level,
            bounds=(0.0, 1.0),
            scale="difference",
        ),
        test,
    )


def _never_change(draws: int) -> SignificanceResult:
    return SignificanceResult(statistic=None, p=None, n=draws, why="no answer changes")


def _test(ratio: float, draws: int, freedom: float) -> SignificanceResult:
    from scipy.special import fdtrc

    p = float(fdtrc(draws - 1, freedom, ratio))
    return SignificanceResult(statistic=ratio, p=p, n=draws)
