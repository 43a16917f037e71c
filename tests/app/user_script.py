"""What a user's script looks like: it runs in a test, and `mypy --strict` checks it."""

from __future__ import annotations

from pathlib import Path

import polars as pl

import epicene


def measure(folder: Path) -> pl.DataFrame:
    """Run a suite twice, compare, report, and return the metrics of the first run."""
    first = epicene.run("alternations", model="random:1", limit=5, out=folder / "a", progress=False)
    second = epicene.run(
        "alternations", model="random:2", limit=5, out=folder / "b", progress=False
    )
    wrong = first.items(columns=["item", "name"], where=pl.col("outcome") == "wrong")
    assert set(wrong.columns) == {"item", "name"}
    comparison: epicene.Comparison = epicene.compare(first, second)
    assert comparison.metrics().height
    page: Path = epicene.report(first, second, out=folder / "report.html")
    assert page.stat().st_size > 0
    name: str = next(iter(first.figures))
    first.figure(name).save(folder / "figure.svg")
    return epicene.load(folder / "a").metrics()
