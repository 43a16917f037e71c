"""Models that are loaded when they are first asked, and let go when another's turn comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from epicene.errors import RunError
from epicene.models import Model, Spec, foresee

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.models import Answered, Batch, BatchLimit, Files, Foreseen
    from epicene.records import Identity

# An executor turns a spec into something that answers: a model on this machine, or a stand-in
# for many that hands the batches round. Suites, models and the store do not know which it is.
Executor: TypeAlias = Callable[[Spec], Model]


def on_demand(spec: Spec, open_: Executor) -> Model:
    """The spec's model, not loaded yet where it is known without that who it is."""
    foreseen = foresee(spec)
    return OnDemand(spec, foreseen, open_) if foreseen else open_(spec)


def load(model: Model) -> None:
    """Load a model now, if it is not."""
    if isinstance(model, OnDemand):
        model.load()


def release(model: Model) -> None:
    """Let go of what a model can load again."""
    if isinstance(model, OnDemand):
        model.close()


class OnDemand:
    """Stands for a model that is loaded only while it is asked."""

    def __init__(self, spec: Spec, foreseen: Foreseen, open_: Executor) -> None:
        self._spec = spec
        self._foreseen = foreseen
        self._open = open_
        self._model: Model | None = None
        self._noted: list[dict[str, object]] = []

    @property
    def identity(self) -> Identity:
        """Who answers; part of every answer's key."""
        return self._foreseen.identity

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""
        return self._foreseen.verbs

    @property
    def batch_limit(self) -> BatchLimit:
        """How the plan is cut for it; where it runs decides, so it is loaded for that."""
        return self.load().batch_limit

    def load(self) -> Model:
        """The model itself."""
        if self._model is None:
            model = self._open(self._spec)
            if model.identity.digest != self.identity.digest:
                model.close()
                raise RunError(_another(self.identity, model.identity))
            self._model = model
        return self._model

    def answer(self, batches: Iterator[Batch], files: Files) -> Iterator[Answered]:
        """Load the model and let it answer."""
        yield from self.load().answer(batches, files)

    def notes(self) -> Mapping[str, object]:
        """The model's; where it was loaded more than once, of each time."""
        every = [*self._noted, *([dict(self._model.notes())] if self._model else [])]
        if len(every) > 1:
            return {"loaded": every}
        return every[0] if every else {}

    def close(self) -> None:
        """Let go of the model; it is loaded again if it is asked again."""
        if self._model is not None:
            self._noted.append(dict(self._model.notes()))
            self._model.close()
            self._model = None


def _another(expected: Identity, found: Identity) -> str:
    """What to say where the model that was loaded is not the one its files promised."""
    differing = expected.differs_in(found)
    if differing == ["dtype"]:
        return (
            f"{expected.label} was to be read in {expected.key.get('dtype')} and was loaded in "
            f"{found.key.get('dtype')}, which is what suits the machine that loaded it; say "
            "which with --dtype."
        )
    return (
        f"The files of {expected.label} changed after the run had begun, or are others on the "
        f"machine that loaded them: they differ in {', '.join(differing) or 'kind'}; put them "
        "back, or start the run anew."
    )
