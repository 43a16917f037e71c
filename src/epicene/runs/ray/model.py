"""A stand-in for a model whose answers come from workers on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epicene import __version__
from epicene.core.redaction import redact
from epicene.models import open_model
from epicene.runs.costs import may_charge
from epicene.runs.ray import messages
from epicene.runs.ray.cluster import ChildProcessLink, Cluster
from epicene.runs.ray.scheduler import Scheduler
from epicene.runs.ray.worker_pool import check_same_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from epicene.core.records import Identity
    from epicene.models import Batch, BatchLimit, ImageStore, Model, ModelSpec, NumberedAnswers
    from epicene.runs.ray.cluster import ClusterLink
    from epicene.runs.ray.settings import RaySettings


class RayExecutor:
    """Opens models on a cluster. Workers are held for one model at a time, as on one machine.

    One behind a server is asked from this process: workers would not make the server faster, and
    what is spent is counted in one.
    """

    def __init__(
        self, settings: RaySettings, say: Callable[[str], None], link: ClusterLink | None = None
    ) -> None:
        self._cluster = Cluster(link or ChildProcessLink(), settings, say)
        self._crew: Scheduler | None = None
        self._say = say
        self._served: set[ModelSpec] = set()  # of which that was said

    def __call__(self, spec: ModelSpec) -> Model:
        """A stand-in for the spec's model, or the model itself if a server answers for it."""
        if may_charge(spec.kind):
            if spec not in self._served:
                self._served.add(spec)
                name = redact(spec.options.label or f"{spec.kind}:{spec.name}")
                self._say(f"{name} is asked from this machine, as a server answers.")
            return open_model(spec)
        crew = self.start_workers(spec, None)
        kind = RayLearner if crew.introduction().learner else RayModel
        return kind(self, spec, crew)

    def start_workers(self, spec: ModelSpec, corpus: bytes | None) -> Scheduler:
        """Workers for a model; those of another are let go."""
        if self._crew is not None:
            self._crew.close()
        opening = messages.WorkerSetup(spec=spec, folder=str(Path.cwd()), version=__version__)
        self._crew = Scheduler(self._cluster, messages.encode(opening), corpus)
        return self._crew

    def is_current(self, crew: Scheduler) -> bool:
        """Whether these are the workers that are held."""
        return crew is self._crew

    def close(self) -> None:
        """Take leave of the cluster."""
        self._cluster.close()


class RayModel:
    """A model on a cluster."""

    def __init__(self, executor: RayExecutor, spec: ModelSpec, crew: Scheduler) -> None:
        self._executor = executor
        self._spec = spec
        self._crew = crew
        self._corpus: bytes | None = None
        self._introduction = crew.introduction()
        self._earlier: list[dict[str, Any]] = []

    @property
    def identity(self) -> Identity:
        """Who answers; part of every answer's key."""
        assert self._introduction.identity is not None
        return self._introduction.identity

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""
        return self._introduction.verbs

    @property
    def batch_limit(self) -> BatchLimit:
        """How the plan is cut for it, as the first worker says."""
        return self._introduction.batch_limit

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Let the workers answer, hired anew if another model had their place meanwhile."""
        if not self._executor.is_current(self._crew):
            self._hire()
        yield from self._crew.answer(batches, files)

    def notes(self) -> Mapping[str, object]:
        """How many workers there were, and what became of them, each time there were any."""
        every = [*self._earlier, self._crew.notes()]
        worked = [notes for notes in every if notes["ray"]["shards"]]
        if len(worked) > 1:
            return {"hired": worked}
        return worked[0] if worked else {}

    def close(self) -> None:
        """Let the workers go."""
        if self._executor.is_current(self._crew):
            self._crew.close()

    def _hire(self) -> None:
        self._earlier.append(self._crew.notes())
        self._crew = self._executor.start_workers(self._spec, self._corpus)
        introduction = self._crew.introduction()
        check_same_model(self._introduction, introduction)
        self._introduction = introduction


class RayLearner(RayModel):
    """A model on a cluster that learns from the suite's own text."""

    def learn(self, texts: Iterable[tuple[str, str]]) -> None:
        """Take (group, text) pairs; every worker gets them all."""
        self._corpus = msgspec.msgpack.encode(list(texts))
        self._hire()
