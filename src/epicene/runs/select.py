"""Which items a run takes when it does not take all: by language, and `--limit`."""

from __future__ import annotations

import heapq
from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

from epicene import languages as tongues
from epicene.errors import OptionError
from epicene.records import Item, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ItemT = TypeVar("ItemT", bound=Item)


def of_languages(items: Iterable[ItemT], wanted: tuple[str, ...], place: str) -> Iterator[ItemT]:
    """The items in one of the wanted languages (all, if none is named)."""
    for code in wanted:
        tongues.get(code)
    missing, seen = set(wanted), set()
    for item in items:
        seen.add(item.language)
        missing.discard(item.language)
        if not wanted or item.language in wanted:
            yield item
    if missing:
        raise OptionError(
            "languages",
            f"{place} has no items in {', '.join(sorted(missing))}; it has "
            f"{', '.join(sorted(seen)) or 'no items at all'}.",
        )


def limited(
    items: Iterable[ItemT],
    stratum: Callable[[ItemT], tuple[str, str]],
    limit: int | None,
    seed: int,
) -> Iterator[ItemT]:
    """At most `limit` items of each block, spread evenly over its strata, in their old order.

    Which ones is decided by a hash of seed and id, so it depends neither on the order of the
    file nor on what else is in it; memory holds `limit` items per stratum, not the file.
    """
    if limit is None:
        yield from items
        return
    # Per block and stratum the `limit` items of smallest hash, as a heap of the largest.
    kept: dict[str, dict[str, list[tuple[int, int, ItemT]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for number, item in enumerate(items):
        block, name = stratum(item)
        heap = kept[block][name]
        entry = (-int.from_bytes(digest(seed, item.id)), number, item)
        if len(heap) < limit:
            heapq.heappush(heap, entry)
        elif entry[0] > heap[0][0]:
            heapq.heapreplace(heap, entry)
    chosen: list[tuple[int, ItemT]] = []
    for strata in kept.values():
        chosen.extend(_evenly([sorted(heap, reverse=True) for heap in strata.values()], limit))
    yield from (item for _, item in sorted(chosen, key=lambda pair: pair[0]))


def _evenly(strata: list[list[tuple[int, int, ItemT]]], limit: int) -> Iterator[tuple[int, ItemT]]:
    """One from each stratum in turn until there are `limit`."""
    left = limit
    for rank in range(max(map(len, strata))):
        for stratum in strata:
            if rank < len(stratum) and left:
                left -= 1
                yield stratum[rank][1], stratum[rank][2]
