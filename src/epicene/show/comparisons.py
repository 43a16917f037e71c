"""Which models differ significantly, read from the very table that stands on the page.

Up to a few models that is the table of paired differences; with more, the table of places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.core.records import Column, Estimate
from epicene.show.layout import format_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.core.records import Table
    from epicene.show.model_comparison import ModelComparison

DIFFERENCE, ADJUSTED = "difference", "p (Holm)"  # columns of the table of differences
_P = Column(name="", unit="p")


class Compared(NamedTuple):
    """One model against another by one headline: whether it is significantly better, or worse."""

    better: bool
    worse: bool
    p: str = ""  # as the table prints it: `= .211`, `< .001`; "" where it prints none


Comparisons = dict[tuple[str, str, str], Compared]  # by headline, model and other model


def comparisons_of(comparison: ModelComparison) -> Comparisons:
    """Every pair of models that was compared, in both directions."""
    if comparison.changes is not None:
        return _from_differences(comparison.changes)
    return {
        (headline, one.model, other.model): Compared(
            other.model in one.better_than, one.model in other.better_than
        )
        for headline, ranking in comparison.ranks.items()
        for one in ranking.models
        for other in ranking.models
        if one != other
    }


def _from_differences(table: Table) -> Comparisons:
    from epicene.stats.ranking import SIGNIFICANCE_LEVEL

    names = [column.name for column in table.columns]
    found: Comparisons = {}
    for row in table.rows:
        headline, first, second = row.keys
        difference, p = (row.cells[names.index(name)] for name in (DIFFERENCE, ADJUSTED))
        if not isinstance(difference, Estimate) or not isinstance(p, Estimate):
            raise TypeError(f"Table {table.name!r} has text where its numbers should be.")
        gap = difference.value or 0.0
        sure = p.value is not None and p.value < SIGNIFICANCE_LEVEL
        told = p_text(p.value)
        found[headline, second, first] = Compared(sure and gap > 0, sure and gap < 0, told)
        found[headline, first, second] = Compared(sure and gap < 0, sure and gap > 0, told)
    return found


def p_text(p: float | None) -> str:
    """A p-value after the letter p: `= .043`, `< .001`."""
    if p is None:
        return "not defined"
    text = format_number(p, _P)
    return f"< {text[1:]}" if text.startswith("<") else f"= {text}"


def letters_of(
    found: Mapping[tuple[str, str, str], Compared], headline: str, models: Sequence[str]
) -> dict[str, str]:
    """A letter or more for each model: those that share one do not differ significantly.

    Empty where no two differ, or where some were not compared.
    """
    import numpy as np

    from epicene.stats.ranking import compact_letter_display

    better = np.zeros((len(models), len(models)), dtype=bool)
    for row, one in enumerate(models):
        for column, other in enumerate(models):
            if one == other:
                continue
            if (headline, one, other) not in found:
                return {}
            better[row, column] = found[headline, one, other].better
    if not better.any():
        return {}
    order = sorted(range(len(models)), key=lambda one: -int(better[one].sum()))
    return dict(zip(models, compact_letter_display(better, order), strict=True))
