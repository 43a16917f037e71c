"""`epicene.stats` imports nothing heavy before it is used."""

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
from epicene.stats import agreement, beta_fit, hypothesis_tests, intervals, paired_spread
a, b = [1, 0, 1, 1, 0, 0], [1, 1, 0, 1, 0, 0]
intervals.proportion(a, None, list("xxyyzz"))
intervals.clustered_difference(a, b, list("xxyyzz"))
hypothesis_tests.paired_t_test(a, b)
paired_spread.paired_spread(a, b).test()
hypothesis_tests.holm([0.1, 0.2]), hypothesis_tests.benjamini_hochberg([0.1, 0.2])
agreement.cohen(a, b), agreement.matthews(a, b), agreement.raw_agreement(a, b)
agreement.fleiss([*zip(a, b)]), agreement.krippendorff([*zip(a, b)], metric="ordinal")
beta_fit.beta_by_moments([0.1, 0.5, 0.3])
"""
    subprocess.run([sys.executable, "-c", code], check=True)
