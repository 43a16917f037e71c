"""A real pretrained model, through the causal kind."""

from __future__ import annotations

import pytest

from epicene.core.records import (
    Completions,
    Decoding,
    Fill,
    Generate,
    Message,
    Score,
    Scores,
    Texts,
)
from epicene.models import ModelOptions, hf
from epicene.models.embedded import fetched_folder
from epicene.models.hf.causal import HfCausal
from models.hf.tiny_causal import ask

pytestmark = pytest.mark.embedded


@pytest.fixture(scope="module")
def model() -> HfCausal:
    folder = fetched_folder("smollm2")
    assert folder is not None  # the marker has seen to it
    opened = hf.open(str(folder), ModelOptions())
    assert isinstance(opened, HfCausal)
    return opened


def test_it_knows_some_grammar(model: HfCausal) -> None:
    pairs = [
        ("The keys to the cabinet are on the table.", "The keys to the cabinet is on the table."),
        ("My brother hurt himself.", "My brother hurt herself."),
        ("She has eaten.", "She has ate."),
    ]
    for answer in ask(model, [Score(item="i", texts=pair) for pair in pairs]):
        assert isinstance(answer, Scores)
        good, bad = answer.texts
        assert good.sum > bad.sum
        assert answer.conditioned_on == "<|im_start|>"


def test_the_first_token_policy_matters(model: HfCausal) -> None:
    texts = ("The nurse said that she was tired.", "The nurse said that he was tired.")
    bos, default = (
        ask(model, [Score(item="i", texts=texts, first_token=policy)])[0]
        for policy in ("bos", "tokenizer-default")
    )
    assert isinstance(bos, Scores)
    assert isinstance(default, Scores)
    assert bos.texts[0].tokens == default.texts[0].tokens + 1


def test_it_chats_and_stops_by_itself(model: HfCausal) -> None:
    chat = (Message(role="user", content="What is the capital of France?"),)
    request = Generate(item="i", prompt=chat, decoding=Decoding(max_new_tokens=40))
    (answer,) = ask(model, [request])
    assert isinstance(answer, Texts)
    assert "Paris" in answer.only
    assert answer.texts[0].finish == "stop"
    notes = model.notes()["chat"]
    assert isinstance(notes, dict)
    assert "SmolLM" in notes["inserted system prompt"]


def test_it_fills_a_gap_after_a_space(model: HfCausal) -> None:
    (answer,) = ask(model, [Fill(item="i", before="The capital of France is ", top=3)])
    assert isinstance(answer, Completions)
    assert answer.completions[0].text == "Paris"
