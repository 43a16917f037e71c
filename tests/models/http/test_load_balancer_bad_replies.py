"""One of several servers sends replies without an answer: it is suspended and fails nothing."""

from __future__ import annotations

import logging
import re
import threading
from functools import partial

import pytest

from epicene.core.records import Decoding, Failed, Score, Scores
from epicene.models.openai.token_bounds import max_request_tokens
from epicene.models.pricing import Budget
from models.http.local_server import Asked, Reply
from models.http.stoppable_server import (
    StoppableServer,
    balanced_model,
    per_server,
    question,
    texts,
)
from models.model_answers import answers
from models.openai.openai_server import chat
from models.openai.test_openai_echo_scoring import echoing, sound

HTML = Reply(b"<html><title>Welcome</title>")
NO_ANSWER = {
    "not JSON": HTML,
    "half of it": Reply(b'{"choices":[{"message":{"content":"bon'),
    "another shape": Reply({"choices": "none"}),
    "no choices": Reply({"choices": []}),
    "no text": chat(None),
}
model = partial(balanced_model, concurrency=4)
short_question = partial(question, decoding=Decoding(max_new_tokens=5))


def fine(asked: Asked) -> Reply:
    return chat(asked.prompt)


@pytest.mark.parametrize("reply", NO_ANSWER.values(), ids=NO_ANSWER)
def test_a_server_that_never_answers_is_suspended_at_once(
    reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.WARNING),
        StoppableServer(fine) as good,
        StoppableServer(lambda _: reply) as bad,
    ):
        served = model(good, f"{bad.url}*2")
        assert texts(answers(served, *map(short_question, range(60)))) == [
            str(n) for n in range(60)
        ]
        assert 1 <= len(bad.asked) <= 8, "no more than were under way together"
    assert per_server(served, "answered") == [60, 0]
    assert per_server(served, "went_away") == [0, 1]
    assert served.notes()["retries"] == 0
    assert served.notes()["moved"] == len(bad.asked)
    said = [record.getMessage() for record in caplog.records if bad.url in record.getMessage()]
    assert said == [
        f"No requests are sent to the server {bad.url}: {per_server(served, 'left_alone')[1]}."
    ]


def test_a_server_that_answered_before_is_suspended_after_five_in_a_row() -> None:
    with (
        StoppableServer(lambda asked: HTML if asked.number >= 10 else fine(asked)) as bad,
        StoppableServer(lambda asked: Reply(fine(asked).body, delay=0.005)) as good,
    ):
        served = model(bad, good, concurrency=2)
        assert texts(answers(served, *map(short_question, range(100)))) == [
            str(n) for n in range(100)
        ]
        # Five in a row, one that was under way with the last of them, and up to four before that
        # were overtaken by an answer.
        assert 15 <= len(bad.asked) <= 20
    assert per_server(served, "answered") == [10, 90]
    assert per_server(served, "went_away") == [1, 0]
    assert re.match(
        "[56] requests in a row failed; the last error: ", str(per_server(served, "left_alone")[0])
    )


def test_its_requests_wait_for_another_that_is_busy() -> None:
    """They would only be refused again by who is free."""
    spoilt = threading.Event()

    def once_right(asked: Asked) -> Reply:
        if asked.number == 5:
            spoilt.set()
        return HTML if asked.number else fine(asked)

    def busy(asked: Asked) -> Reply:
        assert spoilt.wait(60)
        return fine(asked)

    with StoppableServer(once_right) as bad, StoppableServer(busy) as good:
        served = model(bad, good, concurrency=1)
        assert texts(answers(served, *map(short_question, range(20)))) == [
            str(n) for n in range(20)
        ]
        prompts = [asked.prompt for asked in bad.asked]
    assert len(prompts) == len(set(prompts)) == 6


def test_one_good_server_among_bad_ones_answers_all() -> None:
    """More of them than a request has attempts, and each has answered something before."""

    def once_right(asked: Asked) -> Reply:
        return HTML if asked.number else fine(asked)

    with (
        StoppableServer(once_right) as one,
        StoppableServer(once_right) as two,
        StoppableServer(once_right) as three,
        StoppableServer(lambda asked: Reply(fine(asked).body, delay=0.005)) as good,
    ):
        served = model(one, two, three, good, concurrency=2)
        assert texts(answers(served, *map(short_question, range(60)))) == [
            str(n) for n in range(60)
        ]
    assert per_server(served, "answered") == [1, 1, 1, 57]
    assert served.notes()["retries"] == 0


