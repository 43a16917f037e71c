"""Before a run starts its model, its cost is shown, and confirmed if it is high."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import epicene.app.run as shown
from app.conftest import Epicene
from epicene.app import session
from models.http.local_server import Server
from models.openai.openai_server import KEY, chat

RANDOM = ("run", "reflexives", "-m", "random", "--out", "run")


def test_the_default_model_is_shown(epicene: Epicene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "DEFAULT_MODEL", "random")
    done = epicene("run", "reflexives", "--out", "run")
    assert done.code == 0
    assert done.err.splitlines()[0] == "The model is random (choose another with --model)."
    counted = epicene("run", "reflexives", "--out", "other", "--dry-run")
    assert "on random (the default; choose another with --model): 48 requests left" in counted.err
    assert "The model is" not in epicene(*RANDOM).err


def test_a_model_that_charges_nothing_is_not_counted(epicene: Epicene) -> None:
    assert "requests left" not in epicene(*RANDOM).err


# --- cost --------------------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server(lambda _: chat("no")) as serving:
        yield serving


def order(server: Server, price: str) -> tuple[str, ...]:
    """A run of one item, whose prompts have a few hundred tokens."""
    model = f"openai:judge?base_url={server.url}{price and '&price='}{price}"
    return ("run", "genform", "-m", model, "--limit", "1", "-l", "fr", "--out", "run")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything is a terminal, where a person says no; what they were asked."""
    asked: list[str] = []

    class Person(io.StringIO):
        def readline(self, *_: object) -> str:  # type: ignore[override]
            asked.append("asked")
            return "n"

    monkeypatch.setattr(sys, "stdin", Person())
    monkeypatch.setattr(session, "_is_terminal", lambda: True)
    return asked


@pytest.mark.parametrize("price", ["", "1000000/1000000"])
def test_a_cost_that_is_high_or_unknown_is_confirmed(
    epicene: Epicene, terminal: list[str], server: Server, price: str
) -> None:
    done = epicene(*order(server, price))
    assert done.code == 1
    assert terminal == ["asked"]
    said = "will cost at most $" if price else "is unknown (set --price; 0 if it is free)."
    assert said in done.err
    assert "The run was not started, and nothing was sent." in done.err
    assert server.asked == []
    assert not Path("run").exists()
    assert epicene(*order(server, price), "--yes").code == 0
    assert terminal == ["asked"]
    assert server.asked


def test_a_low_cost_is_not_confirmed(epicene: Epicene, terminal: list[str], server: Server) -> None:
    done = epicene(*order(server, "0.01/0.01"))
    assert done.code == 0
    assert "will cost at most $0.0" in done.err
    assert terminal == []


def test_without_a_terminal_nothing_is_asked(
    epicene: Epicene, terminal: list[str], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_is_terminal", lambda: False)
    done = epicene(*order(server, ""))
    assert done.code == 0
    assert "is unknown (set --price" in done.err
    assert terminal == []


# --- dry run -----------------------------------------------------------------------------------


def test_a_dry_run_lists_what_would_be_asked_and_asks_nothing(
    epicene: Epicene, tmp_path: Path
) -> None:
    command = ("run", "gramvis", "-m", "drawer=random", "-m", "judges=random:1", "--limit", "2")
    done = epicene(*command, "--out", "run", "--dry-run")
    assert done.code == 0
    lines = done.out.splitlines()
    assert sum(line.startswith("draw ") for line in lines) == 6
    assert sum(line.startswith("look: ") for line in lines) == 1  # the question, once
    assert "at most 30 requests left (6 draw, 24 look)" in done.err
    assert not (tmp_path / "run").exists()
    shown = [json.loads(line) for line in epicene(*command, "--dry-run", "--json").out.splitlines()]
    assert [each["verb"] for each in shown].count("draw") == 6
    assert {"stage", "verb", "item", "name", "text"} == shown[0].keys()
    assert epicene(*command, "--out", "run", "-y").code == 0
    again = epicene(*command, "--out", "run", "--dry-run")
    assert ": 0 requests left, 30 already answered." in again.err
