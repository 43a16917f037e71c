"""Several servers of one model: how requests are distributed, and what happens if one stops."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from epicene.core.errors import InputError, RunError
from epicene.models import UnanswerableError, open_model, parse_spec
from epicene.models.http import address
from epicene.models.http.errors import TransientError
from epicene.models.http.load_balancer import LoadBalancer, Server, ServerDownError
from epicene.models.http.sender import CostMeter, RequestStats, Sender
from epicene.models.openai.model import PROVIDER, OpenAIModel
from epicene.models.openai.token_bounds import max_request_tokens
from epicene.models.pricing import Price
from models.http.local_server import Asked, Reply
from models.http.stoppable_server import (
    FREQUENT_CHECKS,
    ONE_CHECK,
    StoppableServer,
    balanced_model,
    per_server,
    question,
    texts,
)
from models.model_answers import NoFiles, answers, singly
from models.openai.openai_server import chat, error

SHORT_OUTAGE = replace(FREQUENT_CHECKS, max_outage=0.5)
model = partial(balanced_model, retry_policy=SHORT_OUTAGE)


def echoing(delay: float = 0.0) -> Any:
    return lambda asked: Reply(chat(asked.prompt).body, delay=delay)


# --- who gets what ---------------------------------------------------------------------------


class Crowd:
    """Holds every reply back until so many requests are there, on all servers together."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._here = 0
        self._full = threading.Event()

    def __call__(self, asked: Asked) -> Reply:
        with self._lock:
            self._here += 1
            if self._here == self._size:
                self._full.set()
        assert self._full.wait(60)
        return chat(asked.prompt)


def test_a_weight_is_how_much_is_under_way_at_once() -> None:
    crowd = Crowd(16)
    with StoppableServer(crowd) as light, StoppableServer(crowd) as heavy:
        served = model(light, f"{heavy.url}*3", concurrency=4)
        assert texts(answers(served, *map(question, range(80)))) == [str(n) for n in range(80)]
    assert (light.most_active, heavy.most_active) == (4, 12)
    assert sum(per_server(served)) == 80
    assert served.notes()["concurrency"] == 16
    assert per_server(served, "weight") == [1, 3]


def test_few_requests_are_spread_and_not_heaped() -> None:
    crowd = Crowd(8)
    with StoppableServer(crowd) as one, StoppableServer(crowd) as other:
        served = model(one, f"{other.url}*3", concurrency=16)
        answers(served, *map(question, range(8)))
    assert per_server(served) == [2, 6]


def test_a_faster_server_gets_more() -> None:
    plenty = threading.Event()

    def quick(asked: Asked) -> Reply:
        if asked.number == 60:
            plenty.set()
        return chat(asked.prompt)

    def slow(asked: Asked) -> Reply:
        assert plenty.wait(60)
        return chat(asked.prompt)

    with StoppableServer(slow) as one, StoppableServer(quick) as other:
        served = model(one, other, concurrency=2)
        answers(served, *map(question, range(80)))
    few, many = per_server(served)
    assert few >= 2
    assert many > 60


def test_a_rate_limit_error_lowers_the_limit_of_its_server_alone() -> None:
    rooms: list[float] = []

    def busy(asked: Asked) -> Reply:
        if asked.number < 2:
            return error(429, "busy")
        rooms.append(served._servers[0].semaphore.limit)
        return chat(asked.prompt)

    with StoppableServer(busy) as one, StoppableServer(echoing(0.01)) as other:
        served = model(one, other, concurrency=8)
        assert len(texts(answers(served, *map(question, range(60))))) == 60
    assert min(rooms) <= 4
    assert served._servers[1].room == 8


# --- who is away -----------------------------------------------------------------------------


def test_requests_of_a_server_that_stops_go_to_another() -> None:
    dying: StoppableServer
    died = threading.Event()

    def first_few(asked: Asked) -> Reply:
        if asked.number < 10:
            return chat(asked.prompt)
        if not died.is_set():
            died.set()
            dying.stop()
        return Reply(close=True)

    with StoppableServer(first_few) as dying, StoppableServer(echoing(0.01)) as other:
        served = model(dying, other, concurrency=4, price="1000000/0")
        given = answers(served, *map(question, range(100)))
    assert texts(given) == [str(n) for n in range(100)]
    notes = served.notes()
    assert notes["retries"] == 0
    assert 1 <= notes["moved"] <= 4  # type: ignore[operator]
    assert per_server(served) == [10, 90]
    assert per_server(served, "went_away") == [1, 0]
    # The first server took some and may ask for money; the others are charged as counted.
    assert served.spent == pytest.approx(
        100 * 7 + int(str(notes["moved"])) * max_request_tokens(question(10))[0], abs=2 * 4
    )


