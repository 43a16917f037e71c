"""Which items a run uses, and which requests each stage makes from them, window by window.

The plan is a pure function of the stored items and answers. It is never in memory as a whole: one
window of items is planned at a time, in the plan's order.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from epicene import languages
from epicene.core import registry
from epicene.core.errors import InputError, OptionError, RunError
from epicene.core.records import Item, Request, answer_keys, digest
from epicene.runs.request_ids import MAX_REQUESTS, item_number, make_request_id
from epicene.suites import AnsweredRequest, Answers, Protocol, Stage, Stratum, Suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from epicene.runs.config import RunConfig
    from epicene.runs.store import AnswerStore, Section, StoredKeys
    from epicene.suites import Dataset

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


def _without_outcomes(suite: Suite[Any, Any], dataset: Dataset) -> Iterator[Any]:
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
    items = _without_outcomes(config.suite, dataset)
    spoken = filter_languages(items, config.languages, dataset.name)
    suite, seed = config.suite, config.protocol.seed
    for item in limit_items(spoken, suite.stratum, config.limit, seed, suite.drawn_by):
        yield from suite.in_wordings(item, config.protocol)


# How many items are planned, sorted and cut into batches together. It decides the batches, so it
# is the same for everyone: the same command gives the same batches.
WINDOW_SIZE = 1024


class PlannedRequest(NamedTuple):
    """A request with its id, and the key its answer will be checked against."""

    request_id: int
    key: bytes
    request: Request


class Window(NamedTuple):
    """The requests of a range of items, and what the store has about them."""

    planned: list[PlannedRequest]
    known: StoredKeys


class PlanReader:
    """A run's items with their answers, one window at a time."""

    def __init__(self, store: AnswerStore, suite: Suite[Any, Any], protocol: Protocol) -> None:
        self._store = store
        self._suite = suite
        self._protocol = protocol
        self._decoder = msgspec.json.Decoder(suite.item)
        self.count = store.count_items()

    @property
    def why_different(self) -> str:
        """Why a request may differ from the one that was answered, as the start of a sentence."""
        if self._suite.file is None:
            return "this version of Epicene sends a different request; "
        return (
            f"{self._suite.file.name} now sends a different request; undo the change, raise "
            f"`version` of the suite (now {self._suite.version!r}), or "
        )

    def windows(self) -> Iterator[tuple[int, int]]:
        """The ranges of item numbers that are worked on together."""
        for first in range(0, self.count, WINDOW_SIZE):
            yield first, min(first + WINDOW_SIZE, self.count)

    def items(self, first: int, end: int) -> list[tuple[int, Item]]:
        """Items by number."""
        try:
            return [(n, self._decoder.decode(data)) for n, data in self._store.items(first, end)]
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(
                f"The items in {self._store.path} do not fit this version of the suite "
                f"{self._suite.name} ({error}); read the run with the version that wrote it."
            ) from error

    def answers(self, sections: Sequence[Section], first: int, end: int) -> dict[int, Answers]:
        """The answers of those sections, by item number."""
        found: dict[int, list[AnsweredRequest]] = defaultdict(list)
        for section in sections:
            for request_id, name, answer in self._store.answers(section, first, end):
                found[item_number(request_id)].append(
                    AnsweredRequest(
                        section.stage, section.role, section.identity.label, name, answer
                    )
                )
        return {number: Answers(given) for number, given in found.items()}

    def earlier_sections(self, stage: Stage[Any, Any]) -> list[Section]:
        """The sections whose answers this stage's requests are built from."""
        needed = self._suite.dependencies_of(stage)
        return [section for section in self._store.sections() if section.stage in needed]

    def window(self, stage: Stage[Any, Any], section: Section, first: int, end: int) -> Window:
        """The requests of the section for items [first, end). An item is left out if an answer that
        its requests are built from failed.
        """
        behind = self.earlier_sections(stage)
        earlier = self.answers(behind, first, end) if behind else {}
        nothing = Answers()
        planned: list[PlannedRequest] = []
        key_of = answer_keys(section.identity)
        for number, item in self.items(first, end):
            answers = earlier.get(number, nothing)
            if answers is not nothing and answers.failed:
                continue
            first_id = make_request_id(section.id, number, 0)
            for index, request in enumerate(stage.ask(item, answers, self._protocol)):
                if index >= MAX_REQUESTS:
                    raise RunError(f"The item {item.id!r} asks more than {index} requests.")
                planned.append(PlannedRequest(first_id + index, key_of(request), request))
        return Window(planned, self._store.known(section, first, end))

    def unanswered(
        self, stage: Stage[Any, Any], section: Section, first: int, end: int
    ) -> Iterator[PlannedRequest]:
        """The unanswered requests of the section for items [first, end)."""
        planned, known = self.window(stage, section, first, end)
        return (each for each in planned if not known.answered(each.request_id))


class SectionProgress(NamedTuple):
    """The number of requests of a section, the number of answered requests, and the maximum cost
    of the others (None if unknown).
    """

    total: int
    done: int
    cost: float | None


def _free(_request: Request) -> float:
    return 0.0


def survey_section(
    reader: PlanReader,
    store: AnswerStore,
    stage: Stage[Any, Any],
    section: Section,
    cost_of: Callable[[Request], float | None] = _free,
) -> SectionProgress:
    """Go through the whole plan of a section once, before any request is sent.

    A stored answer whose hash does not match its request answers another question: the suite now
    asks differently, and mixing the two would go unnoticed. It is rejected.
    """
    total = done = 0
    cost: float | None = 0.0
    for first, end in reader.windows():
        planned, known = reader.window(stage, section, first, end)
        total += len(planned)
        for request_id, key, request in planned:
            found = known.keys.get(request_id)
            if found is None or request_id in known.failed:
                each = cost_of(request)
                cost = None if cost is None or each is None else cost + each
            if found is None:
                continue
            if found != key:
                raise InputError(
                    f"{store.path} contains an answer for item {request.item!r} that was given to "
                    f"a different request: {reader.why_different}use another folder with --out."
                )
            done += request_id not in known.failed
    store.set_total(section, total)
    return SectionProgress(total, done, cost)
