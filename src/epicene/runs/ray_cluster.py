"""Which Ray cluster a run uses, and for how many workers it has room."""

from __future__ import annotations

import logging
import os
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import regex

from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REACH_SECONDS = 10.0
_OBJECT_STORE = 512 * 2**20  # bytes, of a cluster that is begun here: tasks are small
_ADDRESS = regex.compile(r"(?:\[([^\s/\[\]]*:[^\s/\[\]]*)\]|([^\s/:\[\]]+)):(\d{1,5})")


@dataclass(frozen=True)
class RaySettings:
    """How a run is spread, as the user says; None is what suits the cluster."""

    address: str = ""  # HOST:PORT, `auto` (the one on this machine) or `local` (a new one)
    workers: int | None = None
    gpus_per_worker: float | None = None
    worker_timeout: float | None = None  # seconds

    def __post_init__(self) -> None:
        """Raise if Ray cannot give so many GPUs."""
        gpus = self.gpus_per_worker
        if gpus is not None and not (0 <= gpus < 1 or gpus % 1 == 0):
            raise InputError(
                "--gpus-per-worker must be a whole number, or a share of one GPU between 0 and 1, "
                f"which is all that Ray supports, not {gpus:g}."
            )


class Places(NamedTuple):
    """For how many workers there is room, and what each gets."""

    workers: int
    cpus: int
    gpus: float


def count_places(machines: Sequence[Mapping[str, float]], settings: RaySettings) -> Places:
    """Room on machines with these resources, by Ray's names.

    With GPUs a worker gets one, or as many as the settings say, and one CPU. Without, there is one
    worker per machine, or the workers share the CPUs evenly.
    """
    gpus = settings.gpus_per_worker
    if gpus is None:
        gpus = 1.0 if any(machine.get("GPU") for machine in machines) else 0.0
    if gpus:
        room = sum(_workers_on(machine.get("GPU", 0.0), gpus) for machine in machines)
        return Places(settings.workers or max(1, room), 1, gpus)
    cpus = [int(machine["CPU"]) for machine in machines if machine.get("CPU", 0.0) >= 1] or [1]
    count = settings.workers or len(cpus)
    on_each = -(-count // len(cpus))
    return Places(count, max(1, min(cpus) // on_each), 0.0)


def _workers_on(there: float, gpus: float) -> int:
    """How many workers fit on a machine's GPUs; a share below one is of a single GPU."""
    return int(there) * int(1 / gpus + 1e-6) if gpus < 1 else int(there // gpus)


def join_cluster(address: str) -> tuple[Any, bool]:
    """Ray's module, connected to a cluster, and whether it was connected here."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ModuleNotFoundError:
        raise InputError(
            "--on ray needs the package ray; install it with `pip install 'epicene[ray]'`."
        ) from None
    if ray.is_initialized():  # by the program that calls us
        return ray, False
    named = "--ray-address" if address else "RAY_ADDRESS"
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    own = {"include_dashboard": False, "object_store_memory": _OBJECT_STORE}
    try:
        if address not in ("local", "auto"):  # Ray itself would try for minutes
            socket.create_connection(parse_address(address, named), _REACH_SECONDS).close()
        more: dict[str, Any] = own if address == "local" else {}
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **more)
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        place = "on this machine" if address in ("local", "auto") else f"at {address}"
        raise InputError(
            f"Could not reach the Ray cluster {place} ({first_line(error)}); start one with `ray "
            "start --head --port=6379` and join it from every other machine with `ray start "
            "--address=HEAD:6379`."
        ) from error
    return ray, True


def parse_address(address: str, named: str = "--ray-address") -> tuple[str, int]:
    """The host and the port of `HOST:PORT` or `[IPV6]:PORT`."""
    found = _ADDRESS.fullmatch(address)
    if found and 0 < int(found[3]) < 2**16:
        return found[1] or found[2], int(found[3])
    raise InputError(
        f"{named} must be HOST:PORT, as printed by `ray start --head` (an IPv6 address in "
        "brackets: [::1]:6379), `auto` for the cluster on this machine, or `local` for a new one, "
        f"not {address!r}."
    )


def first_line(error: BaseException) -> str:
    """An error's first line, or its name."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