def test_what_was_answered_before_is_not_asked_again() -> None:
    dying: StoppableServer

    def half(asked: Asked) -> Reply:
        if asked.number == 20:
            dying.stop()
        return Reply(close=True) if asked.number >= 20 else chat(asked.prompt)

    with StoppableServer(half) as dying, StoppableServer(echoing()) as other:
        answers(model(dying, other, concurrency=1), *map(question, range(60)))
        first = {asked.prompt for asked in dying.asked[:20]}
        assert not first & {asked.prompt for asked in other.asked}
        assert len(other.asked) == 40


def test_one_that_comes_back_gets_work_again() -> None:
    returning: StoppableServer
    back_at_work = threading.Event()

    def script(asked: Asked) -> Reply:
        if asked.number == 3:
            returning.stop()
            threading.Timer(0.2, returning.restart).start()
            return Reply(close=True)
        if asked.number > 4:  # one more may have been under way when it died
            back_at_work.set()
        return chat(asked.prompt)

    def waiting(asked: Asked) -> Reply:
        assert asked.number < 20 or back_at_work.wait(60)
        return chat(asked.prompt)

    with StoppableServer(script) as returning, StoppableServer(waiting) as other:
        served = model(returning, other, concurrency=2)
        assert len(texts(answers(served, *map(question, range(60))))) == 60
    assert per_server(served, "went_away") == [1, 0]


def test_one_that_is_away_at_first_is_done_without() -> None:
    with StoppableServer(echoing()) as down:
        pass
    with StoppableServer(echoing()) as other:
        served = model(down, other)
        assert len(texts(answers(served, *map(question, range(20))))) == 20
    assert per_server(served) == [0, 20]
    assert served.notes()["retries"] == served.notes()["moved"] == 0


def test_no_server_at_first_is_an_error_with_every_address() -> None:
    with StoppableServer(echoing()) as one, StoppableServer(echoing()) as other:
        pass
    with pytest.raises(RunError, match=r"^[^\n]+$") as caught:
        answers(model(one, other), question(1))
    assert str(caught.value).startswith("None of the 2 servers answers (http://127.0.0.1")
    assert one.url in str(caught.value)
    assert other.url in str(caught.value)


def test_if_all_servers_stop_they_are_waited_for_and_then_given_up() -> None:
    both: list[StoppableServer] = []

    def five(asked: Asked) -> Reply:
        if asked.number == 5:
            for server in both:
                server.stop()
        return Reply(close=True) if asked.number >= 5 else chat(asked.prompt)

    got: list[int] = []

    def collect(stream: Iterator[Any]) -> None:
        got.extend(number for answered in stream for number, _ in answered)

    with StoppableServer(five) as one, StoppableServer(echoing(0.05)) as other:
        both += [one, other]
        stream = model(one, other, concurrency=1).answer(
            singly(map(question, range(50))), NoFiles()
        )
        began = time.monotonic()
        with pytest.raises(RunError, match=r"None of the 2 servers answers .* for 0\.5 s; start"):
            collect(stream)
    assert time.monotonic() - began >= 0.5
    assert got, "what was answered before is handed over"


def test_an_outage_that_ends_is_only_waited_for() -> None:
    both: list[StoppableServer] = []

    def five(asked: Asked) -> Reply:
        if asked.number == 5:
            for server in both:
                server.stop()
            threading.Timer(0.25, both[1].restart).start()
        return Reply(close=True) if asked.number == 5 else chat(asked.prompt)

    with StoppableServer(five) as one, StoppableServer(echoing(0.01)) as other:
        both += [one, other]
        served = model(one, other, concurrency=2, retry_policy=FREQUENT_CHECKS)
        assert texts(answers(served, *map(question, range(50)))) == [str(n) for n in range(50)]
    assert served.notes()["retries"] == 0


def test_one_that_is_there_and_fails_at_everything_is_left_alone() -> None:
    with (
        StoppableServer(lambda _: error(500, "out of memory")) as sick,
        StoppableServer(echoing(0.005)) as well,
    ):
        served = model(sick, well, concurrency=2, retry_policy=ONE_CHECK)
        assert len(texts(answers(served, *map(question, range(100))))) == 100
        # Five in a row, and one that was under way with the last of them.
        assert 5 <= len(sick.asked) <= 6
    assert per_server(served) == [0, 100]
    assert per_server(served, "went_away") == [1, 0]


