"""Let one call of a command fail, and check what it says and what it leaves."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fault_injection import POSSIBLE, Fault
from kill_points import Killer, Reference
from writing_commands import WritingCommand, outcome

_NOT_A_SENTENCE = ("Traceback", "Unexpected error")


def possible_faults(calls: dict[str, int]) -> list[Fault]:
    """Every fault of every call that a command makes."""
    return [
        Fault(kind, number, what)
        for kind, whats in POSSIBLE.items()
        for number in range(1, calls.get(kind, 0) + 1)
        for what in whats
    ]


def sample_faults(calls: dict[str, int], most: int, seed: int) -> list[Fault]:
    """At most so many faults, some of each kind of call and of each thing that can happen."""
    by_sort: dict[tuple[str, str], list[Fault]] = {}
    for fault in possible_faults(calls):
        by_sort.setdefault((fault.kind, fault.what), []).append(fault)
    rng = random.Random(seed)
    chosen: list[Fault] = []
    while len(chosen) < most and any(by_sort.values()):
        for some in by_sort.values():
            if some and len(chosen) < most:
                chosen.append(some.pop(rng.randrange(len(some))))
    return chosen


def check_fault(
    killer: Killer, command: WritingCommand, reference: Reference, fault: Fault
) -> list[str]:
    """What is wrong after a call has failed; nothing, if all is as it should be.

    The command says in one sentence what went wrong and exits with 1, or is not bothered. A file
    that it wrote is whole. The same command, repeated, writes what it would have written at once.
    """
    folder = killer.new_folder(command)
    order = {"kind": fault.kind, "number": fault.number, "what": fault.what}
    code = killer.run(command.arguments, folder, fault=order)
    where = f"{command.name}, {fault.kind} {fault.number}: {fault.what}"
    problems = [f"{where}: {each}" for each in _wrong_at_once(killer.said(), code, fault)]
    found = outcome(command, folder)
    problems += [f"{where}: {each}" for each in _half_written(found, reference.outcome)]
    if code == 0:
        differing = _differing(killer.result(command, folder), reference.outcome)
        problems += [f"{where}: exit code 0, and {name} differs" for name in differing]
    else:
        again = killer.run(command.arguments, folder)
        if again != 0:
            problems.append(f"{where}: repeated, exit code {again}: {killer.said()}")
        else:
            differing = _differing(killer.result(command, folder), reference.outcome)
            problems += [f"{where}: repeated, {name} differs" for name in differing]
    if not problems:
        shutil.rmtree(folder.parent)
    return problems


def _wrong_at_once(said: str, code: int, fault: Fault) -> Iterator[str]:
    reads = fault.kind == "read" or (fault.kind == "open" and fault.what != "full")
    if code not in ((0, 1, 2) if reads else (0, 1)):
        yield f"exit code {code}: {said}"
    # A sweep goes on with the next run, and says at the end what it could not do.
    last = said.rstrip("\n").rpartition("\n")[2]
    by_sweep = ": failed. " in said
    if code and not last.startswith("epicene: ") and not by_sweep:
        yield f"no sentence at the end: {said}"
    if any(words in said for words in _NOT_A_SENTENCE):
        yield f"no sentence: {said}"


def _half_written(found: dict[str, Any], expected: dict[str, Any]) -> Iterator[str]:
    """Files whose content is not what it is in the end; databases and manifests grow."""
    for name, content in found.items():
        if isinstance(content, bytes) and Path(name).suffix != ".npz":
            if name not in expected:
                yield f"{name} was not to be written"
            elif content != expected[name]:
                yield f"{name} is not whole"


def _differing(found: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    return sorted(
        name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name)
    )
