"""What a run asks and what its store has answered, one window of items at a time.

A stage's requests are a pure function of an item and of earlier answers, and an answer is found by
the hash of its request and its model. So resuming a run, and reading it, is asking again and
looking up.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Failed, Item, Request, answer_keys
from epicene.suites import AnsweredRequest, Answers, Protocol, Stage, Suite

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from epicene.core.records import Answer, Identity
    from epicene.runs.store import AnswerStore

# How many items are planned, sorted and cut into batches together. It decides the batches, so it
# is the same for everyone: the same command gives the same batches.
WINDOW_SIZE = 1024


class PlannedRequest(NamedTuple):
    """A request with its number among those that are sent, and the key of its answer."""

    number: int
    key: bytes
    request: Request


class AnsweredItem(NamedTuple):
    """An item with its answers and its failed requests.

    `missing` names the requests without an answer, failed ones too, by their stages; the name is ""
    if they are not known, because an answer that they are built from is missing.
    """

    item: Item
    answers: Answers
    failed: Answers
    missing: Mapping[str, Sequence[str]]


class TurnCount:
    """How many requests one model has in one stage, and how many are answered or failed."""

    def __init__(self) -> None:
        self.requests = self.answered = self.failed = 0
        self.blocked = 0  # items whose requests are not known, because earlier answers are missing

    def add(self, answer: Answer | None) -> None:
        """Count a request."""
        self.requests += 1
        if answer is not None:
            self.failed += isinstance(answer, Failed)
            self.answered += not isinstance(answer, Failed)

    @property
    def not_begun(self) -> bool:
        """Whether it has requests, and nothing was answered or failed."""
        return bool(self.blocked or self.requests) and not self.answered and not self.failed


class Plan:
    """The requests of a run with the answers that are stored."""

    def __init__(
        self,
        store: AnswerStore,
        suite: Suite[Any, Any],
        protocol: Protocol,
        models: Mapping[str, Sequence[Identity]],
    ) -> None:
        self._store = store
        self._suite = suite
        self._protocol = protocol
        self._models = models
        self._decoder = msgspec.json.Decoder(suite.item)
        self._keys: dict[bytes, Callable[[Request], bytes]] = {}
        self.counts: dict[tuple[str, bytes], TurnCount] = defaultdict(TurnCount)
        self.end = store.end

    def windows(self) -> Iterator[list[Item]]:
        """The items, in the portions that are worked on together."""
        for first in range(0, self.end, WINDOW_SIZE):
            yield self._items(first, first + WINDOW_SIZE)

    def _items(self, first: int, end: int) -> list[Item]:
        try:
            return [self._decoder.decode(data) for _, data in self._store.items(first, end)]
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(
                f"The items in {self._store.path} do not fit this version of the suite "
                f"{self._suite.name} ({error}); read the run with the version that wrote it."
            ) from error

    def requests(
        self,
        stage: Stage[Any, Any],
        window: Sequence[Item],
        model: Identity,
        stand_in: Callable[[Request], Answer] | None = None,
    ) -> list[PlannedRequest]:
        """The requests of a stage to one model. An item is left out if an answer that its requests
        are built from is missing or failed, unless `stand_in` makes one up.
        """
        needed = self._suite.dependencies_of(stage)
        nothing = Answers()
        items = (
            self.read(window, needed, stand_in)
            if needed
            else [AnsweredItem(item, nothing, nothing, {}) for item in window]
        )
        key = self._key(model)
        asked = (
            request
            for each in items
            if not each.missing
            for request in stage.ask(each.item, each.answers, self._protocol)
        )
        return [PlannedRequest(n, key(request), request) for n, request in enumerate(asked)]

    def read(
        self,
        window: Sequence[Item],
        stages: Collection[str] | None = None,
        stand_in: Callable[[Request], Answer] | None = None,
    ) -> list[AnsweredItem]:
        """The items with their answers in these stages (default: in all)."""
        reading = [_Reading(item, [], [], {}) for item in window]
        for stage in self._suite.stages:
            if stages is None or stage.name in stages:
                self._read_stage(stage, reading, stand_in)
        return [
            AnsweredItem(each.item, Answers(each.answers), Answers(each.failed), each.missing)
            for each in reading
        ]

    def _read_stage(
        self,
        stage: Stage[Any, Any],
        reading: Sequence[_Reading],
        stand_in: Callable[[Request], Answer] | None,
    ) -> None:
        """Add what one stage asked about the items of a window, and what was answered."""
        needed = self._suite.dependencies_of(stage)
        asked: list[tuple[_Reading, Request]] = []
        blocked = 0
        for each in reading:
            if needed.isdisjoint(each.missing):
                seen = Answers([given for given in each.answers if given.stage in needed])
                asked += [(each, asks) for asks in stage.ask(each.item, seen, self._protocol)]
            else:
                each.missing[stage.name] = [""]
                blocked += 1
        for model in self._models[stage.role]:
            key = self._key(model)
            keys = [key(request) for _, request in asked]
            stored = self._store.answers(keys)
            count = self.counts[stage.name, model.digest]
            count.blocked += blocked
            for (each, request), key_of_request in zip(asked, keys, strict=True):
                answer = stored.get(key_of_request)
                count.add(answer)
                if stand_in and (answer is None or isinstance(answer, Failed)):
                    answer = stand_in(request)
                found = each.failed if isinstance(answer, Failed) else each.answers
                if answer is not None:
                    found.append(
                        AnsweredRequest(stage.name, stage.role, model.label, request.name, answer)
                    )
                if found is each.failed or answer is None:
                    each.missing.setdefault(stage.name, []).append(request.name)

    def _key(self, model: Identity) -> Callable[[Request], bytes]:
        mark = model.digest
        if mark not in self._keys:
            self._keys[mark] = answer_keys(model)
        return self._keys[mark]


class _Reading(NamedTuple):
    """An item whose answers are being read."""

    item: Item
    answers: list[AnsweredRequest]
    failed: list[AnsweredRequest]
    missing: dict[str, list[str]]
