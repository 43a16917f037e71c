"""Answer a model's requests on a Ray cluster: one worker per place, each with the whole model.

Batches are those of a run on one machine, so the answers are the same. A worker that dies or hangs
is replaced, and its batches are sent again one by one; a batch that ends a second worker is halved,
until the request that ends its workers fails alone.
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import regex

from epicene import __version__
from epicene.core.errors import EpiceneError, RunError
from epicene.core.records import Failed, Look, verb
from epicene.core.redaction import redact
from epicene.models import Learner, kind_info, open_model
from epicene.runs.costs import may_charge
from epicene.runs.ray_cluster import (
    Places,
    count_places,
    first_line,
    join_cluster,
)
from epicene.runs.ray_worker import About, Answered, Worker, library_versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from epicene.core.records import Identity
    from epicene.models import Batch, BatchLimit, ImageStore, Model, ModelSpec, NumberedAnswers
    from epicene.runs.ray_cluster import RaySettings

ANSWER_SECONDS = 1800.0  # after which a worker hangs, unless the settings say otherwise
LOAD_SECONDS = 1800.0  # at least, to find a place and load the model
MAX_FAILED_STARTS = 3  # in a row, while no worker is ready
MAX_LOSSES = 20  # workers in a row that end without an answer: it is not the requests
_TASK_SECONDS = 1.0  # a task is as many batches as take about this long
_MAX_BATCHES = 32
_TICK = 1.0  # seconds between looks at the clock
_REPORT_AFTER = 60.0  # seconds without a worker, after which that is said


class RayExecutor:
    """Open models on a cluster, which has workers for one model at a time.

    A model behind a server is asked from this process: workers would not make the server faster,
    and its cost is counted in one place.
    """

    def __init__(self, settings: RaySettings, show_message: Callable[[str], None]) -> None:
        self.settings = settings
        self.show_message = show_message
        self.ray, self._joined = join_cluster(settings.address)
        self._working: RayModel | None = None
        self._served: set[ModelSpec] = set()  # of which that was said

    def __call__(self, spec: ModelSpec) -> Model:
        """A model whose answers come from workers, or the model itself if a server answers."""
        if may_charge(spec.kind):
            if spec not in self._served:
                self._served.add(spec)
                name = redact(spec.options.label or f"{spec.kind}:{spec.name}")
                self.show_message(
                    f"{name} is called from this machine because it is behind a server."
                )
            return open_model(spec)
        return (RayLearner if _learns(spec) else RayModel)(self, spec)

    def places_for(self, model: RayModel) -> Places:
        """All places of the cluster; another model's workers are stopped."""
        if self._working is not None and self._working is not model:
            self._working.close()
        self._working = model
        machines = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        return count_places(machines, self.settings)

    def close(self) -> None:
        """Stop all workers and leave the cluster."""
        if self._working is not None:
            self._working.close()
        if self._joined:
            self.ray.shutdown()


class Task(NamedTuple):
    """Batches for one worker; `suspected` if another worker has ended over them."""

    batches: list[Batch]
    suspected: bool = False

    def parts(self) -> list[Task]:
        """What to send again after a worker has ended over it; nothing if it is one request."""
        batch = self.batches[0]
        if len(self.batches) > 1 or not self.suspected:
            smaller = self.batches
        else:
            middle = len(batch) // 2
            smaller = [batch[:middle], batch[middle:]] if middle else []
        return [Task([each], suspected=True) for each in smaller]


@dataclass(eq=False)
class Hired:
    """A worker, what it was given to do, and since when it has been doing that."""

    actor: Any
    about: About | None = None  # None until it has loaded the model
    task: Task | None = None
    since: float = field(default_factory=time.monotonic)


