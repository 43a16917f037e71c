"""How many requests are sent at once: queues in order, and a semaphore that adapts."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Collection
from functools import partial

import pytest

from epicene.core.records import Texts
from epicene.models.http.address import find_addresses
from epicene.models.http.concurrency import AdaptiveSemaphore, WaitQueue
from epicene.models.http.errors import ErrorDetails, HttpStatusError
from epicene.models.http.load_balancer import LoadBalancer
from epicene.models.http.load_balancer import Server as RemoteServer
from epicene.models.http.retry import RetryPolicy
from epicene.models.http.sender import CostMeter, RequestStats, Sender
from epicene.models.openai.model import PROVIDER
from epicene.models.pricing import Price
from models.http.local_server import FAST_RETRIES, Asked, Reply, Server
from models.http.stoppable_server import question
from models.model_answers import answers
from models.openai.openai_server import chat, error, model

# --- the queue -------------------------------------------------------------------------------


def test_first_goes_to_the_head_of_the_queue() -> None:
    async def served() -> list[str]:
        queue, order = WaitQueue(), []

        async def wait(name: str, *, first: bool) -> None:
            await queue.wait(queue.give, first=first)
            order.append(name)

        waiting = [
            asyncio.create_task(wait(name, first=first))
            for name, first in (("one", False), ("two", False), ("hasty", True))
        ]
        await asyncio.sleep(0)
        assert len(queue) == 3
        while queue.give():
            await asyncio.sleep(0)
        await asyncio.gather(*waiting)
        return order

    assert asyncio.run(served()) == ["hasty", "one", "two"]


def test_a_turn_of_a_cancelled_task_is_passed_on() -> None:
    async def served() -> None:
        queue = WaitQueue()
        early, late = (asyncio.create_task(queue.wait(queue.give)) for _ in range(2))
        await asyncio.sleep(0)
        assert queue.give()
        early.cancel()  # before it could take its turn
        await asyncio.wait_for(late, 60)
        with pytest.raises(asyncio.CancelledError):
            await early

    asyncio.run(served())


def test_a_task_cancelled_before_its_turn_gets_none() -> None:
    async def served() -> None:
        queue = WaitQueue()
        early, late = (asyncio.create_task(queue.wait(queue.give)) for _ in range(2))
        await asyncio.sleep(0)
        early.cancel()
        assert queue.give()
        assert not queue.give()
        await asyncio.wait_for(late, 60)

    asyncio.run(served())


def test_a_turn_that_does_not_fit_goes_to_the_next() -> None:
    async def served() -> list[str]:
        queue, order, fits = WaitQueue(), [], {"picky": False, "other": True}

        async def wait(name: str) -> None:
            await queue.wait(queue.give, fits=lambda: fits[name])
            order.append(name)

        waiting = [asyncio.create_task(wait(name)) for name in fits]
        await asyncio.sleep(0)
        assert queue.give()
        assert not queue.give()
        await asyncio.sleep(0)
        fits["picky"] = True
        assert queue.give()
        await asyncio.gather(*waiting)
        return order

    assert asyncio.run(served()) == ["other", "picky"]


def test_a_cancelled_task_leaves_the_queue() -> None:
    async def served() -> int:
        queue = WaitQueue()
        one, other = (asyncio.create_task(queue.wait(queue.give)) for _ in range(2))
        await asyncio.sleep(0)
        one.cancel()
        await asyncio.gather(one, return_exceptions=True)
        left = len(queue)
        assert queue.give()
        await other
        return left

    assert asyncio.run(served()) == 1


def test_a_turn_that_came_too_late_is_passed_on() -> None:
    """Two that wait for the same server are both told of it; who finds it taken tells the next."""

    async def scene() -> None:
        one, other = (
            RemoteServer(each, 1) for each in find_addresses(PROVIDER, "http://a:1 http://b:1")
        )
        balancer = LoadBalancer([one, other], "toy", RetryPolicy())
        leave = asyncio.Event()
        held: list[RemoteServer] = []

        async def hold(avoided: Collection[RemoteServer] = ()) -> None:
            async with balancer.slot(avoided) as (server, _):
                held.append(server)
                await leave.wait()

        async def settle() -> None:
            for _ in range(20):
                await asyncio.sleep(0)

        working = [asyncio.create_task(hold()) for _ in range(2)]
        await settle()
        waiting = [asyncio.create_task(hold()), asyncio.create_task(hold())]
        await settle()
        for _ in range(2):
            waiting.append(asyncio.create_task(hold({other})))
            await settle()
        first, leave = leave, asyncio.Event()
        first.set()
        await settle()
        assert [one.semaphore.free, other.semaphore.free] == [False, False]
        leave.set()
        await asyncio.gather(*working, *waiting)

    asyncio.run(scene())


# --- the adaptive semaphore ------------------------------------------------------------------


def test_all_is_answered_by_a_server_that_accepts_few_at_once() -> None:
    """More than `accepted` at once get 429 with no hint; the room must find its size by itself."""
    accepted = 3
    overloaded = threading.Event()

    def script(asked: Asked) -> Reply:
        if asked.active > accepted:
            overloaded.set()
            return error(429, "busy")
        # However slow the machine, the first are still there when the others come.
        assert overloaded.wait(60)
        return Reply(chat(asked.prompt).body, delay=0.01)

    with Server(script) as server:
        served = model(server, concurrency=24)
        given = answers(served, *(question(n) for n in range(150)))
    assert [a.only if isinstance(a, Texts) else a for a in given] == [str(n) for n in range(150)]
    notes = served.notes()
    errors = notes["rate_limited"]
    assert isinstance(errors, int)
    # Without adapting, 24 at a time would meet many complaints for each answer.
    assert 0 < errors < 150
    assert notes["requests"] == 150 + errors == len(server.asked)


def test_the_limit_finds_what_the_server_accepts() -> None:
    """As above, but in one event loop: what the server counts is what the semaphore lets through,
    so that no slow machine hides a limit that is too large."""
    accepted, active = 3, 0
    stats = RequestStats()
    (address,) = find_addresses(PROVIDER, "http://127.0.0.1:9")
    server = RemoteServer(address, 24)
    limits: list[float] = []

    async def send() -> None:
        nonlocal active
        limits.append(server.semaphore.limit)
        active += 1
        try:
            if active > accepted:
                raise HttpStatusError(429, ErrorDetails("busy"))
            await asyncio.sleep(0.001)
        finally:
            active -= 1

    async def scenario() -> None:
        balancer = LoadBalancer([server], "toy", FAST_RETRIES)
        sender = Sender("KEY", stats, CostMeter(Price()), balancer, 60.0, FAST_RETRIES)
        async with asyncio.TaskGroup() as group:
            for _ in range(150):
                group.create_task(sender.send_with_retries(partial(sender.send_once, send)))

    asyncio.run(scenario())
    assert stats.sent == 150 + stats.rate_limited
    assert 0 < stats.rate_limited < 150
    found = next(number for number, limit in enumerate(limits) if limit < accepted + 1)
    assert found < 30, "the first who come at once are all it takes"
    # One more than it bears is tried now and then, and halves the room.
    assert accepted <= max(limits[found:]) < accepted + 2


def test_no_more_are_under_way_than_allowed_and_as_many_as_allowed() -> None:
    all_there = threading.Event()

    def script(asked: Asked) -> Reply:
        if asked.active == 5:
            all_there.set()
        # However slow the machine, the first are still there when the fifth comes.
        assert all_there.wait(60)
        return Reply(chat(asked.prompt).body, delay=0.03)

    with Server(script) as server:
        answers(model(server, concurrency=5), *(question(n) for n in range(40)))
    assert server.most_active == 5


def test_the_limit_halves_on_a_rate_limit_error() -> None:
    async def scenario() -> list[float]:
        semaphore = AdaptiveSemaphore(16)
        seen = []
        async with semaphore.slot(), semaphore.slot(), semaphore.slot(), semaphore.slot() as round_:
            semaphore.shrink(round_)
            seen.append(semaphore.limit)  # half of the four under way
            semaphore.shrink(round_)
            seen.append(semaphore.limit)  # the same round complains once
        async with semaphore.slot(), semaphore.slot() as next_round:
            semaphore.shrink(next_round)
            seen.append(semaphore.limit)
        return seen

    assert asyncio.run(scenario()) == [2.0, 2.0, 1.0]


def test_the_limit_grows_by_one_a_round_if_it_is_reached() -> None:
    async def scenario() -> list[float]:
        semaphore = AdaptiveSemaphore(4, limit=2.0)
        seen = []
        async with semaphore.slot():
            semaphore.grow()
            seen.append(semaphore.limit)  # half of the room was free
        async with semaphore.slot(), semaphore.slot():
            semaphore.grow()
            semaphore.grow()
            seen.append(semaphore.limit)
        semaphore = AdaptiveSemaphore(4, limit=3.9)
        async with semaphore.slot(), semaphore.slot(), semaphore.slot():
            semaphore.grow()
            seen.append(semaphore.limit)
        return seen

    assert asyncio.run(scenario()) == [2.0, 2.0 + 1 / 2 + 1 / 2.5, 4.0]


def test_the_limit_is_never_below_one() -> None:
    async def scenario() -> float:
        semaphore = AdaptiveSemaphore(2)
        for _ in range(5):
            async with semaphore.slot() as round_:
                semaphore.shrink(round_)
        return semaphore.limit

    assert asyncio.run(scenario()) == 1.0


def test_a_cancelled_task_takes_no_slot() -> None:
    """Cancelled before its turn, in the moment of its turn, and while it holds the room."""

    async def hold(semaphore: AdaptiveSemaphore, seconds: float) -> None:
        async with semaphore.slot():
            await asyncio.sleep(seconds)

    async def scenario() -> None:
        rng = random.Random(5)
        semaphore = AdaptiveSemaphore(2)
        tasks = [asyncio.create_task(hold(semaphore, rng.uniform(0, 0.004))) for _ in range(300)]
        for task in rng.sample(tasks, 150):
            await asyncio.sleep(rng.uniform(0, 0.001))
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with asyncio.timeout(60), semaphore.slot(), semaphore.slot():
            pass  # both places are free again

    asyncio.run(scenario())
