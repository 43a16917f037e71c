"""Paired t-tests over words: does the gendered prompt change a word's share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epicene.records import Estimate
from epicene.stats import Test
from epicene.stats.correction import holm
from epicene.stats.paired import paired_t
from epicene.suites.gramvis.analysis.averages import columns

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    from epicene.suites.gramvis.analysis.averages import Rule
    from epicene.suites.gramvis.analysis.words import Part

    KeyT = TypeVar("KeyT")

LEVELS = (0.05, 0.01, 0.001)


def paired_test(
    part: Part,
    control: str,
    label: str,
    *,
    with_neither: bool = False,
    empty: Rule = "words",
    by_word: bool = False,
    infinite: bool = False,
) -> Test:
    """The test of gendered against control shares.

    Rows without a share in one of the two are left out, unless `empty` gives them one. `by_word`
    takes a word drawn by several models for one observation. `infinite` calls differences that
    are all equal, and not nought, significant beyond measure, as t = ∞ would.
    """
    pairs = [
        columns(part, condition, label, empty, with_neither=with_neither)
        for condition in ("gendered", control)
    ]
    kept = (pairs[0][1] > 0) & (pairs[1][1] > 0)
    gendered, neutral = (above[kept] for above, _ in pairs)
    test = paired_t(gendered, neutral, part.words[kept] if by_word else None)
    same = test.p is None and test.n > 1
    if infinite and same and not np.isclose(gendered.mean(), neutral.mean()):
        return Test(statistic=None, p=0.0, n=test.n, why=test.why)
    return test


def stars(p: float | None, most: int = 3) -> str:
    """A star for each level that p stays below."""
    return "" if p is None else "*" * min(most, sum(p < level for level in LEVELS))


def shown(test: Test, mark: str = "") -> Estimate:
    """A test's p as a cell of a table."""
    return Estimate(value=test.p, n=test.n, why="" if test.p is not None else test.why, mark=mark)


def holm_over(tests: Mapping[KeyT, Test]) -> dict[KeyT, Test]:
    """The same tests with p after Holm, all of them one family."""
    adjusted = holm([test.p for test in tests.values()])
    return {
        key: Test(statistic=test.statistic, p=p, n=test.n, why=test.why)
        for (key, test), p in zip(tests.items(), adjusted, strict=True)
    }
