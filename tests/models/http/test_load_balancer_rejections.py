"""One of several servers rejects requests: its fault, the request's, or the user's."""

from __future__ import annotations

import logging
import threading
from functools import partial

import pytest

from epicene.core.errors import RunError
from epicene.core.records import Failed, Generate, Texts
from epicene.models.http.retry import RetryPolicy
from models.http.local_server import Asked, Reply
from models.http.stoppable_server import (
    FREQUENT_CHECKS,
    StoppableServer,
    balanced_model,
    per_server,
    question,
    texts,
)
from models.model_answers import answers
from models.openai.openai_server import chat, error

OF_SERVER = [401, 403, 404, 405]
model = partial(balanced_model, concurrency=4)


def slow(asked: Asked) -> Reply:
    return Reply(chat(asked.prompt).body, delay=0.01)


# --- the server's fault --------------------------------------------------------------------------


@pytest.mark.parametrize("status", OF_SERVER)
def test_a_server_that_rejects_all_gets_no_more_and_fails_nothing(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.WARNING),
        StoppableServer(lambda _: error(status, "not here")) as wrong,
        StoppableServer(slow) as right,
    ):
        served = model(wrong, right)
        assert texts(answers(served, *map(question, range(60)))) == [str(n) for n in range(60)]
        assert 1 <= len(wrong.asked) <= 4, "no more than were under way together"
    assert per_server(served, "answered") == [0, 60]
    assert per_server(served, "went_away") == [1, 0]
    assert per_server(served, "left_alone") == [f"HTTP {status}: not here", None]
    assert served.notes()["retries"] == 0
    assert (
        f"No requests are sent to the server {wrong.url}: HTTP {status}: not here." in caplog.text
    )


# Replies of a server that never answers: a rejection, or no answer at all.
NO_ANSWER = {
    "rejected": error(404, "the model is being loaded"),
    "unreadable": Reply(b"<html><title>Welcome</title>"),
}


@pytest.mark.parametrize("reply", NO_ANSWER.values(), ids=NO_ANSWER)
def test_a_server_that_is_mended_gets_requests_again(reply: Reply) -> None:
    mended = threading.Event()

    def first_not(asked: Asked) -> Reply:
        if asked.number < 2:
            return reply
        mended.set()
        return chat(asked.prompt)

    def waiting(asked: Asked) -> Reply:
        assert asked.number < 20 or mended.wait(60)
        return chat(asked.prompt)

    with StoppableServer(first_not) as returning, StoppableServer(waiting) as other:
        served = model(returning, other, retry_policy=FREQUENT_CHECKS, concurrency=2)
        assert len(texts(answers(served, *map(question, range(60))))) == 60
        assert len(returning.asked) > 2


@pytest.mark.parametrize("reply", NO_ANSWER.values(), ids=NO_ANSWER)
def test_a_server_that_never_answered_waits_for_one_that_did(reply: Reply) -> None:
    """The request is not to blame: the other server may answer it."""
    fellow: StoppableServer

    def stopping(asked: Asked) -> Reply:
        if asked.number == 10:
            fellow.stop()
            threading.Timer(0.4, fellow.restart).start()
        return Reply(close=True) if asked.number == 10 else slow(asked)

    with StoppableServer(lambda _: reply) as wrong, StoppableServer(stopping) as fellow:
        served = model(wrong, fellow, retry_policy=FREQUENT_CHECKS)
        assert texts(answers(served, *map(question, range(60)))) == [str(n) for n in range(60)]


def test_such_a_one_does_not_put_off_the_end_when_the_fellow_stays_away() -> None:
    fellow: StoppableServer

    def stopping(asked: Asked) -> Reply:
        if asked.number == 10:
            fellow.stop()
        return Reply(close=True) if asked.number == 10 else slow(asked)

    soon = RetryPolicy(first_wait=0.01, max_wait=0.05, check_interval=0.05, max_outage=0.5)
    with StoppableServer(lambda _: error(404, "no")) as wrong, StoppableServer(stopping) as fellow:
        served = model(wrong, fellow, retry_policy=soon)
        with pytest.raises(
            RunError, match=r"None of the 2 servers answers .* for 0\.5 s"
        ) as caught:
            answers(served, *map(question, range(60)))
    assert f"{wrong.url}: HTTP 404: no; {fellow.url}: " in str(caught.value)


# --- before the first request --------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, *OF_SERVER])
def test_one_that_will_not_list_what_another_lists_is_left_out(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.WARNING),
        StoppableServer(slow, listing=status) as wrong,
        StoppableServer(slow) as right,
    ):
        served = model(wrong, right)
        assert texts(answers(served, *map(question, range(20)))) == [str(n) for n in range(20)]
        assert not wrong.asked
    why = f"HTTP {status} when asked for its models, which another lists"
    assert per_server(served, "left_alone") == [why, None]
    assert f"The server {wrong.url} is down: {why}" in caplog.text


def test_one_that_lists_them_later_gets_work() -> None:
    at_work = threading.Event()

    def listing_now(asked: Asked) -> Reply:
        at_work.set()
        return chat(asked.prompt)

    def waiting(asked: Asked) -> Reply:
        late.listing = 200
        assert asked.number < 10 or at_work.wait(60)
        return chat(asked.prompt)

    with StoppableServer(listing_now, listing=401) as late, StoppableServer(waiting) as other:
        served = model(late, other, retry_policy=FREQUENT_CHECKS, concurrency=2)
        assert len(texts(answers(served, *map(question, range(40))))) == 40
        assert late.asked


