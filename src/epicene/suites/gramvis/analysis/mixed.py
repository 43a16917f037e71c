"""One pooled estimate: a logistic model with words as random effects.

The outcome is whether an image of a man or a woman shows the word's own gender. Words differ in
their level and in how they answer to a condition; without the second, errors of the effects would
come out as if images of one word were independent. The fit is Laplace's (statsmodels' `fit_map`;
its variational fit has errors up to five times too small), and a GEE with errors clustered by word
stands beside it: its effects are averages over words, and so nearer to 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from epicene.errors import InputError
from epicene.records import Estimate
from epicene.stats.checks import critical
from epicene.suites.gramvis.names import CONDITIONS, GRAMMARS

if TYPE_CHECKING:
    from epicene.stats.checks import Floats, Ints
    from epicene.suites.gramvis.analysis.words import Counts


class Fit(NamedTuple):
    """Log-odds by name, from the mixed model and from the GEE; the spread of words."""

    mixed: dict[str, Estimate]
    gee: dict[str, Estimate]
    spread: dict[str, float]


class _Design(NamedTuple):
    """One row per image: own gender or not, fixed effects, word, and word under condition."""

    own: Floats
    fixed: Floats
    names: tuple[str, ...]
    words: Ints
    answers: Ints


def fit(counts: Counts, level: float = 0.95) -> Fit:
    """Fit both models to all words and models."""
    try:
        from scipy import sparse
        from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM
        from statsmodels.genmod.cov_struct import Independence
        from statsmodels.genmod.families import Binomial
        from statsmodels.genmod.generalized_estimating_equations import GEE
    except ImportError as error:
        raise InputError(
            f"The mixed model needs the extra `stats` ({error}); install epicene[stats], or leave "
            "it out with --set mixed=false."
        ) from error
    design = _design(counts)
    random = _indicators(sparse, design.words)
    model = BinomialBayesMixedGLM(
        design.own, design.fixed, random, ident=np.zeros(random.shape[1], dtype=int)
    )
    mode = model.fit_map()
    gee = GEE(
        design.own,
        design.fixed,
        groups=design.words,
        family=Binomial(),
        cov_struct=Independence(),
    ).fit()
    spread = dict(zip(("word",), np.exp(mode.vcp_mean).tolist(), strict=True))
    return Fit(
        mixed=_named(design, mode.fe_mean, mode.fe_sd, level),
        gee=_named(design, gee.params, gee.bse, level),
        spread=spread,
    )


def _design(counts: Counts) -> _Design:
    """Each grammatical gender has its own level and effects; models shift both alike."""
    rows: list[list[float]] = []
    outcomes: list[tuple[int, int]] = []
    words: list[tuple[int, int]] = []
    present = [g for g in GRAMMARS if any(word.grammar == g for word in counts.words)]
    for place, word in enumerate(counts.words):
        of_grammar = [float(word.grammar == grammar) for grammar in present]
        own = 0 if word.grammar == "M" else 1
        for by in np.flatnonzero(counts.drawn[place]):
            drawer = [float(by == other) for other in range(1, len(counts.drawers))]
            for condition, name in enumerate(CONDITIONS):
                shown = counts.values[place, by, condition]
                # English is the level; the gendered prompt is set against each control in turn.
                shifts = [g * (name == other) for other in CONDITIONS[1:] for g in of_grammar]
                rows.append([*of_grammar, *shifts, *drawer])
                outcomes.append((int(shown[own]), int(shown[1 - own])))
                words.append((place, place * len(CONDITIONS) + condition))
    names = (
        *(f"level {grammar}" for grammar in present),
        *(f"{other} {grammar}" for other in CONDITIONS[1:] for grammar in present),
        *counts.drawers[1:],
    )
    images = np.array([own + other for own, other in outcomes])
    own_first = np.concatenate([np.repeat((1.0, 0.0), pair) for pair in outcomes] or [np.empty(0)])
    codes = np.repeat(np.array(words), images, axis=0)
    return _Design(
        own=own_first,
        fixed=np.repeat(np.array(rows), images, axis=0),
        names=names,
        words=np.unique(codes[:, 0], return_inverse=True)[1],
        answers=np.unique(codes[:, 1], return_inverse=True)[1],
    )


def _indicators(sparse: Any, codes: Ints) -> Any:
    return sparse.csr_matrix((np.ones(len(codes)), (np.arange(len(codes)), codes)))


def _named(design: _Design, means: Floats, errors: Floats, level: float) -> dict[str, Estimate]:
    reach = critical(level)
    return {
        name: Estimate(
            value=float(mean),
            low=float(mean - reach * error),
            high=float(mean + reach * error),
            n=len(design.own),
        )
        for name, mean, error in zip(design.names, means, errors, strict=True)
    }
