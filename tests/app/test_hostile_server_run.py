"""A run against a hostile server: nothing secret is published, no text steers a terminal."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from app.conftest import Epicene
from epicene.models.http import model as remote
from models.http.local_server import FAST_RETRIES, Reply, Server
from models.openai.openai_server import error

SECRET = "s3cr3tvalue"
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\x00"
# In a URL of its own, so that every way to write it is tried.
SECRET_URLS = [
    f"http://HOST/v1?access_token={SECRET}&sig={SECRET}x",
    f"http://HOST/v1?code={SECRET}#{SECRET}",
    f"http://me:p@'{SECRET}@HOST/v1?subscription-key={SECRET}",
]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "RetryPolicy", lambda: FAST_RETRIES)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def completion(text: str) -> Reply:
    return Reply({"choices": [{"index": 0, "text": text, "finish_reason": "length"}]})


def run(epicene: Epicene, monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    """Run the suite; what the command line was is in the manifest."""
    command = ["run", "two-stage", "--model=reader=random", "--set=items=2", "--out=run", *options]
    monkeypatch.setattr(sys, "argv", ["epicene", *command])
    done = epicene(*command)
    assert SECRET not in done.out + done.err
    return done.code


@pytest.mark.parametrize("url", SECRET_URLS)
@pytest.mark.parametrize("way", ["option", "spec", "encoded"])
def test_no_secret_of_an_address_is_published(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch, url: str, way: str
) -> None:
    """In neither the manifest nor the README of an export, however the address is given."""

    with Server(lambda _: completion(" and so on")) as server:
        place = url.replace("HOST", server.root.removeprefix("http://"))
        if way == "option":
            options = ["--model=writer=openai:tiny", f"--base-url={place}"]
        else:
            spelt = quote(place, safe="" if way == "encoded" else ":/@'")
            options = [f"--model=writer=openai:tiny?base_url={spelt}"]
        assert run(epicene, monkeypatch, *options) == 0
    assert epicene("export", "results", "run", "--out=exported").code == 0
    for path in (*Path("run").rglob("*"), *Path("exported").rglob("*")):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path


def test_errors_of_a_server_do_not_steer_the_terminal(epicene: Epicene) -> None:
    with Server(lambda _: error(400, ESCAPES)) as server:
        done = epicene(
            "run", "two-stage", "--model=writer=openai:tiny", "--model=reader=random",
            f"--base-url={server.url}", "--set=items=2", "--out=run",
        )  # fmt: skip
    assert done.code == 1
    assert "\\u001b]0;owned\\u0007" in done.err
    for sign in ESCAPES:
        assert sign.isprintable() or sign not in done.out + done.err, repr(sign)


def test_errors_that_end_a_command_do_not_steer_the_terminal(epicene: Epicene) -> None:
    done = epicene("run", f"two{ESCAPES[:8]}stage", "-m", "random")
    assert done.code == 2
    assert "\x1b" not in done.err


def test_a_negative_cost_does_not_raise_the_limit(epicene: Epicene) -> None:
    usage = {"cost": -1000, "prompt_tokens": 7, "completion_tokens": 3}

    def script(_: object) -> Reply:
        body = dict(completion(" and so on").body)  # type: ignore[call-overload]
        return Reply({**body, "usage": usage})

    with Server(script) as server:
        done = epicene(
            "run", "two-stage", "--model=writer=openai:tiny", "--model=reader=random",
            f"--base-url={server.url}", "--set=items=12", "--out=runs/one", "--price=10000/10000",
            "--max-cost=2", "--concurrency=1",
        )  # fmt: skip
        assert done.code == 1
        assert "The limit of $2.00" in done.err
    assert json.loads(Path("runs/one/manifest.json").read_text())["spent"] > 0


def test_a_deep_manifest_is_damaged(epicene: Epicene) -> None:
    assert epicene("run", "reflexives", "-m", "random", "--out=run").code == 0
    Path("run/manifest.json").write_bytes(b'{"format":' + b"[" * 100_000)
    done = epicene("tables", "run")
    assert done.code == 1
    assert "run/manifest.json is damaged" in done.err
    assert "made a mistake" not in done.err
