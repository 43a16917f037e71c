"""The way into a cluster, whether it is still the one that was joined, and who ends with whom."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, Pipe
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from epicene.core.errors import InputError
from epicene.runs.executors import open_executor
from epicene.runs.ray import cluster, messages
from epicene.runs.ray.cluster import NODE_GONE
from epicene.runs.ray.model import RayExecutor
from epicene.runs.ray.settings import RaySettings
from runs.ray_fake_cluster import FakeCluster
from runs.ray_models import Double, opened, wait_until

PATIENCE = 60.0  # seconds in which what is waited for here happens on a busy machine, too


@pytest.mark.parametrize(("address", "why"), [("h:1", "no Ray cluster"), ("", "it did not start")])
def test_a_cluster_is_joined_within_a_limit(
    address: str,
    why: str,
    double: type[Double],
    fake_cluster: FakeCluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake_cluster.silent = True
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT", 0.1)
    with pytest.raises(InputError, match=rf"Could not reach .* .{why}.* within 0.1 seconds."):
        opened(fake_cluster, address=address)


# --- by which address ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "variable", "address", "place"),
    [
        ("", "", "", "the Ray cluster"),
        ("", "h:1", "h:1", "the Ray cluster at h:1"),
        ("", "auto", "auto", "the Ray cluster on this machine"),
        ("", "local", "", "the Ray cluster"),
        ("auto", "h:1", "auto", "the Ray cluster on this machine"),
        ("local", "h:1", "", "the Ray cluster"),
        ("g:2", "auto", "g:2", "the Ray cluster at g:2"),
    ],
)
def test_rays_own_words_for_an_address(
    given: str, variable: str, address: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", variable)
    with open_executor("ray", RaySettings(address=given), print) as opener:
        assert isinstance(opener, RayExecutor)
        settings = opener._cluster.settings
    assert (settings.address, settings.description) == (address, place)


def test_the_child_ignores_the_environment_s_cluster_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "elsewhere:1")
    monkeypatch.setenv("RAY_TMPDIR", "/tmp/short")
    environment = cluster._environment()
    assert "RAY_ADDRESS" not in environment
    assert environment["RAY_TMPDIR"] == "/tmp/short"


@pytest.fixture
def door() -> Iterator[socket.socket]:
    """Somebody who opens and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        yield server


def at(door: socket.socket) -> str:
    return f"127.0.0.1:{door.getsockname()[1]}"


class FakeRay:
    """What `ray_process` asks of Ray, in this process."""

    def __init__(self) -> None:
        self.joined: list[str] = []
        self.alive: list[tuple[str, bool]] = [("ours", True), ("another", True)]
        self.looks = 0

    def init(self, address: str, **_how: object) -> None:
        self.joined.append(address)

    def nodes(self) -> list[dict[str, Any]]:
        self.looks += 1
        return [{"NodeID": n, "Alive": a, "Resources": {"CPU": 1.0}} for n, a in self.alive]

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(get_node_id=lambda: "ours")

    def shutdown(self) -> None:
        self.joined.clear()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    from epicene.runs.ray import ray_process

    made = FakeRay()
    monkeypatch.setattr(ray_process, "ray", made)
    return made


