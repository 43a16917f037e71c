"""How workers are fitted to machines, what Ray's errors are in words, and what is refused."""

from __future__ import annotations

import importlib.util
import math
import socket
from typing import Any

import pytest

from epicene.errors import InputError
from epicene.models import open_model
from epicene.runs.executors import executor
from epicene.runs.ray.settings import RaySettings, endpoint

SIXTEEN = {"CPU": 16.0, "memory": 1e9}
GPUS = {"CPU": 64.0, "GPU": 8.0}
HEAD = {"CPU": 0.0}


@pytest.mark.parametrize(
    ("nodes", "workers", "gpus", "expected"),
    [
        ([SIXTEEN], None, None, (1, 16, 0)),
        ([SIXTEEN, SIXTEEN], None, None, (2, 16, 0)),
        ([SIXTEEN, SIXTEEN], 3, None, (3, 8, 0)),  # two of them share a machine
        ([SIXTEEN], 40, None, (40, 1, 0)),  # some wait for a place
        ([HEAD, SIXTEEN], None, None, (1, 16, 0)),
        ([HEAD], None, None, (1, 1, 0)),
        ([GPUS, GPUS], None, None, (16, 1, 1)),
        ([GPUS, GPUS], None, 4.0, (4, 1, 4)),
        ([GPUS, {"CPU": 4.0, "GPU": 1.0}], None, 2.0, (4, 1, 2)),
        ([GPUS], None, 0.5, (16, 1, 0.5)),
        ([GPUS], None, 0.1, (80, 1, 0.1)),
        ([GPUS], None, 0.3, (24, 1, 0.3)),  # a worker's share is of one GPU
        ([GPUS], None, 0.0, (1, 64, 0)),
        ([GPUS], 3, None, (3, 1, 1)),
    ],
)
def test_workers_are_fitted_to_the_machines(
    nodes: list[dict[str, float]],
    workers: int | None,
    gpus: float | None,
    expected: tuple[int, float, float],
) -> None:
    from epicene.runs.ray.ferry import fitted

    shape = fitted(nodes, workers, gpus)
    assert (shape.workers, shape.cpus, shape.gpus) == expected


def test_rays_errors_in_words() -> None:
    from ray import exceptions

    from epicene.runs.ray.ferry import first_line, reason

    kinds: Any = exceptions  # which have no types
    died = kinds.RayError(
        "The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR"
    )
    assert reason(died) == "its worker process has died"
    raised = kinds.RayTaskError("answer", "Traceback …", MemoryError("full\nmore"))
    assert reason(raised) == "it raised MemoryError: full"
    assert reason(kinds.OutOfMemoryError("…")) == "its machine ran out of memory"
    assert reason(ValueError("odd")) == "odd"
    assert first_line(ValueError()) == "ValueError"


def test_options_of_a_cluster_want_a_cluster() -> None:
    with executor("here", RaySettings(), print) as opener:
        assert opener is open_model
    for settings in (RaySettings(workers=2), RaySettings(address="h:1")):
        with pytest.raises(InputError, match="go with --on ray"), executor("here", settings, print):
            pass
    with (
        pytest.raises(InputError, match="no place to run on 'rays'; did you mean 'ray'"),
        executor("rays", RaySettings(), print),
    ):
        pass


@pytest.mark.parametrize(
    "address",
    [
        "host",
        "ray://host:10001",
        "host:port",
        "a b:1",
        "host:0",
        "host:65536",
        "::1:6379",  # which of its parts is the port?
        "[::1]",
        "[::1]6379",
        "[::1",
        "[host]:6379",
        "[]:6379",
        "[10.0.0.1]:6379",
        ":6379",
        "host:६३७९",
    ],
)
def test_an_address_is_a_host_and_a_port(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(InputError, match="--ray-address wants HOST:PORT"),
        executor("ray", RaySettings(address=address), print),
    ):
        pass
    monkeypatch.setenv("RAY_ADDRESS", address)
    with (
        pytest.raises(InputError, match="--ray-address wants HOST:PORT"),
        executor("ray", RaySettings(), print),
    ):
        pass


@pytest.mark.parametrize(
    ("address", "host", "port"),
    [
        ("host:6379", "host", 6379),
        ("10.0.0.1:1", "10.0.0.1", 1),
        ("[::1]:6379", "::1", 6379),
        ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65535),
    ],
)
def test_addresses_that_are_fine(address: str, host: str, port: int) -> None:
    RaySettings(address=address).check()
    assert endpoint(address) == (host, port)


@pytest.mark.parametrize(
    ("family", "host", "written"),
    [(socket.AF_INET, "127.0.0.1", "127.0.0.1"), (socket.AF_INET6, "::1", "[::1]")],
)
def test_a_cluster_is_knocked_at(family: socket.AddressFamily, host: str, written: str) -> None:
    from epicene.runs.ray.ferry import knock

    with socket.socket(family) as door:
        try:
            door.bind((host, 0))
        except OSError:
            pytest.skip(f"there is no {host} on this machine")
        door.listen()
        port = door.getsockname()[1]
        knock(f"{written}:{port}")
        door.settimeout(5)
        door.accept()[0].close()
    with pytest.raises(OSError):
        knock(f"{written}:{port}")


@pytest.mark.parametrize("gpus", [0.0, 0.0001, 0.25, 0.9999, 1.0, 2.0, 8.0])
def test_shares_of_gpus_that_ray_can_give(gpus: float) -> None:
    RaySettings(gpus_per_worker=gpus).check()


@pytest.mark.parametrize("gpus", [1.5, 2.0001, 0.00005, -1.0, -0.5, math.nan, math.inf])
def test_shares_of_gpus_that_ray_cannot_give_are_refused(gpus: float) -> None:
    with (
        pytest.raises(InputError, match=r"--gpus-per-worker wants .* not "),
        executor("ray", RaySettings(gpus_per_worker=gpus), print),
    ):
        pass


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan])
def test_a_worker_has_some_time(seconds: float) -> None:
    with pytest.raises(InputError, match=r"--worker-timeout wants .* not "):
        RaySettings(worker_timeout=seconds).check()


@pytest.mark.parametrize("workers", [0, -3])
def test_there_is_a_worker(workers: int) -> None:
    with pytest.raises(InputError, match=r"--workers wants .* not "):
        RaySettings(workers=workers).check()


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with (
        pytest.raises(InputError, match=r"pip install 'epicene\[ray\]'"),
        executor("ray", RaySettings(), print),
    ):
        pass
