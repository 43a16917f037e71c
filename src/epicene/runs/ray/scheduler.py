"""Group batches into shards, send them to workers, and isolate requests that kill workers.

A shard contains whole batches of one verb, the same batches as in a run on one machine, so what is
computed together is the same everywhere; only a batch that kills its workers is split. No shard is
sent until there is room for it, so the plan is read no faster than workers answer.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from epicene.core.errors import RunError
from epicene.core.records import Failed, Request, verb
from epicene.runs.execute import request_texts
from epicene.runs.ray import messages
from epicene.runs.ray.cluster import format_seconds
from epicene.runs.ray.worker import drawn_images, images_to_send
from epicene.runs.ray.worker_pool import PooledWorker, WorkerPool, refusal_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.models import Batch, ImageStore, NumberedAnswers
    from epicene.runs.ray.cluster import Cluster

# Batches that are put in order together. This and the shards in flight are all that is held of a
# plan, whatever its size.
SORT_WINDOW = 64

# A request that was in this many shards that killed their workers is the cause.
MAX_KILLS = 2

_PREFIX_LENGTH = 200  # characters of a request's beginning by which batches are put in order


@dataclass(frozen=True)
class Shard:
    """Batches of one verb; `kills` counts the workers that ended over them."""

    batches: tuple[Batch, ...]
    kills: int = 0

    @property
    def requests(self) -> int:
        """How many requests it has."""
        return sum(map(len, self.batches))


def make_shards(batches: Iterator[Batch], size: Callable[[], int]) -> Iterator[Shard]:
    """Shards of at most `size()` batches; batches with the same beginning go together.

    A model caches a shared beginning (an instruction, the start of a chat) for the next batches.
    Batches with images, which are large, are sent one at a time.
    """
    while window := list(islice(batches, SORT_WINDOW)):
        window.sort(key=lambda batch: (verb(batch[0][1]), request_prefix(batch[0][1])))
        first = 0
        while first < len(window):
            asked = verb(window[first][0][1])
            end = first + 1
            most = first + (1 if asked in ("draw", "look") else size())
            while end < min(most, len(window)) and verb(window[end][0][1]) == asked:
                end += 1
            yield Shard(tuple(window[first:end]))
            first = end


def split_shard(shard: Shard) -> tuple[Shard, Shard] | None:
    """Split a shard that killed its workers in two: between batches, or inside its only batch.

    None if it is a single request. Each half was there when workers died, so one more killed worker
    is enough.
    """
    whole, *others = shard.batches
    if others:
        middle = len(shard.batches) // 2
        return _suspect_shard(*shard.batches[:middle]), _suspect_shard(*shard.batches[middle:])
    middle = len(whole) // 2
    return (_suspect_shard(whole[:middle]), _suspect_shard(whole[middle:])) if middle else None


def _suspect_shard(*batches: Batch) -> Shard:
    return Shard(batches, MAX_KILLS - 1)


def request_prefix(request: Request) -> str:
    """The beginning of a request's text."""
    return "\n".join(request_texts(request))[:_PREFIX_LENGTH]


SHARDS_PER_WORKER = 2  # the one that a worker answers, and the next
_SHARD_SECONDS = 0.5  # a shard is as many batches as take about this long
_MAX_BATCHES = 32
_FIRST_SHARD_TIMEOUT = 1800.0  # seconds for a shard, before it is known how long one takes
_MIN_SHARD_TIMEOUT = 300.0
_SLOWDOWN_FACTOR = 20  # how many times slower than the slowest batch so far a batch may be
_MAX_ISOLATED_IN_A_ROW = 10  # requests in a row that end their workers: it is not the requests


