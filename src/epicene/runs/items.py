"""Which items a run uses: those of its languages, at most so many of each part of the data."""

from __future__ import annotations

import heapq
from collections import defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

from epicene import languages
from epicene.core import registry
from epicene.core.errors import InputError, OptionError
from epicene.core.records import Item, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from epicene.runs.config import RunConfig
    from epicene.suites import Dataset, Stratum, Suite

ItemT = TypeVar("ItemT", bound=Item)


def filter_languages(
    items: Iterable[ItemT], wanted: tuple[str, ...], dataset: str
) -> Iterator[ItemT]:
    """The items in one of the wanted languages (all, if none is named)."""
    missing, seen = set(wanted), set()
    for item in items:
        seen.add(item.language)
        missing.discard(item.language)
        if not wanted or item.language in wanted:
            yield item
    if seen <= {"", *registry.names("languages")}:  # else the data have languages of their own
        for code in missing:
            languages.get(code)
    if missing and seen == {""}:
        raise OptionError(
            "languages",
            f"{dataset} does not say the language of its items; add a column `language`, name the "
            "column that contains it (--column language=NAME), or set it for the whole file "
            f"(--set language={min(missing)}).",
        )
    if missing:
        name = "The starter set" if dataset == "starter" else dataset
        raise OptionError(
            "languages",
            f"{name} has no items in {', '.join(sorted(missing))}; it has "
            f"{', '.join(sorted(seen)) or 'no items at all'}.",
        )


def limit_items(
    items: Iterable[ItemT],
    stratum: Callable[[ItemT], Stratum],
    limit: int | None,
    seed: int,
    drawn_by: Callable[[ItemT], str] = lambda item: item.id,
) -> Iterator[ItemT]:
    """At most `limit` items of each block, spread evenly over its strata, in file order.

    A stratum may have several levels: consecutive strata then differ in the first level, so that a
    limit below the number of strata takes equally many of each language, gender and so on. A hash
    of the seed and of what an item is `drawn_by` selects the items, so the selection depends
    neither on the order of the file nor on what else is in it; `limit` items per stratum are in
    memory, not the file.
    """
    if limit is not None and limit < 1:
        raise InputError(f"--limit must be at least 1, not {limit}.")
    if limit is None:
        yield from items
        return
    # Per block and stratum the `limit` items of smallest hash, as a heap of the largest.
    kept: dict[str, dict[str | tuple[str, ...], list[tuple[int, int, ItemT]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for number, item in enumerate(items):
        block, name = stratum(item)
        heap = kept[block][name]
        entry = (-int.from_bytes(digest(seed, drawn_by(item))), number, item)
        if len(heap) < limit:
            heapq.heappush(heap, entry)
        elif entry[0] > heap[0][0]:
            heapq.heapreplace(heap, entry)
    chosen: list[tuple[int, ItemT]] = []
    for strata in kept.values():
        turns = [sorted(strata[name], reverse=True) for name in _alternating(strata)]
        chosen.extend(_evenly(turns, limit))
    yield from (item for _, item in sorted(chosen, key=lambda pair: pair[0]))


def _alternating(names: Iterable[str | tuple[str, ...]]) -> list[Any]:
    """Strata of several levels in turn: each is followed by one of another first level."""
    groups: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for name in names:
        if isinstance(name, str) or not name:
            return list(names)
        groups[name[0]].append(name[1:])
    turns = zip_longest(
        *([(first, *rest) for rest in _alternating(rests)] for first, rests in groups.items())
    )
    return [name for turn in turns for name in turn if name is not None]


def _evenly(strata: list[list[tuple[int, int, ItemT]]], limit: int) -> Iterator[tuple[int, ItemT]]:
    """One from each stratum in turn until there are `limit`."""
    left = limit
    for rank in range(max(map(len, strata))):
        for stratum in strata:
            if rank < len(stratum) and left:
                left -= 1
                yield stratum[rank][1], stratum[rank][2]


def _check_open(suite: Suite[Any, Any], dataset: Dataset) -> Iterator[Any]:
    """The items; raises at an item that has an outcome, because there is nothing to ask about
    it.
    """
    for item in dataset.items:
        if suite.holds_outcome is not None and suite.holds_outcome(item):
            raise InputError(
                f"{dataset.name} contains outcomes, so no request is needed; tabulate it with "
                f"`epicene score {suite.name} --data FILE`."
            )
        yield item


def select_items(config: RunConfig, dataset: Dataset) -> Iterator[Any]:
    """The items that the run uses, each in every wording that is asked."""
    items = _check_open(config.suite, dataset)
    spoken = filter_languages(items, config.languages, dataset.name)
    suite, seed = config.suite, config.protocol.seed
    for item in limit_items(spoken, suite.stratum, config.limit, seed, suite.drawn_by):
        yield from suite.in_wordings(item, config.protocol)
