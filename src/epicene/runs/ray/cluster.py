"""The run's side of a cluster: the child process, connecting, reconnecting, worker sizes."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from itertools import count
from multiprocessing.connection import Connection, Pipe
from typing import IO, TYPE_CHECKING, Protocol

import regex

from epicene.core.errors import InputError, RunError
from epicene.runs.ray import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from epicene.runs.ray.settings import RaySettings

if TYPE_CHECKING:
    Machine = Mapping[str, float]  # what it has in all, by Ray's names


def size_workers(
    machines: Sequence[Machine], workers: int | None, gpus: float | None
) -> messages.Connected:
    """How many workers the machines have room for, and the resources of each.

    With GPUs, each worker gets one GPU, or as many as the settings say, and one CPU; without GPUs,
    the workers share the CPUs evenly (default: one worker per machine).
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
    return messages.Connected(
        workers=count,
        cpus=cpus,
        gpus=gpus,
        suitable_machines=sum(
            _processors(machine) >= cpus and (not gpus or _shares(machine, gpus) > 0)
            for machine in machines
        ),
    )


def _processors(machine: Machine) -> int:
    return int(machine.get("CPU", 0.0))


def _shares(machine: Machine, gpus: float) -> int:
    """How many workers fit on a machine's GPUs; a share below one is of a single GPU."""
    there = machine.get("GPU", 0.0)
    shares = int(1 / gpus + 1e-6)  # 1 / 0.1 may be a little below 10
    return int(there) * shares if gpus < 1 else int(there // gpus)


NODE_GONE = "the cluster's node on this machine is gone"

# Ray's error messages, and what they mean to the user.
_MEANINGS = (
    ("WrongClusterID", "another cluster answers at its address"),
    ("Failed to connect to GCS", "its head node does not answer"),
)
_FRAME = regex.compile(r"\*\*\* |\S*\(.*\) \[0x[0-9a-f]+\]|\s+@ ")  # of a native stack
_LOGGED = regex.compile(r"\[[^\]]+ [A-Z] \d+ \d+\] (?:\([^)]*\) )?\S+:\d+:\s+")
_BUG_REPORT_REQUEST = regex.compile(
    r"An unexpected system state has occurred\..*?with you to fix it\.\s*"
)


def first_line(error: BaseException) -> str:
    """An error's first line, or its name."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def exit_reason(said: str) -> str:
    """What a process printed before Ray ended it, without the stack trace and log prefixes."""
    lines = [line for line in said.splitlines() if line.strip() and not _FRAME.match(line)]
    if not lines:
        return "the connection ended"
    last = lines[-1]
    for theirs, meaning in _MEANINGS:
        if theirs in last:
            return meaning
    return _BUG_REPORT_REQUEST.sub("", _LOGGED.sub("", last)).strip()


LEAVE_TIMEOUT = 20.0  # seconds in which the child must leave the cluster


class ClusterLink(Protocol):
    """Passes commands to a cluster and events back."""

    def send(self, command: messages.Command) -> None:
        """Execute a command; if the cluster is lost, an event will say so."""

    def events(self, timeout: float) -> Iterator[messages.Event]:
        """The events so far; waits up to `timeout` seconds for the first."""

    def close(self) -> None:
        """Stop all workers."""


class ChildProcessLink:
    """The child process, started to reach a cluster, and restarted after the cluster was lost."""

    def __init__(self) -> None:
        if importlib.util.find_spec("ray") is None:
            raise InputError(
                "--on ray needs the package ray; install it with `pip install 'epicene[ray]'`."
            )
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._said: IO[bytes] | None = None

    def send(self, command: messages.Command) -> None:
        """Execute a command; if the cluster is lost, an event will say so."""
        if isinstance(command, messages.Connect) and self._process is None:
            self._begin()
        if self._connection is None:
            return  # the cluster was lost, and what it had with it
        try:
            self._connection.send(command)
        except OSError:
            return  # the child is gone, which reading from it will tell

    def events(self, timeout: float) -> Iterator[messages.Event]:
        """The events so far; waits up to `timeout` seconds for the first."""
        while self._connection is not None:
            try:
                if not self._connection.poll(timeout):
                    return
                event: messages.Event = self._connection.recv()
            except (EOFError, OSError):
                event = messages.ClusterLost(reason=exit_reason(self._heard()))
            if isinstance(event, messages.ClusterLost):
                self.close()
            yield event
            timeout = 0.0

    def _begin(self) -> None:
        self._connection, theirs = Pipe()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the child
        # A session of its own: Ctrl-C is for the run, which then lets the workers go.
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "epicene.runs.ray.ray_process", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            start_new_session=True,
            env=_environment(),
        )
        theirs.close()

    def _heard(self) -> str:
        """What the child process, and Ray in it, printed."""
        assert self._said is not None
        self._said.seek(0)
        return self._said.read().decode(errors="replace")

    def close(self) -> None:
        """Stop all workers."""
        if self._process is None:
            return
        assert self._connection is not None
        assert self._said is not None
        self._connection.close()
        try:
            self._process.wait(LEAVE_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._said.close()
        self._process = self._connection = self._said = None


def _environment() -> dict[str, str]:
    """The child's environment, without the variable that would name another cluster to Ray."""
    kept = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    return {**kept, "RAY_USAGE_STATS_ENABLED": "0"}


TICK = 0.5  # seconds between looks at the clock
CONNECT_TIMEOUT = 180.0  # seconds in which a cluster is joined, or begun
MAX_LOSSES = 5  # times in a row that a cluster may be lost before any shard is answered
_RETRY_INTERVAL = 5.0  # seconds between attempts to reach a cluster that was lost


class Cluster:
    """The link to a cluster, and what the cluster has room for."""

    def __init__(
        self, link: ClusterLink, settings: RaySettings, show_message: Callable[[str], None]
    ) -> None:
        self.settings = settings
        self.show_message = show_message
        self.send = link.send
        self._link = link
        self._room: messages.Connected | None = None
        self._was_reached = False
        self._losses = 0  # in a row
        self._numbers = count(1)

    @property
    def room(self) -> messages.Connected:
        """How many workers of which size there is room for; connects to the cluster."""
        if self._room is None:
            reached = self._attempt()
            if isinstance(reached, messages.Connected):
                self._room = reached
            elif self._was_reached:  # it was lost between requests
                self._room = self._waited_for(reached.reason)
            else:
                raise InputError(
                    f"Could not reach {self.settings.description} ({reached.reason}); "
                    "start one with `ray start --head --port=6379` and join it from every other "
                    "machine with `ray start --address=HEAD:6379`."
                )
            self._was_reached = True
        return self._room

    def number(self) -> int:
        """A new number for a worker or a shard."""
        return next(self._numbers)

    def events(self) -> Iterator[messages.Event]:
        """The events so far; waits a tick for the first."""
        for event in self._link.events(TICK):
            if isinstance(event, messages.ClusterLost):
                self._room = None  # it must be reached anew before a worker is started
            yield event

    def worked(self) -> None:
        """Record that a shard was answered, which resets the count of losses in a row."""
        self._losses = 0

    def wait_until_back(self, reason: str) -> None:
        """Report the loss of the cluster and wait until it is back, unless lost too often."""
        self._room = self._waited_for(reason)

    def _waited_for(self, reason: str) -> messages.Connected:
        patience, cluster = format_seconds(self.settings.patience), self.settings.description
        cluster = cluster[0].upper() + cluster[1:]
        self._losses += 1
        if self._losses >= MAX_LOSSES:
            raise RunError(
                f"{cluster} was lost {self._losses} times in a row before its workers answered "
                f"any request ({reason}). All answers so far are stored; check the machines and "
                "their network, and run the same command again."
            )
        self.show_message(f"{cluster} was lost ({reason}); waiting up to {patience} for it.")
        deadline = time.monotonic() + self.settings.patience
        while isinstance(reached := self._attempt(), messages.ClusterLost):
            if time.monotonic() > deadline:
                raise RunError(
                    f"{cluster} has not answered for {patience} ({reached.reason}). All answers "
                    "so far are stored; run the same command again when it is back."
                )
            time.sleep(min(_RETRY_INTERVAL, self.settings.patience))
        self.show_message(f"{cluster} is back.")
        return reached

    def _attempt(self) -> messages.Connected | messages.ClusterLost:
        self.send(
            messages.Connect(
                address=self.settings.address,
                workers=self.settings.workers,
                gpus_per_worker=self.settings.gpus_per_worker,
            )
        )
        deadline = time.monotonic() + CONNECT_TIMEOUT
        while time.monotonic() < deadline:
            for event in self.events():
                if isinstance(event, messages.Connected | messages.ClusterLost):
                    return event
        self._link.close()
        what = "no Ray cluster answered there" if self.settings.address else "it did not start"
        return messages.ClusterLost(reason=f"{what} within {format_seconds(CONNECT_TIMEOUT)}")

    def close(self) -> None:
        """Leave the cluster."""
        self._link.close()


def format_seconds(seconds: float) -> str:
    """A time for people."""
    return f"{seconds:g} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"
