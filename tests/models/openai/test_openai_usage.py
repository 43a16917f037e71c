"""What servers say of costs and tokens: nonsense is not believed, and lowers no cost."""

from __future__ import annotations

from typing import Any

import pytest

from epicene.core.records import Texts
from epicene.models.pricing import Budget, parse_price
from models.http.local_server import FAST_RETRIES, Server
from models.http.stoppable_server import question
from models.model_answers import answers
from models.openai.openai_server import chat, model

HUGE = 10**4000


def spent(usage: dict[str, Any], **options: Any) -> tuple[float, Any]:
    """What a reply with this usage costs, and the model's notes; the answer is kept."""
    budget = Budget(1000.0)
    with Server(lambda _: chat("x", usage=usage)) as server:
        served = model(server, FAST_RETRIES, price="1000000/1000000", **options)
        served.spend_from(budget)
        (answer,) = answers(served, question(1))
    assert isinstance(answer, Texts)
    assert answer.texts[0].tokens >= 0
    assert served.spent == budget.spent
    return budget.spent, served.notes()


@pytest.mark.parametrize("cost", [-1000, -1e-9, 1e7, 1e308])
def test_a_cost_that_is_nonsense_is_reckoned_by_tokens(cost: float) -> None:
    """A negative one raised the money left, so that --max-cost never came into force."""
    amount, notes = spent({"cost": cost, "prompt_tokens": 7, "completion_tokens": 3})
    assert amount == 10.0
    assert notes["invalid_usage"] == 1


@pytest.mark.parametrize("tokens", [-5, HUGE, 10**18], ids=["negative", "huge", "large"])
def test_tokens_that_are_nonsense_count_as_not_told(tokens: int) -> None:
    amount, notes = spent({"prompt_tokens": tokens, "completion_tokens": tokens})
    assert amount > 100, "as much as it may have cost"
    assert notes["prompt_tokens"] == notes["completion_tokens"] == 0
    assert notes["perhaps_charged"] == amount
    assert notes["invalid_usage"] == 1


def test_thinking_cannot_be_negative() -> None:
    details = {"reasoning_tokens": -100}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "completion_tokens_details": details}
    assert spent(usage)[0] == 10.0


def test_a_sound_cost_is_taken_as_it_is() -> None:
    amount, notes = spent({"cost": 0.25, "prompt_tokens": 7, "completion_tokens": 3})
    assert amount == 0.25
    assert "invalid_usage" not in notes


def test_a_budget_takes_no_nonsense() -> None:
    for amount in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="is not a valid cost"):
            Budget(1.0).charge(amount)


@pytest.mark.parametrize("price", ["nan", "inf", "-1", "1e10"])
def test_a_table_of_prices_holds_finite_amounts(price: str, tmp_path: Any) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(f'[models."openai:x"]\nimage = {price}\n')
    with pytest.raises(Exception, match="is not a price table"):
        parse_price(str(table), "openai", "x")
