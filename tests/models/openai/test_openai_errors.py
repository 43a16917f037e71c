"""Whatever a server does, each request ends answered or failed with its reason."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from epicene.core.errors import RunError
from epicene.core.records import Answer, Generate, Message, Texts
from epicene.models.http.retry import RetryPolicy
from models.http.local_server import SHORT_WAITS, Asked, Reply, Server, first_then
from models.model_answers import NoFiles, answers, reason, singly
from models.openai.openai_server import KEY, chat, error, model

FAULTS = {
    "429": error(429, "slow down"),
    "500": error(500, "oh dear"),
    "503": error(503, "later"),
    "408": error(408, "timed out"),
    "hang": Reply({}, delay=30.0),
    "closed": Reply(close=True),
    "cut": Reply({"choices": [{"message": {"content": "a long reply"}}]}, cut=True),
    "not JSON": Reply(b"<html>gateway</html>"),
    "not UTF-8": Reply('{"choices": [{"message": {"content": "é"}}]}'.encode("latin-1")),
    "JSON of another shape": Reply({"choices": "none"}),
    "a JSON string": Reply("hello"),
    "no choices": Reply({"choices": []}),
    "null choices": Reply({"choices": None}),
    "empty object": Reply({}),
    "null content": chat(None),
    "error under 200": Reply({"error": {"message": "upstream died", "code": 502}}),
}


def question(text: str = "Hi", **fields: Any) -> Generate:
    return Generate(item=text, prompt=(Message(role="user", content=text),), **fields)


def only_text(answer: Answer) -> str:
    assert isinstance(answer, Texts), answer
    return answer.only


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_passing_fault_is_mended(fault: Reply) -> None:
    with Server(first_then(fault, rest=lambda _: chat("fine"))) as server:
        served = model(server, timeout=2.0 if fault.delay else 60.0)
        assert [only_text(a) for a in answers(served, question())] == ["fine"]
        assert len(server.asked) == 2
        assert served.notes()["retries"] == 1


@pytest.mark.parametrize(
    ("fault", "words", "attempts"),
    [
        ("429", "HTTP 429: slow down (12 attempts)", 12),
        ("500", "HTTP 500: oh dear (6 attempts)", 6),
        ("503", "HTTP 503: later (6 attempts)", 6),
        ("hang", "no reply within 0.5 s (3 attempts)", 3),
        ("closed", "the connection failed", 6),
        ("cut", "the connection failed", 6),
        ("not JSON", "the reply could not be read", 3),
        ("not UTF-8", "the reply could not be read", 3),
        ("JSON of another shape", "the reply could not be read", 3),
        ("no choices", "the reply's list of choices is empty (3 attempts)", 3),
        ("null content", "no choice contains a text", 3),
        ("error under 200", "returned an error: upstream died (6 attempts)", 6),
    ],
)
def test_a_lasting_fault_is_a_failed_answer(fault: str, words: str, attempts: int) -> None:
    with Server(lambda _: FAULTS[fault]) as server:
        timeout = 0.5 if FAULTS[fault].delay else 60.0
        served = model(server, RetryPolicy(first_wait=0.001, max_wait=0.01), timeout=timeout)
        first, second = answers(served, question("a"), question("b"))
    assert words in reason(first)
    assert words in reason(second)
    assert len(server.asked) == 2 * attempts


def test_faults_strike_some_and_the_rest_is_answered() -> None:
    """A fault per request in turn: each still ends in its own answer."""
    kinds = [fault for name, fault in FAULTS.items() if name != "hang"]
    seen: set[str] = set()

    def script(asked: Asked) -> Reply:
        if asked.prompt in seen:
            return chat(f"re: {asked.prompt}")
        seen.add(asked.prompt)
        return kinds[int(asked.prompt) % len(kinds)]

    with Server(script) as server:
        given = answers(model(server), *(question(str(n)) for n in range(60)))
    assert [only_text(a) for a in given] == [f"re: {n}" for n in range(60)]


@pytest.mark.parametrize("status", [400, 403, 404, 413, 422, 501])
def test_a_refused_request_is_not_sent_again(status: int) -> None:
    script = lambda asked: error(status, "your fault") if asked.prompt == "bad" else chat("ok")  # noqa: E731
    with Server(script) as server:
        bad, good = answers(model(server), question("bad"), question("good"))
    assert f"HTTP {status}: your fault" in reason(bad)
    assert only_text(good) == "ok"
    assert len(server.asked) == 2


def test_a_refused_key_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with (
        Server(lambda _: error(401, f"Incorrect API key provided: {KEY}")) as server,
        pytest.raises(RunError, match="OPENAI_API_KEY") as caught,
    ):
        answers(model(server), question())
    assert KEY not in str(caught.value)


def test_a_key_refused_later_fails_the_request_alone() -> None:
    script = first_then(chat("one"), error(401, "expired"), rest=lambda _: chat("three"))
    with Server(script) as server:
        given = answers(model(server, concurrency=1), *(question(x) for x in "abc"))
    assert [only_text(given[0]), reason(given[1]), only_text(given[2])] == [
        "one",
        "HTTP 401: expired",
        "three",
    ]


def test_a_used_up_quota_ends_the_run() -> None:
    spent = Reply({"error": {"message": "pay", "code": "insufficient_quota"}}, 429)
    with Server(lambda _: spent) as server, pytest.raises(RunError, match="quota is used up"):
        answers(model(server), question())
    assert len(server.asked) == 1


def test_nobody_there_ends_the_run() -> None:
    with Server(lambda _: chat("x")) as server:
        pass
    with pytest.raises(RunError, match=r"No server answers at http://127\.0\.0\.1"):
        answers(model(server), *(question(str(n)) for n in range(100)))


def test_answers_that_came_before_the_end_of_a_run_are_handed_over() -> None:
    """A run that must end still yields what was answered, and only then raises."""

    def script(asked: Asked) -> Reply:
        if asked.prompt == "9":
            return Reply({"error": {"message": "x", "code": "insufficient_quota"}}, 429, delay=0.3)
        return chat(asked.prompt)

    got: list[int] = []

    def collect(server: Server) -> None:
        asking = singly(question(str(n)) for n in range(10))
        for answered in model(server).answer(asking, NoFiles()):
            got.extend(number for number, _ in answered)

    with Server(script) as server, pytest.raises(RunError):
        collect(server)
    assert sorted(got) == list(range(9))


# --- Retry-After -----------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("header", "least"),
    [
        (lambda: {"Retry-After": "1"}, 1.0),
        (lambda: {"Retry-After-Ms": "700"}, 0.7),
        # A date has whole seconds, so up to one second may be lost.
        (lambda: {"Retry-After": format_datetime(_in_two_seconds(), usegmt=True)}, 1.0),
    ],
    ids=["seconds", "milliseconds", "date"],
)
def test_retry_after_is_honoured(status: int, header: Any, least: float) -> None:
    def script(asked: Asked) -> Reply:
        return chat("fine") if asked.number else error(status, "wait", header())

    with Server(script) as server:
        answers(model(server), question())
    assert server.asked[1].at - server.asked[0].at >= least - 0.05


def _in_two_seconds() -> datetime:
    return datetime.now(UTC) + timedelta(seconds=2)


def test_a_long_retry_after_is_capped() -> None:
    script = first_then(error(429, "wait", {"Retry-After": "3600"}), rest=lambda _: chat("fine"))
    with Server(script) as server:
        answers(model(server, RetryPolicy(first_wait=0.01, max_wait=0.3)), question())
    assert 0.29 <= server.asked[1].at - server.asked[0].at < 60


@pytest.mark.parametrize("header", ["soon", "-5", "inf", "nan", "Wed, 99 Foo 2020"])
def test_a_senseless_retry_after_is_ignored(header: str) -> None:
    script = first_then(error(429, "wait", {"Retry-After": header}), rest=lambda _: chat("fine"))
    with Server(script) as server:
        assert only_text(answers(model(server), question())[0]) == "fine"


def test_a_complaint_with_a_time_holds_back_everybody() -> None:
    """Once one request is told to wait, no other sets out meanwhile."""
    script = first_then(error(429, "wait", {"Retry-After": "0.5"}), rest=lambda _: chat("fine"))
    with Server(script) as server:
        answers(model(server, concurrency=1), *(question(str(n)) for n in range(5)))
    assert all(asked.at - server.asked[0].at >= 0.45 for asked in server.asked[1:])


# --- waiting ---------------------------------------------------------------------------------


def test_waits_double_with_jitter_up_to_the_longest() -> None:
    retry_policy = RetryPolicy(first_wait=1.0, max_wait=8.0)
    for failures, whole in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 8), (50, 8)]:
        waits = [retry_policy.wait(failures, None) for _ in range(200)]
        assert whole / 2 <= min(waits) < max(waits) <= whole
        assert max(waits) - min(waits) > whole / 4


def test_a_wait_is_never_shorter_than_was_asked() -> None:
    waits = [SHORT_WAITS.wait(1, 2.0) for _ in range(200)]
    assert 2.0 <= min(waits) < max(waits) <= 2.2
    assert 5.0 <= SHORT_WAITS.wait(1, 100.0) <= 5.5


# --- secrets ---------------------------------------------------------------------------------


def test_no_secret_leaves_the_client(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Servers that repeat the key, the password or the query in all they say."""
    caplog.set_level("DEBUG")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    secrets = [KEY, "hunter2pass", "q-token/9%", "q-token%2F9%25"]
    gossip = " ".join(secrets)
    told: list[str] = []

    def script(asked: Asked) -> Reply:
        if asked.prompt == "ok":
            return chat("fine", model=f"toy {gossip}", system_fingerprint=gossip)
        return [
            error(400, gossip),
            error(500, gossip),
            error(429, gossip),
            Reply({"error": {"message": gossip}}),
            Reply(gossip.encode(), 404),
            Reply({"detail": gossip}, 422),
        ][int(asked.prompt)]

    with Server(script) as server:
        url = server.url.replace("//", "//user:hunter2pass@") + "?token=q-token%2F9%25"
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        server.url = ""
        served = model(server, RetryPolicy(first_wait=0.001, max_wait=0.01))
        given = answers(served, question("ok"), *(question(str(n)) for n in range(6)))
        told += [reason(a) for a in given[1:]]
        told += [json.dumps(dict(served.notes())), repr(served.identity), repr(served._address)]
        assert server.asked[0].path == "/v1/chat/completions?token=q-token%2F9%25"
    assert all("[secret]" in line for line in told[:6])
    assert "POST http://" in caplog.text
    told.append(caplog.text)
    for secret in secrets:
        assert not any(secret in line for line in told), (secret, told)


