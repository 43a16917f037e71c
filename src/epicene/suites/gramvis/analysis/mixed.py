"""One pooled estimate: a logistic model with words as random effects.

The outcome is whether an image of a man or a woman shows the word's own gender. Words differ in
their level and in how they answer to a condition; without the second, errors of the effects would
come out as if images of one word under one condition were independent. A GEE with errors clustered
by word stands beside it as a check: its effects are averages over words, and so nearer to 0.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.errors import InputError
from epicene.records import Estimate
from epicene.stats.checks import critical
from epicene.suites.gramvis.analysis import laplace
from epicene.suites.gramvis.names import CONDITIONS, GRAMMARS

if TYPE_CHECKING:
    from epicene.stats.checks import Floats
    from epicene.suites.gramvis.analysis.words import Counts


# Log-odds beyond this, or that may be off by as much, are on their way to infinity.
_NO_END = 12.0
_SEPARATED = "the data do not bound it: one gender only is shown, or there are too few words"


class Fit(NamedTuple):
    """Log-odds by name, from the mixed model and from the GEE; how far words spread in them."""

    mixed: dict[str, Estimate]
    gee: dict[str, Estimate]
    spread: dict[str, float]


def fit(counts: Counts, level: float = 0.95) -> Fit:
    """Fit both models to all words and models."""
    names, grid = design(counts)
    mixed = laplace.fit(grid)
    images = int(grid.trials.sum())
    return Fit(
        mixed=_named(names, mixed.effects, mixed.errors, images, level),
        gee=_named(names, *gee(grid), images, level),
        spread={"word": mixed.between, "word under a condition": mixed.within},
    )


def design(counts: Counts) -> tuple[tuple[str, ...], laplace.Grid]:
    """Each grammatical gender has its own level under English and its own shifts from it.

    A group is a word, a row one drawing model under one condition; models shift all alike.
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
    return names, laplace.Grid(
        successes=np.take_along_axis(seen, own[:, None, None], axis=2)[:, :, 0],
        trials=seen.sum(axis=2),
        fixed=np.stack(columns, axis=2).astype(np.float64),
        kinds=condition,
    )


def gee(grid: laplace.Grid) -> tuple[Floats, Floats]:
    """Fixed effects by generalised estimating equations, errors clustered by group."""
    try:
        from statsmodels.genmod.cov_struct import Independence
        from statsmodels.genmod.families import Binomial
        from statsmodels.genmod.generalized_estimating_equations import GEE
    except ImportError as error:
        raise InputError(
            f"The mixed model's check needs the extra `stats` ({error}); install epicene[stats], "
            "or leave both out with --set mixed=false."
        ) from error
    kept = grid.trials > 0
    words = np.broadcast_to(np.arange(len(kept))[:, None], kept.shape)[kept]
    with warnings.catch_warnings():
        # What could not be fitted comes out as NaN and is said in its cell.
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


def _named(
    names: tuple[str, ...], means: Floats, errors: Floats, images: int, level: float
) -> dict[str, Estimate]:
    if not (np.isfinite(errors).all() and max(np.abs(means).max(), errors.max()) < _NO_END):
        return {name: Estimate(value=None, n=images, why=_SEPARATED) for name in names}
    reach = critical(level)
    return {
        name: Estimate(
            value=float(mean),
            low=float(mean - reach * error),
            high=float(mean + reach * error),
            n=images,
        )
        for name, mean, error in zip(names, means, errors, strict=True)
    }
