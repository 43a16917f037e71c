"""Workers of one model at work: shards handed out, answers taken in, faults isolated.

No shard is handed out before there is room for it, so the plan is read no faster than workers
answer, and they answer no faster than the writer commits.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

from epicene.errors import RunError
from epicene.records import Failed
from epicene.runs.ray import wire
from epicene.runs.ray.cluster import spoken
from epicene.runs.ray.pictures import drawn, looked_at
from epicene.runs.ray.roster import Member, Roster, refused
from epicene.runs.ray.shards import KILLS, Shard, cut, halves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.models import Answered, Batch, Files
    from epicene.runs.ray.cluster import Cluster

DEPTH = 2  # shards in a worker's hands: the one it answers, and the next
_SHARD_SECONDS = 0.5  # a shard is as many batches as take about this long
_MOST_BATCHES = 32
_FIRST_LIMIT = 1800.0  # seconds for a shard, before it is known how long one takes
_LEAST_LIMIT = 300.0
_SLOWER = 20  # how many times slower than any batch before a batch may be
_POISONS = 10  # requests in a row that end their workers: it is not the requests


class Crew:
    """The workers of one model, as many as there is room for."""

    def __init__(self, cluster: Cluster, opening: bytes, corpus: bytes | None) -> None:
        self._cluster = cluster
        self._roster = Roster(cluster, opening, corpus)
        self._waiting: deque[Shard] = deque()  # to be handed out again
        self._suspects: deque[Shard] = deque()  # to be handed out again, each to an idle worker
        self._batch_seconds = _SHARD_SECONDS
        self._slowest = 0.0  # seconds for a batch
        self._poisons = 0
        self._counts = {"shards": 0, "retried": 0, "isolated": 0}

    def introduction(self) -> wire.Introduction:
        """Who the first worker is that is ready; all others must be the same."""
        return self._roster.introduction()

    def notes(self) -> dict[str, Any]:
        """How the work went, and how the workers reached their answers."""
        roster = self._roster
        spread = {
            "workers": roster.most,
            "machines": sorted(roster.machines),
            "replaced": roster.replaced,
            "given_up": roster.given_up,
            **self._counts,
            "cut_off": roster.losses,
        }
        if differing := roster.versions.differing():
            spread["versions"] = differing
        return {"ray": spread, "workers": roster.notes()}

    def close(self) -> None:
        """Let all workers go."""
        self._roster.close()

    # --- the work --------------------------------------------------------------------------

    def answer(self, batches: Iterator[Batch], files: Files) -> Iterator[Answered]:
        """Hand out every batch, and give answers as they come."""
        shards = cut(batches, self._size)
        self._roster.fill()
        try:
            while self._hand_out(shards, files):
                for event in self._cluster.events():
                    yield from self._take(event, files)
                yield from self._overdue()
                self._roster.patrol()
            self._roster.gather_notes()
        finally:
            for number in [n for n, member in self._roster.members.items() if member.hand]:
                self._roster.dismiss(number)
            self._waiting.clear()
            self._suspects.clear()

    def _size(self) -> int:
        return max(1, min(_MOST_BATCHES, int(_SHARD_SECONDS / max(self._batch_seconds, 1e-6))))

    def _hand_out(self, shards: Iterator[Shard], files: Files) -> bool:
        """Fill the workers' hands; whether anything is left to wait for."""
        kept_free = 0
        for number, member in self._roster.ready():
            if member.alone:
                continue
            if self._suspects and not member.hand:
                member.alone = True
                self._hand(number, member, self._suspects.popleft(), files)
            elif len(self._suspects) > kept_free:
                kept_free += 1  # it gets nothing more, so that a suspect finds it idle
            else:
                while len(member.hand) < DEPTH and self._more(shards):
                    self._hand(number, member, self._waiting.popleft(), files)
        busy = any(member.hand for member in self._roster.members.values())
        return busy or bool(self._suspects) or self._more(shards)

    def _more(self, shards: Iterator[Shard]) -> bool:
        """Whether a shard waits, one that is cut now if none does."""
        if not self._waiting and (shard := next(shards, None)) is not None:
            self._waiting.append(shard)
        return bool(self._waiting)

    def _hand(self, number: int, member: Member, shard: Shard, files: Files) -> None:
        if not member.hand:
            member.since = time.monotonic()
        name = self._cluster.number()
        member.hand[name] = shard
        load = wire.Load([list(each) for each in shard.batches], looked_at(shard.batches, files))
        self._cluster.order(wire.Hand(worker=number, shard=name, load=wire.encode(load)))

    def _take(self, event: wire.Event, files: Files) -> Iterator[Answered]:
        """The answers that an event brings."""
        if isinstance(event, wire.Done):
            member = self._roster.members.get(event.worker)
            if member is not None and event.shard in member.hand:
                yield self._done(member, event, files)
        elif isinstance(event, wire.Lost):
            yield from self._lost(event.worker, event.reason)
        elif isinstance(event, wire.CutOff):
            self._waiting.extend(self._roster.cut_off(event.reason))  # nobody's fault
        else:
            self._roster.notice(event)

    def _done(self, member: Member, event: wire.Done, files: Files) -> Answered:
        said = wire.decode_reply(event.answers)
        if isinstance(said, wire.Refusal):
            raise refused(said)
        assert isinstance(said, wire.Yield)
        shard = member.hand.pop(event.shard)
        member.alone = False
        member.since = time.monotonic()
        self._batch_seconds = said.seconds / len(shard.batches)
        self._slowest = max(self._slowest, self._batch_seconds)
        self._poisons = 0
        self._cluster.worked()
        self._counts["shards"] += 1
        for data in said.images.values():
            files.put(data)
        for name in drawn(answer for _, answer in said.answered):
            if not files.path(name).exists():
                raise RunError(f"A worker drew the image {name} and did not send it.")
        return said.answered

    # --- what goes wrong -------------------------------------------------------------------

    def _overdue(self) -> Iterator[Answered]:
        """End the workers that take too long over a shard."""
        for number, member in list(self._roster.members.items()):
            if member.hand:
                limit = self._limit(next(iter(member.hand.values())))
                if time.monotonic() - member.since > limit:
                    yield from self._lost(number, f"it gave no answer within {spoken(limit)}")

    def _limit(self, shard: Shard) -> float:
        """How many seconds a shard may take."""
        told = self._cluster.settings.worker_timeout
        if told is not None:
            return told
        if not self._slowest:
            return _FIRST_LIMIT
        return max(_LEAST_LIMIT, _SLOWER * self._slowest * len(shard.batches))

    def _lost(self, number: int, reason: str) -> Iterator[Answered]:
        """Replace a worker, and see to what it had in hand."""
        member = self._roster.lose(number, reason)
        if member is None:
            return
        # The oldest is what it was at; a model that reads ahead may have begun the next one too,
        # which will show when that is asked alone.
        for position, shard in enumerate(member.hand.values()):
            yield from self._retry(Shard(shard.batches, shard.kills + (position == 0)), reason)

    def _retry(self, shard: Shard, reason: str) -> Iterator[Answered]:
        if shard.kills < KILLS:
            parts: tuple[Shard, ...] | None = (shard,)
        else:
            parts = halves(shard)
        if parts is not None:
            self._counts["retried"] += len(parts)
            self._suspects.extend(parts)
            return
        self._counts["isolated"] += 1
        self._poisons += 1
        if self._poisons >= _POISONS:
            raise RunError(
                f"{self._poisons} requests in a row ended their workers; it is the model or the "
                f"machines, not the requests: {reason}."
            )
        ((place, _),) = shard.batches[0]
        yield [(place, Failed(reason=f"asking this ended two workers: {reason}"))]
