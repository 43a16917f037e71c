"""Execute a section (one model in one stage): batch, call the model, commit, measure time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias
from typing import Protocol as Interface

from epicene.core.errors import RunError
from epicene.core.finite import finite_or_failed
from epicene.core.records import (
    Answer,
    Draw,
    Failed,
    Fill,
    Generate,
    Look,
    Request,
    Score,
    Translate,
    prompt_texts,
    verb,
)
from epicene.core.redaction import redact
from epicene.models.pricing import as_paid
from epicene.runs.executors import load_model
from epicene.runs.manifest import Timing
from epicene.runs.plan import SectionProgress, survey_section

if TYPE_CHECKING:
    from epicene.models import Batch, BatchLimit, ImageStore, Model, NumberedAnswers
    from epicene.runs.costs import CostTracker
    from epicene.runs.plan import PlannedRequest, PlanReader
    from epicene.runs.store import AnswerStore, Section
    from epicene.suites import Stage


class SectionTimer:
    """Measures how long a section takes, from planning to the last answer, by verb.

    The time between two commits is divided among the verbs of the answers in the second.
    """

    def __init__(self) -> None:
        self._planning = 0.0  # seconds before the first answers
        self._starting = 0.0  # other seconds before the first answers
        self._last = 0.0
        self._first: Counter[str] | None = None  # in the first commit
        self._answered: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def planning(self) -> Iterator[None]:
        """Count the time spent inside as planning."""
        since = monotonic()
        yield
        if self._first is None:
            took = monotonic() - since
            self._planning += took
            self._starting -= took

    def start(self) -> None:
        """Record that the model is loaded."""
        self._last = monotonic()
        self._starting = 0.0

    def record_answers(self, verbs: Counter[str]) -> None:
        """Record a commit, with the number of answers per verb."""
        now = monotonic()
        self._answered += verbs
        if self._first is None:
            self._first = verbs
            self._starting += now - self._last
        else:
            for name, count in verbs.items():
                self._seconds[name] += (now - self._last) * count / verbs.total()
        self._last = now

    def timings(self, stage: str, role: str, model: str) -> Iterator[Timing]:
        """The timing of each verb, if anything was answered."""
        if self._first is None:
            return
        for name, count in sorted(self._answered.items()):
            came = self._first[name]
            planning = self._planning * count / self._answered.total()
            starting = self._starting * came / self._first.total() if came else 0.0
            yield Timing(
                stage=stage,
                role=role,
                model=model,
                verb=name,
                answered=count,
                first=came,
                planning=round(planning, 3),
                starting=round(max(0.0, starting), 3),
                going_on=round(self._seconds[name], 3),
            )


# Called after each commit with the number of answered requests, and of failed ones among them.
OnProgress: TypeAlias = Callable[[int, int], None]

# Request id, name, key and answer, as the store takes them.
AnswerRow: TypeAlias = tuple[int, str, bytes, Answer]


class ProgressDisplay(Interface):
    """Shows the progress of a run."""

    def show_message(self, sentence: str) -> None:
        """Show a message to the user."""

    def start(self, title: str, total: int, done: int) -> None:
        """Start the display of a section."""

    def advance(self, answered: int, failed: int) -> None:
        """Record answered requests."""

    def finish(self) -> None:
        """End the display of the section."""


def execute_requests(
    reader: PlanReader,
    store: AnswerStore,
    stage: Stage[Any, Any],
    section: Section,
    model: Model,
    files: ImageStore,
    advance: OnProgress,
    timer: SectionTimer,
) -> None:
    """Send all unanswered requests, and commit every batch as soon as it is answered."""
    open_batches = PendingBatches()
    paid = as_paid(model) is not None
    total: int | None = None  # known once all is planned

    def batches() -> Iterator[Batch]:
        nonlocal total
        count = 0
        for first, end in reader.windows():
            with timer.planning():
                planned, known = reader.window(stage, section, first, end)
                count += len(planned)
                whole = list(make_batches(planned, model.batch_limit, cheapest_first=paid))
            for batch in whole:
                # Batches are cut from the whole plan and only then thinned, so that a resumed
                # run computes in the same batches as one that was never stopped.
                todo = [p for p in batch if not known.answered(p.request_id)]
                if todo:
                    open_batches.add(todo)
                    yield [(p.request_id, p.request) for p in todo]
        total = count

    answering = model.answer(batches(), files)
    try:
        for given in answering:
            answered = [(request_id, finite_or_failed(answer)) for request_id, answer in given]
            verbs = open_batches.verbs(answered)
            if complete := [row for rows in open_batches.take(answered) for row in rows]:
                store.put(complete)
            timer.record_answers(verbs)
            advance(len(answered), sum(isinstance(a, Failed) for _, a in answered))
    finally:
        close = getattr(answering, "close", None)
        if close is not None:
            close()
    if len(open_batches):
        raise RunError(
            f"The model {section.identity.label} ended without answering "
            f"{len(open_batches)} requests."
        )
    if total is not None:
        store.set_total(section, total)


class PendingBatches:
    """Batches with unanswered requests.

    A batch is committed as a whole: if the rest of it were computed later in another batch, numbers
    could differ in the last stored digit.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[PlannedRequest, list[AnswerRow]]] = {}
        self._sizes: dict[int, int] = {}

    def __len__(self) -> int:
        """The number of unanswered requests."""
        return len(self._waiting)

    def add(self, batch: Sequence[PlannedRequest]) -> None:
        """Record that a batch was sent to the model."""
        rows: list[AnswerRow] = []
        self._sizes[id(rows)] = len(batch)
        for planned in batch:
            self._waiting[planned.request_id] = (planned, rows)

    def verbs(self, answered: NumberedAnswers) -> Counter[str]:
        """The number of answers per verb, without failures."""
        return Counter(
            verb(self._waiting[request_id][0].request)
            for request_id, answer in answered
            if not isinstance(answer, Failed)
        )

    def take(self, answered: NumberedAnswers) -> Iterator[list[AnswerRow]]:
        """Record answers; yield the rows of each batch that they complete."""
        for request_id, answer in answered:
            planned, rows = self._waiting.pop(request_id)
            if isinstance(answer, Failed):
                answer = Failed(reason=redact(answer.reason))
            rows.append((request_id, planned.request.name, planned.key, answer))
            if len(rows) == self._sizes[id(rows)]:
                del self._sizes[id(rows)]
                yield rows


