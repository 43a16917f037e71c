"""A proxy for a model whose answers come from workers on a cluster."""

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
    """Open models on a cluster. Workers are kept for one model at a time, as on one machine.

    Requests to a model behind a server are sent from this process: workers would not make the
    server faster, and the cost is counted in one place.
    """

    def __init__(
        self,
        settings: RaySettings,
        show_message: Callable[[str], None],
        link: ClusterLink | None = None,
    ) -> None:
        self._cluster = Cluster(link or ChildProcessLink(), settings, show_message)
        self._scheduler: Scheduler | None = None
        self._show_message = show_message
        self._served: set[ModelSpec] = set()  # of which that was said

    def __call__(self, spec: ModelSpec) -> Model:
        """A proxy for the spec's model, or the model itself if a server answers for it."""
        if may_charge(spec.kind):
            if spec not in self._served:
                self._served.add(spec)
                name = redact(spec.options.label or f"{spec.kind}:{spec.name}")
                self._show_message(
                    f"{name} is called from this machine because it is behind a server."
                )
            return open_model(spec)
        scheduler = self.start_workers(spec, None)
        kind = RayLearner if scheduler.worker_info().learner else RayModel
        return kind(self, spec, scheduler)

    def start_workers(self, spec: ModelSpec, corpus: bytes | None) -> Scheduler:
        """Start workers for a model; those of another are stopped."""
        if self._scheduler is not None:
            self._scheduler.close()
        setup = messages.WorkerSetup(spec=spec, folder=str(Path.cwd()), version=__version__)
        self._scheduler = Scheduler(self._cluster, messages.encode(setup), corpus)
        return self._scheduler

    def is_current(self, scheduler: Scheduler) -> bool:
        """Whether these are the workers that are currently kept."""
        return scheduler is self._scheduler

    def close(self) -> None:
        """Leave the cluster."""
        self._cluster.close()


class RayModel:
    """A model on a cluster."""

    def __init__(self, executor: RayExecutor, spec: ModelSpec, scheduler: Scheduler) -> None:
        self._executor = executor
        self._spec = spec
        self._scheduler = scheduler
        self._corpus: bytes | None = None
        self._info = scheduler.worker_info()
        self._earlier: list[dict[str, Any]] = []

    @property
    def identity(self) -> Identity:
        """Which model answers; part of every answer's key."""
        assert self._info.identity is not None
        return self._info.identity

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""
        return self._info.verbs

    @property
    def batch_limit(self) -> BatchLimit:
        """How to split the plan for it, as reported by the first worker."""
        return self._info.batch_limit

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Let the workers answer; they are restarted if another model took their place in the
        meantime.
        """
        if not self._executor.is_current(self._scheduler):
            self._restart_workers()
        yield from self._scheduler.answer(batches, files)

    def notes(self) -> Mapping[str, object]:
        """How many workers there were and what happened to them, for each time they were
        started.
        """
        every = [*self._earlier, self._scheduler.notes()]
        worked = [notes for notes in every if notes["ray"]["shards"]]
        if len(worked) > 1:
            return {"hired": worked}
        return worked[0] if worked else {}

    def close(self) -> None:
        """Stop the workers."""
        if self._executor.is_current(self._scheduler):
            self._scheduler.close()

    def _restart_workers(self) -> None:
        self._earlier.append(self._scheduler.notes())
        self._scheduler = self._executor.start_workers(self._spec, self._corpus)
        info = self._scheduler.worker_info()
        check_same_model(self._info, info)
        self._info = info


class RayLearner(RayModel):
    """A model on a cluster that learns from the suite's own text."""

    def learn(self, texts: Iterable[tuple[str, str]]) -> None:
        """Take (group, text) pairs; every worker gets all of them."""
        self._corpus = msgspec.msgpack.encode(list(texts))
        self._restart_workers()
