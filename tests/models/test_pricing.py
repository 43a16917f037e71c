"""What models charge, and what a run may spend."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from epicene.core.errors import InputError
from epicene.core.files import ImageFolder
from epicene.core.records import Decoding, Draw, Generate, Look, Message, Score, Translate
from epicene.models.openai.token_bounds import max_request_tokens
from epicene.models.pricing import (
    Budget,
    CostLimitError,
    Price,
    as_paid,
    find_price,
    format_dollars,
)
from models.http.image_servers import PROVIDERS, Drawing, gallery
from models.http.local_server import Reply, Server
from models.model_answers import answers
from models.openai.openai_server import chat, model
from models.sample_images import picture

FLUX = ("replicate", "black-forest-labs/flux-1.1-pro")


# --- prices ----------------------------------------------------------------------------------


def test_the_table_is_for_the_providers_own_servers() -> None:
    known = find_price(*FLUX, listed=True)
    assert known.image == 0.04
    assert str(known) == f"$0.04 per image ({known.origin})"
    assert known.origin.startswith("table of 20")
    assert find_price(*FLUX, listed=False) == Price()
    assert str(Price()) == "not known"
    assert find_price("replicate", "nobody/knows", listed=True) == Price()


def test_what_is_stated_goes_before_the_table_and_leaves_the_rest() -> None:
    assert find_price(*FLUX, "0.05", listed=True).image == 0.05
    both = find_price("openai", "gpt-image-2", "0.2", listed=True)
    assert both.image == 0.2
    assert both.completion is not None
    assert find_price("openai", "toy", "2.5/10", listed=False) == Price(
        prompt=2.5, completion=10, origin="as given"
    )
    assert find_price("openai", "toy", "0", listed=False).images(4) == 0


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('[models."openai:toy"]\nimage = 0.01\n[models."x:y"]\nprompt = 1\n')
    assert find_price("openai", "toy", str(path), listed=False) == Price(
        image=0.01, origin="prices.toml"
    )
    assert find_price(*FLUX, str(path), listed=True).image == 0.04
    for text in (
        '[models."openai:toy"]\nimage = -1',
        "image = 1",
        '[models."a:b"]\npainting = 1',
        '[models."a:b"]\npicture = 0',
        "[",
    ):
        bad = tmp_path / f"bad{len(text)}.toml"
        bad.write_text(text)
        with pytest.raises(InputError, match=r"^[^\n]*is not a price table"):
            find_price("openai", "toy", str(bad), listed=False)
    with pytest.raises(InputError, match="Could not read"):
        find_price("openai", "toy", str(tmp_path / "gone.toml"), listed=False)


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(0.04, "$0.04"), (0.003, "$0.003"), (9.6, "$9.60"), (12, "$12.00"), (1 / 3, "$0.333333")],
)
def test_dollars_as_people_write_them(amount: float, shown: str) -> None:
    assert format_dollars(amount) == shown


def test_tokens_are_bounded_by_bytes() -> None:
    turn = Message(role="user", content="नर्स")
    many = Generate(item="i", prompt=(turn,), samples=3, decoding=Decoding(max_new_tokens=5))
    read, written = max_request_tokens(many)
    assert read >= 3 * len("नर्स".encode())
    assert written == 15
    # Two more than its bytes: a beginning token, and the space that some put before a text.
    assert max_request_tokens(Generate(item="i", prompt="abc"))[0] == 5
    assert max_request_tokens(Score(item="i", texts=("ab", "c"), context="xyz")) == (13, 2)
    assert max_request_tokens(Translate(item="i", text="abc", into="fr"))[1] == 256


def test_an_image_that_is_looked_at_is_bounded_by_the_dearest_way_to_count_it() -> None:
    look = Look(item="i", image="x", question="Who is it?", choices=("a man", "a woman"))
    read, written = max_request_tokens(look)
    # The most tiles there can be of the model that counts most: 2048 × 768 in squares of 512.
    assert read > 2_833 + 8 * 5_667
    assert written == 512
    assert read - max_request_tokens(look, picture=800)[0] == 50_000 - 800


def test_a_table_may_tell_how_many_tokens_an_image_takes(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('[models."openai:toy"]\nprompt = 2\ncompletion = 10\npicture = 800\n')
    look = Look(item="i", image="x", question="q", choices=("a",))
    with Server(lambda _: chat("x")) as server:
        assert model(server, price=str(path)).cost_of(look) == pytest.approx(
            ((800 + 256 + 2) * 2 + 512 * 10) / 1e6
        )


# --- the purse -------------------------------------------------------------------------------


def spend(budget: Budget, amounts: list[float], charged: float | None = None) -> int:
    """How many of the amounts were spent, all asked for at once."""
    done = 0

    async def one(amount: float) -> None:
        nonlocal done
        async with budget.reserve(amount):
            await asyncio.sleep(0.001)
            budget.charge(amount if charged is None else charged)
            done += 1

    async def scenario() -> None:
        results = await asyncio.gather(*map(one, amounts), return_exceptions=True)
        for result in results:
            assert result is None or isinstance(result, CostLimitError)

    asyncio.run(scenario())
    return done


def test_no_more_is_spent_than_there_is_however_many_come_at_once() -> None:
    budget = Budget(limit=1.0)
    assert spend(budget, [0.3] * 20) == 3
    assert budget.spent == pytest.approx(0.9)


def test_a_waiting_request_gets_what_others_did_not_spend() -> None:
    budget = Budget(limit=1.0)
    assert spend(budget, [0.3] * 9, charged=0.1) == 8  # the ninth may cost 0.3, and 0.2 is left
    assert budget.spent == pytest.approx(0.8)


def test_tenths_that_add_up_to_the_limit_are_within_it() -> None:
    assert spend(Budget(limit=0.3), [0.1] * 5) == 3


def test_without_a_limit_all_is_spent() -> None:
    budget = Budget(spent=5.0)
    assert spend(budget, [2.0] * 10) == 10
    assert budget.spent == 25


def test_what_was_spent_before_counts() -> None:
    async def scenario() -> None:
        async with Budget(limit=1.0, spent=0.9).reserve(0.2):
            raise AssertionError

    with pytest.raises(CostLimitError, match=r"limit of \$1\.00 .* \$0\.90 has been spent"):
        asyncio.run(scenario())


# --- what models charge ----------------------------------------------------------------------


def draw(prompt: str, shots: int = 1) -> Draw:
    return Draw(item=prompt, prompt=prompt, shots=shots)


def test_more_is_reserved_only_within_the_limit() -> None:
    budget = Budget(limit=1.0)

    async def two() -> list[bool]:
        async with budget.reserve(0.4):
            return [budget.reserve_more(0.5), budget.reserve_more(0.5)]

    assert asyncio.run(two()) == [True, False]
    assert budget.fits(1.0)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPLICATE_API_TOKEN", "r8_secret")
    monkeypatch.setenv("IDEOGRAM_API_KEY", "ideogram-secret")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_image_that_came_is_charged(provider: str, tmp_path: Path) -> None:
    """Broken ones too; refusals are not, but for one that was drawn and then found unsafe."""
    shop = gallery(
        provider,
        lambda o: Drawing(picture(64, 64)[:60]) if (o.prompt, o.times) == ("b", 0) else Drawing(),
    )
    with shop.server:
        served = shop.model(price="0.04")
        assert as_paid(served) is served
        assert served.spent == 0
        assert served.cost_of(draw("a", 3)) == pytest.approx(0.12)
        answers(served, draw("a", 3), draw("b"), files=ImageFolder(tmp_path))
        assert served.spent == pytest.approx(5 * 0.04)
        assert served.notes()["cost"] == pytest.approx(0.2)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_not_known_is_not_made_up(provider: str, tmp_path: Path) -> None:
    shop = gallery(provider, lambda _: Drawing())
    with shop.server:
        served = shop.model()
        answers(served, draw("a"), files=ImageFolder(tmp_path))
    assert served.spent is None
    assert served.cost_of(draw("a")) is None
    assert "cost" not in served.notes()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_reply_that_never_came_counts_against_the_limit(provider: str, tmp_path: Path) -> None:
    shop = gallery(provider, lambda _: Drawing(fault=Reply({}, delay=30.0)))
    with shop.server:
        served = shop.model(price="1", timeout=1.0)
        budget = Budget(limit=2.5)
        served.spend_from(budget)
        answers(served, draw("a"), files=ImageFolder(tmp_path))
    # Two attempts may have been charged; a third could exceed the limit.
    assert len(shop.studio.orders) == 2
    assert budget.spent == served.spent == 2
    assert served.notes()["perhaps_charged"] == 2


def test_a_broken_image_is_not_asked_for_again_without_money(tmp_path: Path) -> None:
    shop = gallery("replicate", lambda _: Drawing(b"no picture"))
    with shop.server:
        served = shop.model(price="1")
        served.spend_from(Budget(limit=2.5))
        (answer,) = answers(served, draw("a"), files=ImageFolder(tmp_path))
    assert len(shop.studio.orders) == 2
    assert "(2 attempts)" in str(answer)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_limit_stops_before_it_is_passed_and_keeps_what_was_paid(
    provider: str, tmp_path: Path
) -> None:
    shop = gallery(provider, lambda _: Drawing())
    given: list[Any] = []
    with shop.server:
        served = shop.model(price="0.04", concurrency=8)
        budget = Budget(limit=1.0)
        served.spend_from(budget)
        batches = ([(n, draw(str(n), 2))] for n in range(100))
        stream = served.answer(batches, ImageFolder(tmp_path))
        with pytest.raises(CostLimitError):
            given.extend(each for answered in stream for each in answered)
    # 12 requests of two pictures are 0.96; a thirteenth would be 1.04.
    assert len(given) == 12
    assert len(shop.studio.orders) == 24
    assert budget.spent == pytest.approx(0.96)


def test_tokens_are_charged_as_the_server_counts_them() -> None:
    request = Generate(item="i", prompt=(Message(role="user", content="Hi"),))
    with Server(lambda _: chat("x")) as server:
        served = model(server, price="2/10")
        assert served.cost_of(request) == pytest.approx(((2 + 16 + 64) * 2 + 256 * 10) / 1e6)
        answers(served, request)
        assert served.spent == pytest.approx((7 * 2 + 3 * 10) / 1e6)


@pytest.mark.parametrize(
    ("stated", "spent"),
    [("", (10 * 5 + 1000 * 30) / 1e6), ("image = 0.2\n", 0.2)],
    ids=["by tokens", "by the price that is stated"],
)
def test_images_whose_tokens_are_counted(stated: str, spent: float, tmp_path: Path) -> None:
    usage = {"input_tokens": 10, "output_tokens": 1000}
    shop = gallery("openai", lambda _: Drawing())
    script = shop.server._script

    def counting(asked: Any) -> Reply:
        reply = script(asked)
        assert isinstance(reply.body, dict)
        return Reply({**reply.body, "usage": usage})

    shop.server._script = counting
    path = tmp_path / "prices.toml"
    path.write_text(f'[models."openai:toy"]\n{stated}prompt = 5\ncompletion = 30\n')
    with shop.server:
        served = shop.model(price=str(path))
        answers(served, draw("a"), files=ImageFolder(tmp_path / "files"))
    assert served.cost_of(draw("a")) == (0.2 if stated else None)
    assert served.spent == pytest.approx(spent)
