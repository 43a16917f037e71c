"""The run's side of the socket to its child at the cluster."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from multiprocessing.connection import Connection, Pipe
from typing import IO, TYPE_CHECKING, Protocol

from epicene.errors import InputError
from epicene.runs.ray import wire
from epicene.runs.ray.reasons import last_words

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAVING = 20.0  # seconds in which the child takes leave of the cluster


class Link(Protocol):
    """Who passes orders to a cluster and tells what becomes of them."""

    def order(self, order: wire.Order) -> None:
        """Have something done; if the cluster is lost, an event will say so."""

    def events(self, timeout: float) -> Iterator[wire.Event]:
        """What has happened; waits so long for the first of it."""

    def close(self) -> None:
        """Let all workers go."""


class ChildLink:
    """A child that is begun when a cluster is to be reached, and anew after it was lost."""

    def __init__(self) -> None:
        if importlib.util.find_spec("ray") is None:
            raise InputError(
                "--on ray needs the package ray, which is not here; pip install 'epicene[ray]'."
            )
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._said: IO[bytes] | None = None

    def order(self, order: wire.Order) -> None:
        """Have something done; if the cluster is lost, an event will say so."""
        if isinstance(order, wire.Connect) and self._process is None:
            self._begin()
        if self._connection is None:
            return  # the cluster was lost, and what it had with it
        try:
            self._connection.send_bytes(wire.encode(order))
        except OSError:
            return  # the child is gone, which reading from it will tell

    def events(self, timeout: float) -> Iterator[wire.Event]:
        """What has happened; waits so long for the first of it."""
        while self._connection is not None:
            try:
                if not self._connection.poll(timeout):
                    return
                event = wire.decode_event(self._connection.recv_bytes())
            except (EOFError, OSError):
                event = wire.CutOff(reason=last_words(self._heard()))
            if isinstance(event, wire.CutOff):
                self.close()
            yield event
            timeout = 0.0

    def _begin(self) -> None:
        self._connection, theirs = Pipe()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the child
        # A session of its own: Ctrl-C is for the run, which then lets the workers go.
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "epicene.runs.ray.ferry", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            start_new_session=True,
            env=_environment(),
        )
        theirs.close()

    def _heard(self) -> str:
        """What the child and Ray in it said."""
        assert self._said is not None
        self._said.seek(0)
        return self._said.read().decode(errors="replace")

    def close(self) -> None:
        """Let all workers go."""
        if self._process is None:
            return
        assert self._connection is not None
        assert self._said is not None
        self._connection.close()
        try:
            self._process.wait(LEAVING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._said.close()
        self._process = self._connection = self._said = None


def _environment() -> dict[str, str]:
    """The child's: which cluster it joins it is told, not by the variable that Ray looks up too."""
    kept = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    return {**kept, "RAY_USAGE_STATS_ENABLED": "0"}
