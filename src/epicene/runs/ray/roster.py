"""The workers of one model: hired, known by what they say they are, replaced."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from epicene.errors import InputError, RunError
from epicene.runs.ray import wire
from epicene.runs.ray.cluster import spoken
from epicene.runs.ray.versions import Versions, versions_here
from epicene.runs.ray.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.runs.ray.cluster import Cluster
    from epicene.runs.ray.shards import Shard

# Workers in a row that end before they are ready: with others at work, a place is given up; with
# none, as many for each place end the run.
STILLBORN = 3
_NOTES_LIMIT = 10.0


@dataclass
class Member:
    """A worker, and what it has in hand by number, the oldest first."""

    introduction: wire.Introduction | None = None
    machine: str = ""  # known once it has found a place
    arrived: float = 0.0  # when it had
    hand: dict[int, Shard] = field(default_factory=dict)
    alone: bool = False  # what it has in hand is suspected, and gets no company
    since: float = 0.0  # when it took up the oldest

    @property
    def ready(self) -> bool:
        """Whether it has loaded the model."""
        return self.introduction is not None


class Roster:
    """As many workers as are wanted, one at first."""

    def __init__(self, cluster: Cluster, opening: bytes, corpus: bytes | None) -> None:
        self._cluster = cluster
        self._opening = opening
        self._corpus = corpus
        self._taught = False
        self._first: wire.Introduction | None = None
        self._wanted = 1
        self._filled = self._filling = False
        self._stillborn = 0
        self._waiting = Waiting(cluster)
        self._noted: dict[int, dict[str, Any]] = {}  # by worker
        self.members: dict[int, Member] = {}
        self.most = 0
        self.replaced = 0
        self.given_up = 0
        self.losses = 0  # of the cluster with all workers
        self.machines: set[str] = set()
        self.versions = Versions()
        self.versions.add("the machine of the run", versions_here())

    def introduction(self) -> wire.Introduction:
        """Who the first worker is that is ready; all others must be the same."""
        if self._first is None:
            self.hire()
        while self._first is None:
            for event in self._cluster.events():
                if isinstance(event, wire.Lost):
                    self.lose(event.worker, event.reason)
                elif isinstance(event, wire.CutOff):
                    self.cut_off(event.reason)
                else:
                    self.notice(event)
            self.patrol()
        return self._first

    def fill(self) -> None:
        """Hire all that there is room for."""
        self._waiting.begin_anew()
        self._wanted = self._cluster.room.workers
        self._filling = not self._filled
        self._filled = True
        self.hire()
        self._count()

    def hire(self) -> None:
        """Have as many as are wanted."""
        room = self._cluster.room  # nobody is hired before the cluster is reached
        assert room.workers
        if self._corpus is not None and not self._taught:
            self._cluster.order(wire.Teach(corpus=self._corpus))
            self._taught = True
        while len(self.members) < self._wanted:
            number = self._cluster.number()
            self.members[number] = Member()
            self._cluster.order(
                wire.Hire(worker=number, opening=self._opening, learns=self._corpus is not None)
            )

    def dismiss(self, number: int) -> Member:
        """End a worker."""
        self._cluster.order(wire.Dismiss(worker=number))
        return self.members.pop(number)

    def lose(self, number: int, reason: str) -> Member | None:
        """Replace a worker; what it was, or None where it was dismissed before."""
        if number not in self.members:
            return None
        member = self.dismiss(number)
        if member.ready:
            again = "; what it had in hand is tried again elsewhere" if member.hand else ""
            self._cluster.say(f"A worker on {member.machine} was lost ({reason}){again}.")
        else:
            self._count_stillborn(member, reason)
        before = len(self.members)
        self.hire()
        self.replaced += len(self.members) > before
        self._count()
        return member

    def _count_stillborn(self, member: Member, reason: str) -> None:
        """Others that are at work go on with fewer; with none, no place is left untried."""
        self._stillborn += 1
        places = self._cluster.room.workers
        place = f" (the last on {member.machine})" if member.machine else ""
        ended = f"{self._stillborn} workers in a row ended before they were ready{place}: {reason}"
        if any(self.ready()):
            if self._stillborn >= STILLBORN:
                self._stillborn = 0
                self._wanted -= 1
                self.given_up += 1
                workers = "1 worker" if self._wanted == 1 else f"{self._wanted} workers"
                self._cluster.say(f"{ended}; the run goes on with {workers}.")
        elif self._stillborn >= STILLBORN * self._wanted:
            if self._wanted >= places:
                raise RunError(f"{ended}.")
            self._wanted = places
            self._cluster.say(f"{ended}; all {places} places are tried.")

    def cut_off(self, reason: str) -> list[Shard]:
        """The cluster is lost with all workers: wait for it; what they had in hand."""
        in_hand = [shard for member in self.members.values() for shard in member.hand.values()]
        self._forget()
        self._cluster.wait_for_it(reason)
        self._waiting.begin_anew()
        self.hire()
        return in_hand

    def _forget(self) -> None:
        """Nobody is left of those who were on a cluster that is lost."""
        self.losses += 1
        self.members.clear()
        self._taught = False

    def notice(self, event: wire.Event) -> None:
        """Take in what a worker says of itself, unless it was let go, of this model or another."""
        if isinstance(event, wire.Connected | wire.CutOff) or event.worker not in self.members:
            return
        match event:
            case wire.Arrived():
                member = self.members[event.worker]
                member.machine, member.arrived = event.machine, time.monotonic()
            case wire.Introduced():
                self._introduced(self.members[event.worker], event.introduction)
            case wire.Refused():
                raise refused(event.refusal)
            case wire.Noted():
                self._noted[event.worker] = event.notes

    def _introduced(self, member: Member, introduction: wire.Introduction) -> None:
        if self._first is None:
            self._first = introduction
        refuse_another(self._first, introduction)
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

    def ready(self) -> Iterator[tuple[int, Member]]:
        """Those who have loaded the model."""
        return ((number, member) for number, member in self.members.items() if member.ready)

    def patrol(self) -> None:
        """Replace who takes too long to load the model; see that somebody is ready or will be."""
        limit = self._waiting.for_loading
        for number, member in list(self.members.items()):
            loading = bool(member.machine) and not member.ready
            if loading and time.monotonic() - member.arrived > limit:
                reason = f"it had not loaded the model within {spoken(limit)}"
                self._cluster.say(f"A worker on {member.machine} was lost ({reason}).")
                self.lose(number, f"{reason}; a longer --worker-timeout gives it longer")
        self._waiting.look(
            placed=any(member.machine for member in self.members.values()),
            ready=any(self.ready()),
        )

    def gather_notes(self) -> None:
        """Let the workers say how they did it; who does not say so soon does not."""
        asked = {number for number, _ in self.ready()}
        for number in asked:
            self._cluster.order(wire.AskNotes(worker=number))
        deadline = time.monotonic() + _NOTES_LIMIT
        while asked and time.monotonic() < deadline:
            for event in self._cluster.events():
                if isinstance(event, wire.Noted):
                    asked.discard(event.worker)
                # The work is done: nobody is replaced for what is lost now.
                if isinstance(event, wire.CutOff):
                    self._forget()
                    return
                if isinstance(event, wire.Lost):
                    asked.discard(event.worker)
                    if event.worker in self.members:
                        self.dismiss(event.worker)
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
            self.dismiss(number)


def refused(refusal: wire.Refusal) -> InputError | RunError:
    """What a worker's refusal is here."""
    kind = InputError if refusal.input else RunError
    return kind(f"On {refusal.machine}: {refusal.sentence}")


def refuse_another(first: wire.Introduction, other: wire.Introduction) -> None:
    """Raise if a worker loaded another model than the first did."""
    one, two = first.identity, other.identity
    if one is None or two is None or one.digest == two.digest:
        return
    raise RunError(
        f"{other.machine} loaded another {one.label} than {first.machine} did: they differ in "
        f"{', '.join(one.differs_in(two)) or 'kind'}; put the same files on every machine."
    )
