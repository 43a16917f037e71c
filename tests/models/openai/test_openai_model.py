"""Opening a served model: its spec, its address, its identity, its bill."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from epicene.core.errors import InputError
from epicene.models import ModelOptions, open_model, openai, parse_spec
from epicene.models.http import address
from epicene.models.openai.model import PROVIDER
from models.http.local_server import Asked, Reply, Server
from models.http.stoppable_server import question
from models.model_answers import answers
from models.openai.openai_server import chat, model

HERE = "http://127.0.0.1:9/v1"


def test_the_spec_opens_a_served_model() -> None:
    served = open_model(parse_spec(f"openai:org/toy-7b?base_url={HERE}&revision=2&label=Toy"))
    assert served.verbs == {"generate", "translate", "score", "draw", "look"}
    assert served.identity.kind == "openai"
    assert served.identity.label == "Toy"
    assert served.identity.key == {"model": "org/toy-7b", "revision": "2", "version": "1"}
    assert served.identity.about == {"name": "org/toy-7b", "family": "", "parameters": None}
    served.close()


def test_where_a_model_is_served_is_not_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def digest(url: str, **options: Any) -> bytes:
        return openai.open("toy", ModelOptions(base_url=url, **options)).identity.digest

    here, there = digest(HERE), digest("https://elsewhere.example/v1?key=abcd")
    monkeypatch.setenv("OPENAI_API_KEY", "another-key")
    assert here == there == digest(HERE, concurrency=3, timeout=5.0, label="x")
    assert here != digest(HERE, revision="2")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("openai", "does not name a model"),
        (f"openai:toy?base_url={HERE}&concurrency=0", "--concurrency must be at least 1, not 0"),
        (f"openai:toy?base_url={HERE}&timeout=0", "--timeout must be more than 0 seconds, not 0"),
        (
            f"openai:toy?base_url={HERE}&timeout=nan",
            "--timeout must be more than 0 seconds, not nan",
        ),
        ("openai:toy?base_url=localhost:8000", "must start with http://"),
        ("openai:toy?base_url=http:///v1", "must start with http://"),
        ("openai:toy?base_url=http://host:port/v1", "must start with http://"),
        ("openai:toy?base_url=http://[::1/v1", "must start with http://"),
    ],
)
def test_bad_options_are_one_sentence(spec: str, words: str) -> None:
    with pytest.raises(InputError, match=r"^[^\n]+$") as caught:
        open_model(parse_spec(spec))
    assert words in str(caught.value)


def test_without_key_and_address_both_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(InputError, match=r"OPENAI_API_KEY.*OPENAI_BASE_URL"):
        openai.open("toy", ModelOptions())
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234")
    assert address.find_addresses(PROVIDER, "")[0].base_url is None  # the client library's own


def test_the_option_stands_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://env.example/v1")
    assert address.find_addresses(PROVIDER, "")[0].display == "http://env.example/v1"
    assert address.find_addresses(PROVIDER, HERE)[0].display == HERE


def test_short_values_are_not_blotted_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    (found,) = address.find_addresses(PROVIDER, "http://u:longpassword@host.example/v1?a=1")
    assert found.display == "http://host.example/v1"
    assert found.redact("x axis, longpassword, u") == "x axis, [secret], u"


def test_nothing_heavy_is_imported_before_a_model_is_asked() -> None:
    program = (
        "import sys; from epicene.models import open_model, parse_spec; "
        "import epicene.models.openai; "
        f"open_model(parse_spec('openai:toy?base_url={HERE}')); "
        "sys.exit(bool({'openai', 'httpx', 'torch'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install 'epicene'"):
        openai.open("toy", ModelOptions(base_url=HERE))


# --- the notes -------------------------------------------------------------------------------


def test_notes_hold_the_usage_and_the_served_models() -> None:
    def script(asked: Asked) -> Reply:
        return chat("x", model=f"toy-{asked.number % 2}", system_fingerprint="fp_1")

    with Server(script) as server:
        served = model(server, concurrency=2)
        answers(served, *(question(n) for n in range(4)))
        assert served.notes() == {
            "server": server.url,
            "requests": 4,
            "retries": 0,
            "rate_limited": 0,
            "concurrency": 2,
            "prompt_tokens": 28,
            "completion_tokens": 12,
            "served_models": ["toy-0", "toy-1"],
            "system_fingerprints": ["fp_1"],
            "seed": "sent",
        }


def test_cost_is_the_servers_or_by_the_users_prices() -> None:
    with Server(lambda _: chat("x")) as server:
        served = model(server, price="2.5/10")
        answers(served, question(1), question(2))
    assert served.notes()["cost"] == pytest.approx((14 * 2.5 + 6 * 10) / 1e6)
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "cost": 0.25}
    with Server(lambda _: chat("x", usage=usage)) as server:
        served = model(server, price="2.5/10")
        answers(served, question(1), question(2))
    assert served.notes()["cost"] == 0.5


@pytest.mark.parametrize("price", ["cheap", "-1", "nan", "inf", "1/2/3", "1/", "/"])
def test_a_senseless_price_is_refused(price: str) -> None:
    with pytest.raises(InputError, match=r"^The price .* is invalid: write"):
        openai.open("toy", ModelOptions(base_url=HERE, price=price))
