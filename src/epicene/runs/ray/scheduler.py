"""Cut batches into shards, send them to workers, and isolate requests that kill workers.

A shard holds whole batches of one verb, those of a run on one machine, so what is computed together
is the same everywhere; only a batch that kills its workers is split. No shard is sent before there
is room for it, so the plan is read no faster than workers answer.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from epicene.core.errors import RunError
from epicene.core.records import (
    Draw,
    Failed,
    Fill,
    Generate,
    Look,
    Prompt,
    Request,
    Score,
    Translate,
    verb,
)
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

# A request that was in every one of so many shards that ended their workers is the culprit.
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
    """Shards of `size()` batches at most, those that begin alike together.

    A model keeps what it has read of a common beginning (an instruction, a chat's opening) for the
    batches that come next. One batch at a time is taken of images, which are large.
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
    """A shard that ended its workers, in two: between batches, or inside the only one.

    None where it is a single request. Each half was there when workers ended, so the next one that
    ends over it is enough.
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
    """How a request begins."""
    match request:
        case Score():
            return (_text(request.context) + next(iter(request.texts), ""))[:_PREFIX_LENGTH]
        case Fill():
            return request.before[:_PREFIX_LENGTH]
        case Generate():
            return _text(request.prompt)[:_PREFIX_LENGTH]
        case Translate():
            return request.text[:_PREFIX_LENGTH]
        case Draw():
            return request.prompt[:_PREFIX_LENGTH]
        case Look():
            return request.question[:_PREFIX_LENGTH]


def _text(prompt: Prompt) -> str:
    if isinstance(prompt, str):
        return prompt[:_PREFIX_LENGTH]
    return "\n".join(message.content for message in prompt)[:_PREFIX_LENGTH]


SHARDS_PER_WORKER = 2  # shards in a worker's hands: the one it answers, and the next
_SHARD_SECONDS = 0.5  # a shard is as many batches as take about this long
_MAX_BATCHES = 32
_FIRST_SHARD_TIMEOUT = 1800.0  # seconds for a shard, before it is known how long one takes
_MIN_SHARD_TIMEOUT = 300.0
_SLOWDOWN_FACTOR = 20  # how many times slower than any batch before a batch may be
_MAX_ISOLATED_IN_A_ROW = 10  # requests in a row that end their workers: it is not the requests


class Scheduler:
    """The workers of one model, as many as there is room for."""

    def __init__(self, cluster: Cluster, opening: bytes, corpus: bytes | None) -> None:
        self._cluster = cluster
        self._roster = WorkerPool(cluster, opening, corpus)
        self._waiting: deque[Shard] = deque()  # to be handed out again
        self._suspects: deque[Shard] = deque()  # to be handed out again, each to an idle worker
        self._batch_seconds = _SHARD_SECONDS
        self._slowest = 0.0  # seconds for a batch
        self._poisons = 0
        self._counts = {"shards": 0, "retried": 0, "isolated": 0}

    def introduction(self) -> messages.WorkerInfo:
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

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Hand out every batch, and give answers as they come."""
        shards = make_shards(batches, self._size)
        self._roster.fill()
        try:
            while self._hand_out(shards, files):
                for event in self._cluster.events():
                    yield from self._take(event, files)
                yield from self._overdue()
                self._roster.check_workers()
            self._roster.collect_notes()
        finally:
            for number in [n for n, member in self._roster.members.items() if member.shards]:
                self._roster.stop_worker(number)
            self._waiting.clear()
            self._suspects.clear()

    def _size(self) -> int:
        return max(1, min(_MAX_BATCHES, int(_SHARD_SECONDS / max(self._batch_seconds, 1e-6))))

    def _hand_out(self, shards: Iterator[Shard], files: ImageStore) -> bool:
        """Fill the workers' hands; whether anything is left to wait for."""
        kept_free = 0
        for number, member in self._roster.ready():
            if member.alone:
                continue
            if self._suspects and not member.shards:
                member.alone = True
                self._hand(number, member, self._suspects.popleft(), files)
            elif len(self._suspects) > kept_free:
                kept_free += 1  # it gets nothing more, so that a suspect finds it idle
            else:
                while len(member.shards) < SHARDS_PER_WORKER and self._more(shards):
                    self._hand(number, member, self._waiting.popleft(), files)
        busy = any(member.shards for member in self._roster.members.values())
        return busy or bool(self._suspects) or self._more(shards)

    def _more(self, shards: Iterator[Shard]) -> bool:
        """Whether a shard waits, one that is cut now if none does."""
        if not self._waiting and (shard := next(shards, None)) is not None:
            self._waiting.append(shard)
        return bool(self._waiting)

    def _hand(self, number: int, member: PooledWorker, shard: Shard, files: ImageStore) -> None:
        if not member.shards:
            member.since = time.monotonic()
        name = self._cluster.number()
        member.shards[name] = shard
        load = messages.ShardInput(
            [list(each) for each in shard.batches], images_to_send(shard.batches, files)
        )
        self._cluster.order(
            messages.SendShard(worker=number, shard=name, load=messages.encode(load))
        )

    def _take(self, event: messages.Event, files: ImageStore) -> Iterator[NumberedAnswers]:
        """The answers that an event brings."""
        if isinstance(event, messages.ShardDone):
            member = self._roster.members.get(event.worker)
            if member is not None and event.shard in member.shards:
                yield self._done(member, event, files)
        elif isinstance(event, messages.WorkerLost):
            yield from self._lost(event.worker, event.reason)
        elif isinstance(event, messages.ClusterLost):
            self._waiting.extend(self._roster.reconnect_after_loss(event.reason))  # nobody's fault
        else:
            self._roster.notice(event)

    def _done(
        self, member: PooledWorker, event: messages.ShardDone, files: ImageStore
    ) -> NumberedAnswers:
        said = messages.decode_reply(event.answers)
        if isinstance(said, messages.Refusal):
            raise refusal_error(said)
        assert isinstance(said, messages.ShardOutput)
        shard = member.shards.pop(event.shard)
        member.alone = False
        member.since = time.monotonic()
        self._batch_seconds = said.seconds / len(shard.batches)
        self._slowest = max(self._slowest, self._batch_seconds)
        self._poisons = 0
        self._cluster.worked()
        self._counts["shards"] += 1
        for data in said.images.values():
            files.put(data)
        for name in drawn_images(answer for _, answer in said.answered):
            if not files.path(name).exists():
                raise RunError(f"A worker drew the image {name} and did not send it.")
        return said.answered

    # --- what goes wrong -------------------------------------------------------------------

    def _overdue(self) -> Iterator[NumberedAnswers]:
        """End the workers that take too long over a shard."""
        for number, member in list(self._roster.members.items()):
            if member.shards:
                limit = self._limit(next(iter(member.shards.values())))
                if time.monotonic() - member.since > limit:
                    yield from self._lost(
                        number, f"it gave no answer within {format_seconds(limit)}"
                    )

    def _limit(self, shard: Shard) -> float:
        """How many seconds a shard may take."""
        told = self._cluster.settings.worker_timeout
        if told is not None:
            return told
        if not self._slowest:
            return _FIRST_SHARD_TIMEOUT
        return max(_MIN_SHARD_TIMEOUT, _SLOWDOWN_FACTOR * self._slowest * len(shard.batches))

    def _lost(self, number: int, reason: str) -> Iterator[NumberedAnswers]:
        """Replace a worker, and see to what it had in hand."""
        member = self._roster.replace_worker(number, reason)
        if member is None:
            return
        # The oldest is what it was at; a model that reads ahead may have begun the next one too,
        # which will show when that is asked alone.
        for position, shard in enumerate(member.shards.values()):
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
        self._poisons += 1
        if self._poisons >= _MAX_ISOLATED_IN_A_ROW:
            raise RunError(
                f"{self._poisons} requests in a row ended their workers; it is the model or the "
                f"machines, not the requests: {reason}."
            )
        ((place, _),) = shard.batches[0]
        yield [(place, Failed(reason=f"asking this ended two workers: {reason}"))]