def test_the_cluster_on_this_machine_is_found(
    fake: FakeRay, door: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ray._private import services

    from epicene.runs.ray import ray_process

    monkeypatch.setattr(services, "canonicalize_bootstrap_address_or_die", lambda _: at(door))
    monkeypatch.setattr(ray_process, "_accepts_us", lambda _address: True)
    ray_process.join_cluster("auto")
    assert fake.joined == [at(door)]

    def none(_address: str) -> str:
        raise ConnectionError("Could not find any Ray instance. Please set the `--address` flag.")

    monkeypatch.setattr(services, "canonicalize_bootstrap_address_or_die", none)
    with pytest.raises(ConnectionError, match=r"^Could not find any Ray instance$"):
        ray_process.join_cluster("auto")


# --- tokens ----------------------------------------------------------------------------------


def test_a_token_is_used_only_where_one_is_asked_for(
    fake: FakeRay, door: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epicene.runs.ray import ray_process

    taken_up: list[str] = []
    right = True
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    monkeypatch.setattr(ray_process, "_use_local_token", lambda: taken_up.append("token"))
    monkeypatch.setattr(ray_process, "_accepts_us", lambda _address: True)
    ray_process.join_cluster(at(door))
    assert (fake.joined, taken_up) == ([at(door)], [])

    monkeypatch.setattr(ray_process, "_accepts_us", lambda _address: bool(taken_up) and right)
    ray_process.join_cluster(at(door))
    assert (fake.joined, taken_up) == ([at(door)] * 2, ["token"])

    right = False
    with pytest.raises(ConnectionError, match=r"a different token.*~/\.ray/auth_token"):
        ray_process.join_cluster(at(door))
    assert len(fake.joined) == 2


@pytest.mark.parametrize(
    ("mode", "said", "why"),
    [
        ("token", "no authentication token was found", "this machine has none: copy ~/.ray/auth_t"),
        (
            "token",
            "InvalidAuthToken: missing or incorrect",
            "requires a different token from the one on this machine",
        ),
        ("Disabled", "InvalidAuthToken: missing or incorrect", "RAY_AUTH_MODE is 'Disabled' here"),
        ("token", "the dog ate it", "Failed to connect"),
    ],
)
def test_a_wrong_token_is_reported(
    mode: str,
    said: str,
    why: str,
    fake: FakeRay,
    door: socket.socket,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from epicene.runs.ray import ray_process

    def failing(_address: str, **_how: object) -> None:
        raise ConnectionError("Failed to connect") from RuntimeError(said)

    monkeypatch.setenv("RAY_AUTH_MODE", mode)
    monkeypatch.setattr(fake, "init", failing)
    with pytest.raises(ConnectionError) as raised:
        ray_process.join_cluster(at(door))
    assert why in str(raised.value)


# --- whether it is still the cluster that was joined -------------------------------------------


class Threads(dict[str, Thread]):
    """The threads of a Ray process, by what they do."""

    def __call__(self, *, target: Callable[..., None], **how: Any) -> Thread:
        self[target.__name__] = Thread(target=target, **how)
        return self[target.__name__]


@contextmanager
def serving(fake: FakeRay, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A `RayProcess` in this process, joined to a cluster; the other end of its socket."""
    from epicene.runs.ray import ray_process

    threads = Threads()
    for name, value in {
        "_NODE_CHECK_INTERVAL": 0.01,
        "_PARENT_CHECK_INTERVAL": 0.01,
        "LEAVE_TIMEOUT": 0.01,
        "join_cluster": fake.init,
        "os": SimpleNamespace(getppid=os.getppid, _exit=lambda _code: None),
        "Thread": threads,
    }.items():
        monkeypatch.setattr(ray_process, name, value)
    ours, theirs = Pipe()
    served = Thread(target=ray_process.RayProcess(theirs).serve, daemon=True)
    served.start()
    ours.send(messages.Connect(address="h:1", workers=None, gpus_per_worker=None))
    try:
        assert isinstance(heard(ours), messages.Connected)
        yield ours
    finally:  # while it cannot end this process
        ours.close()
        for each in (served, threads["_receive"], threads["_monitor"]):
            each.join(PATIENCE)
            assert not each.is_alive()


def heard(connection: Connection) -> messages.Event:
    assert connection.poll(PATIENCE)
    event: messages.Event = connection.recv()
    return event


@pytest.mark.parametrize("then", [[("ours", False), ("another", True)], [("new", True)], []])
def test_a_cluster_without_our_own_node_is_lost(
    then: list[tuple[str, bool]], fake: FakeRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(fake, monkeypatch) as connection:
        wait_until(lambda: fake.looks > 5)
        assert not connection.poll()
        fake.alive = then
        assert heard(connection) == messages.ClusterLost(reason=NODE_GONE)


def test_the_cluster_is_left_when_the_parent_closes_the_socket(
    fake: FakeRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(fake, monkeypatch):
        assert fake.joined == ["h:1"]
    assert fake.joined == []


# --- who ends with whom ------------------------------------------------------------------------

PARENT = """
import os, sys, time
from epicene.runs.ray import messages
from epicene.runs.ray.cluster import ChildProcessLink
link = ChildProcessLink()
link.send(messages.Connect(address=sys.argv[1], workers=None, gpus_per_worker=None))
sharing = os.fork() if sys.argv[2] == "shared" else 0
if sharing or sys.argv[2] != "shared":
    print(link._process.pid, sharing, flush=True)
time.sleep(600)
"""
ENDING = 25.0  # seconds; without a word from its parent Ray would be at it for longer


def lives(pid: int) -> bool:
    """Whether there is such a process, and not only its exit status that nobody has asked for."""
    asked = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


@pytest.mark.parametrize("socket_is", ["its own", "shared"])
def test_a_child_that_waits_to_be_let_in_ends_with_its_parent(
    socket_is: str, door: socket.socket
) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, at(door), socket_is], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child, sharing = map(int, parent.stdout.readline().split())
    try:
        # The first who calls knocks, the second is Ray, which will be at it for long.
        callers = [door.accept()[0] for _ in range(2)]
        assert lives(child)
        parent.kill()
        parent.wait()
        wait_until(lambda: not lives(child), ENDING)
        assert not lives(child)
        assert bool(sharing) == (socket_is == "shared")
        for caller in callers:
            caller.close()
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
        for pid in filter(lives, filter(None, (child, sharing))):
            os.kill(pid, signal.SIGKILL)
