"""The metrics of runs as tables with readable names: shares in per cent, other numbers
separately."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.results.summary import Summary
    from epicene.suites import SuiteCard

_ANY = "*"
_MISSING = Estimate(value=None, why="nothing was judged")


def metric_label(name: str, labels: Mapping[str, str]) -> str:
    """What a metric is, in a few words: its own label, or that of the first pattern it matches."""
    if name in labels:
        return labels[name]
    for pattern, label in labels.items():
        if (part := _part(name, pattern)) is not None:
            return label.replace(_ANY, metric_label(part, labels))
    return name.replace("_", " ")


def _part(name: str, pattern: str) -> str | None:
    """What the `*` of a pattern matches in a name."""
    found = re.fullmatch(re.escape(pattern).replace(r"\*", "(.+)"), name)
    return found[1] if found and found.groups() else None


def is_share(name: str, card: SuiteCard) -> bool:
    """Whether a metric is a share; not known for a suite without labels."""
    if not card.metrics:
        return False
    return not any(fnmatchcase(name, pattern) for pattern in card.numbers)


def metrics_tables(summary: Summary, card: SuiteCard) -> Iterator[Table]:
    """All metrics of all runs, one row per metric: shares in per cent, then the other numbers."""
    names = list(dict.fromkeys(name for run in summary.runs for name in run.metrics))
    shares = [name for name in names if is_share(name, card)]
    others = [name for name in names if name not in shares]
    if shares:
        yield _table(summary, card, shares, "All metrics, %", Column(name="", unit="share"))
    if others:
        column = Column(name="", unit="number", decimals=3)
        title = "Other metrics" if shares else "All metrics"
        yield _table(summary, card, others, title, column)


def _table(
    summary: Summary, card: SuiteCard, names: Sequence[str], title: str, column: Column
) -> Table:
    return Table(
        name="metrics",
        title=title,
        levels=("metric", "key"),
        columns=tuple(
            Column(name=run.info.model, unit=column.unit, decimals=column.decimals)
            for run in summary.runs
        ),
        rows=tuple(
            Row(
                keys=(metric_label(name, card.metrics), name),
                cells=tuple(run.metrics.get(name, _MISSING) for run in summary.runs),
            )
            for name in names
        ),
    )
