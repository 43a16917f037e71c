"""Send a model the requests of one stage that have no answer, and store each answer as it comes."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, count
from typing import TYPE_CHECKING, Any
from typing import Protocol as Interface

from epicene.core.errors import RunError
from epicene.core.finite import finite_or_failed
from epicene.core.records import (
    Answer,
    Draw,
    Failed,
    Fill,
    Generate,
    Images,
    Look,
    Request,
    Score,
    Translate,
    answer_keys,
    prompt_texts,
    verb,
)
from epicene.core.redaction import redact
from epicene.models.pricing import as_paid
from epicene.runs.executors import load_model
from epicene.runs.images import RunImages
from epicene.runs.manifest import SectionCount

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from epicene.models import Batch, BatchLimit, Model, NumberedAnswers
    from epicene.runs.costs import CostTracker
    from epicene.runs.plan import Plan, PlannedRequest
    from epicene.runs.store import AnswerStore, Suspects
    from epicene.suites import Stage

# A request whose process died this often, the last time with nothing else in flight, has failed.
MAX_DEATHS = 3
# Into how many parts a batch is cut, from so many deaths on.
_PARTS = 8
_DEATHS_BEFORE_PARTS = 2
_MAX_REASONS = 5  # how many reasons of failed requests are kept per stage and model


class ProgressDisplay(Interface):
    """Shows the progress of a run."""

    def show_message(self, sentence: str) -> None:
        """Show a message to the user."""

    def start(self, title: str, total: int, done: int) -> None:
        """Start the display of one model's part in a stage."""

    def expect(self, total: int) -> None:
        """Correct the number of requests, which is extrapolated until all are known."""

    def advance(self, answered: int, failed: int) -> None:
        """Record answered requests."""

    def finish(self) -> None:
        """End the display."""


class StageCount:
    """What became of one model's requests in a stage."""

    def __init__(self) -> None:
        self.total = self.answered = self.failed = 0
        self.whole = False  # whether all requests were planned
        self.reasons: dict[str, None] = {}  # of the first failures

    def add(self, answer: Answer) -> None:
        """Count an answer."""
        if isinstance(answer, Failed):
            self.failed += 1
            if len(self.reasons) < _MAX_REASONS:
                self.reasons[answer.reason] = None
        else:
            self.answered += 1


class StageRun:
    """One model's part in one stage."""

    def __init__(
        self,
        plan: Plan,
        store: AnswerStore,
        stage: Stage[Any, Any],
        model: Model,
        images: Path,
        display: ProgressDisplay,
        costs: CostTracker,
        suspects: Sequence[Suspects] = (),
    ) -> None:
        self.count = StageCount()
        self.sent = 0
        self._plan, self._store, self._stage, self._model = plan, store, stage, model
        self._images = RunImages(images, answer_keys(model.identity))
        self._display, self._costs = display, costs
        self._suspects = {key: each for each in suspects for key in each.keys}
        self._suspected: dict[Suspects, list[PlannedRequest]] = defaultdict(list)
        self._items = 0  # that are planned
        self._numbers = count()

    def run(self) -> None:
        """Send all unanswered requests."""
        windows = self._windows()
        first = next(windows, None)
        if first is None and not self._suspected:
            return
        done = self.count.answered + self.count.failed
        title = f"{self._stage.name} · {self._model.identity.label}"
        self._display.start(title, self._expected, done)
        try:
            load_model(self._model)
            self._send(chain.from_iterable(chain([first or []], windows)))
            for suspect, requests in self._suspected.items():
                for part in parts_of(suspect, requests):
                    self._send(iter([part]), suspect.deaths)
                self._store.unmark(suspect.mark)
        finally:
            self._display.finish()

    def section_count(self, label: str) -> SectionCount:
        """What became of the requests, for the manifest, which calls the model `label`."""
        return SectionCount(
            stage=self._stage.name,
            role=self._stage.role,
            model=label,
            total=self.count.total if self.count.whole else None,
            answered=self.count.answered,
            failed=self.count.failed,
            reasons=tuple(self.count.reasons),
        )

    @property
    def _expected(self) -> int:
        """The number of requests, extrapolated from the items that are planned."""
        return round(self.count.total * self._plan.end / max(1, self._items))

    def _windows(self) -> Iterator[list[list[PlannedRequest]]]:
        """The unanswered batches of each window that has any.

        Batches are cut from the whole window and only then thinned, so that a resumed run computes
        in the same batches as one that was never stopped.
        """
        paid = as_paid(self._model) is not None
        for window in self._plan.windows():
            planned = self._plan.requests(self._stage, window, self._model.identity)
            self._items += len(window)
            self.count.total += len(planned)
            todo = self._unanswered(planned)
            if todo:
                yield [
                    thinned
                    for batch in make_batches(planned, self._model.batch_limit, cheapest_first=paid)
                    if (thinned := [each for each in batch if each.number in todo])
                ]
        self.count.whole = True

    def _unanswered(self, planned: Sequence[PlannedRequest]) -> set[int]:
        """The numbers of the requests to send; those that may have killed a process are set
        aside.
        """
        states = self._store.states(each.key for each in planned)
        todo = set()
        for each in planned:
            suspect = self._suspects.get(each.key)
            if states.get(each.key) and self._is_whole(each):
                self.count.answered += 1
            elif suspect is None:
                todo.add(each.number)
            elif suspect.deaths >= MAX_DEATHS and len(suspect.keys) == 1:
                self._give_up(each, suspect)
            else:
                self._suspected[suspect].append(each)
        return todo

    def _is_whole(self, planned: PlannedRequest) -> bool:
        """Whether the images of an answer are there and undamaged."""
        if not isinstance(planned.request, Draw):
            return True
        answer = self._store.answers([planned.key])[planned.key]
        return isinstance(answer, Images) and self._images.holds(answer)

    def _give_up(self, planned: PlannedRequest, suspect: Suspects) -> None:
        """Store the failure of a request that no process survives. The next session tries it once
        more, after all others.
        """
        reason = (
            f"its process ended {suspect.deaths} times while it was being answered, the last time "
            "with nothing else in flight"
        )
        answer = Failed(reason=reason)
        self._store.put([(planned.key, answer)], [suspect.mark])
        self._store.suspect([planned.key], MAX_DEATHS - 1)
        self.count.add(answer)

    def _send(self, batches: Iterator[list[PlannedRequest]], deaths: int = 0) -> None:
        """Send batches, and store each answer as it comes."""
        sent: dict[int, tuple[PlannedRequest, int]] = {}  # with the mark of the batch
        left: dict[int, int] = {}  # unanswered requests by mark

        def marked() -> Iterator[Batch]:
            for batch in batches:
                mark = self._store.mark([each.key for each in batch], deaths)
                left[mark] = len(batch)
                numbers = [next(self._numbers) for _ in batch]
                sent.update(zip(numbers, ((each, mark) for each in batch), strict=True))
                self._display.expect(self._expected)
                yield [(n, each.request) for n, each in zip(numbers, batch, strict=True)]

        answering = self._model.answer(marked(), self._images)
        try:
            for given in answering:
                self._put(given, sent, left)
        finally:
            if close := getattr(answering, "close", None):
                close()
        if sent:
            raise RunError(
                f"The model {self._model.identity.label} ended without answering {len(sent)} "
                "requests."
            )

    def _put(
        self,
        given: NumberedAnswers,
        sent: dict[int, tuple[PlannedRequest, int]],
        left: dict[int, int],
    ) -> None:
        """Store answers, and remove the marks of the batches that they complete."""
        rows: list[tuple[bytes, Answer]] = []
        complete = []
        for number, raw in given:
            planned, mark = sent.pop(number)
            answer = finite_or_failed(raw)
            if isinstance(answer, Failed):
                answer = Failed(reason=redact(answer.reason))
            rows.append((planned.key, answer))
            self.count.add(answer)
            left[mark] -= 1
            if not left[mark]:
                complete.append(mark)
                del left[mark]
        self._store.put(rows, complete)
        self._costs.save()
        self.sent += len(rows)
        for key, answer in rows:
            if isinstance(answer, Images):
                self._images.finish(key, answer)
        self._display.advance(len(rows), sum(isinstance(each, Failed) for _, each in rows))


