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
from epicene.runs.plan import survey_section

if TYPE_CHECKING:
    from epicene.models import Batch, BatchLimit, ImageStore, Model, NumberedAnswers
    from epicene.runs.costs import CostTracker
    from epicene.runs.plan import PlannedRequest, PlanReader
    from epicene.runs.store import AnswerStore, Section
    from epicene.suites import Stage


class SectionTimer:
    """Measures how long a section takes, from planning to the last answer, by verb.

    What passes between two commits is shared out among the verbs of what the second one holds.
    """

    def __init__(self) -> None:
        self._planning = 0.0  # until the first answers came
        self._starting = 0.0  # and what passed until then that was no planning
        self._last = 0.0
        self._first: Counter[str] | None = None  # what came at first
        self._answered: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def planning(self) -> Iterator[None]:
        """Time spent here is planning."""
        since = monotonic()
        yield
        if self._first is None:
            took = monotonic() - since
            self._planning += took
            self._starting -= took

    def begin(self) -> None:
        """The model is loaded and starts to answer."""
        self._last = monotonic()
        self._starting = 0.0

    def answered(self, verbs: Counter[str]) -> None:
        """Note that so many requests of each verb were answered."""
        now = monotonic()
        self._answered += verbs
        if self._first is None:
            self._first = verbs
            self._starting += now - self._last
        else:
            for name, count in verbs.items():
                self._seconds[name] += (now - self._last) * count / verbs.total()
        self._last = now

    def read(self, stage: str, role: str, model: str) -> Iterator[Timing]:
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


# Told after each commit: how many requests were answered, and how many of them failed.
OnProgress: TypeAlias = Callable[[int, int], None]

# Request id, name, key and answer, as the store takes them.
AnswerRow: TypeAlias = tuple[int, str, bytes, Answer]


class Watcher(Interface):
    """Is told about the progress of a run."""

    def say(self, sentence: str) -> None:
        """Show a message to the user."""

    def begin(self, title: str, total: int, done: int) -> None:
        """A section begins."""

    def advance(self, answered: int, failed: int) -> None:
        """Some requests were answered."""

    def end(self) -> None:
        """The section ended."""


def execute_requests(
    reader: PlanReader,
    store: AnswerStore,
    stage: Stage[Any, Any],
    section: Section,
    model: Model,
    files: ImageStore,
    advance: OnProgress,
    watch: SectionTimer,
) -> None:
    """Ask all that is not answered yet, and commit every batch as soon as it is answered."""
    open_batches = PendingBatches()

    def batches() -> Iterator[Batch]:
        for first, end in reader.windows():
            with watch.planning():
                planned, known = reader.window(stage, section, first, end)
                whole = list(make_batches(planned, model.batch_limit))
            for batch in whole:
                # Batches are cut from the whole plan and only then thinned, so that a resumed
                # run computes in the same batches as one that was never stopped.
                todo = [p for p in batch if not known.answered(p.request_id)]
                if todo:
                    open_batches.add(todo)
                    yield [(p.request_id, p.request) for p in todo]

    answering = model.answer(batches(), files)
    try:
        for given in answering:
            answered = [(request_id, finite_or_failed(answer)) for request_id, answer in given]
            verbs = open_batches.verbs(answered)
            if complete := [row for rows in open_batches.take(answered) for row in rows]:
                store.put(complete)
            watch.answered(verbs)
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


class PendingBatches:
    """Batches with requests that are not answered yet.

    A batch is committed whole: half of one, finished later on its own, would be computed in other
    company, and numbers could differ in the last digit that is kept.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[PlannedRequest, list[AnswerRow]]] = {}
        self._sizes: dict[int, int] = {}

    def __len__(self) -> int:
        """How many requests wait for an answer."""
        return len(self._waiting)

    def add(self, batch: Sequence[PlannedRequest]) -> None:
        """Note that a batch was sent to the model."""
        rows: list[AnswerRow] = []
        self._sizes[id(rows)] = len(batch)
        for planned in batch:
            self._waiting[planned.request_id] = (planned, rows)

    def verbs(self, answered: NumberedAnswers) -> Counter[str]:
        """How many of these answers, failures aside, are of each verb."""
        return Counter(
            verb(self._waiting[request_id][0].request)
            for request_id, answer in answered
            if not isinstance(answer, Failed)
        )

    def take(self, answered: NumberedAnswers) -> Iterator[list[AnswerRow]]:
        """Note answers; yields the rows of each batch that they complete."""
        for request_id, answer in answered:
            planned, rows = self._waiting.pop(request_id)
            if isinstance(answer, Failed):
                answer = Failed(reason=redact(answer.reason))
            rows.append((request_id, planned.request.name, planned.key, answer))
            if len(rows) == self._sizes[id(rows)]:
                del self._sizes[id(rows)]
                yield rows


def make_batches(
    planned: list[PlannedRequest], limit: BatchLimit
) -> Iterator[list[PlannedRequest]]:
    """Batches by verb, longest requests first, within the limit; the same for the same plan."""
    pools: dict[str, list[tuple[int, PlannedRequest]]] = defaultdict(list)
    for each in planned:
        pools[verb(each.request)].append((request_size(each.request), each))
    for name in sorted(pools):
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
    """About how much work a request is, in characters."""
    match request:
        case Score():
            return sum(map(len, (*request.texts, *prompt_texts(request.context))))
        case Fill():
            return len(request.before) + len(request.after) + sum(map(len, request.choices))
        case Generate():
            return sum(map(len, prompt_texts(request.prompt))) * request.samples
        case Translate():
            return len(request.text)
        case Draw():
            return len(request.prompt)
        case Look():
            return len(request.question)


def execute_section(
    reader: PlanReader,
    store: AnswerStore,
    stage: Stage[Any, Any],
    model: Model,
    files: ImageStore,
    watcher: Watcher,
    costs: CostTracker,
    timings: list[Timing],
) -> None:
    """Ask one model all unanswered requests of a stage, and note how long that took."""
    watch = SectionTimer()
    section = store.section(stage.name, stage.role, model.identity)
    charging = as_paid(model)
    pricing = {"cost_of": charging.cost_of} if charging else {}
    with watch.planning():
        progress = survey_section(reader, store, stage, section, **pricing)
    if progress.done == progress.total:
        return
    title = f"{stage.name} · {model.identity.label}"
    if charging:
        watcher.say(f"{title}: {costs.estimate(charging, progress)}")

    def advance(answered: int, failed: int) -> None:
        costs.save()
        watcher.advance(answered, failed)

    watcher.begin(title, progress.total, progress.done)
    try:
        load_model(model)
        watch.begin()
        execute_requests(reader, store, stage, section, model, files, advance, watch)
    finally:
        watcher.end()
        costs.save()
        timings += watch.read(stage.name, stage.role, model.identity.label)
