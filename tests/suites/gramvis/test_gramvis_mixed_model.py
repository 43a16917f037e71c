"""The mixed model against numerical integration, known truths, statsmodels and a GEE."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from epicene.show.table_formats import as_json
from epicene.suites.gramvis.counts import count_array
from epicene.suites.gramvis.mixed_model import (
    CountGrid,
    design_grid,
    fit_gee,
    fit_laplace,
    marginal_log_likelihood,
)
from epicene.suites.gramvis.mixed_model import fit_mixed_model as fit_both
from epicene.suites.gramvis.tables import tables
from suites.gramvis.gramvis_counts import counted, results

NONE = 1e-9


def simulated(words: int, effects: tuple[float, float, float], seed: int) -> CountGrid:
    """Level, two shifts; words spread by 0.8 in level and 0.6 under a condition; three models."""
    rng = np.random.default_rng(seed)
    kinds = np.tile(np.arange(3), 3)
    fixed = np.column_stack([np.ones(9), kinds == 1, kinds == 2]).astype(float)
    fixed = np.broadcast_to(fixed, (words, 9, 3)).copy()
    spread = rng.normal(0, 0.8, (words, 1)) + rng.normal(0, 0.6, (words, 3))[:, kinds]
    share = 1 / (1 + np.exp(-(fixed @ np.array(effects) + spread)))
    trials = np.full((words, 9), 16.0)
    return CountGrid(rng.binomial(16, share).astype(float), trials, fixed, kinds)


def test_laplace_is_near_numerical_integration() -> None:
    """With a random level alone the integral over it has one dimension."""
    grid = simulated(30, (-1.0, 0.5, 2.0), seed=1)
    effects, sigma = np.array([-0.9, 0.4, 1.8]), 0.9
    nodes, weights = hermegauss(80)
    eta = (grid.fixed @ effects)[:, :, None] + sigma * nodes
    logs = grid.successes[:, :, None] * eta - grid.trials[:, :, None] * np.logaddexp(0, eta)
    logs = logs.sum(axis=1)
    top = logs.max(axis=1, keepdims=True)
    integral = np.log(np.exp(logs - top) @ weights / np.sqrt(2 * np.pi)) + top[:, 0]
    assert marginal_log_likelihood(grid, effects, np.array([sigma, NONE])) == pytest.approx(
        integral.sum(), abs=0.02 * len(integral)
    )


def test_without_spread_it_is_the_plain_likelihood() -> None:
    grid = simulated(10, (-1.0, 0.5, 2.0), seed=2)
    effects = np.array([-0.9, 0.4, 1.8])
    eta = grid.fixed @ effects
    plain = (grid.successes * eta - grid.trials * np.logaddexp(0, eta)).sum()
    assert marginal_log_likelihood(grid, effects, np.array([NONE, NONE])) == pytest.approx(plain)


def test_known_effects_are_found_and_errors_are_honest() -> None:
    truth = np.array([-1.0, 0.5, 2.0])
    gaps = []
    for seed in range(8):
        found = fit_laplace(simulated(60, (-1.0, 0.5, 2.0), seed))
        gaps.append((found.effects - truth) / found.errors)
        assert found.between == pytest.approx(0.8, abs=0.3)
        assert found.within == pytest.approx(0.6, abs=0.2)
    # Eight times three z-scores: their mean square is 1, give or take 0.3.
    assert 0.3 < float(np.mean(np.square(gaps))) < 1.9


def test_it_agrees_with_a_gee_once_averaged_over_words() -> None:
    grid = simulated(120, (-1.0, 0.5, 2.0), seed=3)
    found = fit_laplace(grid)
    averaged = found.effects / np.sqrt(1 + 0.346 * (found.between**2 + found.within**2))
    fitted = fit_gee(grid)
    assert fitted is not None
    means, errors = fitted
    assert averaged == pytest.approx(means, abs=0.08)
    # The mixed model's errors are no smaller than the GEE's, on its own, larger scale.
    assert (found.errors > 0.9 * errors).all()


def test_without_statsmodels_the_gee_is_a_dash_and_all_else_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("cov_struct", "families", "generalized_estimating_equations"):
        monkeypatch.setitem(sys.modules, f"statsmodels.genmod.{name}", None)
    words = [
        item
        for n in range(4)
        for item in counted(f"w{n}", ((4, 4 + n, 0), (5, 3, n), (7, 1 + n, 0)))
    ]
    made = {table.name: as_json(table) for table in tables(results(words, "epicene"))}
    assert {"3", "11", "mixed"} <= made.keys()
    level: Any = made["mixed"]["level M"]
    assert level["GEE"]["value"] is None
    assert "statsmodels is not installed" in level["GEE"]["why"]
    assert level["mixed model"]["value"] is not None


def test_it_agrees_with_statsmodels_where_words_differ_in_level_alone() -> None:
    from scipy import sparse
    from scipy.optimize import minimize
    from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

    grid = simulated(60, (-1.0, 0.5, 2.0), seed=4)

    def loss(theta: NDArray[np.float64]) -> float:
        return -marginal_log_likelihood(grid, theta[:3], np.array([np.exp(theta[3]), NONE]))

    ours = minimize(loss, np.zeros(4), method="BFGS").x
    times = np.stack([grid.successes, grid.trials - grid.successes], axis=-1).astype(int).ravel()
    outcomes = np.repeat(np.tile([1.0, 0.0], grid.trials.size), times)
    rows = np.repeat(np.repeat(grid.fixed.reshape(-1, 3), 2, axis=0), times, axis=0)
    words = np.repeat(np.repeat(np.arange(60), 18), times)
    random = sparse.csr_matrix((np.ones(len(words)), (np.arange(len(words)), words)))
    model = BinomialBayesMixedGLM(
        outcomes, rows, random, ident=np.zeros(60, dtype=int), vcp_p=10, fe_p=100
    )
    theirs = model.fit_map()
    assert ours[:3] == pytest.approx(theirs.fe_mean, abs=0.05)
    assert np.exp(ours[3]) == pytest.approx(np.exp(theirs.vcp_mean[0]), rel=0.1)


def test_the_design_speaks_of_the_own_gender() -> None:
    items = [
        *counted("m", ((1, 3, 5), (2, 2, 0), (4, 0, 0))),
        *counted("f", ((1, 3, 0), (2, 2, 0), (4, 0, 0)), grammar="F"),
        *counted("f", ((0, 0, 4), (1, 3, 0), (0, 4, 0)), grammar="F", drawer="ideogram"),
    ]
    names, grid = design_grid(count_array(results(items).frame))
    assert names == (
        "level M", "level F", "chinese M", "chinese F", "gendered M", "gendered F", "ideogram",
    )  # fmt: skip
    assert grid.successes.tolist() == [[1, 2, 4, 0, 0, 0], [3, 2, 0, 0, 3, 4]]
    assert grid.trials.tolist() == [[4, 4, 4, 0, 0, 0], [4, 4, 4, 0, 4, 4]]
    assert grid.fixed[1, 5].tolist() == [0, 1, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("words", [1, 3])
def test_what_the_data_do_not_bound_is_said(words: int) -> None:
    items = [
        item
        for place in range(words)
        for item in counted(f"w{place}", ((4, 0, 0), (4, 0, 0), (4, 0, 0)))
    ]
    made = fit_both(count_array(results(items).frame))
    for estimate in (*made.mixed.values(), *made.gee.values()):
        assert estimate.value is None
        assert "do not bound" in estimate.why


def test_words_that_do_not_differ_still_have_errors() -> None:
    grid = simulated(20, (-1.0, 0.5, 2.0), seed=5)
    alike = grid._replace(successes=np.broadcast_to([4.0, 6.0, 12.0] * 3, (20, 9)).copy())
    found = fit_laplace(alike)
    assert found.effects[0] == pytest.approx(np.log(4 / 12), abs=1e-2)
    assert found.effects[2] == pytest.approx(np.log(12 / 4) - np.log(4 / 12), abs=1e-2)
    # As if all images were apart: 960 under each condition.
    assert found.errors[0] == pytest.approx(np.sqrt(1 / 240 + 1 / 720), rel=0.05)
