"""Tables about a suite's data: how many items and groups, and the suite's own statistics."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from epicene.core.records import Column, Estimate, Row, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.core.records import Item
    from epicene.suites import Protocol, Suite


def data_tables(
    suite: Suite[Any, Any], protocol: Protocol, items: Sequence[Item], data: str
) -> tuple[Table, ...]:
    """The number of items and groups by language, then the suite's own tables of its data."""
    by_language = Counter(item.language or "–" for item in items)
    groups = Counter(name for name, _ in {(i.language or "–", i.cluster) for i in items})
    counts = Table(
        name="items",
        title=f"{suite.card.title}: {data}",
        levels=("language",),
        columns=(Column(name="items", unit="count"), Column(name="groups", unit="count")),
        rows=tuple(
            Row(keys=(name,), cells=(_count(by_language[name]), _count(groups[name])))
            for name in sorted(by_language)
        ),
    )
    return (counts, *(suite.statistics(items, protocol) if suite.statistics is not None else ()))


def _count(number: int) -> Estimate:
    return Estimate(value=number, n=number)
