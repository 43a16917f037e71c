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

# Seconds that finished answers wait for others, to be committed together.
_COMMIT_INTERVAL = 0.05


def answer_in_event_loop(
    session: OpenSession, requests: Iterable[NumberedRequest], capacity: int
) -> Iterator[NumberedAnswers]:
    """Answer the requests in the order they finish, reading ahead as capacity allows.

    At most `capacity` requests are read and not yet yielded. However the caller ends the iteration,
    requests in flight are cancelled and the thread has ended.
    """
    bridge = _EventLoopThread(session)
    try:
        for number, request in requests:
            bridge.put(number, request)
            if bridge.in_flight >= capacity or bridge.ready:
                yield bridge.take()
        while bridge.in_flight:
            yield bridge.take()
    finally:
        bridge.close()


class _EventLoopThread:
    """The thread with the event loop. Methods without underscore are for the caller's thread."""

    def __init__(self, session: OpenSession) -> None:
        self.in_flight = 0
        self._session = session
        self._finished: SimpleQueue[tuple[int, Answer] | Exception] = SimpleQueue()
        self._failure: Exception | None = None
        self._last_taken = time.monotonic()
        self._started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, AnswerRequest]] = (
            Future()
        )
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="epicene-http", daemon=True)
        self._thread.start()
        self._loop, self._stop, self._work = self._started.result()

    def put(self, number: int, request: Request) -> None:
        """Start a request."""
        self.in_flight += 1
        self._loop.call_soon_threadsafe(self._spawn, number, request)

    @property
    def ready(self) -> bool:
        """Whether an answer has been finished for long enough to be taken."""
        return (
            not self._finished.empty() and time.monotonic() - self._last_taken >= _COMMIT_INTERVAL
        )

    def take(self) -> list[tuple[int, Answer]]:
        """Wait for an answer, and take those that finish with it.

        An exception ends the run, but only after the answers that finished before it.
        """
        if self._failure:
            raise self._failure
        taken: list[tuple[int, Answer]] = []
        deadline: float | None = None
        # Half of them at most: the other half is in flight while the caller stores these.
        while len(taken) < (self.in_flight + 1) // 2 or self._failure:
            try:
                finished = self._finished.get(timeout=self._time_left(deadline))
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
        self.in_flight -= len(taken)
        self._last_taken = time.monotonic()
        return taken

    def close(self) -> None:
        """Cancel the requests in flight and wait for the thread to end."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    @staticmethod
    def _time_left(deadline: float | None) -> float | None:
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

    def _spawn(self, number: int, request: Request) -> None:
        task = asyncio.ensure_future(self._answer(number, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, number: int, request: Request) -> None:
        try:
            self._finished.put((number, await self._work(request)))
        except Exception as error:
            self._finished.put(error)
