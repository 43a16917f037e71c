"""A real server on this machine: llama.cpp serving the embedded model smollm2."""

from __future__ import annotations

from typing import Any

import pytest

from epicene.core.errors import RunError
from epicene.core.records import Decoding, Generate, Message, Score, Texts, Translate
from epicene.models import ModelOptions, embedded
from epicene.models.openai.model import OpenAIModel
from models.model_answers import answers

pytestmark = pytest.mark.embedded

CHAT = (Message(role="user", content="Name one colour of the rainbow."),)


@pytest.fixture(scope="module")
def server() -> Any:
    """The server; it ends with the object."""
    import xllamacpp

    folder = embedded.fetched_folder("smollm2")
    assert folder is not None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(folder / embedded.catalogue()["smollm2"].gguf)
    parameters.port = 0
    parameters.n_parallel = 2
    parameters.n_ctx = 2048
    parameters.cpuparams.n_threads = 1
    return xllamacpp.Server(parameters)


@pytest.fixture
def served(server: Any) -> OpenAIModel:
    options = ModelOptions(base_url=f"{server.listening_address}/v1", concurrency=2)
    return OpenAIModel("smollm2", options)


def test_it_generates(served: OpenAIModel) -> None:
    decoding = Decoding(max_new_tokens=8)
    raw, chat, again, translated = answers(
        served,
        Generate(item="raw", prompt="The capital of France is", decoding=decoding),
        Generate(item="chat", prompt=CHAT, decoding=decoding),
        Generate(item="chat", prompt=CHAT, decoding=decoding),
        Translate(item="t", text="The cat sleeps.", language="en", into="fr", decoding=decoding),
    )
    for answer in (raw, chat, again, translated):
        assert isinstance(answer, Texts), answer
        assert answer.texts[0].text.strip()
        assert 0 < answer.texts[0].tokens <= 8
    assert isinstance(raw, Texts)
    assert "Paris" in raw.only
    notes = served.notes()
    assert notes["requests"] == 4
    assert isinstance(notes["prompt_tokens"], int)
    assert notes["prompt_tokens"] > 0


def test_more_samples_than_it_makes_at_once_are_asked_for_singly(served: OpenAIModel) -> None:
    """It refuses n above its two slots; then each sample has a seed of its own."""
    request = Generate(
        item="i", prompt=CHAT, samples=4, decoding=Decoding(max_new_tokens=12, temperature=1.0)
    )
    (first,) = answers(served, request)
    assert isinstance(first, Texts)
    assert len(first.texts) == 4
    assert len({text.text for text in first.texts}) > 1


def test_it_ignores_the_echo_and_so_may_not_score(served: OpenAIModel) -> None:
    request = Score(item="i", texts=("He left.", "She left."), first_token="tokenizer-default")
    with pytest.raises(RunError, match=r"cannot score smollm2.*the text was not returned"):
        answers(served, request)