@pytest.mark.parametrize(("broken", "down"), [(1, 0), (2, 1)])
def test_a_connection_closed_meanwhile_does_not_mark_a_server_down(broken: int, down: int) -> None:
    """Servers that fail inside hang up afterwards; the look may come on the line they leave."""

    def failing_once(asked: Asked) -> Reply:
        if asked.number == 3:
            stumbling.broken_checks = broken
            return error(500, "no")
        return chat(asked.prompt)

    with StoppableServer(failing_once) as stumbling, StoppableServer(echoing()) as other:
        served = model(stumbling, other, concurrency=2)
        assert len(texts(answers(served, *map(question, range(40))))) == 40
    assert per_server(served, "went_away") == [down, 0]


def test_one_that_keeps_failing_is_tried_ever_less_often() -> None:
    def well(asked: Asked) -> Reply:
        deadline = time.monotonic() + 60
        while asked.number > 8 and relapses() < 4 and time.monotonic() < deadline:
            time.sleep(0.01)
        return chat(asked.prompt)

    def relapses() -> int:
        return int(per_server(served, "went_away")[0])

    with StoppableServer(lambda _: error(500, "no")) as sick, StoppableServer(well) as other:
        served = model(sick, other, concurrency=2)
        assert len(texts(answers(served, *map(question, range(40))))) == 40
        assert relapses() >= 4
        assert served._servers[0].next_skips == 2 ** relapses()
        assert len(sick.asked) <= 6 + 2 * (relapses() - 1)


def test_a_request_that_stops_every_server_is_given_up() -> None:
    """The servers come back at once; the request would kill them for ever."""

    async def scenario() -> tuple[int, int]:
        servers = [
            Server(each, 1)
            for each in address.find_addresses(PROVIDER, "http://a:1 http://b:1 http://c:1")
        ]
        balancer = LoadBalancer(servers, "toy", SHORT_OUTAGE)
        stats = RequestStats()
        sender = Sender("KEY", stats, CostMeter(Price()), balancer, 1.0, SHORT_OUTAGE)
        first = True

        async def look(_server: Server) -> frozenset[str]:
            if first:
                return frozenset()
            raise ServerDownError("gone")

        async def kill() -> None:
            for server in servers:
                server.down_reason = ""
            raise TransientError("server", "the connection failed")

        async with balancer.monitored(look):
            first = False
            with pytest.raises(
                UnanswerableError, match=r"the server became unavailable .* \(4 attempts\)"
            ):
                await sender.send_with_retries(partial(sender.send_once, kill))
        return stats.sent, stats.moved

    assert asyncio.run(scenario()) == (4, 3)


# --- which model -----------------------------------------------------------------------------


def test_one_that_serves_another_model_is_named_before_anything_is_asked() -> None:
    with StoppableServer(echoing()) as right, StoppableServer(echoing(), "other", "more") as wrong:
        served = model(right, wrong)
        with pytest.raises(InputError) as caught:
            answers(served, question(1))
        assert not right.asked
        assert not wrong.asked
    assert str(caught.value) == (
        f"The server {wrong.url} serves more, other, not toy; all must serve the same model."
    )


def test_where_none_lists_models_all_are_believed() -> None:
    with (
        StoppableServer(echoing(), listing=404) as one,
        StoppableServer(echoing(), listing=403) as other,
    ):
        served = model(one, other, concurrency=1)
        assert texts(answers(served, question(1), question(2))) == ["1", "2"]
    assert per_server(served) == [1, 1]


@pytest.mark.parametrize(
    ("one", "other", "sound"),
    [
        (("toy", "a"), ("b", "toy"), True),
        (("toy:latest",), ("toy",), True),
        (("weights.gguf",), ("weights.gguf",), True),  # answers to any name
        (("weights.gguf",), ("others.gguf",), False),
        (("weights.gguf",), ("toy",), False),
    ],
)
def test_all_must_list_the_name_or_the_same(
    one: tuple[str, ...], other: tuple[str, ...], sound: bool
) -> None:
    with StoppableServer(echoing(), *one) as first, StoppableServer(echoing(), *other) as second:
        served = model(first, second)
        if sound:
            assert texts(answers(served, question(1))) == ["1"]
            return
        with pytest.raises(InputError, match="all must serve the same model"):
            answers(served, question(1))