# From the cheapest, by time and money.
VERBS_BY_COST = ("score", "fill", "look", "translate", "generate", "draw")


def make_batches(
    planned: Sequence[PlannedRequest], limit: BatchLimit, *, cheapest_first: bool = False
) -> Iterator[list[PlannedRequest]]:
    """Batches by verb, longest requests first, within the limit; deterministic.

    If answers are paid for, the cheapest verb goes first, in case it fails. Otherwise the most
    expensive goes first, so that the time left is overestimated rather than underestimated.
    """
    pools: dict[str, list[tuple[int, PlannedRequest]]] = defaultdict(list)
    for each in planned:
        pools[verb(each.request)].append((request_size(each.request), each))
    for name in sorted(pools, key=VERBS_BY_COST.index, reverse=not cheapest_first):
        batch: list[PlannedRequest] = []
        characters = 0
        for length, each in sorted(pools[name], key=lambda pair: (-pair[0], pair[1].number)):
            full = len(batch) >= limit.requests or characters + length > limit.characters
            if batch and full:
                yield batch
                batch, characters = [], 0
            batch.append(each)
            characters += length
        if batch:
            yield batch


def request_size(request: Request) -> int:
    """The approximate amount of work of a request, in characters."""
    match request:
        case Score():
            return sum(map(len, (*prompt_texts(request.context), *request.texts)))
        case Fill():
            return sum(map(len, (request.before, request.after, *request.choices)))
        case Generate():
            return sum(map(len, prompt_texts(request.prompt))) * request.samples
        case Translate():
            return len(request.text)
        case Draw():
            return len(request.prompt)
        case Look():
            return len(request.question)


def kinds_of_requests(requests: Iterable[Request]) -> Iterator[Request]:
    """One request of each kind that a server may not support."""
    seen: set[tuple[object, ...]] = set()
    for request in requests:
        kind: tuple[object, ...] = (verb(request),)
        if isinstance(request, Score):
            kind = (*kind, request.first_token, type(request.context))
        elif isinstance(request, Generate) and isinstance(request.prompt, str):
            kind = (*kind, request.decoding)
        if kind not in seen:
            seen.add(kind)
            yield request


def parts_of(
    suspect: Suspects, requests: Sequence[PlannedRequest]
) -> Iterator[list[PlannedRequest]]:
    """A batch that its process did not survive: as it was at first, because most processes end for
    another reason and the same batch gives the same numbers; in parts if it happened again.
    """
    place = {key: number for number, key in enumerate(suspect.keys)}
    ordered = sorted(requests, key=lambda each: place[each.key])
    size = len(ordered) if suspect.deaths < _DEATHS_BEFORE_PARTS else -(-len(ordered) // _PARTS)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]
