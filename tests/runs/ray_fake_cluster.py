"""Workers in threads of this process, behind the same link as those on a cluster.

Whoever raises is lost, as a process that ends would be; `cut` loses all.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue

from epicene.runs.ray import messages
from epicene.runs.ray.worker import Worker


class FakeCluster:
    """A link to workers in threads."""

    def __init__(self, room: int = 2) -> None:
        self.room = room
        self.places = 10**9  # how many workers find a place; the others wait
        self.gpus = 0.0  # that a worker wants; no machine has any
        self.reachable = True
        self.silent = False  # who asks to be let in gets no answer
        self.connected = False
        self.corpus: bytes | None = None
        self.workers: dict[int, Worker] = {}
        self.ready_workers = 0  # workers so far
        self.commands: list[messages.Command] = []
        self.in_flight = self.most_in_flight = 0
        self._events: SimpleQueue[messages.Event] = SimpleQueue()
        self._waiting: dict[int, list[messages.Call]] = {}  # calls of workers without a place
        self._threads = ThreadPoolExecutor(64)

    def send(self, command: messages.Command) -> None:
        self.commands.append(command)
        if isinstance(command, messages.Connect):
            self.connected = self.reachable
        elif not self.connected:  # nobody hears it
            return
        match command:
            case messages.Connect():
                shape = messages.Connected(
                    workers=self.room,
                    cpus=1,
                    gpus=self.gpus,
                    suitable_machines=not self.gpus,
                )
                if not self.silent:
                    self._events.put(
                        shape if self.reachable else messages.ClusterLost(reason="no route")
                    )
            case messages.SetCorpus():
                self.corpus = command.corpus
            case messages.StartWorker():
                self.workers[command.worker] = Worker()
                if len(self.workers) > self.places:
                    self._waiting[command.worker] = []
            case messages.Call():
                if command.worker in self._waiting:
                    self._waiting[command.worker].append(command)
                else:
                    self._call(command)
            case messages.StopWorker():
                self.workers.pop(command.worker, None)

    def _call(self, call: messages.Call) -> None:
        if call.method == "answer":
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self._threads.submit(self._answer_call, call, self.workers[call.worker])

    def _answer_call(self, call: messages.Call, worker: Worker) -> None:
        corpus = (self.corpus,) if call.corpus else ()
        try:
            data = getattr(worker, call.method)(*call.arguments, *corpus)
        except Exception as error:
            self._events.put(messages.WorkerLost(worker=call.worker, reason=f"it raised {error}"))
            return
        self._events.put(
            messages.Reply(worker=call.worker, method=call.method, shard=call.shard, data=data)
        )
        if call.method == "open":
            self.ready_workers += isinstance(messages.decode_reply(data), messages.WorkerInfo)

    def events(self, timeout: float) -> Iterator[messages.Event]:
        deadline = time.monotonic() + timeout
        while True:
            try:
                event = self._events.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return
            answered = isinstance(event, messages.Reply) and event.method == "answer"
            self.in_flight -= answered
            yield event
            deadline = 0.0

    def tell(self, event: messages.Event) -> None:
        """Let something have happened."""
        self._events.put(event)

    def grow(self) -> None:
        """A machine joins, with places for all who wait."""
        self.places = 10**9
        for worker in list(self._waiting):
            for call in self._waiting.pop(worker):
                self._call(call)

    def cut(self) -> None:
        """Lose the cluster, and whatever its workers would still have said."""
        self.connected = False
        self.workers.clear()
        self._events = SimpleQueue()
        self._events.put(messages.ClusterLost(reason="the cable was pulled"))

    def close(self) -> None:
        self.workers.clear()
        self._threads.shutdown(wait=False)
