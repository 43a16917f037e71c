"""How long a model's part in a stage takes, so that the next run's time can be told beforehand."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from epicene.runs.settings import Timing

if TYPE_CHECKING:
    from collections.abc import Iterator


class Stopwatch:
    """Takes the time of a section from its planning to its last answer, verb by verb.

    What passes between two commits is shared out among the verbs of what the second one holds.
    """

    def __init__(self) -> None:
        self._planning = 0.0  # until the first answers came
        self._starting = 0.0  # and what passed until then that was no planning
        self._last = 0.0
        self._first: Counter[str] | None = None  # what came at first
        self._answered: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def planning(self) -> Iterator[None]:
        """It is found out meanwhile what is to be asked."""
        since = monotonic()
        yield
        if self._first is None:
            took = monotonic() - since
            self._planning += took
            self._starting -= took

    def begin(self) -> None:
        """The model, which is loaded, is to answer."""
        self._last = monotonic()
        self._starting = 0.0

    def answered(self, verbs: Counter[str]) -> None:
        """So many requests of each verb were answered, committed or about to be."""
        now = monotonic()
        self._answered += verbs
        if self._first is None:
            self._first = verbs
            self._starting += now - self._last
        else:
            for verb, count in verbs.items():
                self._seconds[verb] += (now - self._last) * count / verbs.total()
        self._last = now

    def read(self, stage: str, role: str, model: str) -> Iterator[Timing]:
        """What each verb took, if anything was answered."""
        if self._first is None:
            return
        for verb, count in sorted(self._answered.items()):
            came = self._first[verb]
            planning = self._planning * count / self._answered.total()
            starting = self._starting * came / self._first.total() if came else 0.0
            yield Timing(
                stage=stage,
                role=role,
                model=model,
                verb=verb,
                answered=count,
                first=came,
                planning=round(planning, 3),
                starting=round(max(0.0, starting), 3),
                going_on=round(self._seconds[verb], 3),
            )
