"""A logistic model of binomial counts with nested random effects, fitted by Laplace's method.

Each group has one random level and one random shift per kind of row. Their standard deviations and
the fixed effects maximise the marginal likelihood, in which each group's random effects are
integrated out by Laplace's approximation. statsmodels' `fit_map` maximises over the random effects
together with their deviations instead, and does not converge once shifts are in the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from epicene.stats.checks import Floats, Ints

_NEWTON_STEPS = 50
_CLOSE = 1e-10
_STEP = 1e-3  # of the numerical second derivatives
_FLAT = 1e-4


class Grid(NamedTuple):
    """Counts by group and row: successes and trials (group × row; 0 trials where a row lacks).

    `fixed` is group × row × effect; `kinds` numbers the kind of each row from 0.
    """

    successes: Floats
    trials: Floats
    fixed: Floats
    kinds: Ints


class Fitted(NamedTuple):
    """Fixed effects with their standard errors; deviations between groups, and within by kind."""

    effects: Floats
    errors: Floats
    between: float
    within: float
    log_likelihood: float


def fit(grid: Grid) -> Fitted:
    """The maximum of the marginal likelihood."""
    from scipy.optimize import minimize

    effects = grid.fixed.shape[2]
    start = np.concatenate([np.zeros(effects), [np.log(0.5), np.log(0.5)]])

    def loss(theta: Floats) -> float:
        deviations = np.exp(np.clip(theta[effects:], -8, 4))
        return -marginal(grid, theta[:effects], deviations)

    best = minimize(loss, start, method="BFGS", options={"gtol": 1e-3}).x
    between, within = np.exp(best[effects:]).tolist()
    return Fitted(
        effects=best[:effects],
        errors=_errors(_curvature(loss, best), effects),
        between=between,
        within=within,
        log_likelihood=-loss(best),
    )


def _errors(curvature: Floats, effects: int) -> Floats:
    """Standard errors of the fixed effects; NaN where the likelihood has no peak.

    A deviation that came out as nought is taken as known: the likelihood is flat around it.
    """
    known = np.diag(curvature) <= _FLAT
    known[:effects] = False
    kept = ~known
    if np.linalg.matrix_rank(curvature[np.ix_(kept, kept)]) < kept.sum():
        return np.full(effects, np.nan)
    variances = np.diag(np.linalg.inv(curvature[np.ix_(kept, kept)]))[:effects]
    return np.sqrt(np.where(variances > 0, variances, np.nan))


def marginal(grid: Grid, effects: Floats, deviations: Floats) -> float:
    """The log-likelihood without its binomial constants, random effects integrated out."""
    design = _random_design(grid.kinds) * np.concatenate(
        [deviations[:1], np.repeat(deviations[1], int(grid.kinds.max()) + 1)]
    )
    level = grid.fixed @ effects
    scores = np.zeros((len(level), design.shape[1]))
    for _ in range(_NEWTON_STEPS):
        mean, weights = _logistic(level + scores @ design.T, grid.trials)
        slope = (grid.successes - mean) @ design - scores
        curve = np.einsum("gr,ri,rj->gij", weights, design, design) + np.eye(design.shape[1])
        step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
        scores += np.clip(step, -2, 2)
        if np.abs(step).max() < _CLOSE:
            break
    eta = level + scores @ design.T
    fits = (grid.successes * eta - grid.trials * np.logaddexp(0, eta)).sum()
    _, weights = _logistic(eta, grid.trials)
    curve = np.einsum("gr,ri,rj->gij", weights, design, design) + np.eye(design.shape[1])
    return float(fits - (scores**2).sum() / 2 - np.linalg.slogdet(curve)[1].sum() / 2)


def _random_design(kinds: Ints) -> NDArray[np.float64]:
    """A column of ones for the group's level, and an indicator of each kind."""
    return np.column_stack([np.ones(len(kinds)), np.eye(int(kinds.max()) + 1)[kinds]])


def _logistic(eta: Floats, trials: Floats) -> tuple[Floats, Floats]:
    share = 1 / (1 + np.exp(-eta))
    return trials * share, trials * share * (1 - share)


def _curvature(loss: Callable[[Floats], float], at: Floats) -> Floats:
    """Second derivatives by central differences."""
    n = len(at)
    steps = _STEP * np.eye(n)
    curvature = np.empty((n, n))
    for i in range(n):
        for j in range(i, n):
            up, down = steps[i] + steps[j], steps[i] - steps[j]
            second = loss(at + up) - loss(at + down) - loss(at - down) + loss(at - up)
            curvature[i, j] = curvature[j, i] = second / (4 * _STEP**2)
    return curvature
