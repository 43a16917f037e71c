"""Replies are read within limits, whatever a server sends, and each failure is its request's."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
import zlib
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.errors import OptionError, RunError
from epicene.core.records import Draw, Failed, Texts
from epicene.models import UnanswerableError, open_model, parse_spec
from epicene.models.http.errors import TransientError, one_line, shorten
from epicene.models.http.responses import (
    LargeBodySlots,
    TooLargeError,
    decode_json,
    read_body,
    status_error,
)
from epicene.models.http.retry import retry_after
from epicene.models.openai.client import Reply as OpenAIReply
from epicene.models.openai.client import parse_model_list, reply_cost
from epicene.models.openai.echo_scoring import parse_echo
from epicene.models.openai.generation import _parse_texts
from epicene.models.openai.images import _parse_image
from epicene.models.pricing import Price
from models.http.local_server import FAST_RETRIES, Asked, Reply, Script, Server, first_then
from models.http.stoppable_server import question
from models.model_answers import answers
from models.openai.openai_server import chat, error, model

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MIB = 1 << 20
BLANKS = b" " * 20 * MIB  # above the limit of 16 MiB
BOMBS = {
    "plain": Reply(BLANKS),
    "gzip": Reply(gzip.compress(BLANKS), headers={"Content-Encoding": "gzip"}),
    "deflate": Reply(zlib.compress(BLANKS), headers={"Content-Encoding": "deflate"}),
    "raw deflate": Reply(zlib.compress(BLANKS)[2:-4], headers={"Content-Encoding": "deflate"}),
}


def asked(script: Script, number: int = 2, **options: Any) -> tuple[list[Any], Server, Any]:
    """The answers of a served model to some questions, its server, and the model."""
    with Server(script) as server:
        served = model(server, FAST_RETRIES, **options)
        given = answers(served, *(question(n) for n in range(number)))
    return given, server, served


def failed(reply: Reply, number: int = 2, **options: Any) -> str:
    """Why all requests fail where this is the reply; the run goes on to the end."""
    given, _, _ = asked(lambda _: reply, number, **options)
    assert all(isinstance(answer, Failed) for answer in given), given
    return str(given[0].reason)


# --- size ------------------------------------------------------------------------------------


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_a_reply_above_the_limit_fails_its_request_and_is_not_asked_again(bomb: Reply) -> None:
    given, server, _ = asked(first_then(bomb, rest=lambda _: chat("x")), concurrency=1)
    assert isinstance(given[0], Failed)
    assert "larger than 16 MiB" in given[0].reason
    assert "--max-response" in given[0].reason
    assert isinstance(given[1], Texts)
    assert len(server.asked) == 2


def test_the_limit_can_be_set() -> None:
    long = Reply(json.dumps({"choices": [], "model": "m" * 2 * MIB}).encode())
    assert "list of choices is empty" in failed(long)
    assert "larger than 1 MiB" in failed(long, max_response=1.0)
    assert parse_spec("openai:x?max_response=64").options.max_response == 64.0
    for bad in ("0", "-1", "nan", "inf", "100000"):
        with pytest.raises(OptionError, match="--max-response must"):
            open_model(parse_spec(f"openai:x?base_url=http://h/v1&max_response={bad}"))


@pytest.mark.parametrize("status", [400, 503])
@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_of_an_error_only_the_beginning_is_read(bomb: Reply, status: int) -> None:
    assert f"HTTP {status}" in failed(Reply(bomb.body, status, bomb.headers))


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "\x1b[31m"])
def test_a_packing_that_was_not_asked_for_is_refused(encoding: str) -> None:
    given, server, _ = asked(
        lambda _: Reply(chat("x").body, headers={"Content-Encoding": encoding}), number=1
    )
    assert isinstance(given[0], Failed)
    assert "only gzip or deflate was requested" in given[0].reason
    assert "\x1b" not in given[0].reason
    assert server.asked[0].headers["accept-encoding"] == "gzip, deflate"


UNREADABLE = {
    "unknown": (b"whatever", "br"),
    "several": (b"whatever", "gzip, gzip"),
    "broken": (b"\x1f\x8b\x08 nothing of the sort", "gzip"),
    "incomplete": (gzip.compress(b'{"error":"no"}' * 99)[:-20], "gzip"),
}


@pytest.mark.parametrize(("body", "encoding"), UNREADABLE.values(), ids=UNREADABLE)
def test_an_error_keeps_its_status_where_its_body_cannot_be_unpacked(
    body: bytes, encoding: str
) -> None:
    """A 503 in another packing was not retried, and a 401 in a broken one was."""
    busy = Reply(body, 503, {"Content-Encoding": encoding, "Retry-After": "0"})
    given, server, _ = asked(first_then(busy, rest=lambda _: chat("x")), number=1)
    assert [answer.only for answer in given] == ["x"]
    assert len(server.asked) == 2
    with pytest.raises(RunError, match="rejects the key"):
        asked(lambda _: Reply(body, 401, {"Content-Encoding": encoding}), number=1)


@pytest.mark.parametrize("packing", ["gzip", "deflate", "raw deflate"])
def test_packed_replies_are_unpacked(packing: str) -> None:
    body = json.dumps(chat("هي معلمة").body).encode()
    encoded = {
        "gzip": gzip.compress(body),
        "deflate": zlib.compress(body),
        "raw deflate": zlib.compress(body)[2:-4],
    }[packing]
    headers = {"Content-Encoding": packing.rpartition(" ")[2]}
    given, _, _ = asked(lambda _: Reply(encoded, headers=headers))
    assert [answer.only for answer in given] == ["هي معلمة"] * 2


@pytest.mark.parametrize("body", [b"\x1f\x8b\x08", b"nothing of the sort", b"\x78\x9c"])
@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_broken_packing_is_an_unreadable_reply(body: bytes, encoding: str) -> None:
    assert "(3 attempts)" in failed(Reply(body, headers={"Content-Encoding": encoding}), 1)


class Blocks:
    """A response that yields blocks, and counts how many were taken."""

    status_code, extensions = 200, None

    def __init__(self, block: bytes, number: int, **headers: str) -> None:
        self.headers = httpx.Headers(headers)
        self.taken = 0
        self._block, self._number = block, number

    async def aiter_raw(self) -> AsyncIterator[bytes]:
        for _ in range(self._number):
            self.taken += 1
            await asyncio.sleep(0)
            yield self._block

    async def aclose(self) -> None:
        pass


def test_reading_stops_at_the_limit() -> None:
    endless = Blocks(b"x" * 1000, 10**9)
    with pytest.raises(UnanswerableError, match="larger than"):
        asyncio.run(read_body(endless, 10_000, LargeBodySlots()))
    assert endless.taken == 11
    cut = asyncio.run(read_body(Blocks(b"x" * 1000, 10**9), 10_000, LargeBodySlots(), cut=True))
    assert len(cut) == 10_000


def test_few_large_bodies_are_read_at_once() -> None:
    slots = LargeBodySlots()
    bodies = [Blocks(b"x" * (MIB // 4), 8) for _ in range(20)]
    reading: list[int] = []

    async def read(body: Blocks) -> None:
        async with slots.hold(), slots.hold():
            await read_body(body, 16 * MIB, slots)
            reading.append(sum(3 < each.taken < 8 for each in bodies))

    async def read_all() -> None:
        await asyncio.gather(*map(read, bodies))

    asyncio.run(read_all())
    assert [body.taken for body in bodies] == [8] * 20
    assert max(reading) <= 4


@pytest.mark.parametrize("seconds", [0.05, 2.0])
def test_the_wait_for_a_large_body_is_not_counted_against_the_time_limit(seconds: float) -> None:
    """Requests that waited for memory timed out and were sent, and paid for, once more."""
    slots = LargeBodySlots()

    async def read(time_limit: float) -> None:
        async with slots.hold(), slots.timeout(time_limit):
            await slots.take()
            await asyncio.sleep(0.5)

    async def read_all() -> None:
        await asyncio.gather(*(read(seconds) for _ in range(20)))

    if seconds < 0.5:  # for what comes after it, the limit holds
        with pytest.raises(TimeoutError):
            asyncio.run(read_all())
        return
    begun = time.monotonic()
    asyncio.run(asyncio.wait_for(read_all(), 60))
    assert time.monotonic() - begun > 2.4, "four at once, longer than the limit"


def test_a_text_longer_than_what_was_asked_for_is_refused() -> None:
    """Such texts would fill the memory while they wait to be stored."""
    assert "more than the requested number of tokens can contain" in failed(chat("a" * 3 * MIB))
    given, _, _ = asked(lambda _: chat("a" * 90_000))
    assert isinstance(given[0], Texts)


def test_names_that_a_server_states_are_bounded() -> None:
    def script(each: Asked) -> Reply:
        return chat("x", model=f"{each.number}" + "m" * 10_000, system_fingerprint="\x1b[2J")

    _, _, served = asked(script, 150)
    named = served.notes()["served_models"]
    assert len(named) == 100
    assert max(map(len, named)) <= 300
    assert served.notes()["system_fingerprints"] == ["\x1b[2J"]


def test_a_body_that_comes_drop_by_drop_is_given_up_in_time() -> None:
    class Slowly(Server):
        def _serve(self, handler: Any) -> None:
            handler.rfile.read(int(handler.headers["Content-Length"] or 0))
            handler.send_response(200)
            handler.end_headers()
            handler.close_connection = True
            while not self._leaving.wait(0.05):
                try:
                    handler.wfile.write(b" ")
                except OSError:
                    return

    with Slowly(lambda _: Reply()) as server:
        (answer,) = answers(model(server, FAST_RETRIES, timeout=0.5), question(1))
    assert isinstance(answer, Failed)
    assert "no reply within 0.5 s" in answer.reason


# --- what is in a reply ----------------------------------------------------------------------

DEEP = b"[" * 100_000
NAMES = (
    "choices", "message", "content", "text", "type", "thinking", "refusal", "finish_reason",
    "index", "logprobs", "tokens", "token_logprobs", "usage", "prompt_tokens",
    "completion_tokens", "cost", "completion_tokens_details", "reasoning_tokens", "data",
    "b64_json", "url", "error", "detail", "code", "param", "model", "id",
)  # fmt: skip
BAD = {
    "deep": Reply(b'{"choices":' + DEEP),
    "deep error under 200": Reply(b'{"error":' + b"[" * 900 + b"]" * 900 + b"}"),
    "deep error": Reply(b'{"error":' + DEEP, 400),
    "deep server error": Reply(b'{"error":' + DEEP, 500),
    "not UTF-8": Reply(b'{"choices":[{"message":{"content":"\xff"}}]}'),
    "half a character": Reply(b'{"choices":[{"message":{"content":"\\ud800"}}]}'),
    "NaN": Reply(b'{"choices":[{"index":NaN}]}'),
    "Infinity": Reply(b'{"usage":{"cost":Infinity}}'),
    "1e999": Reply(b'{"usage":{"cost":1e999}}'),
    "digits": Reply(b'{"usage":{"prompt_tokens":' + b"9" * 10_000 + b"}}"),
    "wrong types": Reply({"choices": {"message": 7}, "usage": [], "model": {}}),
    "many objects": Reply(b'{"choices":[' + b"{}," * 300_000 + b"{}]}"),
    "Retry-After 429": error(429, headers={"Retry-After": "Mon, 01 Jan 2024 00:00:00 +9999999999"}),
    "Retry-After 503": error(503, headers={"Retry-After": "Mon, 01 Jan 2024 00:00:00 +9999999999"}),
    "header": Reply({}, headers={"Content-Type": "a" * 50_000}),
}


@pytest.mark.parametrize("reply", BAD.values(), ids=BAD)
def test_a_reply_that_cannot_be_interpreted_fails_its_request_only(reply: Reply) -> None:
    """Three of these ended the run: 12 requests and no answers kept."""

    def script(each: Asked) -> Reply:
        return reply if each.prompt == "0" else chat("x")

    given, _, _ = asked(script, 4)
    assert isinstance(given[0], Failed)
    assert [answer.only for answer in given[1:]] == ["x"] * 3


def test_what_nobody_thought_of_fails_its_request_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise AttributeError("a fault of ours \x1b[31m" + "x" * 5000)

    monkeypatch.setattr("epicene.models.openai.generation._parse_texts", broken)
    reason = failed(chat("x"))
    assert reason.startswith("the reply caused an error (AttributeError: a fault of ours \x1b[")
    assert len(reason) <= 1000


@pytest.mark.parametrize("provider", ["replicate", "ideogram"])
@pytest.mark.parametrize("body", [b'{"output":' + DEEP, b'{"data":' + DEEP, BLANKS])
def test_image_services_too(provider: str, body: bytes) -> None:
    with Server(lambda _: Reply(body)) as server:
        spec = {"replicate": "replicate:me/mine", "ideogram": "ideogram:V_3"}[provider]
        served: Any = open_model(parse_spec(f"{spec}?base_url={server.url}"))
        served._retry_policy = FAST_RETRIES
        (answer,) = answers(served, Draw(item="1", prompt="a nurse"))
    assert isinstance(answer, Failed)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=20,
)


@given(st.binary() | JSON.map(lambda made: json.dumps(made).encode()))
def test_any_reply_is_an_answer_or_a_reason(body: bytes) -> None:
    """No other exception than these two comes of what a server sends."""
    with suppress(TransientError, UnanswerableError):
        reply = decode_json(body, OpenAIReply)
        reply_cost(reply, Price(prompt=1.0, completion=1.0))
        for read in (partial(_parse_texts, count=1, max_characters=100), _parse_image):
            with suppress(TransientError, UnanswerableError):
                read(reply)
        parse_echo(reply, "text")
    parse_model_list(body)
    status_error(400, {}, body)


def test_a_reply_of_too_many_objects_is_not_asked_again() -> None:
    """It was asked for, and paid for, three times."""
    given, server, _ = asked(lambda _: BAD["many objects"], number=1)
    assert "more than 200,000 JSON objects" in given[0].reason
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "text", ["{[" * 150_000, '"{\\' * 250_000, "\\" * 99 + '"' + "[" * 250_000]
)
def test_brackets_in_a_text_are_no_objects(text: str) -> None:
    body = json.dumps({"choices": [], "model": text}).encode()
    assert decode_json(body, OpenAIReply).model == text


@pytest.mark.parametrize(
    "body", [b"[" * 200_001, b'"a\\"{" ,' + b"{[" * 150_000, b'{"a":"[","b":' * 200_001]
)
def test_objects_and_lists_are_counted_outside_of_texts(body: bytes) -> None:
    with pytest.raises(TooLargeError):
        decode_json(body, OpenAIReply)


@pytest.mark.parametrize("body", [b'\\"', b'""', b'"\\', b"x", b'"a'])
def test_counting_takes_little_time(body: bytes) -> None:
    begun = time.thread_time()
    with pytest.raises(TransientError, match="could not be read"):
        decode_json(b'"' + b"[" * 200_001 + body * (8 * MIB // len(body)), OpenAIReply)
    assert time.thread_time() - begun < 5


def test_replies_are_read_as_json_or_not_at_all() -> None:
    assert decode_json(b'{"choices":[]}', OpenAIReply).choices == []
    for bad in (b"", b"<html>", b"[" * 5000, b'{"choices":7}', b'{"error":' + DEEP):
        with pytest.raises(TransientError, match="the reply could not be read"):
            decode_json(bad, OpenAIReply)
    assert status_error(500, {}, DEEP).details.message.startswith("[[[")
    assert status_error(500, {}, b'{"error":{"message":"\x1b[2J no"}}').details.message


@pytest.mark.parametrize(
    "value",
    [
        "Mon, 01 Jan 2024 00:00:00 +99999999999999",
        "Mon, 01 Jan 99999999999999 00:00:00 GMT",
        "9" * 5000,
        "1e999",
        "nan",
        "-1",
        "\x00",
    ],
)
def test_an_absurd_retry_after_is_none(value: str) -> None:
    assert retry_after({"retry-after": value}) is None


def test_a_message_is_one_short_line() -> None:
    assert one_line("a\n  b\n") == "a b"
    assert len(shorten(one_line("ab " * 10_000_000))) == 300


# --- redirects -------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_leads_to_another_server(status: int) -> None:
    """Prompts went there with a 307; a 302 became a GET whose reply was stored as the answer."""
    with Server(lambda _: chat("stolen")) as other:
        place = f"{other.root}/v1/chat/completions?token=hunter2"
        reason = failed(Reply(b"", status, {"Location": place}))
        assert not other.asked
    assert f"HTTP {status}: the server redirects to another server, {other.root}/v1" in reason
    assert "hunter2" not in reason


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_redirect_that_would_lose_the_request_is_refused(status: int) -> None:
    given, server, _ = asked(lambda _: Reply(b"", status, {"Location": "/v1/elsewhere"}), number=1)
    assert isinstance(given[0], Failed)
    assert "but drops the request" in given[0].reason
    assert [each.method for each in server.asked] == ["POST"]


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_on_the_same_server_that_keeps_the_request_is_followed(status: int) -> None:
    def script(each: Asked) -> Reply:
        if each.path == "/v1/chat/completions":
            return Reply(b"", status, {"Location": "/v2/chat"})
        return chat(each.prompt)

    given, server, _ = asked(script, number=1)
    assert given[0].only == "0"
    assert server.asked[-1].method == "POST"


def test_redirects_in_a_circle_end() -> None:
    given, server, _ = asked(lambda _: Reply(b"", 307, {"Location": "/v1/again"}), number=1)
    assert "redirects in a loop" in given[0].reason
    assert len(server.asked) == 6


@pytest.mark.parametrize("place", ["file:///etc/passwd", "http://[", "//", "http://h:99999/"])
def test_a_redirect_to_nowhere_fails_the_request(place: str) -> None:
    failed(Reply(b"", 307, {"Location": place}), 1)
