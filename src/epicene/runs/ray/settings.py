"""How a run is spread over a Ray cluster, as the user sets it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address

import regex

from epicene.core.errors import InputError

# How long a cluster that does not answer is waited for, in seconds.
PATIENCE = 600.0

# Ray's own words where there is no address: the cluster that is on this machine, and a new one.
AUTO, LOCAL = "auto", "local"

_ADDRESS = regex.compile(
    r"(?:\[(?P<ipv6>[^\s\[\]]+)\]|(?P<host>[^\s/:\[\]]+)):(?P<port>[0-9]{1,5})"
)
_MIN_GPUS = 0.0001  # Ray counts no finer


@dataclass(frozen=True)
class RaySettings:
    """The user's settings; None is replaced by a value that suits the size of the cluster."""

    # HOST:PORT or `auto`; "" is a cluster of this machine alone, begun for the run.
    address: str = ""
    workers: int | None = None
    gpus_per_worker: float | None = None
    worker_timeout: float | None = None  # seconds for one shard
    patience: float = PATIENCE

    @property
    def description(self) -> str:
        """The cluster, as part of a sentence."""
        if self.address == AUTO:
            return "the Ray cluster on this machine"
        return f"the Ray cluster at {self.address}" if self.address else "the Ray cluster"

    def check(self, address_is: str = "--ray-address") -> None:
        """Raise if a setting is invalid; `address_is` is how the address was given."""
        if self.address not in {"", AUTO}:
            parse_address(self.address, address_is)
        if self.workers is not None and self.workers < 1:
            raise InputError(f"--workers must be a number of at least 1, not {self.workers}.")
        if self.worker_timeout is not None and not self.worker_timeout > 0:
            raise InputError(
                "--worker-timeout must be a number of seconds greater than 0, not "
                f"{self.worker_timeout:g}."
            )
        if self.gpus_per_worker is not None and not _is_valid_gpu_share(self.gpus_per_worker):
            raise InputError(
                "--gpus-per-worker must be a whole number, or a share of one GPU between "
                f"{_MIN_GPUS:g} and 1, which is all that Ray supports, not "
                f"{self.gpus_per_worker:g}."
            )


def parse_address(address: str, called: str = "--ray-address") -> tuple[str, int]:
    """The host and the port of `HOST:PORT` or `[IPV6]:PORT`."""
    found = _ADDRESS.fullmatch(address)
    if found and _is_host(found["host"], found["ipv6"]) and 0 < int(found["port"]) < 2**16:
        return found["host"] or found["ipv6"], int(found["port"])
    raise InputError(
        f"{called} must be HOST:PORT, as printed by `ray start --head` (an IPv6 address in "
        f"brackets: [::1]:6379), `{AUTO}` for the cluster on this machine, or `{LOCAL}` for a new "
        f"one, not {address!r}."
    )


def _is_host(host: str | None, ipv6: str | None) -> bool:
    if ipv6 is None:
        return bool(host)
    try:
        IPv6Address(ipv6)
    except AddressValueError:
        return False
    return True


def _is_valid_gpu_share(gpus: float) -> bool:
    if not math.isfinite(gpus):
        return False
    return gpus == 0 or _MIN_GPUS <= gpus < 1 or (gpus >= 1 and gpus == int(gpus))
