"""Run requests in an event loop on another thread, with a bounded number in flight."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

from epicene.core.records import Answer, Request

if TYPE_CHECKING:
    from epicene.models import NumberedAnswers, NumberedRequest

AnswerRequest: TypeAlias = Callable[[Request], Awaitable[Answer]]
OpenSession: TypeAlias = Callable[[], AbstractAsyncContextManager[AnswerRequest]]

# How long finished answers wait for others, so that they are committed together.
_COMMIT_INTERVAL = 0.05


def answer_in_event_loop(
    session: OpenSession, requests: Iterable[NumberedRequest], capacity: int
) -> Iterator[NumberedAnswers]:
    """Answer the requests, read as room allows, in the order they get done.

    At most `capacity` requests are read and not yet yielded. However the caller leaves, what is
    under way is cancelled and the thread has ended.
    """
    conveyor = _EventLoopThread(session)
    try:
        for place, request in requests:
            conveyor.put(place, request)
            if conveyor.under_way >= capacity or conveyor.ripe:
                yield conveyor.take()
        while conveyor.under_way:
            yield conveyor.take()
    finally:
        conveyor.close()


class _EventLoopThread:
    """The thread with the event loop. All methods without underscore are the caller's."""

    def __init__(self, session: OpenSession) -> None:
        self.under_way = 0
        self._session = session
        self._finished: SimpleQueue[tuple[int, Answer] | Exception] = SimpleQueue()
        self._failure: Exception | None = None
        self._taken = time.monotonic()
        self._started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, AnswerRequest]] = (
            Future()
        )
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="epicene-remote", daemon=True)
        self._thread.start()
        self._loop, self._stop, self._work = self._started.result()

    def put(self, place: int, request: Request) -> None:
        """Set a request going."""
        self.under_way += 1
        self._loop.call_soon_threadsafe(self._spawn, place, request)

    @property
    def ripe(self) -> bool:
        """Whether something has lain finished for long enough to be taken."""
        return not self._finished.empty() and time.monotonic() - self._taken >= _COMMIT_INTERVAL

    def take(self) -> list[tuple[int, Answer]]:
        """Wait for an answer and take those that come with it. An exception ends the run, but
        only after the answers that were there before it."""
        if self._failure:
            raise self._failure
        taken: list[tuple[int, Answer]] = []
        deadline: float | None = None
        # Half of them at most: the other half is work while the caller stores these.
        while len(taken) < (self.under_way + 1) // 2 or self._failure:
            try:
                finished = self._finished.get(timeout=self._patience(deadline))
            except Empty:
                break
            if isinstance(finished, Exception):
                self._failure = self._failure or finished
                deadline = 0.0  # take what is there and wait for no more
                continue
            taken.append(finished)
            deadline = time.monotonic() + _COMMIT_INTERVAL if deadline is None else deadline
        if self._failure and not taken:
            raise self._failure
        self.under_way -= len(taken)
        self._taken = time.monotonic()
        return taken

    def close(self) -> None:
        """Cancel what is under way and wait until the thread has ended."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    @staticmethod
    def _patience(deadline: float | None) -> float | None:
        return None if deadline is None else max(0.0, deadline - time.monotonic())

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:
            if self._started.done():
                self._finished.put(error)
            else:
                self._started.set_exception(error)

    async def _serve(self) -> None:
        stop = asyncio.Event()
        async with self._session() as work:
            self._started.set_result((asyncio.get_running_loop(), stop, work))
            await stop.wait()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, place: int, request: Request) -> None:
        task = asyncio.ensure_future(self._carry(place, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry(self, place: int, request: Request) -> None:
        try:
            self._finished.put((place, await self._work(request)))
        except Exception as error:
            self._finished.put(error)
