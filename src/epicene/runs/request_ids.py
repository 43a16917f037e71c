"""The ids of requests: a section (which stage and model), an item, and which of its requests."""

from __future__ import annotations

ITEM_BITS = 32
REQUEST_BITS = 16
MAX_ITEMS = 1 << ITEM_BITS
MAX_REQUESTS = 1 << REQUEST_BITS


def make_request_id(section: int, item: int, request: int) -> int:
    """The key of a request: its section, its item and its index among the item's requests."""
    return (section << (ITEM_BITS + REQUEST_BITS)) + (item << REQUEST_BITS) + request


def item_number(request_id: int) -> int:
    """The item's number in the run."""
    return (request_id >> REQUEST_BITS) & (MAX_ITEMS - 1)


def split_request_id(request_id: int) -> tuple[int, int, int]:
    """The section, the item's number, and the request's index among the item's requests."""
    section = request_id >> (ITEM_BITS + REQUEST_BITS)
    return section, item_number(request_id), request_id & (MAX_REQUESTS - 1)


def request_id_range(section: int, first_item: int, end_item: int) -> tuple[int, int]:
    """The half-open range of request ids that belong to items [first_item, end_item)."""
    return make_request_id(section, first_item, 0), make_request_id(section, end_item, 0)