class RayModel:
    """A model whose answers come from workers on a cluster."""

    def __init__(
        self, executor: RayExecutor, spec: ModelSpec, texts: list[tuple[str, str]] | None = None
    ) -> None:
        self._executor, self._ray, self._spec = executor, executor.ray, spec
        self._texts = None if texts is None else self._ray.put(texts)
        self._doing: dict[Any, Hired] = {}  # by Ray's reference to what they will return
        self._idle: list[Hired] = []
        self._waiting: deque[Task] = deque()
        self._batch_seconds = _TASK_SECONDS
        self._failed_starts = self._losses = 0  # in a row
        self._spread: dict[str, Any] = {"workers": 0, "machines": [], "lost": 0}
        self._noted: dict[Hired, dict[str, Any]] = {}
        self._about: About | None = None
        self._hire(1)
        self._wait_for_the_first()

    @property
    def identity(self) -> Identity:
        """Which model answers; part of every answer's key."""
        return self._first.identity

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""
        return self._first.verbs

    @property
    def batch_limit(self) -> BatchLimit:
        """How to split the plan for it, as the first worker says."""
        return self._first.batch_limit

    @property
    def _first(self) -> About:
        assert self._about is not None
        return self._about

    def notes(self) -> Mapping[str, object]:
        """How many workers there were, where, and how they reached their answers."""
        notes = [notes for notes in self._noted.values() if notes]
        distinct = [each for place, each in enumerate(notes) if each not in notes[:place]]
        return {"ray": self._spread, "workers": distinct}

    def close(self) -> None:
        """Stop the workers; others are started if it is asked again."""
        for worker in [*self._idle, *self._doing.values()]:
            self._ray.kill(worker.actor)
        self._idle.clear()
        self._doing.clear()

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Let the workers answer; no more of the plan is read than they can take."""
        self._hire(None)
        try:
            while self._send_tasks(batches, files):
                for task, returned in self._finished():
                    yield from self._take(task, returned, files)
        finally:
            self._waiting.clear()
            for ref in [ref for ref, worker in self._doing.items() if worker.task]:
                self._ray.kill(self._doing.pop(ref).actor)

    # --- tasks -------------------------------------------------------------------------------

    def _send_tasks(self, batches: Iterator[Batch], files: ImageStore) -> bool:
        """Give each idle worker a task; whether anything is left to wait for."""
        while self._has_task(batches) and self._idle:
            worker, task = self._idle.pop(), self._waiting.popleft()
            worker.task, worker.since = task, time.monotonic()
            sent = worker.actor.answer.remote(task.batches, _images_of(task, files))
            self._doing[sent] = worker
        return bool(self._waiting) or any(worker.task for worker in self._doing.values())

    def _has_task(self, batches: Iterator[Batch]) -> bool:
        """Whether a task is waiting; if none is, the next is made."""
        if not self._waiting and (batch := next(batches, None)):
            most = int(_TASK_SECONDS / max(self._batch_seconds, _TASK_SECONDS / _MAX_BATCHES))
            if verb(batch[0][1]) in ("draw", "look"):  # images are large
                most = 1
            self._waiting.append(Task([batch, *islice(batches, max(0, most - 1))]))
        return bool(self._waiting)

    def _take(
        self, task: Task, returned: Answered | str, files: ImageStore
    ) -> Iterator[NumberedAnswers]:
        """The answers to a task. If its worker ended, it is sent again, unless it is to blame."""
        if isinstance(returned, Answered):
            self._batch_seconds = returned.seconds / len(task.batches)
            for data in returned.images:
                files.put(data)
            yield returned.answers
        elif parts := task.parts():
            self._waiting.extend(parts)
        else:
            ((number, _),) = task.batches[0]
            yield [(number, Failed(reason=f"this request ended two workers: {returned}"))]

    # --- workers -----------------------------------------------------------------------------

    def _hire(self, wanted: int | None) -> None:
        """Start workers until there are so many; None is as many as the cluster has places."""
        places = self._executor.places_for(self)
        self._wanted = places.workers if wanted is None else wanted
        actor = self._ray.remote(num_cpus=places.cpus, num_gpus=places.gpus)(Worker)
        while len(self._idle) + len(self._doing) < self._wanted:
            worker = Hired(actor.remote())
            arguments = (__version__, self._spec, str(Path.cwd()), self._texts)
            self._doing[worker.actor.open.remote(*arguments)] = worker

    def _wait_for_the_first(self) -> None:
        """Wait until a worker has loaded the model; say so if that takes long."""
        say_at = time.monotonic() + _REPORT_AFTER
        while self._about is None:
            list(self._finished())
            if self._about is None and time.monotonic() > say_at:
                say_at = math.inf
                self._executor.show_message(
                    "No worker is ready yet: the model is being loaded, or the Ray cluster has no "
                    "room for one (see `ray status`)."
                )

    def _finished(self) -> Iterator[tuple[Task, Answered | str]]:
        """Tasks with their answers, or with the reason why their worker ended.

        Workers that have loaded the model are taken on; those that ended are replaced.
        """
        done, _ = self._ray.wait([*self._doing], timeout=_TICK)
        late = {ref: late for ref, each in self._doing.items() if (late := self._lateness(each))}
        for ref in {**dict.fromkeys(done), **late}:
            worker = self._doing.pop(ref)
            task, worker.task = worker.task, None
            try:
                returned = self._ray.get(ref, timeout=0 if ref in late else None)
            except self._ray.exceptions.GetTimeoutError:
                returned = late[ref]
            except self._ray.exceptions.RayError as error:
                returned = _why_it_ended(error, self._ray.exceptions)
            if isinstance(returned, str):
                self._replace(worker, task, returned)
            elif isinstance(returned, About):
                self._take_on(worker, returned)
            else:
                self._losses = 0
                self._idle.append(worker)
                self._noted[worker] = returned.notes
            if task is not None:
                yield task, returned

    def _lateness(self, worker: Hired) -> str:
        """That a worker has taken too long, if it has."""
        limit = self._executor.settings.worker_timeout or ANSWER_SECONDS
        what = "did not answer"
        if worker.task is None:
            limit, what = max(limit, LOAD_SECONDS), "had not loaded the model"
        late = time.monotonic() - worker.since > limit
        return f"it {what} within {limit:g} seconds" if late else ""

    def _take_on(self, worker: Hired, about: About) -> None:
        """A worker that has loaded the model, which must be the same everywhere."""
        first = self._about = self._about or about
        if about.identity.digest != first.identity.digest:
            differing = ", ".join(first.identity.differs_in(about.identity)) or "kind"
            raise RunError(
                f"{about.machine} and {first.machine} loaded different versions of "
                f"{first.identity.label}: they differ in {differing}; put the same files on every "
                "machine."
            )
        here, spread = library_versions(), self._spread
        differ = {n: v for n, v in about.versions.items() if here.get(n, v) != v}
        if differ and about.machine not in spread.setdefault("versions", {}):
            spread["versions"][about.machine] = differ
            found = ", ".join(
                f"{name} {version} ({here[name]} here)" for name, version in differ.items()
            )
            self._executor.show_message(
                f"{about.machine} has other versions: {found}; answers may differ in their last "
                "digits. Install the same versions on every machine."
            )
        worker.about = about
        self._idle.append(worker)
        self._failed_starts = 0
        spread["workers"] = max(spread["workers"], len(self._ready()))
        spread["machines"] = sorted({*spread["machines"], about.machine})

    def _ready(self) -> list[Hired]:
        return [each for each in (*self._idle, *self._doing.values()) if each.about]

    def _replace(self, worker: Hired, task: Task | None, reason: str) -> None:
        """Start another worker for one that ended, unless too many did."""
        self._ray.kill(worker.actor)
        if worker.about is not None:
            assert task is not None
            self._spread["lost"] += 1
            self._losses += 1
            if self._losses >= MAX_LOSSES:
                raise RunError(
                    f"{self._losses} workers in a row ended without an answer; the cause is in the "
                    f"model or the machines, not in the requests: {reason}."
                )
            self._executor.show_message(f"A worker on {worker.about.machine} was lost ({reason}).")
            self._hire(self._wanted)
            return
        self._failed_starts += 1
        if self._ready():
            self._wanted -= 1
            self._executor.show_message(
                f"A worker could not start ({reason}); the run continues with {self._wanted}."
            )
        elif self._failed_starts >= MAX_FAILED_STARTS:
            raise RunError(
                f"{self._failed_starts} workers in a row ended before they were ready: {reason}."
            )
        else:
            self._hire(self._wanted)


class RayLearner(RayModel):
    """A model on a cluster that learns from the suite's own text; every worker gets all of it."""

    def __init__(self, executor: RayExecutor, spec: ModelSpec) -> None:
        self._opened_with = executor, spec
        self._idle, self._doing = [], {}  # nobody works before it has learnt

    def learn(self, texts: Iterable[tuple[str, str]]) -> None:
        """Take (group, text) pairs."""
        executor, spec = self._opened_with
        super().__init__(executor, spec, list(texts))


def _learns(spec: ModelSpec) -> bool:
    """Whether it is a learner, which is small before it has learnt: it can be opened here. Large
    models are of kinds that describe them.
    """
    if kind_info(spec.kind).describe is not None:
        return False
    model = open_model(spec)
    model.close()
    return isinstance(model, Learner)


def _images_of(task: Task, files: ImageStore) -> list[bytes]:
    """The images that a task looks at; a missing one is reported by the model."""
    looks = (each for batch in task.batches for _, each in batch if isinstance(each, Look))
    paths = [files.path(name) for name in sorted({look.image for look in looks})]
    return [path.read_bytes() for path in paths if path.exists()]


def _why_it_ended(error: Exception, exceptions: Any) -> str:
    """Why a worker ended, in a few words; raises what ends the run."""
    if isinstance(error, exceptions.OutOfMemoryError):
        return "its machine ran out of memory"
    if isinstance(error, exceptions.RayTaskError):
        cause: BaseException = getattr(error, "cause", error)
        if isinstance(cause, EpiceneError):
            raise cause
        return redact(f"it raised {type(cause).__name__}: {first_line(cause)}")
    because = regex.search(r"because (.+?)\.(?:\s|$)", str(error))
    return because[1] if because else first_line(error)
