"""Requests of one section, handed to its model in batches and committed batch by batch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias
from typing import Protocol as Interface

from epicene.errors import RunError
from epicene.records import (
    Answer,
    Draw,
    Failed,
    Fill,
    Generate,
    Look,
    Prompt,
    Request,
    Score,
    Translate,
    verb,
)
from epicene.runs.secrets import redact

if TYPE_CHECKING:
    from epicene.models import Answered, Batch, BatchLimit, Files, Model
    from epicene.runs.plan import Planned, Reader
    from epicene.runs.stopwatch import Stopwatch
    from epicene.runs.store import Section, Store
    from epicene.suites import Stage

# Told after each commit: how many requests were answered, and how many of them failed.
Advance: TypeAlias = Callable[[int, int], None]

# Place, name, key and answer, as the store takes them.
Row: TypeAlias = tuple[int, str, bytes, Answer]


class Watcher(Interface):
    """Who is told how a run goes."""

    def say(self, sentence: str) -> None:
        """Something a person should know before a section begins."""

    def begin(self, title: str, total: int, done: int) -> None:
        """A section begins."""

    def advance(self, answered: int, failed: int) -> None:
        """Some requests were answered."""

    def end(self) -> None:
        """The section ended."""


def execute(
    reader: Reader,
    store: Store,
    stage: Stage[Any, Any],
    section: Section,
    model: Model,
    files: Files,
    advance: Advance,
    watch: Stopwatch,
) -> None:
    """Ask all that is not answered yet, and commit every batch as soon as it is answered."""
    open_batches = OpenBatches()

    def batches() -> Iterator[Batch]:
        for first, end in reader.windows():
            with watch.planning():
                planned, known = reader.window(stage, section, first, end)
                whole = list(cut(planned, model.batch_limit))
            for batch in whole:
                # Batches are cut from the whole plan and only then thinned, so that a resumed
                # run computes in the same batches as one that was never stopped.
                todo = [p for p in batch if not known.answered(p.place)]
                if todo:
                    open_batches.add(todo)
                    yield [(p.place, p.request) for p in todo]

    answering = model.answer(batches(), files)
    try:
        for answered in answering:
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


class OpenBatches:
    """Batches that are not answered to the end.

    A batch is committed whole: half of one, finished later on its own, would be computed in other
    company, and numbers could differ in the last digit that is kept.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[Planned, list[Row]]] = {}
        self._sizes: dict[int, int] = {}

    def __len__(self) -> int:
        """How many requests wait for an answer."""
        return len(self._waiting)

    def add(self, batch: Sequence[Planned]) -> None:
        """A batch is handed to the model."""
        rows: list[Row] = []
        self._sizes[id(rows)] = len(batch)
        for planned in batch:
            self._waiting[planned.place] = (planned, rows)

    def verbs(self, answered: Answered) -> Counter[str]:
        """How many of these that wait, and did not fail, are of each verb."""
        return Counter(
            verb(self._waiting[place][0].request)
            for place, answer in answered
            if not isinstance(answer, Failed)
        )

    def take(self, answered: Answered) -> Iterator[list[Row]]:
        """Note answers; the rows of each batch that is complete with them."""
        for place, answer in answered:
            planned, rows = self._waiting.pop(place)
            if isinstance(answer, Failed):
                answer = Failed(reason=redact(answer.reason))
            rows.append((place, planned.request.name, planned.key, answer))
            if len(rows) == self._sizes[id(rows)]:
                del self._sizes[id(rows)]
                yield rows


def cut(planned: list[Planned], limit: BatchLimit) -> Iterator[list[Planned]]:
    """Pool by verb, longest first, in batches that keep to the limit. Same plan, same batches."""
    pools: dict[str, list[tuple[int, Planned]]] = defaultdict(list)
    for each in planned:
        pools[verb(each.request)].append((size(each.request), each))
    for name in sorted(pools):
        batch: list[Planned] = []
        characters = 0
        for length, each in sorted(pools[name], key=lambda pair: (-pair[0], pair[1].place)):
            full = len(batch) >= limit.requests or characters + length > limit.characters
            if batch and full:
                yield batch
                batch, characters = [], 0
            batch.append(each)
            characters += length
        if batch:
            yield batch


def size(request: Request) -> int:
    """About how much work a request is, in characters."""
    match request:
        case Score():
            return sum(len(text) for text in request.texts) + _length(request.context)
        case Fill():
            return len(request.before) + len(request.after) + sum(map(len, request.choices))
        case Generate():
            return _length(request.prompt) * request.samples
        case Translate():
            return len(request.text)
        case Draw():
            return len(request.prompt)
        case Look():
            return len(request.question)


def _length(prompt: Prompt) -> int:
    if isinstance(prompt, str):
        return len(prompt)
    return sum(len(message.content) for message in prompt)
