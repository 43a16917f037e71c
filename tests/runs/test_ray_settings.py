"""How workers are fitted to machines, what Ray's errors are in words, and what is refused."""

from __future__ import annotations

import importlib.util
import math
import socket
from typing import Any

import pytest

from epicene.core.errors import InputError
from epicene.models import open_model
from epicene.runs.executors import open_executor
from epicene.runs.ray.cluster import exit_reason, first_line, size_workers
from epicene.runs.ray.settings import RaySettings, parse_address

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
    shape = size_workers(nodes, workers, gpus)
    assert (shape.workers, shape.cpus, shape.gpus) == expected


@pytest.mark.parametrize(
    ("nodes", "workers", "gpus", "large_enough"),
    [
        ([SIXTEEN], None, None, 1),
        ([SIXTEEN], 40, None, 1),  # sixteen of them have a place, so it is large enough
        ([HEAD, SIXTEEN], None, None, 1),
        ([HEAD], None, None, 0),
        ([], None, None, 0),
        ([SIXTEEN, SIXTEEN], None, 1.0, 0),
        ([SIXTEEN], None, 0.5, 0),
        ([GPUS, SIXTEEN], None, 0.5, 1),
        ([GPUS, GPUS], None, 8.0, 2),
        ([GPUS, GPUS], None, 9.0, 0),  # which no machine has, though together they have 16
        ([{"CPU": 0.0, "GPU": 8.0}], None, None, 0),  # and no processor to go with them
    ],
)
def test_machines_that_are_large_enough_are_counted(
    nodes: list[dict[str, float]], workers: int | None, gpus: float | None, large_enough: int
) -> None:
    assert size_workers(nodes, workers, gpus).suitable_machines == large_enough


def test_rays_errors_in_words() -> None:
    from ray import exceptions

    from epicene.runs.ray.ray_process import failure_reason

    kinds: Any = exceptions  # which have no types
    died = kinds.RayError(
        "The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR"
    )
    assert failure_reason(died) == "its worker process has died"
    raised = kinds.RayTaskError("answer", "Traceback …", MemoryError("full\nmore"))
    assert failure_reason(raised) == "it raised MemoryError: full"
    assert failure_reason(kinds.OutOfMemoryError("…")) == "its machine ran out of memory"
    assert failure_reason(ValueError("odd")) == "odd"
    assert first_line(ValueError()) == "ValueError"
    unreachable = kinds.ActorUnavailableError("RpcError: rpc_code: 14, recvmsg: reset", b"0" * 16)
    assert failure_reason(unreachable) == "its process no longer answers"
    at_start = kinds.RayTaskError("__init__", "Traceback …\nOSError: no space", OSError("no space"))
    assert failure_reason(kinds.ActorDiedError(at_start)) == "it raised OSError: no space"
    forgotten = kinds.RayError("It is dead because all references to the actor were removed by it.")
    assert "RAY_AUTH_MODE" in failure_reason(forgotten)


FRAMES = """*** StackTrace Information ***
/site-packages/ray/_raylet.so(+0x1812b9a) [0x7f2b2c412b9a] ray::operator<<()
/site-packages/ray/_raylet.so(_ZNSt17_Function_handlerIFvvE+0x15) [0x7f2b2b721625]
/lib/x86_64-linux-gnu/libc.so.6(+0x1098ec) [0x7f2b2d3278ec]

"""
PLEA = (
    "An unexpected system state has occurred. You have likely discovered a bug in Ray. Please "
    "report this issue at https://github.com/ray-project/ray/issues and we'll work with you to "
    "fix it. "
)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            f"[2026-01-01 10:00:00,440 C 26080 26185] global_state_accessor.cc:111:  {PLEA}Check "
            "failed: status Status not OK: Unauthenticated: RPC error: WrongClusterID: Perhaps \n"
            f"{FRAMES}",
            "another cluster answers at its address",
        ),
        (
            "something before\n[2026-01-01 10:00:00,951 E 32615 348] rpc_client.h:204: Failed to "
            "connect to GCS within 4 seconds. GCS may have been killed. The program will end.",
            "its head node does not answer",
        ),
        (
            f"[2026-01-01 10:00:00,440 C 1 2] (python-core-driver) core.cc:1:  {PLEA}Check "
            f"failed: node_id \n{FRAMES}",
            "Check failed: node_id",
        ),
        ("Traceback …\nModuleNotFoundError: no ray", "ModuleNotFoundError: no ray"),
        (FRAMES, "the connection ended"),
        ("", "the connection ended"),
    ],
)
def test_last_words_are_no_stack(said: str, words: str) -> None:
    assert exit_reason(said) == words


def test_options_of_a_cluster_want_a_cluster() -> None:
    with open_executor("here", RaySettings(), print) as opener:
        assert opener is open_model
    for settings in (RaySettings(workers=2), RaySettings(address="h:1")):
        with (
            pytest.raises(InputError, match="require --on ray"),
            open_executor("here", settings, print),
        ):
            pass
    with (
        pytest.raises(InputError, match="no place to run on 'rays'; did you mean 'ray'"),
        open_executor("rays", RaySettings(), print),
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
        pytest.raises(InputError, match="--ray-address must be HOST:PORT"),
        open_executor("ray", RaySettings(address=address), print),
    ):
        pass
    monkeypatch.setenv("RAY_ADDRESS", address)
    with (
        pytest.raises(InputError, match=r"^RAY_ADDRESS must be HOST:PORT"),
        open_executor("ray", RaySettings(), print),
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
    assert parse_address(address) == (host, port)


@pytest.mark.parametrize(
    ("family", "host", "written"),
    [(socket.AF_INET, "127.0.0.1", "127.0.0.1"), (socket.AF_INET6, "::1", "[::1]")],
)
def test_a_cluster_has_to_be_reachable(
    family: socket.AddressFamily, host: str, written: str
) -> None:
    from epicene.runs.ray.ray_process import check_reachable

    with socket.socket(family) as door:
        try:
            door.bind((host, 0))
        except OSError:
            pytest.skip(f"there is no {host} on this machine")
        door.listen()
        port = door.getsockname()[1]
        check_reachable(f"{written}:{port}")
        door.settimeout(5)
        door.accept()[0].close()
    with pytest.raises(OSError):
        check_reachable(f"{written}:{port}")


@pytest.mark.parametrize("gpus", [0.0, 0.0001, 0.25, 0.9999, 1.0, 2.0, 8.0])
def test_shares_of_gpus_that_ray_can_give(gpus: float) -> None:
    RaySettings(gpus_per_worker=gpus).check()


@pytest.mark.parametrize("gpus", [1.5, 2.0001, 0.00005, -1.0, -0.5, math.nan, math.inf])
def test_shares_of_gpus_that_ray_cannot_give_are_refused(gpus: float) -> None:
    with (
        pytest.raises(InputError, match=r"--gpus-per-worker must be .* not "),
        open_executor("ray", RaySettings(gpus_per_worker=gpus), print),
    ):
        pass


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan])
def test_a_worker_has_some_time(seconds: float) -> None:
    with pytest.raises(InputError, match=r"--worker-timeout must be .* not "):
        RaySettings(worker_timeout=seconds).check()


@pytest.mark.parametrize("workers", [0, -3])
def test_there_is_a_worker(workers: int) -> None:
    with pytest.raises(InputError, match=r"--workers must be .* not "):
        RaySettings(workers=workers).check()


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with (
        pytest.raises(InputError, match=r"pip install 'epicene\[ray\]'"),
        open_executor("ray", RaySettings(), print),
    ):
        pass
