"""What a run will ask, counted by its suite's own planning, a window of items at a time."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from epicene.models.purse import paid
from epicene.records import Failed
from epicene.runs import places
from epicene.runs.imagined import imagined
from epicene.runs.plan import WINDOW
from epicene.runs.run import selected
from epicene.runs.sweeping.tally import Tally
from epicene.suites import Answers, Given

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.models import Model
    from epicene.records import Answer, Item, Request
    from epicene.runs.run import Order
    from epicene.runs.store import Section, Store
    from epicene.suites import Dataset, Stage


def count(
    order: Order, dataset: Dataset, models: Mapping[str, Sequence[Model]], store: Store | None
) -> Tally:
    """All that is left to be asked, beside what the store of the run holds, if it has one."""
    counting = _Counting(order, models, store)
    for first, items in _windows(selected(order, dataset)):
        counting.window(first, items)
    return counting.tally


def _windows(items: Iterable[Item]) -> Iterator[tuple[int, list[Item]]]:
    stream, first = iter(items), 0
    while window := list(islice(stream, WINDOW)):
        yield first, window
        first += len(window)


class _Counting:
    def __init__(
        self, order: Order, models: Mapping[str, Sequence[Model]], store: Store | None
    ) -> None:
        self.tally = Tally()
        self._suite, self._protocol = order.suite, order.protocol
        self._models, self._store = models, store
        self._needed = {stage.name: self._suite.needed_by(stage) for stage in self._suite.stages}
        self._sections = {
            (section.stage, section.role, section.identity.digest): section
            for section in (store.sections() if store else ())
        }

    def window(self, first: int, items: Sequence[Item]) -> None:
        """Count what all stages ask about some items, of which the first has that number."""
        given: dict[int, list[Given]] = defaultdict(list)
        for stage in self._suite.stages:
            needed = self._needed[stage.name]
            asked = [
                list(
                    stage.ask(
                        item,
                        Answers(each for each in given[n] if each.stage in needed),
                        self._protocol,
                    )
                )
                for n, item in enumerate(items)
            ]
            for model in self._models[stage.role]:
                self._section(stage, model, first, asked, given)

    def _section(
        self,
        stage: Stage[Any, Any],
        model: Model,
        first: int,
        asked: Sequence[Sequence[Request]],
        given: Mapping[int, list[Given]],
    ) -> None:
        """Count one model's part in a stage, and give its answers to the stages that need them."""
        section = self._sections.get((stage.name, stage.role, model.identity.digest))
        is_needed = any(stage.name in needed for needed in self._needed.values())
        stored = self._stored(section, first, first + len(asked), read=is_needed)
        charging = paid(model)
        for n, requests in enumerate(asked):
            for index, request in enumerate(requests):
                place = places.place(section.id, first + n, index) if section else -1
                answer = stored.get(place)
                if place in stored:
                    self.tally.answered += 1
                else:
                    cost_of = charging.cost_of if charging else None
                    later = bool(self._needed[stage.name])
                    self.tally.add(request, cost_of, stage=stage.name, later=later)
                if is_needed:
                    given[n].append(
                        Given(
                            stage.name,
                            stage.role,
                            model.identity.label,
                            request.name,
                            answer or imagined(request),
                        )
                    )

    def _stored(
        self, section: Section | None, first: int, end: int, *, read: bool
    ) -> dict[int, Answer | None]:
        """What is answered, by place; the answers themselves only if they are to be read."""
        if self._store is None or section is None:
            return {}
        if not read:
            known = self._store.known(section, first, end)
            return {place: None for place in known.keys if known.answered(place)}
        return {
            place: answer
            for place, _, answer in self._store.answers(section, first, end)
            if not isinstance(answer, Failed)
        }