def test_requests_that_no_server_answers_cost_no_server_its_work() -> None:
    """More of them in a row than a server may fail."""

    def picky(asked: Asked) -> Reply:
        return HTML if asked.prompt.startswith("bad") else fine(asked)

    asked = [*range(10), *(f"bad {n}" for n in range(8)), *range(10, 20)]
    with StoppableServer(picky) as one, StoppableServer(picky) as other:
        served = model(one, other, concurrency=1)
        given = answers(served, *map(short_question, asked))
    assert [isinstance(answer, Failed) for answer in given] == [
        str(text).startswith("bad") for text in asked
    ]
    assert per_server(served, "went_away") == [0, 0]


def test_a_request_that_no_server_answers_is_given_up_and_costs_no_server_its_work() -> None:
    def picky(asked: Asked) -> Reply:
        return HTML if asked.prompt == "7" else fine(asked)

    with StoppableServer(picky) as one, StoppableServer(picky) as other:
        served = model(one, other, concurrency=1)
        given = answers(served, *map(short_question, range(40)))
        prompts = [asked.prompt for asked in [*one.asked, *other.asked]]
    failed = given.pop(7)
    assert isinstance(failed, Failed)
    assert "could not be read" in failed.reason
    assert "(4 attempts)" in failed.reason
    assert prompts.count("7") == 4, "one of the first, and three as with a single server"
    assert len(texts(given)) == 39
    assert per_server(served, "went_away") == [0, 0]


def test_where_none_answers_every_request_fails_as_with_one() -> None:
    with StoppableServer(lambda _: HTML) as one, StoppableServer(lambda _: HTML) as other:
        served = model(one, other, concurrency=2)
        given = answers(served, *map(short_question, range(6)))
    assert all(isinstance(each, Failed) for each in given)
    assert per_server(served, "answered") == [0, 0]


def test_an_error_under_200_is_the_servers_own_trouble() -> None:
    sick = Reply({"error": {"message": "out of memory"}})
    with (
        StoppableServer(lambda _: sick) as bad,
        StoppableServer(lambda asked: Reply(fine(asked).body, delay=0.005)) as good,
    ):
        served = model(bad, good, concurrency=2)
        assert len(texts(answers(served, *map(short_question, range(60))))) == 60
        assert 5 <= len(bad.asked) <= 6
    assert per_server(served, "answered") == [0, 60]


def test_one_that_does_not_echo_leaves_the_scoring_to_who_does() -> None:
    def deaf(asked: Asked) -> Reply:
        return Reply({"choices": [{"index": 0, "text": " and so on"}]})

    with StoppableServer(sound(echoing(bos=True))) as good, StoppableServer(deaf) as bad:
        served = model(bad, good)
        given = answers(served, *(Score(item=str(n), texts=(f"text {n}",)) for n in range(40)))
        assert len(bad.asked) <= 4
    assert all(isinstance(each, Scores) for each in given)
    assert per_server(served, "answered")[0] == 0


# --- money -------------------------------------------------------------------------------------

PRICE = "1000000/1000000"  # a dollar a token
USED = 10.0  # what a reply of `chat` says that it used, at that price
WORTH = float(sum(max_request_tokens(short_question(0))))


@pytest.mark.parametrize("enough", [True, False])
def test_what_could_not_be_read_is_paid_for_before_another_is_asked(enough: bool) -> None:
    budget = Budget(2 * WORTH - (0 if enough else 1))
    with StoppableServer(lambda _: HTML) as bad, StoppableServer(fine) as good:
        served = model(bad, good, price=PRICE)
        served.spend_from(budget)
        (answer,) = answers(served, short_question(0))
        assert len(bad.asked) == 1
        assert len(good.asked) == enough
    assert served.spent == budget.spent == WORTH + USED * enough
    if enough:
        assert texts([answer]) == ["0"]
    else:
        assert isinstance(answer, Failed)
        assert "(1 attempt); the cost limit does not allow another attempt" in answer.reason
