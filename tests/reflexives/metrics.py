"""Accuracy by format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.stats.tabulate import accuracy

if TYPE_CHECKING:
    from epicene.core.records import Estimate
    from epicene.suites import Results
    from reflexives.protocol import ReflexiveProtocol


def all_metrics(results: Results[ReflexiveProtocol]) -> dict[str, Estimate]:
    """Accuracy by probability and by generation."""
    import polars as pl

    return {
        f"accuracy_{name}": accuracy(results.frame.filter(pl.col("format") == name))
        for name in ("probability", "generation")
    }
