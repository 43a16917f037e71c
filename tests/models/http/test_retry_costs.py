"""What was sent may be paid for, whatever became of it: a retry asks the purse, and nothing that
was called off is forgotten."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from epicene.core.files import ImageFolder
from epicene.core.records import Decoding, Draw, Failed, Generate, Images, Message, Score
from epicene.models import sample_seed
from epicene.models.openai.token_bounds import max_request_tokens
from epicene.models.pricing import Budget
from models.http.image_servers import PROVIDERS, Drawing, gallery
from models.http.local_server import FAST_RETRIES, Asked, Reply, Server
from models.model_answers import NoFiles, answers, singly
from models.openai.openai_server import chat, error, model

PRICE = "1000000/1000000"  # a dollar a token
USED = 10.0  # what a reply of `chat` says that it used, at that price


def question(text: str = "Hi", **fields: Any) -> Generate:
    decoding = Decoding(max_new_tokens=5)
    return Generate(
        item=text, prompt=(Message(role="user", content=text),), decoding=decoding, **fields
    )


WORTH = float(sum(max_request_tokens(question())))

UNUSABLE = {
    "empty": Reply({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}),
    "no text": chat(None),
}
UNTOLD = {
    "not JSON": Reply(b"<html>"),
    "cut": Reply({"choices": []}, cut=True),
    "closed": Reply(close=True),
    "hang": Reply({}, delay=30.0),
    "no usage": Reply({"choices": []}),
    "error under 200": Reply({"error": {"message": "upstream died"}}),
}
FREE = {"500": error(500), "429": error(429), "400": error(400)}


def asked_with(fault: Reply, limit: float) -> tuple[int, Budget]:
    """How often a request was sent that always meets this fault, and what is left of the money."""
    budget = Budget(limit)
    with Server(lambda _: fault) as server:
        timeout = 0.5 if fault.delay else 60.0
        served = model(server, FAST_RETRIES, price=PRICE, timeout=timeout)
        served.spend_from(budget)
        (answer,) = answers(served, question())
    assert isinstance(answer, Failed)
    assert served.spent == pytest.approx(budget.spent)
    if len(server.asked) == 1 and budget.spent:
        assert "the cost limit does not allow another attempt" in answer.reason
    return len(server.asked), budget


@pytest.mark.parametrize("fault", UNUSABLE.values(), ids=UNUSABLE)
def test_an_unusable_reply_is_paid_for_and_asked_again_only_with_money(fault: Reply) -> None:
    assert asked_with(fault, WORTH + USED - 1)[0] == 1
    times, budget = asked_with(fault, WORTH + USED)
    assert (times, budget.spent) == (2, 2 * USED)
    assert asked_with(fault, 10 * WORTH)[0] == 3, "as often as patience has it"


@pytest.mark.parametrize("fault", UNTOLD.values(), ids=UNTOLD)
def test_a_reply_whose_cost_nobody_tells_counts_as_much_as_it_may_cost(fault: Reply) -> None:
    times, budget = asked_with(fault, 2 * WORTH - 1)
    assert (times, budget.spent) == (1, WORTH)
    times, budget = asked_with(fault, 2 * WORTH)
    assert (times, budget.spent) == (2, 2 * WORTH)


@pytest.mark.parametrize("fault", FREE.values(), ids=FREE)
def test_an_error_costs_nothing(fault: Reply) -> None:
    times, budget = asked_with(fault, WORTH)
    assert budget.spent == 0
    assert times == {500: 6, 429: 12, 400: 1}[fault.status]


def test_an_answer_without_its_tokens_counts_as_much_as_it_may_cost() -> None:
    with Server(lambda _: chat("fine", usage=None)) as server:
        served = model(server, price=PRICE)
        answers(served, question())
    assert served.spent == served.cost_of(question()) == WORTH
    assert served.notes()["perhaps_charged"] == WORTH


@pytest.mark.parametrize("samples", [1, 3])
def test_what_is_set_aside_is_enough_for_every_sample(samples: int) -> None:
    """A server that makes one at a time: nothing is refused for want of money."""
    asking = question(samples=samples)
    with Server(lambda _: chat("fine")) as server:
        served = model(server, price=PRICE)
        bound = served.cost_of(asking)
        assert bound == pytest.approx(samples * WORTH)
        served.spend_from(Budget(bound))
        (answer,) = answers(served, asking)
    assert not isinstance(answer, Failed)
    assert served.spent == samples * USED


def test_an_echo_that_does_not_come_is_worth_its_text() -> None:
    request = Score(item="i", texts=("a long text of 29 characters.",))
    with Server(lambda _: Reply(b"<html>")) as server:
        served = model(server, FAST_RETRIES, price=PRICE)
        budget = Budget(10_000.0)
        served.spend_from(budget)
        with pytest.raises(Exception, match="cannot score"):
            answers(served, request)
    probe = max_request_tokens(Score(item="", texts=(_probe(),)))
    assert budget.spent == len(server.asked) * sum(probe)


def _probe() -> str:
    from epicene.models.openai.echo_scoring import ECHO_PROBE

    return ECHO_PROBE


# --- shots -----------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_image_that_is_given_up_leaves_the_others_to_finish(
    provider: str, tmp_path: Path
) -> None:
    """They were sent and are paid for: they are not called off, and what they cost is counted."""
    doomed = sample_seed(0, 1)
    shop = gallery(
        provider,
        lambda order: Drawing(
            fault=Reply({"detail": "no"}, 400)
            if order.seed == doomed
            else Reply({}, 503, delay=0.3)
            if order.times == 0
            else None
        ),
    )
    with shop.server:
        served = shop.model(price="1")
        (answer,) = answers(
            served, Draw(item="a", prompt="a", shots=4), files=ImageFolder(tmp_path)
        )
    assert isinstance(answer, Failed)
    assert len(shop.studio.orders) == 1 + 3 * 2
    assert served.spent == 3
    assert len(list(tmp_path.rglob("*/*"))) == 1, "the same picture three times"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_called_off_after_it_was_sent_counts_as_paid(provider: str, tmp_path: Path) -> None:
    """A run that is interrupted while three shots are on their way."""
    slow = Reply({}, delay=30.0)
    shop = gallery(provider, lambda o: Drawing(fault=slow if o.prompt == "slow" else None))
    with shop.server:
        served = shop.model(price="1")
        budget = Budget(10.0)
        served.spend_from(budget)
        requests = [Draw(item="slow", prompt="slow", shots=3), Draw(item="a", prompt="a")]
        stream = served.answer(singly(requests), ImageFolder(tmp_path))
        assert [number for number, _ in next(stream)] == [1]
        while len(shop.studio.orders) < 4:
            time.sleep(0.01)
        stream.close()  # type: ignore[attr-defined]
    assert served.spent == budget.spent == 1 + 3


def test_a_text_that_is_called_off_after_it_was_sent_counts_as_paid() -> None:
    def script(asked: Asked) -> Reply:
        return chat("fine") if asked.prompt == "first" else Reply({}, delay=30.0)

    with Server(script) as server:
        served = model(server, price=PRICE)
        stream = served.answer(singly([question("Hi"), question("first")]), NoFiles())
        assert [number for number, _ in next(stream)] == [1]
        while len(server.asked) < 2:
            time.sleep(0.01)
        stream.close()  # type: ignore[attr-defined]
    assert served.spent == USED + WORTH


def test_images_of_a_request_that_ends_well_are_charged_once(tmp_path: Path) -> None:
    shop = gallery("replicate", lambda _: Drawing())
    with shop.server:
        served = shop.model(price="1")
        (answer,) = answers(
            served, Draw(item="a", prompt="a", shots=3), files=ImageFolder(tmp_path)
        )
    assert isinstance(answer, Images)
    assert served.spent == 3
    assert "perhaps_charged" not in served.notes()
