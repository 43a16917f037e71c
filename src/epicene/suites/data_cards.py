"""Markdown for data cards: tables, estimates with intervals, and counts of dropped rows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.core.records import Estimate
    from epicene.suites.construction import StepRow


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of a Markdown table."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        cells = (str(cell).replace("|", "\\|") for cell in row)
        yield f"| {' | '.join(cells)} |"


def format_estimate(estimate: Estimate, times: int = 1) -> str:
    """A number with its interval, or why there is none."""
    if estimate.value is None:
        return f"– ({estimate.why})"
    unit, decimals = (" %", 1) if times == 100 else ("", 2)
    number = f"{estimate.value * times:.{decimals}f}{unit}"
    if estimate.low is None or estimate.high is None:
        return number
    ends = f"[{estimate.low * times:.{decimals}f}, {estimate.high * times:.{decimals}f}]"
    return f"{number} {ends}" + (" (few groups)" if estimate.few_groups else "")


def warnings_section(what: str, rows: Iterable[StepRow]) -> Iterator[str]:
    """The section with the warnings of the rows that have some."""
    found = [(row["id"], " ".join(row["warnings"])) for row in rows if row["warnings"]]
    yield from ("## What to check by hand", "")
    yield from markdown_table((what, "warning"), found) if found else ("Nothing.",)


def dropped_reasons(rows: Iterable[StepRow]) -> str:
    """How many rows were dropped for each reason; all repetitions are one reason."""
    reasons = Counter(
        "repeats another" if row["dropped"].startswith("repeats ") else row["dropped"]
        for row in rows
        if row["dropped"]
    )
    return "; ".join(f"{number} ({why.rstrip('.')})" for why, number in reasons.items()) or "none"
