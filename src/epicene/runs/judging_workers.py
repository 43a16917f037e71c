"""Let several processes judge the items of a long run.

Judging is a pure function of what is stored, so a worker (`judging_process`) needs only the run's
folder. A range of items that a worker cannot judge is judged here: errors are the same with and
without workers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.core.records import Judgement, Record
from epicene.core.sqlite import must_copy
from epicene.models.threads import usable_cpus
from epicene.runs.judgement_cache import code_key
from epicene.runs.store import STORE_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import Self

    from epicene.suites import Suite

_RANGE_SIZE = 128  # items that are judged together
_MIN_SECONDS = 5.0  # of work left, below which workers do not pay for their start
# Fewer do not pay: each loads what judging needs, and what planning remembered is computed again.
_MIN_WORKERS = 4
_MAX_WORKERS = 16
_QUEUED = 2  # ranges per worker that are sent ahead
_CLOSE_TIMEOUT = 5.0  # seconds
_LENGTH_BYTES = 8

_PROGRAM = "from epicene.runs.judging_process import serve; serve()"


class ItemRange(NamedTuple):
    """Items [first, end)."""

    first: int
    end: int


class JudgedRange(Record, frozen=True, kw_only=True):
    """The judgements of a range of items, and how many answers have numbers that are not finite."""

    judgements: list[Judgement]
    not_finite: int


encode = msgspec.msgpack.Encoder().encode
decode_range = msgspec.msgpack.Decoder(ItemRange).decode
_decode_judged = msgspec.msgpack.Decoder(JudgedRange).decode


def item_ranges(count: int) -> list[ItemRange]:
    """The ranges in which so many items are judged."""
    firsts = range(0, count, _RANGE_SIZE)
    return [ItemRange(first, min(first + _RANGE_SIZE, count)) for first in firsts]


class JudgingWorkers:
    """Processes that judge a run's items, which are started if that takes long."""

    def __init__(self, folder: Path, suite: Suite[Any, Any]) -> None:
        self._folder = folder
        self._suite = suite
        self._workers: list[_Worker] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def judge(
        self, ranges: Sequence[ItemRange], judge_here: Callable[[ItemRange], JudgedRange]
    ) -> Iterator[JudgedRange]:
        """The judgements of each range, in order. The first ones are made here."""
        took = before = 0.0
        for number, each in enumerate(ranges):
            # Of the last two, because one may have loaded something.
            if min(took, before) * (len(ranges) - number) > _MIN_SECONDS and self._start():
                yield from self._by_workers(ranges[number:], judge_here)
                return
            since = perf_counter()
            judged = judge_here(each)
            took, before = perf_counter() - since, took
            yield judged

    def _by_workers(
        self, ranges: Sequence[ItemRange], judge_here: Callable[[ItemRange], JudgedRange]
    ) -> Iterator[JudgedRange]:
        assert self._workers
        workers = self._workers
        sent = 0
        for number, each in enumerate(ranges):
            try:
                for ahead in ranges[sent : number + _QUEUED * len(workers)]:
                    workers[sent % len(workers)].send(encode(ahead))
                    sent += 1
                reply = workers[number % len(workers)].receive()
            except OSError:  # a worker has died
                self.close()
                yield from map(judge_here, ranges[number:])
                return
            yield _decode_judged(reply) if reply else judge_here(each)

    def _start(self) -> bool:
        """Start the workers, unless that failed before; whether there are any."""
        if self._workers is None:
            self._workers = []
            count, key = _count_workers(), code_key(self._suite)
            # A copy for each worker could fill the disk, and would stay when the worker is killed.
            alone = must_copy(self._folder / STORE_FILE)
            if count >= _MIN_WORKERS and key is not None and not alone:
                try:
                    for _ in range(count):
                        self._workers.append(_Worker(self._folder))
                    if not all(each.is_ready(key) for each in self._workers):
                        self.close()
                except OSError:
                    self.close()
        return bool(self._workers)

    def close(self) -> None:
        """End the workers."""
        for each in self._workers or ():
            each.kill()
        for each in self._workers or ():
            each.close()
        self._workers = []


def _count_workers() -> int:
    """One per CPU, or as many as the user allows threads."""
    threads = os.environ.get("EPICENE_THREADS", "")
    return min(int(threads) if threads.isdecimal() else usable_cpus(), _MAX_WORKERS)


class _Worker:
    """A process that judges one range after the other. It ends when its input does."""

    def __init__(self, folder: Path) -> None:
        # -P: a file in the working folder must not replace a module.
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-P", "-c", _PROGRAM, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._ranges, self._replies = self._process.stdin, self._process.stdout

    def send(self, data: bytes) -> None:
        write_frame(self._ranges, data)

    def is_ready(self, key: bytes) -> bool:
        """Whether it judges with the code of this key; what it imports may print something else."""
        expected = _as_frame(key)
        return self._replies.read(len(expected)) == expected

    def receive(self) -> bytes:
        """The next reply; empty if the range cannot be judged there."""
        reply = read_frame(self._replies)
        if reply is None:
            raise BrokenPipeError("a worker has died")
        return reply

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        for stream in (self._ranges, self._replies):
            with suppress(OSError):
                stream.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLOSE_TIMEOUT)


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Write bytes after their length."""
    stream.write(_as_frame(data))
    stream.flush()


def _as_frame(data: bytes) -> bytes:
    return len(data).to_bytes(_LENGTH_BYTES) + data


def read_frame(stream: IO[bytes]) -> bytes | None:
    """What `write_frame` wrote; None at the end of the stream."""
    header = stream.read(_LENGTH_BYTES)
    length = int.from_bytes(header)
    data = stream.read(length)
    return data if len(header) == _LENGTH_BYTES and len(data) == length else None