def test_one_that_is_too_busy_to_list_is_believed() -> None:
    with StoppableServer(slow, listing=429) as busy, StoppableServer(slow) as other:
        served = model(busy, other)
        assert len(texts(answers(served, *map(question, range(20))))) == 20
        assert busy.asked


# --- the user's ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "listing"), [(401, 200), *((each, each) for each in OF_SERVER)])
def test_if_all_reject_the_first_requests_the_run_ends(status: int, listing: int) -> None:
    with (
        StoppableServer(lambda _: error(status, "not so"), listing=listing) as one,
        StoppableServer(lambda _: error(status, "not so"), listing=listing) as other,
    ):
        served = model(one, other, retry_policy=FREQUENT_CHECKS, concurrency=2)
        with pytest.raises(RunError, match=r"^[^\n]+$") as caught:
            answers(served, *map(question, range(50)))
        assert len(one.asked) + len(other.asked) <= 8
    assert str(caught.value) == (
        f"None of the 2 servers accepts the first requests (HTTP {status}: not so): check the key "
        "in OPENAI_API_KEY, the model's name and the addresses, which usually end in /v1."
    )


def test_differing_reasons_are_listed_by_server() -> None:
    with (
        StoppableServer(lambda _: error(401, "who are you"), listing=401) as one,
        StoppableServer(lambda _: error(404, "no toy"), listing=404) as other,
        pytest.raises(RunError) as caught,
    ):
        answers(model(one, other), *map(question, range(50)))
    assert f"{one.url}: HTTP 401: who are you" in str(caught.value)
    assert f"{other.url}: HTTP 404: no toy" in str(caught.value)


# --- the request's -------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 422])
def test_a_bad_request_is_asked_of_no_other(status: int) -> None:
    def picky(asked: Asked) -> Reply:
        return error(status, "too long") if asked.prompt == "7" else slow(asked)

    with StoppableServer(picky) as one, StoppableServer(picky) as other:
        served = model(one, other)
        given = answers(served, *map(question, range(20)))
        prompts = [asked.prompt for asked in [*one.asked, *other.asked]]
    assert given[7] == Failed(reason=f"HTTP {status}: too long")
    assert len(texts([*given[:7], *given[8:]])) == 19
    assert prompts.count("7") == 1
    assert per_server(served, "went_away") == [0, 0]


def test_a_content_filter_is_no_fault_of_the_server() -> None:
    def filtering(asked: Asked) -> Reply:
        if asked.prompt != "7":
            return slow(asked)
        return Reply({"error": {"message": "no", "code": "content_filter"}}, 403)

    with StoppableServer(filtering) as one, StoppableServer(filtering) as other:
        served = model(one, other)
        refused = answers(served, *map(question, range(20)))[7]
    assert isinstance(refused, Texts)
    assert refused.texts[0].finish == "refused"
    assert per_server(served, "went_away") == [0, 0]


def test_what_a_firewall_blocks_first_does_not_end_the_run() -> None:
    """It is turned down before anything is answered; the servers list their models all the same."""
    blocked: list[Asked] = []
    by_both = threading.Event()

    def walled(asked: Asked) -> Reply:
        if asked.prompt != "0":
            assert by_both.wait(60)
            return slow(asked)
        blocked.append(asked)
        if len(blocked) == 2:
            by_both.set()
        return error(403, "blocked")

    with StoppableServer(walled) as one, StoppableServer(walled) as other:
        served = model(one, other, concurrency=8)
        blocked_first = answers(served, *map(question, range(8)))
        # So is all that a session asks which has only that left.
        only_that = answers(model(one, other), question(0))
    assert blocked_first[0] == only_that[0] == Failed(reason="HTTP 403: blocked")
    assert texts(blocked_first[1:]) == [str(n) for n in range(1, 8)]


def test_a_request_that_all_reject_suspends_no_server() -> None:
    """Its first server is doubted until the other has spoken, whatever it answers meanwhile."""

    def walled(asked: Asked) -> Reply:
        return error(403, "blocked") if int(asked.prompt) % 20 == 9 else slow(asked)

    with StoppableServer(walled) as one, StoppableServer(walled) as other:
        served = model(one, other)  # who is away once stays so: nobody looks again
        given = answers(served, *map(question, range(200)))
    assert sum(isinstance(answer, Failed) for answer in given) == 10
    answered = per_server(served, "answered")
    assert all(isinstance(each, int) and each >= 60 for each in answered), answered


def test_a_request_that_all_reject_fails_alone() -> None:
    """Chats are answered; neither server continues plain texts."""

    def chats(asked: Asked) -> Reply:
        if asked.path.endswith("/chat/completions"):
            return slow(asked)
        return error(404, "no such path")

    with StoppableServer(chats) as one, StoppableServer(chats) as other:
        served = model(one, other, retry_policy=FREQUENT_CHECKS)
        requests = [
            Generate(item=str(n), prompt=f"plain {n}") if n % 4 == 3 else question(n)
            for n in range(40)
        ]
        answers(served, *map(question, range(8)))
        given = answers(served, *requests)
    plain = given[3::4]
    assert all(isinstance(answer, Failed) for answer in plain), plain
    assert {answer.reason for answer in plain if isinstance(answer, Failed)} == {
        "the server has no completions endpoint for this model (HTTP 404: no such path): it "
        "answers chats, but cannot continue a plain text"
    }
    assert len(texts([answer for n, answer in enumerate(given) if n % 4 != 3])) == 30