def test_one_that_comes_back_with_another_model_gets_nothing() -> None:
    returning: StoppableServer

    def script(asked: Asked) -> Reply:
        if asked.number == 3:
            returning.stop()
            returning._models = ("another",)
            threading.Timer(0.1, returning.restart).start()
        return Reply(close=True) if asked.number == 3 else chat(asked.prompt)

    def waiting(asked: Asked) -> Reply:
        if asked.number > 10:
            deadline = time.monotonic() + 60
            while len(returning.checks) < 4 and time.monotonic() < deadline:
                time.sleep(0.01)
        return chat(asked.prompt)

    with StoppableServer(script) as returning, StoppableServer(waiting) as other:
        served = model(returning, other, concurrency=2)
        assert len(texts(answers(served, *map(question, range(40))))) == 40
        assert len(returning.asked) <= 5
        assert len(returning.checks) >= 4, "it was looked at again"


def test_one_server_is_not_looked_at() -> None:
    with StoppableServer(echoing()) as only:
        assert texts(answers(model(only), question(1))) == ["1"]
        assert not only.checks


# --- addresses -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://a/v1", [("http://a/v1", 1)]),
        ("http://a/v1 http://b/v1*2", [("http://a/v1", 1), ("http://b/v1", 2)]),
        ("http://a/v1,http://b/v1*0.5", [("http://a/v1", 1), ("http://b/v1", 0.5)]),
        (" http://a/v1 ,\n https://b/v1 ", [("http://a/v1", 1), ("https://b/v1", 1)]),
        ("http://a/v1?x=1,2 http://b/v1", [("http://a/v1", 1), ("http://b/v1", 1)]),
    ],
)
def test_several_servers_are_written_one_after_the_other(
    text: str, expected: list[tuple[str, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = address.find_addresses(PROVIDER, text)
    assert [(each.display, each.weight) for each in found] == expected
    monkeypatch.setenv("OPENAI_BASE_URL", text)
    assert address.find_addresses(PROVIDER, "") == found


def test_a_spec_names_several_with_a_plus() -> None:
    served = open_model(parse_spec("openai:toy?base_url=http://a/v1+http://b/v1*2"))
    assert isinstance(served, OpenAIModel)
    shown = [(each.address.display, each.address.weight) for each in served._servers]
    assert shown == [("http://a/v1", 1), ("http://b/v1", 2)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("http://a/v1 http://a/v1", "http://a/v1 is named twice"),
        ("http://a/v1 http://a/v1/", "http://a/v1/ is named twice"),
        ("http://a/v1*2 http://A:80/v1", "http://A:80/v1 is named twice"),
        ("https://a http://b https://a:443/", "https://a:443/ is named twice"),
        ("http://a/v1?k=1&l=2 HTTP://a/v1?l=2&k=1", "http://a/v1 is named twice"),
        ("http://a/v1*0", "The weight 0 of a server"),
        ("http://a/v1*1.2.3", r"The weight 1\.2\.3 of a server"),
        ("http://a/v1 b/v1", "must start with http://"),
    ],
)
def test_senseless_addresses_are_one_sentence(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        address.find_addresses(PROVIDER, text)


def test_servers_that_differ_in_anything_else_are_several() -> None:
    several = (
        "http://a/v1 https://a/v1 http://a:8080/v1 http://a/v2 http://b/v1 "
        "http://me:pass@a/v1 http://a/v1?k=1 http://a/v1?k=2 http://a/V1"
    )
    assert len(address.find_addresses(PROVIDER, several)) == 9


def test_a_provider_with_one_server_takes_one() -> None:
    with pytest.raises(InputError, match="names 2 servers; a model of Replicate takes only one"):
        open_model(parse_spec("replicate:me/mine?base_url=http://a/v1+http://b/v1"))


def test_a_secret_of_one_address_is_redacted_for_all() -> None:
    one, other = address.find_addresses(
        PROVIDER, "http://u:hunter2pass@a/v1 http://b/v1?token=q-token"
    )
    assert other.redact("hunter2pass and q-token") == "[secret] and [secret]"
    assert one.secrets == other.secrets


def test_where_it_is_served_is_no_part_of_a_model() -> None:
    assert model("http://a/v1", "http://b/v1*2").identity == model("http://c/v1").identity
