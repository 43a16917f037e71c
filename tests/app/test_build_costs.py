"""`epicene data build SUITE` with a price and a limit, as `run` has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.conftest import Epicene
from models.http.local_server import Asked, Reply, Server


def script(_asked: Asked) -> Reply:
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    message = {"role": "assistant", "content": "no words"}
    return Reply({"choices": [{"index": 0, "message": message}], "usage": usage})


@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_build_keeps_to_its_limit(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    command = ["data", "build", "gramvis", "--out=words", "--set=languages=fr"]
    if by == "option":
        command += ["--price=1000000/1000000", "--max-cost=1"]
    else:
        monkeypatch.setenv("EPICENE_PRICE", "1000000/1000000")
        monkeypatch.setenv("EPICENE_MAX_COST", "1")
    with Server(script) as server:
        done = epicene(*command, f"--model=proposers=openai:toy?base_url={server.url}")
        assert not server.asked, "one request may cost more than a dollar"
    assert done.code == 1
    assert "requests left, at most $" in done.err
    assert "The limit of $1.00 does not allow the next request" in done.err
    assert Path("words/02-propose/answers.sqlite").exists(), "a higher limit resumes from here"


def test_a_limit_without_a_price_is_refused(epicene: Epicene) -> None:
    with Server(script) as server:
        done = epicene(
            "data", "build", "gramvis", "--out=words", "--set=languages=fr", "--max-cost=1",
            f"--model=proposers=openai:toy?base_url={server.url}",
        )  # fmt: skip
        assert not server.asked
    assert done.code == 2
    assert "--max-cost needs the price of toy" in done.err


@pytest.mark.parametrize("option", ["--price=1", "--max-cost=1", "--seed=3", "--model=a=b"])
def test_what_is_for_building_is_refused_elsewhere(epicene: Epicene, option: str) -> None:
    done = epicene("data", "stats", "gramvis", option)
    assert done.code == 2
    assert f"{option.partition('=')[0]} is for build, not for stats." in done.err


def test_what_the_environment_says_for_runs_does_not_hinder_looking(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPICENE_MAX_COST", "1")
    assert epicene("data", "show", "gramvis", "--limit=1").code == 0
