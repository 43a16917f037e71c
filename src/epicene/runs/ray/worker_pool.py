"""The workers of one model: start them, check that they load the same model, time them out, and
replace them.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import InputError, RunError
from epicene.runs.ray import messages
from epicene.runs.ray.cluster import first_line, format_seconds
from epicene.runs.ray.worker import LibraryVersions, local_versions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.runs.ray.cluster import Cluster
    from epicene.runs.ray.scheduler import Shard

_REPORT_AFTER = 60.0  # seconds without a worker, after which that is said
_PLACEMENT_TIMEOUT = 1800.0  # seconds for a place to come free
_LOAD_TIMEOUT = 1800.0  # seconds for the model to be loaded there


class StartupMonitor:
    """Report when no worker is ready or can be placed, and end the run if none can be placed for
    too long.

    Only time during which `look` is called counts, not the time between two calls of `answer`.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._said = False
        self._none_ready_since: float | None = None
        self._none_placed_since: float | None = None

    @property
    def load_timeout(self) -> float:
        """How many seconds a placed worker has to get ready; no less than it has for a shard."""
        return max(_LOAD_TIMEOUT, self._cluster.settings.worker_timeout or 0.0)

    def reset(self) -> None:
        """Reset the waiting time."""
        self._said = False
        self._none_ready_since = self._none_placed_since = None

    def look(self, *, placed: bool, ready: bool) -> None:
        """Record whether any worker has been placed, and whether any has loaded the model."""
        if ready:
            self.reset()
            return
        now = time.monotonic()
        if self._none_ready_since is None:
            self._none_ready_since = now
        if placed:
            self._none_placed_since = None
        elif self._none_placed_since is None:
            self._none_placed_since = now
        elif now - self._none_placed_since > _PLACEMENT_TIMEOUT:
            raise RunError(
                f"No worker could start within {format_seconds(_PLACEMENT_TIMEOUT)}: "
                f"{self._no_place()}; free some resources, then run the same command again to "
                "resume."
            )
        if self._said:
            return
        if not placed and not self._cluster.room.suitable_machines:
            self._said = True  # at once: time alone will not change that
            self._cluster.show_message(
                f"No worker can start: {self._no_place()}; waiting up to "
                f"{format_seconds(_PLACEMENT_TIMEOUT)} for one."
            )
        elif now - self._none_ready_since > _REPORT_AFTER:
            self._said = True
            why = "the model is being loaded" if placed else self._no_place()
            self._cluster.show_message(f"No worker is ready yet: {why}.")

    def _no_place(self) -> str:
        room = self._cluster.room
        what = "free room for" if room.suitable_machines else "machine with"
        return (
            f"{self._cluster.settings.description} has no {what} "
            f"{_counted(room.cpus, 'processor')} and {_counted(room.gpus, 'GPU')}"
        )


def _counted(number: float, what: str) -> str:
    return f"{number:g} {what}" if number == 1 else f"{number:g} {what}s"


# Workers in a row that end before they are ready: with others at work, a place is given up; with
# none, as many for each place end the run.
MAX_FAILED_STARTS = 3
_NOTES_TIMEOUT = 10.0


@dataclass
class PooledWorker:
    """A worker with the shards it was sent, by number, oldest first."""

    info: messages.WorkerInfo | None = None
    machine: str = ""  # known once it has found a place
    placed_at: float = 0.0  # when it had
    shards: dict[int, Shard] = field(default_factory=dict)
    alone: bool = False  # its shard is suspected, and it gets no other
    since: float = 0.0  # when it began with the oldest

    @property
    def ready(self) -> bool:
        """Whether the worker has loaded the model."""
        return self.info is not None


