"""Models are loaded when they are first asked, and no two are held at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import two_stage
from epicene.core import registry
from epicene.core.errors import InputError, RunError
from epicene.core.records import Identity
from epicene.models import (
    Batch,
    ImageStore,
    Model,
    ModelDescription,
    ModelOptions,
    NumberedAnswers,
    model_kind,
    open_model,
    parse_spec,
)
from epicene.models.pricing import as_paid
from epicene.runs.executors import _changed_model_message, open_lazily
from runs.conftest import Runner


class Memory:
    """What is held, and what was ever loaded, in order."""

    def __init__(self) -> None:
        self.held: list[str] = []
        self.most = 0
        self.loaded: list[str] = []
        self.broken: set[str] = set()
        self.changed: set[str] = set()

    def foresee(self, name: str, options: ModelOptions) -> ModelDescription | None:
        light = two_stage.Scripted(name, options)
        return None if name.startswith("blind") else ModelDescription(light.identity, light.verbs)

    def open(self, name: str, options: ModelOptions) -> Model:
        if name in self.broken:
            raise InputError(f"The weights of {name} could not be loaded.")
        return Heavy(self, name, options)


class Heavy(two_stage.Scripted):
    """A scripted model that takes memory."""

    def __init__(self, memory: Memory, name: str, options: ModelOptions) -> None:
        super().__init__(f"other {name}" if name in memory.changed else name, options)
        self._memory = memory
        memory.held.append(name)
        memory.loaded.append(name)
        memory.most = max(memory.most, len(memory.held))
        self._asked = 0
        self._heavy = name

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        for answered in super().answer(batches, files):
            self._asked += len(answered)
            yield answered

    def notes(self) -> Mapping[str, object]:
        return {"asked": self._asked}

    def close(self) -> None:
        self._memory.held.remove(self._heavy)


@pytest.fixture
def memory() -> Memory:
    """A machine on which the kind `heavy` is loaded."""
    kept = Memory()

    @model_kind(describe=kept.foresee)
    def open_heavy(name: str, options: ModelOptions) -> Model:
        return kept.open(name, options)

    registry.add("models", "heavy", open_heavy)
    return kept


THREE = ("heavy:a", "heavy:b", "heavy:c")


def test_no_two_models_are_held_at_once(do_run: Runner, memory: Memory) -> None:
    _, manifest = do_run(writer="heavy:w", readers=THREE)
    assert manifest.state == "complete"
    assert memory.loaded == ["w", "a", "b", "c"]
    assert memory.most == 1
    assert memory.held == []
    notes = manifest.sessions[-1].notes
    assert notes == {"scripted-w": {"asked": 60}} | {
        f"scripted-{name}": {"asked": 180} for name in "abc"
    }


def test_nobody_is_loaded_to_see_whether_they_are_paid(memory: Memory) -> None:
    model = open_lazily(parse_spec("heavy:w"), open_model)
    assert as_paid(model) is None
    assert memory.loaded == []


def test_a_model_with_nothing_to_answer_is_not_loaded(do_run: Runner, memory: Memory) -> None:
    folder, _ = do_run(writer="heavy:w", readers=THREE[:2])
    memory.loaded.clear()
    again, manifest = do_run(writer="heavy:w", readers=THREE[:2])
    assert again == folder
    assert memory.loaded == []
    assert manifest.sessions[-1].notes == {f"scripted-{name}": {} for name in "wab"}
    do_run(writer="heavy:w", readers=THREE)
    assert memory.loaded == ["c"]


def test_a_model_that_cannot_be_foreseen_is_opened_at_once(do_run: Runner, memory: Memory) -> None:
    do_run(writer="heavy:blind", readers=THREE)
    assert memory.loaded == ["blind", "a", "b", "c"]
    assert memory.most == 2
    assert memory.held == []


def test_a_run_whose_first_model_cannot_be_loaded_leaves_nothing(
    do_run: Runner, memory: Memory, tmp_path: Path
) -> None:
    memory.broken = {"w"}
    with pytest.raises(InputError, match="could not be loaded"):
        do_run(writer="heavy:w", readers=THREE)
    assert not (tmp_path / "runs").exists()


def test_a_judge_that_cannot_be_loaded_loses_nothing(do_run: Runner, memory: Memory) -> None:
    memory.broken = {"b"}
    with pytest.raises(InputError, match="could not be loaded"):
        do_run(writer="heavy:w", readers=THREE)
    assert memory.held == []
    memory.broken = set()
    memory.loaded.clear()
    _, manifest = do_run(writer="heavy:w", readers=THREE)
    assert manifest.state == "complete"
    assert memory.loaded == ["b", "c"]


def test_files_that_changed_meanwhile_are_noticed(do_run: Runner, memory: Memory) -> None:
    memory.changed = {"b"}
    with pytest.raises(RunError, match="files of scripted-b changed after the run started"):
        do_run(writer="heavy:w", readers=THREE)
    assert memory.held == []


def test_one_model_in_two_roles_is_loaded_for_each(do_run: Runner, memory: Memory) -> None:
    do_run(writer="heavy:a", readers=("heavy:b", "heavy:a"))
    assert memory.loaded == ["a", "b", "a"]
    assert memory.most == 1


def test_a_number_format_that_suits_another_machine_is_reported() -> None:
    here = Identity(kind="hf", label="m", key={"weights": "1", "dtype": "float32"})
    there = Identity(kind="hf", label="m", key={"weights": "1", "dtype": "bfloat16"})
    other = Identity(kind="hf", label="m", key={"weights": "2", "dtype": "bfloat16"})
    assert "was loaded in bfloat16" in _changed_model_message(here, there)
    assert "--dtype" in _changed_model_message(here, there)
    assert "they differ in dtype, weights" in _changed_model_message(here, other)
