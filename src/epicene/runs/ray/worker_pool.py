"""The workers of one model: started, checked to be the same model, timed out, and replaced."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError, RunError
from epicene.runs.ray import messages
from epicene.runs.ray.cluster import format_seconds
from epicene.runs.ray.worker import LibraryVersions, local_versions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.runs.ray.cluster import Cluster
    from epicene.runs.ray.scheduler import Shard

_REPORT_AFTER = 60.0  # seconds without a worker, after which that is said
_PLACEMENT_TIMEOUT = 1800.0  # seconds for a place to come free
_LOAD_TIMEOUT = 1800.0  # seconds for the model to be loaded there


class StartupMonitor:
    """Says if nobody is ready or can be, and ends the run if nobody finds a place for too long.

    Only time in which it was looked at counts: between two questions nobody looks.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._said = False
        self._none_ready_since: float | None = None
        self._none_placed_since: float | None = None

    @property
    def load_timeout(self) -> float:
        """Seconds in which a worker with a place is ready; no less than it has for a shard."""
        return max(_LOAD_TIMEOUT, self._cluster.settings.worker_timeout or 0.0)

    def reset(self) -> None:
        """Whatever was waited for before does not count."""
        self._said = False
        self._none_ready_since = self._none_placed_since = None

    def look(self, *, placed: bool, ready: bool) -> None:
        """Somebody has a place, and has loaded the model in it, or not."""
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
                f"No worker could begin within {format_seconds(_PLACEMENT_TIMEOUT)}: "
                f"{self._no_place()}; make room and run the same command again."
            )
        if self._said:
            return
        if (
            not placed and not self._cluster.room.suitable_machines
        ):  # time alone will not change that
            self._said = True
            self._cluster.say(
                f"No worker can begin: {self._no_place()}; the run waits "
                f"{format_seconds(_PLACEMENT_TIMEOUT)} for one."
            )
        elif now - self._none_ready_since > _REPORT_AFTER:
            self._said = True
            why = "the model is being loaded" if placed else self._no_place()
            self._cluster.say(f"No worker is ready yet: {why}.")

    def _no_place(self) -> str:
        room = self._cluster.room
        what = "free place of" if room.suitable_machines else "machine with"
        return (
            f"{self._cluster.settings.place} has no {what} {_counted(room.cpus, 'processor')} and "
            f"{_counted(room.gpus, 'GPU')}"
        )


def _counted(number: float, what: str) -> str:
    return f"{number:g} {what}" if number == 1 else f"{number:g} {what}s"


# Workers in a row that end before they are ready: with others at work, a place is given up; with
# none, as many for each place end the run.
MAX_FAILED_STARTS = 3
_NOTES_TIMEOUT = 10.0


@dataclass
class PooledWorker:
    """A worker, and what it has in hand by number, the oldest first."""

    introduction: messages.WorkerInfo | None = None
    machine: str = ""  # known once it has found a place
    arrived: float = 0.0  # when it had
    shards: dict[int, Shard] = field(default_factory=dict)
    alone: bool = False  # what it has in hand is suspected, and gets no company
    since: float = 0.0  # when it took up the oldest

    @property
    def ready(self) -> bool:
        """Whether it has loaded the model."""
        return self.introduction is not None


