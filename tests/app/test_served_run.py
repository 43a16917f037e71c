"""A run against a server that fails in every way: each request ends answered or failed."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from app.conftest import Epicene
from epicene.models.http import model as remote
from epicene.models.openai.generation import PROBE
from models.http.local_server import SHORT_WAITS, Asked, Reply, Server
from models.openai.openai_server import KEY, error


def completion(text: str) -> Reply:
    """A reply of the completions endpoint."""
    return Reply({"choices": [{"index": 0, "text": text, "finish_reason": "length"}]})


FAULTS = [
    error(429, "slow down"),
    error(500, "oh dear"),
    Reply({}, delay=30.0),
    Reply(close=True),
    Reply(b"<html>not JSON</html>"),
    Reply({"choices": []}),
]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "RetryPolicy", lambda: SHORT_WAITS)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def run(epicene: Epicene, server: Server) -> tuple[str, ...]:
    """The command."""
    return (
        "run", "two-stage", "--model=writer=openai:tiny", "--model=reader=random",
        f"--base-url={server.url}", "--timeout=1", "--set=items=12", "--out=run",
    )  # fmt: skip


def test_passing_faults_leave_a_complete_run(epicene: Epicene) -> None:
    seen: dict[str, int] = {}

    def script(asked: Asked) -> Reply:
        # Every prompt meets another fault first, then is answered.
        first = seen.setdefault(asked.prompt, asked.number)
        if first == asked.number:
            return FAULTS[len(seen) % len(FAULTS)]
        return completion(" and so on")

    with Server(script) as server:
        done = epicene(*run(epicene, server))
    assert done.code == 0, done.err
    with sqlite3.connect("run/answers.sqlite") as db:
        assert db.execute("SELECT count(*), sum(failed) FROM answers").fetchone() == (48, 0)


def test_lasting_faults_are_recorded_and_the_exit_code_tells(epicene: Epicene) -> None:
    doomed: dict[str, Reply] = {}

    def script(asked: Asked) -> Reply:
        if asked.prompt == PROBE:
            return completion(" six")
        number = int(asked.prompt.split("number ")[1].split()[0])
        if number % 2:
            doomed[asked.prompt] = FAULTS[number // 2 % len(FAULTS)]
            return doomed[asked.prompt]
        return completion(" and so on")

    with Server(script) as server:
        done = epicene(*run(epicene, server), "--json")
    assert done.code == 1
    assert done.json["runs"][0]["coverage"]["failed"] == 6
    assert done.json["runs"][0]["coverage"]["judged"] == 6
    manifest = json.loads(Path("run/manifest.json").read_text())
    assert manifest["sessions"][-1]["state"] == "incomplete"
    assert manifest["counts"][0]["answered"] == manifest["counts"][0]["failed"] == 6
    assert len(manifest["counts"][0]["reasons"]) == 5
    # The same command, once the server is well, asks what is missing and no more.
    with Server(lambda _: completion(" and so on")) as well:
        again = epicene(*run(epicene, well))
        assert again.code == 0, again.err
        assert {asked.prompt for asked in well.asked} == {PROBE, *doomed}


def test_no_secret_in_any_file(epicene: Epicene) -> None:
    def script(asked: Asked) -> Reply:
        return error(500, f"your key {KEY} is not welcome: {asked.headers['authorization']}")

    with Server(script) as server:
        done = epicene(*run(epicene, server), f"--label=note={KEY}")
    assert done.code == 1
    assert KEY not in done.out + done.err
    written = [path for path in Path("run").rglob("*") if path.is_file()]
    assert {path.name for path in written} >= {"manifest.json", "answers.sqlite"}
    for path in written:
        assert KEY.encode() not in path.read_bytes(), path
    assert json.loads(Path("run/manifest.json").read_text())["labels"] == {"note": "[secret]"}
