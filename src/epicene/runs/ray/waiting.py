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
    """Says if nobody is ready or can be, and ends the run if nobody finds a place for too long.

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
        if self._said:
            return
        if not placed and not self._cluster.room.large_enough:  # time alone will not change that
            self._said = True
            self._cluster.say(
                f"No worker can begin: {self._no_place()}; the run waits {spoken(_PLACE)} for one."
            )
        elif now - self._none_ready_since > _SAY_AFTER:
            self._said = True
            why = "the model is being loaded" if placed else self._no_place()
            self._cluster.say(f"No worker is ready yet: {why}.")

    def _no_place(self) -> str:
        room = self._cluster.room
        what = "free place of" if room.large_enough else "machine with"
        return (
            f"{self._cluster.settings.place} has no {what} {_counted(room.cpus, 'processor')} and "
            f"{_counted(room.gpus, 'GPU')}"
        )


def _counted(number: float, what: str) -> str:
    return f"{number:g} {what}" if number == 1 else f"{number:g} {what}s"
