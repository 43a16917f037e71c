"""The workers of one model: hired, known by what they say they are, replaced."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from epicene.errors import InputError, RunError
from epicene.runs.ray import wire
from epicene.runs.ray.cluster import spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.runs.ray.cluster import Cluster
    from epicene.runs.ray.shards import Shard

_SAY_AFTER = 60.0  # seconds without a worker, after which that is said
_OPENING_LIMIT = 1800.0
_STILLBORN = 3  # workers in a row, for each wanted, that end before they are ready
_NOTES_LIMIT = 10.0


@dataclass
class Member:
    """A worker, and what it has in hand by number, the oldest first."""

    introduction: wire.Introduction | None = None
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
        self._nobody_since = time.monotonic()
        self._said_nobody = False
        self.members: dict[int, Member] = {}
        self.most = 0
        self.replaced = 0
        self.machines: set[str] = set()
        self.notes: list[dict[str, Any]] = []

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
        self.replaced += 1
        if member.introduction is None:
            self._stillborn += 1
            if self._stillborn >= _STILLBORN * self._wanted:
                raise RunError(
                    f"{self._stillborn} workers in a row ended before they were ready: {reason}."
                )
        else:
            again = "; what it had in hand is tried again elsewhere" if member.hand else ""
            machine = member.introduction.machine
            self._cluster.say(f"A worker on {machine} was lost ({reason}){again}.")
        self.hire()
        return member

    def cut_off(self, reason: str) -> list[Shard]:
        """The cluster is lost with all workers: wait for it; what they had in hand."""
        in_hand = [shard for member in self.members.values() for shard in member.hand.values()]
        self.members.clear()
        self._taught = False
        self._cluster.wait_for_it(reason)
        self.hire()
        return in_hand

    def notice(self, event: wire.Event) -> None:
        """Take in what a worker says of itself."""
        if isinstance(event, wire.Introduced):
            self._introduced(event.worker, event.introduction)
        elif isinstance(event, wire.Refused):
            if event.worker in self.members:  # not of a model that was let go
                raise refused(event.refusal)
        elif isinstance(event, wire.Noted) and event.notes and event.notes not in self.notes:
            self.notes.append(event.notes)

    def _introduced(self, number: int, introduction: wire.Introduction) -> None:
        if number not in self.members:
            return
        if self._first is None:
            self._first = introduction
        refuse_another(self._first, introduction)
        self.members[number].introduction = introduction
        self.machines.add(introduction.machine)
        self._stillborn = 0
        self._count()

    def _count(self) -> None:
        """Say once that all are there."""
        self.most = max(self.most, sum(1 for _ in self.ready()))
        if self._filling and self.most == self._wanted:
            self._filling = False
            workers = "worker is" if self.most == 1 else "workers are"
            self._cluster.say(
                f"{self.most} {workers} ready, on {', '.join(sorted(self.machines))}."
            )

    def ready(self) -> Iterator[tuple[int, Member]]:
        """Those who have loaded the model."""
        return ((number, member) for number, member in self.members.items() if member.ready)

    def patrol(self) -> None:
        """Say if nobody is ready, and end the run if that lasts too long."""
        now = time.monotonic()
        if any(self.ready()):
            self._nobody_since, self._said_nobody = now, False
            return
        waited = now - self._nobody_since
        room, place = self._cluster.room, self._cluster.settings.place
        size = f"{room.cpus:g} processors and {room.gpus:g} GPUs"
        if waited > _OPENING_LIMIT:
            raise RunError(
                f"No worker was ready within {spoken(_OPENING_LIMIT)}: {place} has no free place "
                f"of {size}, or the model takes longer to load; make room and run the same command "
                "again."
            )
        if waited > _SAY_AFTER and not self._said_nobody:
            self._said_nobody = True
            self._cluster.say(
                f"No worker is ready yet: the model is being loaded, or {place} has no free place "
                f"of {size}."
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
                    self.members.clear()
                    self._taught = False
                    return
                if isinstance(event, wire.Lost):
                    self.members.pop(event.worker, None)
                    asked.discard(event.worker)
                else:
                    self.notice(event)

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
