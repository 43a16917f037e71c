"""Open models for a run: here or on Ray, loaded on first use, reused in a sweep."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from epicene.core.errors import InputError, RunError, unknown
from epicene.models import Learner, Model, ModelSpec, describe_model, kind_info, open_model
from epicene.models.pricing import as_paid
from epicene.runs.ray import RayExecutor
from epicene.runs.ray_cluster import RaySettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.core.records import Identity
    from epicene.models import Batch, BatchLimit, ImageStore, ModelDescription, NumberedAnswers

# An executor turns a spec into something that answers: a model on this machine, or a stand-in
# that distributes the batches over many. Suites, models and the store do not know which it is.
Executor: TypeAlias = Callable[[ModelSpec], Model]


def open_lazily(spec: ModelSpec, open_: Executor) -> Model:
    """The spec's model; loaded on first use if its identity is known without loading."""
    description = describe_model(spec)
    return LazyModel(spec, description, open_) if description else open_(spec)


def load_model(model: Model) -> None:
    """Load a lazy model now, if it is not loaded."""
    if isinstance(model, LazyModel):
        model.load()


def release_model(model: Model) -> None:
    """Free a lazy model, which can be loaded again."""
    if isinstance(model, LazyModel):
        model.close()


class LazyModel:
    """A model that is loaded only when it has to answer."""

    def __init__(self, spec: ModelSpec, description: ModelDescription, open_: Executor) -> None:
        self._spec = spec
        self._description = description
        self._open = open_
        self._model: Model | None = None
        self._noted: list[dict[str, object]] = []

    @property
    def identity(self) -> Identity:
        """Which model answers; part of every answer's key."""
        return self._description.identity

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""
        return self._description.verbs

    @property
    def batch_limit(self) -> BatchLimit:
        """How to split the plan for it; this depends on where it runs, so the model is loaded."""
        return self.load().batch_limit

    def load(self) -> Model:
        """The model itself."""
        if self._model is None:
            model = self._open(self._spec)
            if model.identity.digest != self.identity.digest:
                model.close()
                raise RunError(_changed_model_message(self.identity, model.identity))
            self._model = model
        return self._model

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Load the model and let it answer."""
        yield from self.load().answer(batches, files)

    def notes(self) -> Mapping[str, object]:
        """The model's notes; a list if it was loaded more than once."""
        every = [*self._noted, *([dict(self._model.notes())] if self._model else [])]
        if len(every) > 1:
            return {"loaded": every}
        return every[0] if every else {}

    def close(self) -> None:
        """Free the model; it is loaded again on the next use."""
        if self._model is not None:
            self._noted.append(dict(self._model.notes()))
            self._model.close()
            self._model = None


def _changed_model_message(expected: Identity, found: Identity) -> str:
    """The error message if the loaded model is not the one that was expected."""
    differing = expected.differs_in(found)
    if differing == ["dtype"]:
        return (
            f"{expected.label} should have been loaded in {expected.key.get('dtype')} but was "
            f"loaded in {found.key.get('dtype')}, which suits the machine that loaded it; choose "
            "one with --dtype."
        )
    return (
        f"The files of {expected.label} changed after the run started, or are different on the "
        f"machine that loaded them: they differ in {', '.join(differing) or 'kind'}; restore "
        "them, or start a new run."
    )


class CachingExecutor:
    """An executor that keeps one model loaded, in case the next run uses the same.

    Only models that are loaded on first use are cached, because others open quickly. A model that
    learns from a suite's text, or counts its cost, belongs to its run. A second model is not cached
    while the first is in use.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._kept: CachedModel | None = None

    def __call__(self, spec: ModelSpec) -> Model:
        """The spec's model: the cached one if it is the same."""
        if self._kept is not None and not self._kept.in_use and _is_slow_to_load(spec):
            if self._kept.spec == spec:
                self._kept.reuse()
                return self._kept
            self.evict()  # to free its memory for the next
        model = self._executor(spec)
        if self._kept is not None or not _is_cacheable(spec, model):
            return model
        self._kept = CachedModel(spec, model)
        return self._kept

    def evict(self) -> None:
        """Close the cached model."""
        if self._kept is not None:
            self._kept.model.close()
            self._kept = None


def _is_slow_to_load(spec: ModelSpec) -> bool:
    """Whether models of that kind are loaded on demand, which takes time and memory."""
    return kind_info(spec.kind).describe is not None


def _is_cacheable(spec: ModelSpec, model: Model) -> bool:
    return _is_slow_to_load(spec) and not isinstance(model, Learner) and as_paid(model) is None


class CachedModel:
    """A model that stays loaded after its run."""

    def __init__(self, spec: ModelSpec, model: Model) -> None:
        self.spec = spec
        self.model = model
        self.in_use = True
        self._before: Mapping[str, object] | None = None

    @property
    def identity(self) -> Identity:
        """Which model answers; part of every answer's key."""
        return self.model.identity

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""
        return self.model.verbs

    @property
    def batch_limit(self) -> BatchLimit:
        """The model's own limits, which change when its workers on Ray are replaced."""
        return self.model.batch_limit

    def reuse(self) -> None:
        """Record that another run uses it."""
        self.in_use = True
        self._before = self.model.notes()

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Let it answer."""
        return self.model.answer(batches, files)

    def notes(self) -> Mapping[str, object]:
        """The model's notes, which count from when it was loaded, next to those from before this
        run.
        """
        if self._before is None:
            return self.model.notes()
        return {"before_this_run": self._before, "with_this_run": self.model.notes()}

    def close(self) -> None:
        """Record that its run has ended; the model stays loaded."""
        self.in_use = False


LOCAL_MACHINE, ON_RAY = "here", "ray"


@contextmanager
def open_executor(
    on: str, settings: RaySettings, show_message: Callable[[str], None]
) -> Iterator[Executor]:
    """The executor that opens models here or on Ray."""
    if on == LOCAL_MACHINE:
        if settings != RaySettings():
            raise InputError(
                "--ray-address, --workers, --gpus-per-worker and --worker-timeout require --on ray."
            )
        yield open_model
    elif on == ON_RAY:
        cluster = RayExecutor(settings, show_message)
        try:
            yield cluster
        finally:
            cluster.close()
    else:
        raise unknown("place to run on", on, (LOCAL_MACHINE, ON_RAY))
