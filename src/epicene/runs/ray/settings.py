"""How a run is spread over a cluster."""

from __future__ import annotations

from dataclasses import dataclass

import regex

from epicene.errors import InputError

# How long a cluster that does not answer is waited for, in seconds.
PATIENCE = 600.0

_ADDRESS = regex.compile(r"[^\s/:]+:[0-9]{1,5}|\[[0-9a-fA-F:]+\]:[0-9]{1,5}")


@dataclass(frozen=True)
class RaySettings:
    """What the user says of it; None is left to the cluster's size."""

    address: str = ""  # HOST:PORT; "" is a cluster of this machine alone, begun for the run
    workers: int | None = None
    gpus_per_worker: float | None = None
    worker_timeout: float | None = None  # seconds for one shard
    patience: float = PATIENCE

    @property
    def place(self) -> str:
        """The cluster, in a sentence."""
        return f"the Ray cluster at {self.address}" if self.address else "the Ray cluster"

    def check(self) -> None:
        """Raise if the address is none."""
        if self.address and not _ADDRESS.fullmatch(self.address):
            raise InputError(
                f"--ray-address wants HOST:PORT, as `ray start --head` says it, not "
                f"{self.address!r}."
            )