# From the cheapest, by time and money.
VERBS_BY_COST = ("score", "fill", "look", "translate", "generate", "draw")


def make_batches(
    planned: list[PlannedRequest], limit: BatchLimit, *, cheapest_first: bool = False
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
        for length, each in sorted(pools[name], key=lambda pair: (-pair[0], pair[1].request_id)):
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
    samples = request.samples if isinstance(request, Generate) else 1
    return sum(map(len, request_texts(request))) * samples


def request_texts(request: Request) -> Sequence[str]:
    """The texts of a request, in the order in which a model reads them."""
    match request:
        case Score():
            return (*prompt_texts(request.context), *request.texts)
        case Fill():
            return (request.before, request.after, *request.choices)
        case Generate():
            return tuple(prompt_texts(request.prompt))
        case Translate():
            return (request.text,)
        case Draw():
            return (request.prompt,)
        case Look():
            return (request.question,)


def execute_section(
    reader: PlanReader,
    store: AnswerStore,
    stage: Stage[Any, Any],
    model: Model,
    files: ImageStore,
    display: ProgressDisplay,
    costs: CostTracker,
    timings: list[Timing],
    total: int | None = None,
) -> None:
    """Send one model all unanswered requests of a stage, and append the timings.

    `total` is the number of its requests if they were already counted; a section that has not
    started and costs nothing is then not surveyed first.
    """
    timer = SectionTimer()
    section = store.section(stage.name, stage.role, model.identity)
    charging = as_paid(model)
    pricing = {"cost_of": charging.cost_of} if charging else {}
    with timer.planning():
        if total is None or charging or any(store.counts(section)):
            progress = survey_section(reader, store, stage, section, **pricing)
        else:
            store.set_total(section, total)
            progress = SectionProgress(total, 0, 0.0)
    if progress.done == progress.total:
        return
    title = f"{stage.name} · {model.identity.label}"
    if charging:
        display.show_message(f"{title}: {costs.estimate(charging, progress)}")

    def advance(answered: int, failed: int) -> None:
        costs.save()
        display.advance(answered, failed)

    display.start(title, progress.total, progress.done)
    try:
        load_model(model)
        timer.start()
        execute_requests(reader, store, stage, section, model, files, advance, timer)
    finally:
        display.finish()
        costs.save()
        timings += timer.timings(stage.name, stage.role, model.identity.label)
