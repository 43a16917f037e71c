"""The interface for building data sets: steps that compute, ask models or ask people.

A step gets the rows of earlier steps, by step name, and returns its own rows: plain JSON objects,
so that a person can read and correct them between two steps. A suite defines what is asked and how
answers become rows; `epicene.runs.dataset_builder` asks, stores and resumes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

from epicene.core.records import Answer, Identity, Record, Request

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.studies.design.schema import Response, Study

StepRow: TypeAlias = dict[str, Any]
StepOutputs: TypeAlias = Mapping[str, Sequence[StepRow]]


def kept_rows(rows: Iterable[StepRow]) -> list[StepRow]:
    """The rows that were not dropped; a dropped row gives the reason in `dropped`."""
    return [row for row in rows if not row["dropped"]]


class BuildSettings(Record, frozen=True, kw_only=True):
    """The settings of a construction. A suite subclasses it.

    `files` lists the settings that are paths: such a file is identified by its content, not by its
    location, and must not change during the construction.
    """

    files: ClassVar[tuple[str, ...]] = ()

    seed: int = 0


SettingsT = TypeVar("SettingsT", bound=BuildSettings)


class ModelReply(NamedTuple):
    """One model's answer to one request."""

    request: Request
    identity: Identity
    answer: Answer

    @property
    def model(self) -> str:
        """The model's label."""
        return self.identity.label

    @property
    def described(self) -> str:
        """The model in words: its label, its kind and the rest of its identity."""
        key = sorted(self.identity.key.items())
        facts = ", ".join(f"{name} {value}" for name, value in key if value)
        return f"{self.model} ({self.identity.kind}{f': {facts}' if facts else ''})"


@dataclass(frozen=True)
class Compute(Generic[SettingsT]):
    """A step that computes rows from files and from earlier rows."""

    name: str
    about: str
    make: Callable[[StepOutputs, SettingsT], Iterable[StepRow]]


@dataclass(frozen=True)
class AskModels(Generic[SettingsT]):
    """A step that makes rows from models' answers. Every request has its own id (`item`).

    With `many`, the role takes several models, at least `least`, and each gets all requests.
    """

    name: str
    about: str
    role: str
    verbs: tuple[type[Request], ...]
    ask: Callable[[StepOutputs, SettingsT], Iterable[Request]]
    read: Callable[[StepOutputs, SettingsT, Iterable[ModelReply]], Iterable[StepRow]]
    many: bool = False
    least: int = 1


@dataclass(frozen=True)
class AskPeople(Generic[SettingsT]):
    """A step that makes rows from people's answers to a study with items."""

    name: str
    about: str
    study: Callable[[StepOutputs, SettingsT], Study]
    read: Callable[[StepOutputs, SettingsT, Study, Sequence[Response]], Iterable[StepRow]]


Step: TypeAlias = Compute[Any] | AskModels[Any] | AskPeople[Any]


@dataclass(frozen=True)
class Construction(Generic[SettingsT]):
    """All steps in order, and how the data set is exported.

    `export` writes files into a folder and returns them; the first is the data itself, which the
    suite reads back and checks.
    """

    about: str
    settings: type[SettingsT]
    steps: tuple[Step, ...]
    export: Callable[[StepOutputs, SettingsT, Path], Sequence[Path]]

    @property
    def roles(self) -> list[str]:
        """The roles whose models are asked, in the order of the steps."""
        return list(dict.fromkeys(step.role for step in self.steps if isinstance(step, AskModels)))
