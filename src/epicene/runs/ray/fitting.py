"""How many workers the machines of a cluster have room for, and how large each is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.runs.ray import wire

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Machine = Mapping[str, float]  # what it has in all, by Ray's names


def fitted(machines: Sequence[Machine], workers: int | None, gpus: float | None) -> wire.Connected:
    """How many workers the machines have room for, and each one's share.

    With GPUs a worker has one, or as many as it is said, and a processor; without, the workers
    share the processors evenly, one worker a machine unless it is said how many.
    """
    if gpus is None:
        gpus = 1.0 if any(machine.get("GPU", 0.0) for machine in machines) else 0.0
    if gpus:
        count = workers or max(1, sum(_shares(machine, gpus) for machine in machines))
        cpus = 1
    else:
        processors = [_processors(machine) for machine in machines if _processors(machine)] or [1]
        count = workers or len(processors)
        on_each = -(-count // len(processors))
        cpus = max(1, min(processors) // on_each)
    return wire.Connected(
        workers=count,
        cpus=cpus,
        gpus=gpus,
        machines=len(machines),
        large_enough=sum(
            _processors(machine) >= cpus and (not gpus or _shares(machine, gpus) > 0)
            for machine in machines
        ),
    )


def _processors(machine: Machine) -> int:
    return int(machine.get("CPU", 0.0))


def _shares(machine: Machine, gpus: float) -> int:
    """How many workers a machine's GPUs bear; a share below one is of a single GPU."""
    there = machine.get("GPU", 0.0)
    shares = int(1 / gpus + 1e-6)  # 1 / 0.1 may be a little below 10
    return int(there) * shares if gpus < 1 else int(there // gpus)
