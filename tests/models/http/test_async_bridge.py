"""Requests in an event loop: answers in any order, bounded reading ahead, and early ends."""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING

import pytest

from epicene.core.records import Texts
from models.http.local_server import Asked, Reply, Server
from models.http.stoppable_server import question
from models.model_answers import NoFiles, answers, singly
from models.openai.openai_server import chat, model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.models import NumberedRequest


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("epicene")]


def test_answers_do_not_depend_on_the_order_of_replies() -> None:
    rng = random.Random(1)
    delays = [rng.uniform(0, 0.05) for _ in range(80)]
    with Server(lambda a: Reply(chat(f"re {a.prompt}").body, delay=delays[a.number])) as server:
        given = answers(model(server), *(question(n) for n in range(80)))
    assert [a.only for a in given if isinstance(a, Texts)] == [f"re {n}" for n in range(80)]


def test_requests_are_read_no_further_than_four_times_the_concurrency() -> None:
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
            places += [number for number, _ in next(stream)]
        assert sorted(places) == list(range(1, 10))
        others_taken.set()
        assert [number for answered in stream for number, _ in answered] == [0]


def test_leaving_early_cancels_and_leaves_no_thread() -> None:
    with Server(lambda a: Reply(chat("x").body, delay=0.0 if a.prompt == "0" else 600.0)) as server:
        stream = model(server).answer(singly(question(n) for n in range(50)), NoFiles())
        next(stream)
        assert threads() == ["epicene-http"]
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
