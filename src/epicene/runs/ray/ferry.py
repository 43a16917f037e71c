"""The child that speaks to Ray: `python -m epicene.runs.ray.ferry FD`.

It does what it is told over a socket and tells what becomes of it. Ray ends a process that has
lost its cluster; this one can be ended, and begun anew. It ends with its parent, whatever it is
doing: one thread does what is ordered, another hears the orders, and that there will be no more.
"""

from __future__ import annotations

import os
import sys
import time
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import msgspec
import ray
import regex
from ray import exceptions

from epicene.runs.ray import wire
from epicene.runs.ray.fitting import fitted
from epicene.runs.ray.joining import join
from epicene.runs.ray.link import LEAVING
from epicene.runs.ray.reasons import NODE_GONE, first_line
from epicene.runs.ray.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

# Shards that a worker may have in hand, and the calls beside them.
_CALLS = 8
_LOOK = 1.0  # seconds between looks whether the parent is there
_WATCH = 5.0  # seconds between looks whether the cluster is still the one that was joined
_BECAUSE = regex.compile(r"because (.+?)\.(?:\s|$)")
_AT_BIRTH = "raised in its creation task"  # Ray's words, before a Python traceback
_IN_WORDS = (
    (exceptions.OutOfMemoryError, "its machine ran out of memory"),
    (exceptions.OutOfDiskError, "its machine's disk is full"),
    (exceptions.ActorUnavailableError, "its process does not answer any more"),
    (exceptions.WorkerCrashedError, "its process has died"),
    (exceptions.LocalRayletDiedError, "the node of the cluster on its machine is gone"),
    (exceptions.NodeDiedError, "the node of the cluster on its machine is gone"),
)
# Ray's words for a worker whose owner it could not ask, one that asks for a token, say.
_FORGOTTEN = "all references to the actor were removed"
_ORPHANED = "owner has died"  # Ray's words where this process's own node is gone


class Ferry:
    """Ray, by orders and events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._orders: SimpleQueue[wire.Order | None] = SimpleQueue()  # None: there are no more
        self._events: SimpleQueue[wire.Event] = SimpleQueue()
        self._workers: dict[int, Any] = {}
        self._corpus: Any = None
        self._shape: dict[str, Any] = {}
        self._watcher: Thread | None = None  # once a cluster is joined
        self._leaving = Event()
        Thread(target=self._send, daemon=True).start()
        Thread(target=self._hear, args=(os.getppid(),), daemon=True).start()

    def serve(self) -> None:
        """Do what is ordered until nobody is left to order, and take leave of the cluster."""
        while (order := self._orders.get()) is not None:
            self._do(order)
        self._leaving.set()
        if self._watcher is not None:
            self._watcher.join()  # it must not ask a cluster that is being left
            ray.shutdown()

    def _hear(self, parent: int) -> None:
        """Pass orders on; when nobody is left to order, see that this process ends.

        A parent that is gone is known by its end of the socket or, where another process got hold
        of that, by this one having another parent.
        """
        try:
            while os.getppid() == parent:
                if self._connection.poll(_LOOK):
                    self._orders.put(wire.decode_order(self._connection.recv_bytes()))
        except (EOFError, OSError):
            pass
        self._orders.put(None)
        if self._watcher is not None:
            time.sleep(LEAVING)
        os._exit(1)  # what is being done cannot be broken off

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
            join(order.address)
        except (OSError, ValueError, RuntimeError, exceptions.RayError) as error:
            self._leave(first_line(error))
            return
        self._watcher = Thread(target=self._watch, daemon=True)
        self._watcher.start()
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
                    self._leave(NODE_GONE)
                self._events.put(wire.Lost(worker=worker, reason=reason(error)))

        call.future().add_done_callback(told)

    def _watch(self) -> None:
        """See that this process's own node is still one of the cluster's.

        Without a node nobody is told that a worker will never begin. Where another cluster answers
        in place of the one that was joined, Ray ends the process that asks, which is as good.
        """
        own = ray.get_runtime_context().get_node_id()
        while not self._leaving.wait(_WATCH):
            try:
                nodes = ray.nodes()  # type: ignore[no-untyped-call]
            except exceptions.RayError as error:
                self._leave(first_line(error))
                return
            if not any(node["Alive"] and node["NodeID"] == own for node in nodes):
                self._leave(NODE_GONE)
                return

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


def reason(error: BaseException) -> str:
    """Why a worker ended, in a few words."""
    if isinstance(error, exceptions.RayTaskError):
        return f"it raised {type(error.cause).__name__}: {first_line(error.cause)}"
    for kind, words in _IN_WORDS:
        if isinstance(error, kind):
            return words
    said = str(error)
    if _AT_BIRTH in said:
        return f"it raised {said.strip().splitlines()[-1]}"
    if _FORGOTTEN in said:
        return (
            "the cluster could not ask this machine about it (RAY_AUTH_MODE=token, if it is set "
            "here and not there, should be unset)"
        )
    found = _BECAUSE.search(said)
    return found[1] if found else first_line(error)


def main() -> None:
    """Serve over the socket whose number is given."""
    Ferry(Connection(int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
