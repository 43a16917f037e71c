"""How long a run waits for workers that are ready."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from epicene.errors import RunError
from epicene.runs.ray.cluster import spoken

if TYPE_CHECKING:
    from epicene.runs.ray.cluster import Cluster

_SAY_AFTER = 60.0  # seconds without a worker, after which that is said
_PLACE = 1800.0  # seconds for a place to come free
_LOADING = 1800.0  # seconds for the model to be loaded there


class Waiting:
    """Says if nobody is ready, and ends the run if nobody finds a place for too long.

    Only time in which it was looked at counts: between two questions nobody looks.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._said = False
        self._none_ready_since: float | None = None
        self._none_placed_since: float | None = None

    @property
    def for_loading(self) -> float:
        """Seconds in which a worker with a place is ready; no less than it has for a shard."""
        return max(_LOADING, self._cluster.settings.worker_timeout or 0.0)

    def begin_anew(self) -> None:
        """Whatever was waited for before does not count."""
        self._said = False
        self._none_ready_since = self._none_placed_since = None

    def look(self, *, placed: bool, ready: bool) -> None:
        """Somebody has a place, and has loaded the model in it, or not."""
        if ready:
            self.begin_anew()
            return
        now = time.monotonic()
        if self._none_ready_since is None:
            self._none_ready_since = now
        if placed:
            self._none_placed_since = None
        elif self._none_placed_since is None:
            self._none_placed_since = now
        elif now - self._none_placed_since > _PLACE:
            raise RunError(
                f"No worker could begin within {spoken(_PLACE)}: {self._no_place()}; make room "
                "and run the same command again."
            )
        if now - self._none_ready_since > _SAY_AFTER and not self._said:
            self._said = True
            why = "the model is being loaded" if placed else self._no_place()
            self._cluster.say(f"No worker is ready yet: {why}.")

    def _no_place(self) -> str:
        room = self._cluster.room
        size = f"{room.cpus:g} processors and {room.gpus:g} GPUs"
        return f"{self._cluster.settings.place} has no free place of {size}"
