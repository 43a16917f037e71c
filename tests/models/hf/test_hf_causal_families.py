"""Families whose attention, positions or state differ, each against itself alone.

Windows, ALiBi, soft-capped logits, experts, recurrent state: padding must change none of them.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers

from epicene.core.records import Decoding, Generate, Score, Scores
from epicene.models.hf.batching import position_limit
from models.hf.causal_families import family
from models.hf.tiny_causal import ask, causal, gpt2_like

TEXTS = ("she was tired and late", "a", "the doctor said that he was late", "लड़की ने किताब")


@pytest.fixture(
    scope="module",
    params=["mistral", "gemma2", "gemma3_text", "mixtral", "gpt_neox", "bloom", "mamba"],
)
def network(request: pytest.FixtureRequest) -> Any:
    return family(request.param)


def test_scores_in_a_batch_equal_a_plain_computation(network: Any) -> None:
    answers = ask(causal(network, gpt2_like()), [Score(item=t, texts=(t,)) for t in TEXTS])
    for text, answer in zip(TEXTS, answers, strict=True):
        assert isinstance(answer, Scores)
        ids = torch.tensor([[gpt2_like().bos_token_id, *gpt2_like()(text)["input_ids"]]])
        with torch.no_grad():
            spread = network(ids).logits[0, :-1].log_softmax(-1)
        expected = spread.gather(-1, ids[0, 1:, None]).squeeze(-1).tolist()
        assert answer.texts[0].logprobs == pytest.approx(expected, abs=1e-4)


def test_texts_in_a_batch_equal_texts_alone(network: Any) -> None:
    model = causal(network, gpt2_like())
    requests = [
        Generate(item=text, prompt=text, decoding=Decoding(max_new_tokens=8, temperature=heat))
        for text, heat in zip(TEXTS, (0.0, 1.0, 0.0, 1.0), strict=True)
    ]
    assert ask(model, requests) == [ask(model, [request])[0] for request in requests]


@pytest.mark.parametrize(
    ("family", "settings", "limit"),
    [
        ("llama", {"max_position_embeddings": 50}, 50),
        ("gpt2", {"n_positions": 50}, 50),
        ("opt", {"max_position_embeddings": 50, "pad_token_id": 1}, 50),
        ("mpt", {"max_seq_len": 50}, 50),
        ("xlm-roberta", {"max_position_embeddings": 50, "is_decoder": True, "pad_token_id": 1}, 48),
        ("mamba", {}, None),
    ],
)
def test_how_far_a_model_can_read(family: str, settings: dict[str, Any], limit: int | None) -> None:
    transformers.utils.logging.set_verbosity_error()
    config = transformers.AutoConfig.for_model(
        family, vocab_size=20, hidden_size=8, num_attention_heads=2, num_hidden_layers=1, **settings
    )
    assert position_limit(transformers.AutoModelForCausalLM.from_config(config)) == limit
