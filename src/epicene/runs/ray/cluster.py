"""A cluster as a run sees it: reached, lost, waited for."""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING

from epicene.errors import InputError, RunError
from epicene.runs.ray import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.runs.ray.link import Link
    from epicene.runs.ray.settings import RaySettings

TICK = 0.5  # seconds between looks at the clock
CONNECTING = 180.0  # seconds in which a cluster is joined, or begun
LOSSES = 5  # times in a row that a cluster may be lost before any shard is answered
_RETRY = 5.0  # seconds between attempts to reach a cluster that was lost


class Cluster:
    """The link to a cluster, and what the cluster has room for."""

    def __init__(self, link: Link, settings: RaySettings, say: Callable[[str], None]) -> None:
        self.settings = settings
        self.say = say
        self.order = link.order
        self._link = link
        self._room: wire.Connected | None = None
        self._was_reached = False
        self._losses = 0  # in a row
        self._numbers = count(1)

    @property
    def room(self) -> wire.Connected:
        """How many workers of which size there is room for; the cluster is reached for that."""
        if self._room is None:
            reached = self._attempt()
            if isinstance(reached, wire.Connected):
                self._room = reached
            elif self._was_reached:  # it was lost when nobody asked it anything
                self._room = self._waited_for(reached.reason)
            else:
                raise InputError(
                    f"Could not reach {self.settings.place} ({reached.reason}); docs/scale.md says "
                    "how a cluster is begun and joined."
                )
            self._was_reached = True
        return self._room

    def number(self) -> int:
        """For a worker or a shard: one that nothing else had."""
        return next(self._numbers)

    def events(self) -> Iterator[wire.Event]:
        """What has happened; waits a tick for the first of it."""
        for event in self._link.events(TICK):
            if isinstance(event, wire.CutOff):
                self._room = None  # it must be reached anew before anybody is hired
            yield event

    def worked(self) -> None:
        """A shard was answered: losses before it are not in a row with those after it."""
        self._losses = 0

    def wait_for_it(self, reason: str) -> None:
        """The cluster was lost: say so, and wait until it is there again, if not too often."""
        self._room = self._waited_for(reason)

    def _waited_for(self, reason: str) -> wire.Connected:
        place, patience = self.settings.place, spoken(self.settings.patience)
        place = place[0].upper() + place[1:]
        self._losses += 1
        if self._losses >= LOSSES:
            raise RunError(
                f"{place} was lost {self._losses} times in a row before its workers answered "
                f"anything ({reason}); every answer so far is kept: see to the machines and their "
                "network, and run the same command again."
            )
        self.say(f"{place} was lost ({reason}); it is waited for up to {patience}.")
        deadline = time.monotonic() + self.settings.patience
        while isinstance(reached := self._attempt(), wire.CutOff):
            if time.monotonic() > deadline:
                raise RunError(
                    f"{place} has not answered for {patience} ({reached.reason}); every answer so "
                    "far is kept: run the same command again when it is back."
                )
            time.sleep(min(_RETRY, self.settings.patience))
        self.say(f"{place} is there again.")
        return reached

    def _attempt(self) -> wire.Connected | wire.CutOff:
        self.order(
            wire.Connect(
                address=self.settings.address,
                workers=self.settings.workers,
                gpus_per_worker=self.settings.gpus_per_worker,
            )
        )
        deadline = time.monotonic() + CONNECTING
        while time.monotonic() < deadline:
            for event in self.events():
                if isinstance(event, wire.Connected | wire.CutOff):
                    return event
        self._link.close()
        what = "nothing there answered as a Ray cluster" if self.settings.address else "not begun"
        return wire.CutOff(reason=f"{what} within {spoken(CONNECTING)}")

    def close(self) -> None:
        """Take leave."""
        self._link.close()


def spoken(seconds: float) -> str:
    """A time for people."""
    return f"{seconds:g} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"
