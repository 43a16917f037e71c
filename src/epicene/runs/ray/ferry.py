"""The child that speaks to Ray: `python -m epicene.runs.ray.ferry FD`.

It does what it is told over a socket and tells what becomes of it. Ray ends a process that has
lost its cluster; this one can be ended, and begun anew.
"""

from __future__ import annotations

import os
import socket
import sys
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

import msgspec
import ray
import regex
from ray import exceptions

from epicene.runs.ray import wire
from epicene.runs.ray.settings import endpoint
from epicene.runs.ray.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

# Shards that a worker may have in hand, and the calls beside them.
_CALLS = 8
_OBJECT_STORE = 512 * 2**20  # of a cluster that is begun here; shards are small
_KNOCK = 10.0  # seconds
_BECAUSE = regex.compile(r"because (.+?)\.(?:\s|$)")
_ORPHANED = "owner has died"  # Ray's words where this process's own node is gone


class Ferry:
    """Ray, by orders and events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._events: SimpleQueue[wire.Event] = SimpleQueue()
        self._workers: dict[int, Any] = {}
        self._corpus: Any = None
        self._shape: dict[str, Any] = {}
        Thread(target=self._send, daemon=True).start()

    def serve(self) -> None:
        """Do what is ordered until nobody is left to order."""
        while True:
            try:
                order = wire.decode_order(self._connection.recv_bytes())
            except (EOFError, OSError):
                return
            self._do(order)

    def _do(self, order: wire.Order) -> None:
        match order:
            case wire.Connect():
                self._connect(order)
            case wire.Teach():
                self._corpus = ray.put(order.corpus)
            case wire.Hire():
                self._hire(order)
            case wire.Hand():
                self._hand(order)
            case wire.AskNotes():
                self._ask_notes(order.worker)
            case wire.Dismiss():
                if actor := self._workers.pop(order.worker, None):
                    ray.kill(actor)

    def _connect(self, order: wire.Connect) -> None:
        try:
            joined(order.address)
        except (OSError, ValueError, RuntimeError) as error:
            self._leave(first_line(error))
            return
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
        shape = fitted(nodes, order.workers, order.gpus_per_worker)
        self._shape = {"num_cpus": shape.cpus, "num_gpus": shape.gpus}
        self._events.put(shape)

    def _hire(self, order: wire.Hire) -> None:
        kind: Any = ray.remote(Worker)  # its methods get a `remote` of which no type tells
        actor = kind.options(
            max_restarts=0, max_task_retries=0, max_concurrency=_CALLS, **self._shape
        ).remote()
        self._workers[order.worker] = actor

        def arrived(reply: bytes) -> wire.Event:
            return wire.Arrived(worker=order.worker, machine=reply.decode())

        self._when_done(order.worker, actor.arrive.remote(), arrived)
        call = actor.open.remote(order.opening, self._corpus if order.learns else None)

        def opened(reply: bytes) -> wire.Event:
            said = wire.decode_reply(reply)
            if isinstance(said, wire.Refusal):
                return wire.Refused(worker=order.worker, refusal=said)
            assert isinstance(said, wire.Introduction)
            return wire.Introduced(worker=order.worker, introduction=said)

        self._when_done(order.worker, call, opened)

    def _hand(self, order: wire.Hand) -> None:
        def done(reply: bytes) -> wire.Event:
            return wire.Done(worker=order.worker, shard=order.shard, answers=reply)

        if actor := self._workers.get(order.worker):
            self._when_done(order.worker, actor.answer.remote(order.load), done)

    def _ask_notes(self, worker: int) -> None:
        def noted(reply: bytes) -> wire.Event:
            return wire.Noted(worker=worker, notes=msgspec.json.decode(reply))

        if actor := self._workers.get(worker):
            self._when_done(worker, actor.notes.remote(), noted)

    def _when_done(self, worker: int, call: Any, event: Callable[[bytes], wire.Event]) -> None:
        """Tell what came of a call, from the thread in which Ray says so."""

        def told(future: Future[bytes]) -> None:
            try:
                self._events.put(event(future.result()))
            except Exception as error:  # whatever it is, the worker is of no more use
                if _ORPHANED in str(error):
                    self._leave("the node of the cluster on this machine is gone")
                self._events.put(wire.Lost(worker=worker, reason=reason(error)))

        call.future().add_done_callback(told)

    def _leave(self, why: str) -> None:
        self._events.put(wire.CutOff(reason=why))

    def _send(self) -> None:
        while True:
            event = self._events.get()
            try:
                self._connection.send_bytes(wire.encode(event))
            except OSError:
                os._exit(1)  # nobody is there to be told
            if isinstance(event, wire.CutOff):
                os._exit(1)


def joined(address: str) -> None:
    """Join the cluster at an address, or begin one on this machine."""
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if not address:
        ray.init("local", include_dashboard=False, object_store_memory=_OBJECT_STORE, **quiet)
        return
    knock(address)  # Ray itself would try for minutes
    ray.init(address, **quiet)


def knock(address: str) -> None:
    """Raise if nobody opens at an address."""
    socket.create_connection(endpoint(address), timeout=_KNOCK).close()


def fitted(
    nodes: list[dict[str, float]], workers: int | None, gpus: float | None
) -> wire.Connected:
    """How many workers the machines have room for, and each one's share.

    With GPUs a worker has one, or as many as it is said, and a processor; without, the workers
    share the processors evenly, one worker a machine unless it is said how many.
    """
    most_gpus = sum(node.get("GPU", 0.0) for node in nodes)
    each = (1.0 if most_gpus else 0.0) if gpus is None else gpus
    if each:
        count = workers or max(1, sum(_places(node.get("GPU", 0.0), each) for node in nodes))
        return wire.Connected(workers=count, cpus=1, gpus=each, machines=len(nodes))
    processors = [cpus for node in nodes if (cpus := node.get("CPU", 0.0)) >= 1] or [1.0]
    count = workers or len(processors)
    on_each = -(-count // len(processors))
    cpus = max(1, int(min(processors)) // on_each)
    return wire.Connected(workers=count, cpus=cpus, gpus=0, machines=len(nodes))


def _places(gpus: float, each: float) -> int:
    """How many workers a machine's GPUs bear; a share below one is of a single GPU."""
    shares = int(1 / each + 1e-6)  # 1 / 0.1 may be a little below 10
    return int(gpus) * shares if each < 1 else int(gpus // each)


def reason(error: BaseException) -> str:
    """Why a worker ended, in a few of Ray's words."""
    if isinstance(error, exceptions.OutOfMemoryError):
        return "its machine ran out of memory"
    if isinstance(error, exceptions.RayTaskError):
        return f"it raised {type(error.cause).__name__}: {first_line(error.cause)}"
    found = _BECAUSE.search(str(error))
    return found[1] if found else first_line(error)


def first_line(error: BaseException) -> str:
    """An error's first line, or its name."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def main() -> None:
    """Serve over the socket whose number is given."""
    Ferry(Connection(int(sys.argv[1]))).serve()
    ray.shutdown()


if __name__ == "__main__":
    main()
