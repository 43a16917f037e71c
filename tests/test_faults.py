"""Calls that fail and commands that are killed: a sample of what benchmarks/ does to all."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from fault_checks import check_fault, possible_faults, sample_faults
from fault_injection import KINDS, Fault
from kill_points import Killer, Reference, Tally
from writing_commands import COMMANDS, WritingCommand

BY_NAME = {command.name: command for command in COMMANDS}
SAMPLE = [
    "run misgendering",
    "run gramvis",
    "run own_pairs.py",
    "data build with models",
    "annotate import",
    "export data to hf",
]
FAULTS = 5  # of each command
KILLS = 4


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killer]:
    killer = Killer(tmp_path_factory.mktemp("killer"), seed=18)
    yield killer
    killer.close()


@pytest.fixture(scope="module", params=SAMPLE)
def case(request: pytest.FixtureRequest, killer: Killer) -> tuple[WritingCommand, Reference]:
    command = BY_NAME[request.param]
    return command, killer.reference(command)


def test_a_call_that_fails_is_one_sentence_and_the_command_can_be_repeated(
    killer: Killer, case: tuple[WritingCommand, Reference]
) -> None:
    command, reference = case
    for fault in sample_faults(reference.calls, FAULTS, seed=len(command.name)):
        assert check_fault(killer, command, reference, fault) == []


def test_a_killed_command_can_be_repeated(
    killer: Killer, case: tuple[WritingCommand, Reference]
) -> None:
    """At 520b741 a killed export refused the folder ever after."""
    command, reference = case
    tally = Tally()
    while tally.kills < KILLS:
        killer.round(command, reference, KILLS - tally.kills, tally)
    assert tally.problems == []


def test_gramvis_on_a_full_disk_ends_with_the_tables_of_the_reference(killer: Killer) -> None:
    """Full from an image, from an answer or from the manifest on; then there is room again."""
    command = BY_NAME["run gramvis"]
    reference = killer.reference(command)
    writes = reference.calls["write"]
    for number in (writes // 5, writes // 2, writes - 1):
        assert check_fault(killer, command, reference, Fault("write", number, "full")) == []


# --- the faults themselves ---------------------------------------------------------------------


def test_faults_do_happen(killer: Killer) -> None:
    command = BY_NAME["run misgendering"]
    calls = killer.reference(command).calls
    assert set(calls) == set(KINDS)
    folder = killer.new_folder(command)

    def injected(kind: str, number: int, what: str) -> int:
        fault = {"kind": kind, "number": number, "what": what}
        return killer.run(command.arguments, folder, fault=fault)

    assert injected("write", calls["write"] + 1, "EIO") == 0, "there are no more calls"
    folder = killer.new_folder(command)
    assert injected("rename", 1, "kill") == -signal.SIGKILL
    assert injected("write", 2, "full") == 1
    assert "epicene: " in killer.said()
    assert injected("rename", 1, "full") == 1
    assert "Could not write out/manifest.json: No space left on device." in killer.said()


def test_a_sample_has_all_sorts_of_faults() -> None:
    calls: dict[str, int] = dict.fromkeys(KINDS, 9)
    every = possible_faults(calls)
    sorts = {(fault.kind, fault.what) for fault in every}
    assert len(every) == 9 * len(sorts)
    chosen = sample_faults(calls, len(sorts), seed=1)
    assert {(fault.kind, fault.what) for fault in chosen} == sorts
