"""Intervals, paired tests, corrections and agreement, each seeded and clustered by group.

One file per question: `proportions` (how often), `bootstrap` (how much, and the difference
between two), `paired` (is the difference chance), `correction` (over many tests), `agreement`
and `raters` (do two, or many, agree), `betafit`. This package imports nothing heavy; its files
import NumPy, and SciPy where it is used.
"""

from __future__ import annotations

from epicene.records import Record


class Test(Record, frozen=True, kw_only=True):
    """The outcome of a test on `n` pairs or groups, or a dash with the reason in `why`."""

    statistic: float | None
    p: float | None
    n: int = 0
    why: str = ""
