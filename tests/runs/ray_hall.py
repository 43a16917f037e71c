"""Workers in threads of this process, behind the same link as those on a cluster.

Whoever raises is lost, as a process that ends would be; `cut` loses all.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue

import msgspec

from epicene.runs.ray import messages
from epicene.runs.ray.worker import Worker


class Hall:
    """A link to workers in threads."""

    def __init__(self, room: int = 2) -> None:
        self.room = room
        self.places = 10**9  # how many of those who are hired find a place; the others wait
        self.gpus = 0.0  # that a worker wants; no machine has any
        self.reachable = True
        self.silent = False  # who asks to be let in gets no answer
        self.connected = False
        self.corpus: bytes | None = None
        self.workers: dict[int, Worker] = {}
        self.introduced = 0  # workers so far
        self.orders: list[messages.Command] = []
        self.in_flight = self.most_in_flight = 0
        self._events: SimpleQueue[messages.Event] = SimpleQueue()
        self._waiting: list[messages.StartWorker] = []  # for a place
        self._threads = ThreadPoolExecutor(64)

    def order(self, order: messages.Command) -> None:
        self.orders.append(order)
        if isinstance(order, messages.Connect):
            self.connected = self.reachable
        elif not self.connected:  # nobody hears it
            return
        match order:
            case messages.Connect():
                shape = messages.Connected(
                    workers=self.room,
                    cpus=1,
                    gpus=self.gpus,
                    machines=1,
                    suitable_machines=not self.gpus,
                )
                if not self.silent:
                    self._events.put(
                        shape if self.reachable else messages.ClusterLost(reason="no route")
                    )
            case messages.SetCorpus():
                self.corpus = order.corpus
            case messages.StartWorker():
                self.workers[order.worker] = Worker()
                if len(self.workers) <= self.places:
                    self._threads.submit(self._hire, order)
                else:
                    self._waiting.append(order)
            case messages.SendShard():
                self.in_flight += 1
                self.most_in_flight = max(self.most_in_flight, self.in_flight)
                self._threads.submit(self._hand, order, self.workers[order.worker])
            case messages.RequestNotes():
                notes = msgspec.json.decode(self.workers[order.worker].notes())
                self._events.put(messages.NotesReceived(worker=order.worker, notes=notes))
            case messages.StopWorker():
                self.workers.pop(order.worker, None)

    def _hire(self, order: messages.StartWorker) -> None:
        worker = self.workers[order.worker]
        machine = worker.machine_name().decode()
        self._events.put(messages.WorkerPlaced(worker=order.worker, machine=machine))
        try:
            said = messages.decode_reply(
                worker.open(order.opening, self.corpus if order.learns else None)
            )
        except Exception as error:
            self._events.put(messages.WorkerLost(worker=order.worker, reason=f"it raised {error}"))
            return
        if isinstance(said, messages.Refusal):
            self._events.put(messages.WorkerRefused(worker=order.worker, refusal=said))
        else:
            assert isinstance(said, messages.WorkerInfo)
            self._events.put(messages.WorkerReady(worker=order.worker, introduction=said))
            self.introduced += 1

    def _hand(self, order: messages.SendShard, worker: Worker) -> None:
        try:
            reply = worker.answer(order.load)
        except Exception as error:
            self._events.put(messages.WorkerLost(worker=order.worker, reason=f"it raised {error}"))
        else:
            self._events.put(
                messages.ShardDone(worker=order.worker, shard=order.shard, answers=reply)
            )

    def events(self, timeout: float) -> Iterator[messages.Event]:
        deadline = time.monotonic() + timeout
        while True:
            try:
                event = self._events.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return
            self.in_flight -= isinstance(event, messages.ShardDone)
            yield event
            deadline = 0.0

    def tell(self, event: messages.Event) -> None:
        """Let something have happened."""
        self._events.put(event)

    def grow(self) -> None:
        """A machine joins, with places for all who wait."""
        self.places = 10**9
        while self._waiting:
            self._threads.submit(self._hire, self._waiting.pop())

    def cut(self) -> None:
        """Lose the cluster, and whatever its workers would still have said."""
        self.connected = False
        self.workers.clear()
        self._events = SimpleQueue()
        self._events.put(messages.ClusterLost(reason="the cable was pulled"))

    def close(self) -> None:
        self.workers.clear()
        self._threads.shutdown(wait=False)
