"""A model that stays loaded from one run to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene import registry
from epicene.models import Learner
from epicene.models.purse import paid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.models import Answered, Batch, BatchLimit, Files, Model, Spec
    from epicene.records import Identity
    from epicene.runs.on_demand import Executor


class KeepsOne:
    """An executor that keeps one model, in case the next run wants the same.

    Only of kinds that are loaded when they are first asked: others are opened in no time, and
    before their turn. One that learns from a suite's text, or counts what it costs, belongs to its
    run. A second one is not kept while the first is in use.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._kept: Kept | None = None

    def __call__(self, spec: Spec) -> Model:
        """The spec's model: the kept one if it is that."""
        if self._kept is not None and not self._kept.lent and _is_loaded(spec):
            if self._kept.spec == spec:
                self._kept.lend()
                return self._kept
            self.let_go()  # before another takes its place in memory
        model = self._executor(spec)
        if self._kept is not None or not _worth_keeping(spec, model):
            return model
        self._kept = Kept(spec, model)
        return self._kept

    def let_go(self) -> None:
        """Close the model that is kept."""
        if self._kept is not None:
            self._kept.model.close()
            self._kept = None


def _is_loaded(spec: Spec) -> bool:
    """Whether models of that kind are loaded on demand, which takes time and memory."""
    return hasattr(registry.find("models", spec.kind), "foreseen_by")


def _worth_keeping(spec: Spec, model: Model) -> bool:
    return _is_loaded(spec) and not isinstance(model, Learner) and paid(model) is None


class Kept:
    """A model that is not closed when a run has no more use for it."""

    def __init__(self, spec: Spec, model: Model) -> None:
        self.spec = spec
        self.model = model
        self.lent = True
        self._before: Mapping[str, object] | None = None

    @property
    def identity(self) -> Identity:
        """Who answers; part of every answer's key."""
        return self.model.identity

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""
        return self.model.verbs

    @property
    def batch_limit(self) -> BatchLimit:
        """How the plan is cut for it."""
        return self.model.batch_limit

    def lend(self) -> None:
        """Another run takes it."""
        self.lent = True
        self._before = self.model.notes()

    def answer(self, batches: Iterator[Batch], files: Files) -> Iterator[Answered]:
        """Let it answer."""
        return self.model.answer(batches, files)

    def notes(self) -> Mapping[str, object]:
        """The model's, which count from when it was loaded: with those of earlier runs."""
        if self._before is None:
            return self.model.notes()
        return {"before_this_run": self._before, "with_this_run": self.model.notes()}

    def close(self) -> None:
        """The run has no more use for it."""
        self.lent = False