class Scheduler:
    """Spreads the requests to one model over its workers."""

    def __init__(self, cluster: Cluster, setup: bytes, corpus: bytes | None) -> None:
        self._cluster = cluster
        self._pool = WorkerPool(cluster, setup, corpus)
        self._waiting: deque[Shard] = deque()  # to be sent
        self._suspects: deque[Shard] = deque()  # to be sent again, each to an idle worker
        self._batch_seconds = _SHARD_SECONDS
        self._slowest = 0.0  # seconds for a batch
        self._failed_in_a_row = 0
        self._counts = {"shards": 0, "retried": 0, "isolated": 0}

    def worker_info(self) -> messages.WorkerInfo:
        """The first worker that is ready; all others must load the same model."""
        return self._pool.worker_info()

    def notes(self) -> dict[str, Any]:
        """How the work went, and how the workers reached their answers."""
        pool = self._pool
        spread = {
            "workers": pool.most,
            "machines": sorted(pool.machines),
            "replaced": pool.replaced,
            "given_up": pool.given_up,
            **self._counts,
            "cut_off": pool.losses,
        }
        if differing := pool.versions.differing():
            spread["versions"] = differing
        return {"ray": spread, "workers": pool.notes()}

    def close(self) -> None:
        """Stop all workers."""
        self._pool.close()

    # --- the work --------------------------------------------------------------------------

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Send every batch to a worker, and yield answers as they come."""
        shards = make_shards(batches, self._size)
        self._pool.fill()
        try:
            while self._send_shards(shards, files):
                for event in self._cluster.events():
                    yield from self._take(event, files)
                yield from self._overdue()
                self._pool.check_workers()
            self._pool.collect_notes()
        finally:
            for number in [n for n, worker in self._pool.workers.items() if worker.shards]:
                self._pool.stop_worker(number)
            self._waiting.clear()
            self._suspects.clear()

    def _size(self) -> int:
        return max(1, min(_MAX_BATCHES, int(_SHARD_SECONDS / max(self._batch_seconds, 1e-6))))

    def _send_shards(self, shards: Iterator[Shard], files: ImageStore) -> bool:
        """Send shards to workers that have room; whether anything is left to wait for."""
        kept_free = 0
        for number, worker in self._pool.ready():
            if worker.alone:
                continue
            if self._suspects and not worker.shards:
                worker.alone = True
                self._send_shard(number, worker, self._suspects.popleft(), files)
            elif len(self._suspects) > kept_free:
                kept_free += 1  # it gets nothing more, so that a suspect finds it idle
            else:
                while len(worker.shards) < SHARDS_PER_WORKER and self._more(shards):
                    self._send_shard(number, worker, self._waiting.popleft(), files)
        busy = any(worker.shards for worker in self._pool.workers.values())
        return busy or bool(self._suspects) or self._more(shards)

    def _more(self, shards: Iterator[Shard]) -> bool:
        """Whether a shard is waiting; if none is, the next one is made."""
        if not self._waiting and (shard := next(shards, None)) is not None:
            self._waiting.append(shard)
        return bool(self._waiting)

    def _send_shard(
        self, number: int, worker: PooledWorker, shard: Shard, files: ImageStore
    ) -> None:
        if not worker.shards:
            worker.since = time.monotonic()
        shard_number = self._cluster.number()
        worker.shards[shard_number] = shard
        load = messages.ShardInput(
            [list(each) for each in shard.batches], images_to_send(shard.batches, files)
        )
        self._cluster.send(
            messages.Call(
                worker=number,
                method="answer",
                arguments=(messages.encode(load),),
                shard=shard_number,
            )
        )

    def _take(self, event: messages.Event, files: ImageStore) -> Iterator[NumberedAnswers]:
        """The answers that an event brings."""
        if isinstance(event, messages.Reply) and event.method == "answer":
            worker = self._pool.workers.get(event.worker)
            if worker is not None and event.shard in worker.shards:
                yield self._done(worker, event, files)
        elif isinstance(event, messages.WorkerLost):
            yield from self._lost(event.worker, event.reason)
        elif isinstance(event, messages.ClusterLost):
            self._waiting.extend(
                self._pool.reconnect_after_loss(event.reason)
            )  # not the shards' fault
        else:
            self._pool.handle_event(event)

    def _done(
        self, worker: PooledWorker, reply: messages.Reply, files: ImageStore
    ) -> NumberedAnswers:
        said = messages.decode_reply(reply.data)
        if isinstance(said, messages.Refusal):
            raise refusal_error(said)
        assert isinstance(said, messages.ShardOutput)
        shard = worker.shards.pop(reply.shard)
        worker.alone = False
        worker.since = time.monotonic()
        self._batch_seconds = said.seconds / len(shard.batches)
        self._slowest = max(self._slowest, self._batch_seconds)
        self._failed_in_a_row = 0
        self._cluster.worked()
        self._counts["shards"] += 1
        for data in said.images.values():
            files.put(data)
        for name in drawn_images(answer for _, answer in said.answered):
            if not files.path(name).exists():
                raise RunError(f"A worker drew the image {name} but did not send it.")
        return said.answered

    # --- what goes wrong -------------------------------------------------------------------

    def _overdue(self) -> Iterator[NumberedAnswers]:
        """End workers that take too long for a shard."""
        for number, worker in list(self._pool.workers.items()):
            if worker.shards:
                limit = self._limit(next(iter(worker.shards.values())))
                if time.monotonic() - worker.since > limit:
                    yield from self._lost(
                        number, f"it did not answer within {format_seconds(limit)}"
                    )

    def _limit(self, shard: Shard) -> float:
        """The time limit of a shard, in seconds."""
        timeout = self._cluster.settings.worker_timeout
        if timeout is not None:
            return timeout
        if not self._slowest:
            return _FIRST_SHARD_TIMEOUT
        return max(_MIN_SHARD_TIMEOUT, _SLOWDOWN_FACTOR * self._slowest * len(shard.batches))

    def _lost(self, number: int, reason: str) -> Iterator[NumberedAnswers]:
        """Replace a worker, and retry its shards."""
        worker = self._pool.replace_worker(number, reason)
        if worker is None:
            return
        # It was answering the oldest; a model that reads ahead may have begun the next one too,
        # which will show when that one is sent alone.
        for position, shard in enumerate(worker.shards.values()):
            yield from self._retry(Shard(shard.batches, shard.kills + (position == 0)), reason)

    def _retry(self, shard: Shard, reason: str) -> Iterator[NumberedAnswers]:
        if shard.kills < MAX_KILLS:
            parts: tuple[Shard, ...] | None = (shard,)
        else:
            parts = split_shard(shard)
        if parts is not None:
            self._counts["retried"] += len(parts)
            self._suspects.extend(parts)
            return
        self._counts["isolated"] += 1
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= _MAX_ISOLATED_IN_A_ROW:
            raise RunError(
                f"{self._failed_in_a_row} requests in a row killed their workers; the cause is in "
                f"the model or the machines, not in the requests: {reason}."
            )
        ((request_id, _),) = shard.batches[0]
        yield [(request_id, Failed(reason=f"this request killed two workers: {reason}"))]