class WorkerPool:
    """Keep as many workers as are wanted, one at first."""

    def __init__(self, cluster: Cluster, setup: bytes, corpus: bytes | None) -> None:
        self._cluster = cluster
        self._setup = setup
        self._corpus = corpus
        self._taught = False
        self._first: messages.WorkerInfo | None = None
        self._wanted = 1
        self._filled = self._filling = False
        self._failed_starts = 0
        self._waiting = StartupMonitor(cluster)
        self._noted: dict[int, dict[str, Any]] = {}  # by worker
        self.workers: dict[int, PooledWorker] = {}
        self.most = 0
        self.replaced = 0
        self.given_up = 0
        self.losses = 0  # of the cluster with all workers
        self.machines: set[str] = set()
        self.versions = LibraryVersions()
        self.versions.add("the machine of the run", local_versions())

    def worker_info(self) -> messages.WorkerInfo:
        """The first worker that is ready; all others must load the same model."""
        if self._first is None:
            self.start_workers()
        while self._first is None:
            for event in self._cluster.events():
                if isinstance(event, messages.WorkerLost):
                    self.replace_worker(event.worker, event.reason)
                elif isinstance(event, messages.ClusterLost):
                    self.reconnect_after_loss(event.reason)
                else:
                    self.handle_event(event)
            self.check_workers()
        return self._first

    def fill(self) -> None:
        """Start as many workers as there is room for."""
        self._waiting.reset()
        self._wanted = self._cluster.room.workers
        self._filling = not self._filled
        self._filled = True
        self.start_workers()
        self._count()

    def start_workers(self) -> None:
        """Start workers until there are as many as are wanted."""
        room = self._cluster.room  # no worker is started before the cluster is reached
        assert room.workers
        if self._corpus is not None and not self._taught:
            self._cluster.send(messages.SetCorpus(corpus=self._corpus))
            self._taught = True
        while len(self.workers) < self._wanted:
            number = self._cluster.number()
            self.workers[number] = PooledWorker()
            self._cluster.send(messages.StartWorker(worker=number))
            self._cluster.send(messages.Call(worker=number, method="machine_name"))
            self._cluster.send(
                messages.Call(
                    worker=number,
                    method="open",
                    arguments=(self._setup,),
                    corpus=self._corpus is not None,
                )
            )

    def stop_worker(self, number: int) -> PooledWorker:
        """End a worker."""
        self._cluster.send(messages.StopWorker(worker=number))
        return self.workers.pop(number)

    def replace_worker(self, number: int, reason: str) -> PooledWorker | None:
        """Replace a worker; return the old one, or None if it was already stopped."""
        if number not in self.workers:
            return None
        worker = self.stop_worker(number)
        if worker.ready:
            again = "; its requests are retried on another worker" if worker.shards else ""
            self._cluster.show_message(f"A worker on {worker.machine} was lost ({reason}){again}.")
        else:
            self._count_failed_start(worker, reason)
        before = len(self.workers)
        self.start_workers()
        self.replaced += len(self.workers) > before
        self._count()
        return worker

    def _count_failed_start(self, worker: PooledWorker, reason: str) -> None:
        """Give up a worker if others work; if none does, try all places, then end the run."""
        self._failed_starts += 1
        places = self._cluster.room.workers
        place = f" (the last on {worker.machine})" if worker.machine else ""
        ended = (
            f"{self._failed_starts} workers in a row ended before they were ready{place}: {reason}"
        )
        if any(self.ready()):
            if self._failed_starts >= MAX_FAILED_STARTS:
                self._failed_starts = 0
                self._wanted -= 1
                self.given_up += 1
                workers = "1 worker" if self._wanted == 1 else f"{self._wanted} workers"
                self._cluster.show_message(f"{ended}; the run continues with {workers}.")
        elif self._failed_starts >= MAX_FAILED_STARTS * self._wanted:
            if self._wanted >= places:
                raise RunError(f"{ended}.")
            self._wanted = places
            self._cluster.show_message(f"{ended}; trying all {places} places.")

    def reconnect_after_loss(self, reason: str) -> list[Shard]:
        """Wait until a lost cluster is back, and start workers; the shards of the lost ones."""
        in_hand = [shard for worker in self.workers.values() for shard in worker.shards.values()]
        self._forget()
        self._cluster.wait_until_back(reason)
        self._waiting.reset()
        self.start_workers()
        return in_hand

    def _forget(self) -> None:
        """Forget the workers of a lost cluster."""
        self.losses += 1
        self.workers.clear()
        self._taught = False

    def handle_event(self, event: messages.Event) -> None:
        """Process a worker's reply, unless the worker was already stopped, with its model or
        not.
        """
        if not isinstance(event, messages.Reply) or event.worker not in self.workers:
            return
        number, worker = event.worker, self.workers[event.worker]
        match event.method:
            case "machine_name":
                worker.machine, worker.placed_at = event.data.decode(), time.monotonic()
            case "open":
                try:
                    reply = messages.decode_reply(event.data)
                except msgspec.DecodeError as error:  # of another version of Epicene
                    self.replace_worker(number, first_line(error))
                    return
                if isinstance(reply, messages.Refusal):
                    raise refusal_error(reply)
                assert isinstance(reply, messages.WorkerInfo)
                self._take_worker_info(worker, reply)
            case "notes":
                with suppress(msgspec.DecodeError):  # the answers are in: notes may be lacking
                    self._noted[number] = msgspec.json.decode(event.data)

    def _take_worker_info(self, worker: PooledWorker, info: messages.WorkerInfo) -> None:
        if self._first is None:
            self._first = info
        check_same_model(self._first, info)
        for sentence in self.versions.add(info.machine, info.versions):
            self._cluster.show_message(sentence)
        worker.info, worker.machine = info, info.machine
        self.machines.add(info.machine)
        self._failed_starts = 0
        self._count()

    def _count(self) -> None:
        """Report once that all workers are ready."""
        self.most = max(self.most, sum(1 for _ in self.ready()))
        if self._filling and self.most >= self._wanted:
            self._filling = False
            workers = "worker is" if self.most == 1 else "workers are"
            self._cluster.show_message(
                f"{self.most} {workers} ready, on {', '.join(sorted(self.machines))}."
            )

    def ready(self) -> Iterator[tuple[int, PooledWorker]]:
        """The workers that have loaded the model."""
        return ((number, worker) for number, worker in self.workers.items() if worker.ready)

    def check_workers(self) -> None:
        """Replace workers that take too long to load the model; make sure that one is or will be
        ready.
        """
        limit = self._waiting.load_timeout
        for number, worker in list(self.workers.items()):
            loading = bool(worker.machine) and not worker.ready
            if loading and time.monotonic() - worker.placed_at > limit:
                reason = f"it had not loaded the model within {format_seconds(limit)}"
                self._cluster.show_message(f"A worker on {worker.machine} was lost ({reason}).")
                self.replace_worker(
                    number, f"{reason}; increase --worker-timeout to allow more time"
                )
        self._waiting.look(
            placed=any(worker.machine for worker in self.workers.values()),
            ready=any(self.ready()),
        )

    def collect_notes(self) -> None:
        """Ask the workers for their notes, and wait some seconds for them."""
        asked = {number for number, _ in self.ready()}
        for number in asked:
            self._cluster.send(messages.Call(worker=number, method="notes"))
        deadline = time.monotonic() + _NOTES_TIMEOUT
        while asked and time.monotonic() < deadline:
            for event in self._cluster.events():
                if isinstance(event, messages.Reply) and event.method == "notes":
                    asked.discard(event.worker)
                # The work is done: workers lost now are not replaced.
                if isinstance(event, messages.ClusterLost):
                    self._forget()
                    return
                if isinstance(event, messages.WorkerLost):
                    asked.discard(event.worker)
                    if event.worker in self.workers:
                        self.stop_worker(event.worker)
                else:
                    self.handle_event(event)

    def notes(self) -> list[dict[str, Any]]:
        """The workers' notes, without repetitions."""
        said: list[dict[str, Any]] = []
        for notes in self._noted.values():
            if notes and notes not in said:
                said.append(notes)
        return said

    def close(self) -> None:
        """Stop all workers."""
        for number in list(self.workers):
            self.stop_worker(number)


def refusal_error(refusal: messages.Refusal) -> InputError | RunError:
    """The error for a worker's refusal."""
    kind = InputError if refusal.input else RunError
    return kind(f"On {refusal.machine}: {refusal.sentence}")


def check_same_model(first: messages.WorkerInfo, other: messages.WorkerInfo) -> None:
    """Raise if a worker loaded a different model from the first worker."""
    one, two = first.identity, other.identity
    if one is None or two is None or one.digest == two.digest:
        return
    raise RunError(
        f"{other.machine} and {first.machine} loaded different versions of {one.label}: they "
        f"differ in {', '.join(one.differs_in(two)) or 'kind'}; put the same files on every "
        "machine."
    )
