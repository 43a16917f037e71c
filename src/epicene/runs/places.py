"""Where a request stands in a run: one integer that never moves.

A place is section (which stage and model), item, and which of the item's requests. It depends on
nothing that may fail or be added later, so a resumed run finds every answer where it was put.
"""

from __future__ import annotations

ITEM_BITS = 32
REQUEST_BITS = 16
MOST_ITEMS = 1 << ITEM_BITS
MOST_REQUESTS = 1 << REQUEST_BITS


def place(section: int, item: int, request: int) -> int:
    """The place of a request."""
    return (section << (ITEM_BITS + REQUEST_BITS)) + (item << REQUEST_BITS) + request


def item_of(position: int) -> int:
    """The item's number in the run."""
    return (position >> REQUEST_BITS) & (MOST_ITEMS - 1)


def span(section: int, first_item: int, end_item: int) -> tuple[int, int]:
    """The half-open range of places that belong to items [first_item, end_item)."""
    return place(section, first_item, 0), place(section, end_item, 0)
