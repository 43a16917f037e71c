"""A logistic mixed model with words as random effects, fitted by Laplace's approximation.

The outcome is whether an image of a man or a woman shows the word's own gender. Words have a random
level and a random shift per condition; a GEE with errors clustered by word is reported as a check.
statsmodels' `fit_map` does not converge once shifts are in the model.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.core.records import Estimate
from epicene.stats.arrays import critical_value
from epicene.suites.gramvis.items import CONDITIONS, GRAMMARS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from epicene.stats.arrays import Floats, Ints
    from epicene.suites.gramvis.counts import CountArray

_NEWTON_STEPS = 50
_CLOSE = 1e-10
_STEP = 1e-3  # of the numerical second derivatives
_FLAT = 1e-4
_LEVEL = 0.95


class CountGrid(NamedTuple):
    """Counts by group and row: successes and trials (group × row; 0 trials where a row lacks).

    `fixed` is group × row × effect; `kinds` numbers the kind of each row from 0.
    """

    successes: Floats
    trials: Floats
    fixed: Floats
    kinds: Ints


class LaplaceFit(NamedTuple):
    """Fixed effects with their standard errors; deviations between groups, and within by kind."""

    effects: Floats
    errors: Floats
    between: float
    within: float


def fit_laplace(grid: CountGrid) -> LaplaceFit:
    """The maximum of the marginal likelihood."""
    from scipy.optimize import minimize

    effects = grid.fixed.shape[2]
    start = np.concatenate([np.zeros(effects), [np.log(0.5), np.log(0.5)]])

    def loss(theta: Floats) -> float:
        deviations = np.exp(np.clip(theta[effects:], -8, 4))
        return -marginal_log_likelihood(grid, theta[:effects], deviations)

    best = minimize(loss, start, method="BFGS", options={"gtol": 1e-3}).x
    between, within = np.exp(best[effects:]).tolist()
    return LaplaceFit(
        effects=best[:effects],
        errors=_standard_errors(_curvature(loss, best), effects),
        between=between,
        within=within,
    )


def _standard_errors(curvature: Floats, effects: int) -> Floats:
    """Standard errors of the fixed effects; NaN where the likelihood has no peak.

    A deviation estimated as zero is treated as known: the likelihood is flat around it.
    """
    known = np.diag(curvature) <= _FLAT
    known[:effects] = False
    kept = ~known
    if np.linalg.matrix_rank(curvature[np.ix_(kept, kept)]) < kept.sum():
        return np.full(effects, np.nan)
    variances = np.diag(np.linalg.inv(curvature[np.ix_(kept, kept)]))[:effects]
    return np.sqrt(np.where(variances > 0, variances, np.nan))


def marginal_log_likelihood(grid: CountGrid, effects: Floats, deviations: Floats) -> float:
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


# Log-odds beyond this, or that may be off by as much, are on their way to infinity.
_DIVERGED_LOG_ODDS = 12.0
_NO_STATSMODELS = "statsmodels is not installed (`pip install 'epicene[stats]'`)"
_SEPARATED = "the data do not bound it: only one gender is shown, or there are too few words"


class MixedModelFit(NamedTuple):
    """Log-odds by name, from the mixed model and from the GEE, and how much words vary in them."""

    mixed: dict[str, Estimate]
    gee: dict[str, Estimate]
    spread: dict[str, float]


def fit_mixed_model(counts: CountArray) -> MixedModelFit:
    """Fit both models to all words and models."""
    names, grid = design_grid(counts)
    mixed = fit_laplace(grid)
    images = int(grid.trials.sum())
    return MixedModelFit(
        mixed=_named_estimates(names, mixed.effects, mixed.errors, images),
        gee=_gee_estimates(names, grid, images),
        spread={"word": mixed.between, "word under a condition": mixed.within},
    )


def design_grid(counts: CountArray) -> tuple[tuple[str, ...], CountGrid]:
    """Each grammatical gender has its own level under English and its own shifts from it.

    A group is a word, a row is one drawing model under one condition; a model's shift is the same
    for all words and conditions.
    """
    present = [g for g in GRAMMARS if any(word.grammar == g for word in counts.words)]
    drawers, conditions = len(counts.drawers), len(CONDITIONS)
    own = np.array([word.grammar == "F" for word in counts.words], dtype=np.int64)
    seen = counts.values[..., :2].reshape(len(own), drawers * conditions, 2)
    condition = np.tile(np.arange(conditions), drawers)
    drawer = np.repeat(np.arange(drawers), conditions)
    columns = []
    for shift in range(conditions):
        for grammar in present:
            words = np.array([word.grammar == grammar for word in counts.words])
            rows = np.ones_like(condition, dtype=bool) if shift == 0 else condition == shift
            columns.append(np.outer(words, rows))
    columns += [np.outer(np.ones_like(own), drawer == other) for other in range(1, drawers)]
    names = (
        *(f"level {grammar}" for grammar in present),
        *(f"{other} {grammar}" for other in CONDITIONS[1:] for grammar in present),
        *counts.drawers[1:],
    )
    return names, CountGrid(
        successes=np.take_along_axis(seen, own[:, None, None], axis=2)[:, :, 0],
        trials=seen.sum(axis=2),
        fixed=np.stack(columns, axis=2).astype(np.float64),
        kinds=condition,
    )


def _gee_estimates(names: tuple[str, ...], grid: CountGrid, images: int) -> dict[str, Estimate]:
    fitted = fit_gee(grid)
    if fitted is None:
        return {name: Estimate(value=None, n=images, why=_NO_STATSMODELS) for name in names}
    return _named_estimates(names, *fitted, images)


def fit_gee(grid: CountGrid) -> tuple[Floats, Floats] | None:
    """Fixed effects by generalised estimating equations, errors clustered by group.

    None if statsmodels is not installed.
    """
    try:
        from statsmodels.genmod.cov_struct import Independence
        from statsmodels.genmod.families import Binomial
        from statsmodels.genmod.generalized_estimating_equations import GEE
    except ImportError:
        return None
    kept = grid.trials > 0
    words = np.broadcast_to(np.arange(len(kept))[:, None], kept.shape)[kept]
    with warnings.catch_warnings():
        # What could not be fitted is NaN, and its cell says so.
        warnings.simplefilter("ignore")
        try:
            fitted = GEE(
                grid.successes[kept] / grid.trials[kept],
                grid.fixed[kept],
                groups=words,
                family=Binomial(),
                cov_struct=Independence(),
                weights=grid.trials[kept],
            ).fit()
            return np.asarray(fitted.params), np.asarray(fitted.bse)
        except (np.linalg.LinAlgError, ValueError):
            return np.full(grid.fixed.shape[2], np.nan), np.full(grid.fixed.shape[2], np.nan)


def _named_estimates(
    names: tuple[str, ...], means: Floats, errors: Floats, images: int
) -> dict[str, Estimate]:
    if not (
        np.isfinite(errors).all() and max(np.abs(means).max(), errors.max()) < _DIVERGED_LOG_ODDS
    ):
        return {name: Estimate(value=None, n=images, why=_SEPARATED) for name in names}
    reach = critical_value(_LEVEL)
    return {
        name: Estimate(
            value=float(mean),
            low=float(mean - reach * error),
            high=float(mean + reach * error),
            n=images,
        )
        for name, mean, error in zip(names, means, errors, strict=True)
    }