class WorkerPool:
    """As many workers as are wanted, one at first."""

    def __init__(self, cluster: Cluster, opening: bytes, corpus: bytes | None) -> None:
        self._cluster = cluster
        self._opening = opening
        self._corpus = corpus
        self._taught = False
        self._first: messages.WorkerInfo | None = None
        self._wanted = 1
        self._filled = self._filling = False
        self._stillborn = 0
        self._waiting = StartupMonitor(cluster)
        self._noted: dict[int, dict[str, Any]] = {}  # by worker
        self.members: dict[int, PooledWorker] = {}
        self.most = 0
        self.replaced = 0
        self.given_up = 0
        self.losses = 0  # of the cluster with all workers
        self.machines: set[str] = set()
        self.versions = LibraryVersions()
        self.versions.add("the machine of the run", local_versions())

    def introduction(self) -> messages.WorkerInfo:
        """Who the first worker is that is ready; all others must be the same."""
        if self._first is None:
            self.start_workers()
        while self._first is None:
            for event in self._cluster.events():
                if isinstance(event, messages.WorkerLost):
                    self.replace_worker(event.worker, event.reason)
                elif isinstance(event, messages.ClusterLost):
                    self.reconnect_after_loss(event.reason)
                else:
                    self.notice(event)
            self.check_workers()
        return self._first

    def fill(self) -> None:
        """Hire all that there is room for."""
        self._waiting.reset()
        self._wanted = self._cluster.room.workers
        self._filling = not self._filled
        self._filled = True
        self.start_workers()
        self._count()

    def start_workers(self) -> None:
        """Have as many as are wanted."""
        room = self._cluster.room  # nobody is hired before the cluster is reached
        assert room.workers
        if self._corpus is not None and not self._taught:
            self._cluster.order(messages.SetCorpus(corpus=self._corpus))
            self._taught = True
        while len(self.members) < self._wanted:
            number = self._cluster.number()
            self.members[number] = PooledWorker()
            self._cluster.order(
                messages.StartWorker(
                    worker=number, opening=self._opening, learns=self._corpus is not None
                )
            )

    def stop_worker(self, number: int) -> PooledWorker:
        """End a worker."""
        self._cluster.order(messages.StopWorker(worker=number))
        return self.members.pop(number)

    def replace_worker(self, number: int, reason: str) -> PooledWorker | None:
        """Replace a worker; what it was, or None where it was dismissed before."""
        if number not in self.members:
            return None
        member = self.stop_worker(number)
        if member.ready:
            again = "; what it had in hand is tried again elsewhere" if member.shards else ""
            self._cluster.say(f"A worker on {member.machine} was lost ({reason}){again}.")
        else:
            self._count_stillborn(member, reason)
        before = len(self.members)
        self.start_workers()
        self.replaced += len(self.members) > before
        self._count()
        return member

    def _count_stillborn(self, member: PooledWorker, reason: str) -> None:
        """Others that are at work go on with fewer; with none, no place is left untried."""
        self._stillborn += 1
        places = self._cluster.room.workers
        place = f" (the last on {member.machine})" if member.machine else ""
        ended = f"{self._stillborn} workers in a row ended before they were ready{place}: {reason}"
        if any(self.ready()):
            if self._stillborn >= MAX_FAILED_STARTS:
                self._stillborn = 0
                self._wanted -= 1
                self.given_up += 1
                workers = "1 worker" if self._wanted == 1 else f"{self._wanted} workers"
                self._cluster.say(f"{ended}; the run goes on with {workers}.")
        elif self._stillborn >= MAX_FAILED_STARTS * self._wanted:
            if self._wanted >= places:
                raise RunError(f"{ended}.")
            self._wanted = places
            self._cluster.say(f"{ended}; all {places} places are tried.")

    def reconnect_after_loss(self, reason: str) -> list[Shard]:
        """The cluster is lost with all workers: wait for it; what they had in hand."""
        in_hand = [shard for member in self.members.values() for shard in member.shards.values()]
        self._forget()
        self._cluster.wait_until_back(reason)
        self._waiting.reset()
        self.start_workers()
        return in_hand

    def _forget(self) -> None:
        """Nobody is left of those who were on a cluster that is lost."""
        self.losses += 1
        self.members.clear()
        self._taught = False

    def notice(self, event: messages.Event) -> None:
        """Take in what a worker says of itself, unless it was let go, of this model or another."""
        if (
            isinstance(event, messages.Connected | messages.ClusterLost)
            or event.worker not in self.members
        ):
            return
        match event:
            case messages.WorkerPlaced():
                member = self.members[event.worker]
                member.machine, member.arrived = event.machine, time.monotonic()
            case messages.WorkerReady():
                self._introduced(self.members[event.worker], event.introduction)
            case messages.WorkerRefused():
                raise refusal_error(event.refusal)
            case messages.NotesReceived():
                self._noted[event.worker] = event.notes

    def _introduced(self, member: PooledWorker, introduction: messages.WorkerInfo) -> None:
        if self._first is None:
            self._first = introduction
        check_same_model(self._first, introduction)
        for sentence in self.versions.add(introduction.machine, introduction.versions):
            self._cluster.say(sentence)
        member.introduction, member.machine = introduction, introduction.machine
        self.machines.add(introduction.machine)
        self._stillborn = 0
        self._count()

    def _count(self) -> None:
        """Say once that all are there."""
        self.most = max(self.most, sum(1 for _ in self.ready()))
        if self._filling and self.most >= self._wanted:
            self._filling = False
            workers = "worker is" if self.most == 1 else "workers are"
            self._cluster.say(
                f"{self.most} {workers} ready, on {', '.join(sorted(self.machines))}."
            )

    def ready(self) -> Iterator[tuple[int, PooledWorker]]:
        """Those who have loaded the model."""
        return ((number, member) for number, member in self.members.items() if member.ready)

    def check_workers(self) -> None:
        """Replace who takes too long to load the model; see that somebody is ready or will be."""
        limit = self._waiting.load_timeout
        for number, member in list(self.members.items()):
            loading = bool(member.machine) and not member.ready
            if loading and time.monotonic() - member.arrived > limit:
                reason = f"it had not loaded the model within {format_seconds(limit)}"
                self._cluster.say(f"A worker on {member.machine} was lost ({reason}).")
                self.replace_worker(number, f"{reason}; a longer --worker-timeout gives it longer")
        self._waiting.look(
            placed=any(member.machine for member in self.members.values()),
            ready=any(self.ready()),
        )

    def collect_notes(self) -> None:
        """Let the workers say how they did it; who does not say so soon does not."""
        asked = {number for number, _ in self.ready()}
        for number in asked:
            self._cluster.order(messages.RequestNotes(worker=number))
        deadline = time.monotonic() + _NOTES_TIMEOUT
        while asked and time.monotonic() < deadline:
            for event in self._cluster.events():
                if isinstance(event, messages.NotesReceived):
                    asked.discard(event.worker)
                # The work is done: nobody is replaced for what is lost now.
                if isinstance(event, messages.ClusterLost):
                    self._forget()
                    return
                if isinstance(event, messages.WorkerLost):
                    asked.discard(event.worker)
                    if event.worker in self.members:
                        self.stop_worker(event.worker)
                else:
                    self.notice(event)

    def notes(self) -> list[dict[str, Any]]:
        """How the workers did it, what several say once."""
        said: list[dict[str, Any]] = []
        for notes in self._noted.values():
            if notes and notes not in said:
                said.append(notes)
        return said

    def close(self) -> None:
        """Let all go."""
        for number in list(self.members):
            self.stop_worker(number)


def refusal_error(refusal: messages.Refusal) -> InputError | RunError:
    """What a worker's refusal is here."""
    kind = InputError if refusal.input else RunError
    return kind(f"On {refusal.machine}: {refusal.sentence}")


def check_same_model(first: messages.WorkerInfo, other: messages.WorkerInfo) -> None:
    """Raise if a worker loaded another model than the first did."""
    one, two = first.identity, other.identity
    if one is None or two is None or one.digest == two.digest:
        return
    raise RunError(
        f"{other.machine} loaded another {one.label} than {first.machine} did: they differ in "
        f"{', '.join(one.differs_in(two)) or 'kind'}; put the same files on every machine."
    )
