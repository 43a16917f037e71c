"""A wrong key, an unknown model and an unreachable server end a run before its first request."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from app.conftest import Done, Epicene
from epicene.models.http import model as hosted
from epicene.models.openai.generation import PROBE
from models.http.image_servers import FLUX, Drawing, Replicate, Studio, gallery
from models.http.local_server import FAST_RETRIES, Asked, Reply, Server
from models.openai.openai_server import KEY, chat, error

WORDS = """language,word,grammar,stereotype,category,english,chinese,genitive
DE,Wache,F,male,occupation,a guard,警卫,der Wache
"""


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted, "RetryPolicy", lambda: FAST_RETRIES)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("REPLICATE_API_TOKEN", "r8_0123456789")


def talkative(_: Asked) -> Reply:
    return chat("Elle chante.")


def genform(epicene: Epicene, *urls: str) -> Done:
    """A run that only chats."""
    run = ("run", "genform", "-m", "openai:toy", "--limit", "2", "--out", "run")
    return epicene(*run, "--base-url", " ".join(urls))


def gramvis(epicene: Epicene, drawer: str, judges: str) -> Done:
    Path("words.csv").write_text(WORDS, "utf-8")
    models = ("-m", f"drawer={drawer}", "-m", f"judges={judges}")
    settings = ("--set", "shots=1", "--set", "mixed=false")
    return epicene("run", "gramvis", "-d", "words.csv", *models, *settings, "--out", "run")


def refused(done: Done, *parts: str) -> None:
    assert done.code == 1
    for part in parts:
        assert part in done.err
    assert "Traceback" not in done.err
    assert not Path("run").exists()


# --- the key and the address -------------------------------------------------------------------


def test_a_refused_key_ends_a_run_before_its_first_request(epicene: Epicene) -> None:
    with Server(talkative, ["toy"], listing=401) as server:
        done = genform(epicene, server.url)
    refused(done, "rejects the key (HTTP 401); set OPENAI_API_KEY to a valid key")
    assert len(server.checks) == 1
    assert not server.asked


def test_a_key_that_no_server_takes_ends_a_run_before_its_first_request(epicene: Epicene) -> None:
    with (
        Server(talkative, ["toy"], listing=401) as one,
        Server(talkative, ["toy"], listing=401) as other,
    ):
        done = genform(epicene, one.url, other.url)
    refused(done, "None of the 2 servers accepts the first requests", "OPENAI_API_KEY")
    assert not one.asked
    assert not other.asked


def test_an_address_where_nothing_listens_ends_a_run(epicene: Epicene) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        done = genform(epicene, f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
    refused(done, "No server answers at http://127.0.0.1", "check the address")


# --- the model's name --------------------------------------------------------------------------


def test_a_listed_model_is_sent_no_test_request(epicene: Epicene) -> None:
    with Server(talkative, ["another", "toy"]) as server:
        done = genform(epicene, server.url)
    assert done.code == 0, done.err
    assert len(server.checks) == 1
    assert PROBE not in {asked.prompt for asked in server.asked}


@pytest.mark.parametrize("status", [403, 404, 405, 429, 500, 501])
def test_a_server_that_does_not_list_its_models_is_asked_all_the_same(
    epicene: Epicene, status: int
) -> None:
    with Server(talkative, ["toy"], listing=status) as server:
        done = genform(epicene, server.url)
    assert done.code == 0, done.err
    assert PROBE not in {asked.prompt for asked in server.asked}


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (404, "The model `toy` does not exist."),
        (404, 'model "toy" not found, try pulling it first'),
        (400, "toy is not a valid model ID"),
        (400, "Invalid model: toy"),
        (422, "Unknown model toy"),
    ],
)
def test_an_unknown_model_ends_a_run_after_one_token(
    epicene: Epicene, status: int, message: str
) -> None:
    with Server(lambda _: error(status, message), ["alpha", "beta"]) as server:
        done = genform(epicene, server.url)
    refused(done, "has no model toy", message, "it lists alpha, beta")
    assert [asked.prompt for asked in server.asked] == [PROBE]
    assert server.asked[0].body["max_tokens"] == 1


def test_a_server_may_answer_to_a_name_that_it_does_not_list(epicene: Epicene) -> None:
    with Server(talkative, ["weights.gguf"]) as server:
        done = genform(epicene, server.url)
    assert done.code == 0, done.err
    assert [asked.prompt for asked in server.asked].count(PROBE) == 1


def test_an_unknown_model_that_no_list_tells_of_ends_the_run(epicene: Epicene) -> None:
    """Without a list nothing is tested; the first requests are refused, which costs nothing."""
    with Server(lambda _: error(404, "The model `toy` does not exist.")) as server:
        done = genform(epicene, server.url)
    assert done.code == 1
    assert "has no model toy" in done.err
    assert "--model" in done.err


# --- drawers and judges ------------------------------------------------------------------------


def test_a_judge_is_tested_before_anything_is_drawn(epicene: Epicene) -> None:
    drawer = gallery("replicate", lambda _: Drawing())
    with drawer.server, Server(talkative, ["toy"], listing=401) as judge:
        done = gramvis(epicene, drawer.spec, f"openai:toy?base_url={judge.url}")
    refused(done, "rejects the key (HTTP 401)")
    assert not drawer.studio.orders
    assert not judge.asked


def test_a_drawer_whose_key_is_refused_draws_nothing(epicene: Epicene) -> None:
    studio = Studio(lambda _: Drawing())
    with Server(Replicate(studio, account=Reply({"detail": "Unauthenticated"}, 401))) as server:
        done = gramvis(epicene, f"replicate:{FLUX}?base_url={server.url}", "random")
    refused(done, "rejects the key (HTTP 401); set REPLICATE_API_TOKEN")
    assert not studio.orders


@pytest.mark.parametrize("version", ["", ":0123456789abcdef"])
def test_a_drawer_that_replicate_does_not_have_ends_the_run(epicene: Epicene, version: str) -> None:
    paths: list[str] = []

    def script(asked: Asked) -> Reply:
        paths.append(asked.path)
        return Reply({"type": "user"}) if asked.path == "/v1/account" else Reply({}, 404)

    with Server(script) as server:
        spec = f"replicate:nobody/nothing{version}?base_url={server.url}"
        done = gramvis(epicene, spec, "random")
    refused(done, f"Replicate has no model nobody/nothing{version}", "check the name")
    assert not any("predictions" in path for path in paths)


def test_a_drawer_without_accounts_draws_all_the_same(epicene: Epicene) -> None:
    """Such as a server of one's own that speaks Replicate's protocol."""
    drawer = gallery("replicate", lambda _: Drawing(), account=Reply({"detail": "no"}, 404))
    with drawer.server:
        done = gramvis(epicene, drawer.spec, "random:1,random:2")
    assert done.code == 0, done.err
    assert drawer.studio.orders
