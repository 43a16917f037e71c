"""Waiting for a turn: in order, and none lost."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import pytest

from epicene.models.http import address
from epicene.models.http.concurrency import WaitQueue
from epicene.models.http.load_balancer import LoadBalancer, Server
from epicene.models.http.retry import RetryPolicy
from epicene.models.openai.model import PROVIDER


def test_some_go_before_all_others() -> None:
    async def served() -> list[str]:
        turns, order = WaitQueue(), []

        async def wait(name: str, *, first: bool) -> None:
            await turns.wait(turns.give, first=first)
            order.append(name)

        waiting = [
            asyncio.create_task(wait(name, first=first))
            for name, first in (("one", False), ("two", False), ("hasty", True))
        ]
        await asyncio.sleep(0)
        assert len(turns) == 3
        while turns.give():
            await asyncio.sleep(0)
        await asyncio.gather(*waiting)
        return order

    assert asyncio.run(served()) == ["hasty", "one", "two"]


def test_a_turn_of_one_who_is_called_off_is_passed_on() -> None:
    async def served() -> None:
        turns = WaitQueue()
        early, late = (asyncio.create_task(turns.wait(turns.give)) for _ in range(2))
        await asyncio.sleep(0)
        assert turns.give()
        early.cancel()  # before it could take its turn
        await asyncio.wait_for(late, 5)
        with pytest.raises(asyncio.CancelledError):
            await early

    asyncio.run(served())


def test_one_who_was_called_off_before_gets_none() -> None:
    async def served() -> None:
        turns = WaitQueue()
        early, late = (asyncio.create_task(turns.wait(turns.give)) for _ in range(2))
        await asyncio.sleep(0)
        early.cancel()
        assert turns.give()
        assert not turns.give()
        await asyncio.wait_for(late, 5)

    asyncio.run(served())


def test_a_turn_goes_past_one_whom_it_does_not_fit() -> None:
    async def served() -> list[str]:
        turns, order, fits = WaitQueue(), [], {"picky": False, "other": True}

        async def wait(name: str) -> None:
            await turns.wait(turns.give, fits=lambda: fits[name])
            order.append(name)

        waiting = [asyncio.create_task(wait(name)) for name in fits]
        await asyncio.sleep(0)
        assert turns.give()
        assert not turns.give()
        await asyncio.sleep(0)
        fits["picky"] = True
        assert turns.give()
        await asyncio.gather(*waiting)
        return order

    assert asyncio.run(served()) == ["other", "picky"]


def test_one_who_was_called_off_waits_no_more() -> None:
    async def served() -> int:
        turns = WaitQueue()
        one, other = (asyncio.create_task(turns.wait(turns.give)) for _ in range(2))
        await asyncio.sleep(0)
        one.cancel()
        await asyncio.gather(one, return_exceptions=True)
        left = len(turns)
        assert turns.give()
        await other
        return left

    assert asyncio.run(served()) == 1


def test_a_turn_that_came_too_late_is_passed_on() -> None:
    """Two that wait for the same server are both told of it; who finds it taken tells the next."""

    async def scene() -> None:
        one, other = (
            Server(each, 1) for each in address.find_addresses(PROVIDER, "http://a:1 http://b:1")
        )
        fleet = LoadBalancer([one, other], "toy", RetryPolicy())
        leave = asyncio.Event()
        held: list[Server] = []

        async def hold(shunned: Collection[Server] = ()) -> None:
            async with fleet.slot(shunned) as (server, _):
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