@pytest.mark.parametrize("before", [*range(270, 300), 1023])
def test_a_secret_is_removed_before_a_long_error_is_cut(
    monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    """A password is too short to be looked for in whole replies."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    said = f"{'a' * before} hunter2pass {KEY}"
    with Server(lambda _: error(400, said)) as server:
        url = server.url.replace("//", "//user:hunter2pass@")
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        server.url = ""
        (given,) = answers(model(server), question())
    assert "hunt" not in reason(given)
    assert "sk-" not in reason(given)


@pytest.mark.parametrize("spelt", [KEY, json.dumps(KEY), f"https://h/?key={KEY}"])
def test_a_key_in_an_answer_is_not_part_of_it(monkeypatch: pytest.MonkeyPatch, spelt: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server(lambda _: chat(f"Your key is {spelt}.")) as server:
        (given,) = answers(model(server), question())
    assert only_text(given) == f"Your key is {spelt}.".replace(KEY, "[secret]")


def test_a_short_key_may_be_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of one's own are given keys such as none."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with Server(lambda _: chat("none of them")) as server:
        (given,) = answers(model(server), question())
    assert only_text(given) == "none of them"


def test_the_key_goes_to_the_server_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server(lambda _: chat("fine")) as server:
        answers(model(server), question())
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with Server(lambda _: chat("fine")) as server:
        assert only_text(answers(model(server), question())[0]) == "fine"
