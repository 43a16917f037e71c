"""Many requests at once: room that adapts, bounded reading ahead, and leaving early."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest

from epicene.core.records import Generate, Message, Texts
from epicene.models.http.address import find_addresses
from epicene.models.http.concurrency import AdaptiveSemaphore
from epicene.models.http.errors import HttpStatusError
from epicene.models.http.load_balancer import LoadBalancer
from epicene.models.http.load_balancer import Server as RemoteServer
from epicene.models.http.sender import CostMeter, RequestStats, Sender
from epicene.models.openai.model import PROVIDER
from epicene.models.pricing import Price
from models.local_server import IMPATIENT, Asked, NoFiles, Reply, Server, answers, singly
from models.openai_server import chat, error, model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.models import NumberedRequest


def question(number: int) -> Generate:
    return Generate(item=str(number), prompt=(Message(role="user", content=str(number)),))


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("epicene")]


# --- the gate --------------------------------------------------------------------------------


def test_a_server_that_bears_few_is_met_and_all_is_answered() -> None:
    """More than `bears` at once get 429 with no hint; the room must find its size by itself."""
    bears = 3
    complained = threading.Event()

    def script(asked: Asked) -> Reply:
        if asked.active > bears:
            complained.set()
            return error(429, "busy")
        # However slow the machine, the first are still there when the others come.
        assert complained.wait(60)
        return Reply(chat(asked.prompt).body, delay=0.01)

    with Server(script) as server:
        served = model(server, concurrency=24)
        given = answers(served, *(question(n) for n in range(150)))
    assert [a.only if isinstance(a, Texts) else a for a in given] == [str(n) for n in range(150)]
    notes = served.notes()
    complaints = notes["rate_limited"]
    assert isinstance(complaints, int)
    # Without adapting, 24 at a time would meet many complaints for each answer.
    assert 0 < complaints < 150
    assert notes["requests"] == 150 + complaints == len(server.asked)


def test_the_room_finds_its_size_and_keeps_to_it() -> None:
    """As above, but in one event loop: what the server counts is what the gate lets through, so
    that no slow machine hides a room that is too large."""
    bears, active = 3, 0
    tally = RequestStats()
    (address,) = find_addresses(PROVIDER, "http://127.0.0.1:9")
    server = RemoteServer(address, 24)
    rooms: list[float] = []

    async def send() -> None:
        nonlocal active
        rooms.append(server.semaphore.limit)
        active += 1
        try:
            if active > bears:
                raise HttpStatusError(429, "busy")
            await asyncio.sleep(0.001)
        finally:
            active -= 1

    async def scenario() -> None:
        fleet = LoadBalancer([server], "toy", IMPATIENT)
        sender = Sender("KEY", tally, CostMeter(Price()), fleet, 60.0, IMPATIENT)
        async with asyncio.TaskGroup() as group:
            for _ in range(150):
                group.create_task(sender.send_with_retries(partial(sender.send_once, send)))

    asyncio.run(scenario())
    assert tally.sent == 150 + tally.rate_limited
    assert 0 < tally.rate_limited < 150
    found = next(place for place, room in enumerate(rooms) if room < bears + 1)
    assert found < 30, "the first who come at once are all it takes"
    # One more than it bears is tried now and then, and halves the room.
    assert bears <= max(rooms[found:]) < bears + 2


def test_no_more_are_under_way_than_allowed_and_as_many_as_allowed() -> None:
    with Server(lambda a: Reply(chat(a.prompt).body, delay=0.03)) as server:
        answers(model(server, concurrency=5), *(question(n) for n in range(40)))
    assert server.most_active == 5


def test_room_halves_on_complaint() -> None:
    async def scenario() -> list[float]:
        gate = AdaptiveSemaphore(16)
        seen = []
        async with gate.slot(), gate.slot(), gate.slot(), gate.slot() as round_:
            gate.cut(round_)
            seen.append(gate.limit)  # half of the four under way
            gate.cut(round_)
            seen.append(gate.limit)  # the same round complains once
        async with gate.slot(), gate.slot() as next_round:
            gate.cut(next_round)
            seen.append(gate.limit)
        return seen

    assert asyncio.run(scenario()) == [2.0, 2.0, 1.0]


def test_room_grows_by_one_a_round_where_it_is_used() -> None:
    async def scenario() -> list[float]:
        gate = AdaptiveSemaphore(4, limit=2.0)
        seen = []
        async with gate.slot():
            gate.grow()
            seen.append(gate.limit)  # half of the room was free
        async with gate.slot(), gate.slot():
            gate.grow()
            gate.grow()
            seen.append(gate.limit)
        gate = AdaptiveSemaphore(4, limit=3.9)
        async with gate.slot(), gate.slot(), gate.slot():
            gate.grow()
            seen.append(gate.limit)
        return seen

    assert asyncio.run(scenario()) == [2.0, 2.0 + 1 / 2 + 1 / 2.5, 4.0]


def test_the_room_never_closes() -> None:
    async def scenario() -> float:
        gate = AdaptiveSemaphore(2)
        for _ in range(5):
            async with gate.slot() as round_:
                gate.cut(round_)
        return gate.limit

    assert asyncio.run(scenario()) == 1.0


def test_who_is_cancelled_while_waiting_takes_no_room() -> None:
    """Cancelled before its turn, in the moment of its turn, and while it holds the room."""

    async def hold(gate: AdaptiveSemaphore, seconds: float) -> None:
        async with gate.slot():
            await asyncio.sleep(seconds)

    async def scenario() -> None:
        rng = random.Random(5)
        gate = AdaptiveSemaphore(2)
        tasks = [asyncio.create_task(hold(gate, rng.uniform(0, 0.004))) for _ in range(300)]
        for task in rng.sample(tasks, 150):
            await asyncio.sleep(rng.uniform(0, 0.001))
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with asyncio.timeout(1), gate.slot(), gate.slot():
            pass  # both places are free again

    asyncio.run(scenario())


# --- the conveyor ----------------------------------------------------------------------------


def test_answers_do_not_depend_on_the_order_of_replies() -> None:
    rng = random.Random(1)
    delays = [rng.uniform(0, 0.05) for _ in range(80)]
    with Server(lambda a: Reply(chat(f"re {a.prompt}").body, delay=delays[a.number])) as server:
        given = answers(model(server), *(question(n) for n in range(80)))
    assert [a.only for a in given if isinstance(a, Texts)] == [f"re {n}" for n in range(80)]


def test_requests_are_read_no_further_than_four_times_the_room() -> None:
    read = 0

    def batches() -> Iterator[list[NumberedRequest]]:
        nonlocal read
        for batch in singly(question(n) for n in range(200)):
            read += 1
            yield batch

    taken = 0
    with Server(lambda a: chat(a.prompt)) as server:
        stream = model(server, concurrency=3).answer(batches(), NoFiles())
        assert read == 0  # nothing is read before anybody asks
        for answered in stream:
            taken += len(answered)
            assert read - taken <= 12
            time.sleep(0.002)
    assert taken == read == 200


def test_answers_are_handed_over_while_others_are_slow() -> None:
    others_taken = threading.Event()

    def script(asked: Asked) -> Reply:
        if asked.prompt == "0":
            assert others_taken.wait(60)
        return chat("x")

    with Server(script) as server:
        stream = model(server).answer(singly(question(n) for n in range(10)), NoFiles())
        places: list[int] = []
        while len(places) < 9:
            places += [place for place, _ in next(stream)]
        assert sorted(places) == list(range(1, 10))
        others_taken.set()
        assert [place for answered in stream for place, _ in answered] == [0]


def test_leaving_early_cancels_and_leaves_no_thread() -> None:
    with Server(lambda a: Reply(chat("x").body, delay=0.0 if a.prompt == "0" else 600.0)) as server:
        stream = model(server).answer(singly(question(n) for n in range(50)), NoFiles())
        next(stream)
        assert threads() == ["epicene-remote"]
        stream.close()  # type: ignore[attr-defined]
        assert threads() == []  # while the server still holds its replies back


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ValueError])
def test_an_interruption_leaves_no_thread(interruption: type[BaseException]) -> None:
    def batches() -> Iterator[list[NumberedRequest]]:
        yield [(0, question(0))]
        raise interruption

    with Server(lambda _: Reply({}, delay=30.0)) as server, pytest.raises(interruption):
        list(model(server).answer(batches(), NoFiles()))
    assert threads() == []


def test_a_model_may_be_asked_again() -> None:
    """Each time with a client of its own; what was learnt and counted stays."""
    with Server(lambda a: chat(a.prompt)) as server:
        served = model(server)
        for _ in range(3):
            answers(served, question(1), question(2))
        assert served.notes()["requests"] == 6
        served.close()
    assert threads() == []


def test_nothing_to_ask_is_nothing_sent() -> None:
    with Server(lambda _: chat("x")) as server:
        assert answers(model(server)) == []
    assert not server.asked
    assert threads() == []
