"""The known rates or effects planted in models, next to what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.suites.headline_metrics import planted_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from epicene.results.summary import Summary
    from epicene.show.model_profiles import HeadlineResult


_NOTES = (
    "The planted value is the true value of the headline, including the known errors of the "
    "judges.",
    "One in twenty 95 % intervals is expected not to contain it.",
)


def planted_table(results: Iterable[tuple[Summary, Sequence[HeadlineResult]]]) -> Table:
    """One row per headline and model for which the true value is known."""
    rows = []
    for summary, entries in results:
        for entry in entries:
            for run in summary.runs:
                planted = planted_value(summary.suite, entry.headline.name, run.info)
                if planted is not None and not entry.language:
                    found = entry.estimates[run.info.model]
                    rows.append(
                        Row(
                            keys=(summary.suite.card.title, run.info.model, entry.headline.name),
                            cells=(Estimate(value=planted), found, _verdict(planted, found)),
                        )
                    )
    return Table(
        name="planted",
        title="Planted and measured values",
        levels=("suite", "model", "headline"),
        columns=(
            Column(name="planted", unit="number", decimals=3),
            Column(name="recovered", unit="number", decimals=3),
            Column(name="in the interval", unit="text"),
        ),
        rows=tuple(rows),
        notes=_NOTES,
    )


def _verdict(planted: float, found: Estimate) -> str:
    if found.low is None or found.high is None:
        return "no interval"
    return "yes" if found.low <= planted <= found.high else "no"
