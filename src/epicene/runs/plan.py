"""From items to places: what a section of a run asks, window by window.

The plan is a pure function of the stored items and answers. It is never held whole: a window of
items is asked at a time, in the plan's order.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.errors import InputError, RunError
from epicene.records import Item, Request, answer_keys
from epicene.runs import places
from epicene.suites import Answers, Given, Protocol, Stage, Suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.runs.store import Known, Section, Store

# How many items are planned, sorted and cut into batches together. It decides the batches, so it
# is the same for everyone: the same command gives the same batches.
WINDOW = 1024


class Planned(NamedTuple):
    """A request at its place, with what its answer will be checked against."""

    place: int
    key: bytes
    request: Request


class Window(NamedTuple):
    """The requests of a range of items, and what the store knows of them."""

    planned: list[Planned]
    known: Known


class Reader:
    """A run's items with their answers, a window at a time."""

    def __init__(self, store: Store, suite: Suite[Any, Any], protocol: Protocol) -> None:
        self._store = store
        self._suite = suite
        self._protocol = protocol
        self._decoder = msgspec.json.Decoder(suite.item)
        self.count = store.count_items()

    def windows(self) -> Iterator[tuple[int, int]]:
        """The ranges of item numbers that are worked on together."""
        for first in range(0, self.count, WINDOW):
            yield first, min(first + WINDOW, self.count)

    def items(self, first: int, end: int) -> list[tuple[int, Item]]:
        """Items by number."""
        try:
            return [(n, self._decoder.decode(data)) for n, data in self._store.items(first, end)]
        except msgspec.DecodeError as error:
            raise InputError(
                f"The items in {self._store.path} do not fit this version of the suite "
                f"{self._suite.name} ({error}); read the run with the version that wrote it."
            ) from error

    def answers(self, sections: list[Section], first: int, end: int) -> dict[int, Answers]:
        """The answers of those sections, by item number."""
        found: dict[int, list[Given]] = defaultdict(list)
        for section in sections:
            for place, name, answer in self._store.answers(section, first, end):
                found[places.item_of(place)].append(
                    Given(section.stage, section.role, section.identity.label, name, answer)
                )
        return {number: Answers(given) for number, given in found.items()}

    def behind(self, stage: Stage[Any, Any]) -> list[Section]:
        """The sections whose answers this stage's requests are built from."""
        needed = self._suite.needed_by(stage)
        return [section for section in self._store.sections() if section.stage in needed]

    def window(self, stage: Stage[Any, Any], section: Section, first: int, end: int) -> Window:
        """What the section asks of items [first, end). An item is left out if an answer that its
        requests are built from failed.
        """
        behind = self.behind(stage)
        earlier = self.answers(behind, first, end) if behind else {}
        nothing = Answers()
        planned: list[Planned] = []
        key_of = answer_keys(section.identity)
        for number, item in self.items(first, end):
            answers = earlier.get(number, nothing)
            if answers is not nothing and answers.failed:
                continue
            place = places.place(section.id, number, 0)
            for index, request in enumerate(stage.ask(item, answers, self._protocol)):
                if index >= places.MOST_REQUESTS:
                    raise RunError(f"The item {item.id!r} asks more than {index} requests.")
                planned.append(Planned(place + index, key_of(request), request))
        return Window(planned, self._store.known(section, first, end))


class Progress(NamedTuple):
    """How many requests a section has, how many of them are answered, and the most that the others
    cost (None if that is not known)."""

    total: int
    done: int
    cost: float | None


def _free(_request: Request) -> float:
    return 0.0


def survey(
    reader: Reader,
    store: Store,
    stage: Stage[Any, Any],
    section: Section,
    cost_of: Callable[[Request], float | None] = _free,
) -> Progress:
    """Walk the whole plan of a section once, before anything is asked of a model.

    A stored answer whose hash does not fit its request was given to another question: the suite
    asks differently now, and mixing the two would be silent. It is refused.
    """
    total = done = 0
    cost: float | None = 0.0
    for first, end in reader.windows():
        planned, known = reader.window(stage, section, first, end)
        total += len(planned)
        for place, key, request in planned:
            found = known.keys.get(place)
            if found is None or place in known.failed:
                each = cost_of(request)
                cost = None if cost is None or each is None else cost + each
            if found is None:
                continue
            if found != key:
                raise InputError(
                    f"{store.path} holds an answer for item {request.item!r} that was given to "
                    "another request: this version of Epicene asks differently; start another "
                    "folder with --out."
                )
            done += place not in known.failed
    store.set_total(section, total)
    return Progress(total, done, cost)
