"""The room opens at once: nothing heavy is imported before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("epicene.stats", {"numpy", "scipy", "statsmodels", "polars"}),
        ("epicene.stats.intervals", {"scipy", "statsmodels", "polars"}),
        ("epicene.stats.agreement", {"scipy", "statsmodels", "polars"}),
    ],
)
def test_a_module_imports_nothing_it_may_not_need(module: str, absent: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not absent.intersection(loaded)


def test_every_statistic_works_without_statsmodels() -> None:
    code = """
import sys
sys.modules["statsmodels"] = None
from epicene.stats import agreement, betafit, bootstrap, correction, paired, proportions, raters
a, b = [1, 0, 1, 1, 0, 0], [1, 1, 0, 1, 0, 0]
proportions.proportion(a, None, list("xxyyzz"))
bootstrap.difference(a, b, list("xxyyzz"), method="bca")
paired.paired_t(a, b), paired.permutation(a, b), paired.mcnemar(a, b)
correction.holm([0.1, 0.2]), correction.benjamini_hochberg([0.1, 0.2])
agreement.cohen(a, b), agreement.matthews(a, b), agreement.raw_agreement(a, b)
raters.fleiss([*zip(a, b)]), raters.krippendorff([*zip(a, b)], metric="ordinal")
betafit.beta_by_moments([0.1, 0.5, 0.3])
"""
    subprocess.run([sys.executable, "-c", code], check=True)
