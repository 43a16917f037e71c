"""Scores as a text would be drawn: against the library's own filters, and by closed forms."""

from __future__ import annotations

import math
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from epicene.core.records import Decoding, Failed, Score, Scores, TextScore
from epicene.models.hf.generation.decoding import (
    SamplingDistribution,
    SamplingParams,
    distribution_logprobs,
    sample_tokens,
)
from models.hf.tiny_causal import ask, causal, gpt2, gpt2_like, llama, metaspace

if TYPE_CHECKING:
    from epicene.models.hf.causal import HfCausal

MODELS = {"llama": (llama(), metaspace()), "gpt2": (gpt2(), gpt2_like())}
both = pytest.mark.parametrize(("network", "tokenizer"), MODELS.values(), ids=MODELS)

CONTEXT = "the nurse said that"
TEXTS = (" she", " he was late", " they", " xemself")
PAPER = Decoding(temperature=None, top_k=50, top_p=0.95)


def score(model: HfCausal, *texts: str, **fields: Any) -> tuple[TextScore, ...]:
    (answer,) = ask(model, [Score(item="i", texts=texts, context=CONTEXT, **fields)])
    assert isinstance(answer, Scores), answer
    return answer.texts


def by_the_library(logits: Any, decoding: Decoding, temperature: float) -> Any:
    """Log-probabilities over the vocabulary after transformers' own filters, in its order."""
    ids = torch.zeros(len(logits), 1, dtype=torch.long)
    filters: list[Any] = [TemperatureLogitsWarper(temperature)]
    if decoding.top_k:
        filters.append(TopKLogitsWarper(decoding.top_k))
    if decoding.top_p is not None:
        filters.append(TopPLogitsWarper(decoding.top_p))
    for each in filters:
        logits = each(ids, logits)
    return logits.log_softmax(-1)


def logits_of(network: Any, ids: list[int]) -> Any:
    with torch.no_grad():
        return network(torch.tensor([ids])).logits[0].float()


@both
@pytest.mark.parametrize(
    "decoding",
    [
        PAPER,
        Decoding(temperature=0.6, top_k=5, top_p=0.9),
        Decoding(temperature=2.0, top_p=0.5),
        Decoding(temperature=1.0, top_k=1),
        Decoding(temperature=1.0),
    ],
)
def test_drawn_is_what_the_librarys_filters_leave(
    network: Any, tokenizer: Any, decoding: Decoding
) -> None:
    texts = score(causal(network, tokenizer), *TEXTS, decoding=decoding)
    barred = 0
    for text, scored in zip(TEXTS, texts, strict=True):
        ids = [
            tokenizer.bos_token_id,
            *tokenizer(CONTEXT + text, add_special_tokens=False)["input_ids"],
        ]
        temperature = 1.0 if decoding.temperature is None else decoding.temperature
        spread = by_the_library(logits_of(network, ids), decoding, temperature)
        count = len(scored.logprobs)
        expected = [
            float(spread[position - 1, ids[position]])
            for position in range(len(ids) - count, len(ids))
        ]
        assert isinstance(scored.drawn, tuple)
        for found, wanted in zip(scored.drawn, expected, strict=True):
            assert (-math.inf if found is None else found) == pytest.approx(wanted, abs=1e-4)
        barred += scored.drawn.count(None)
    if decoding.top_k is None and decoding.top_p is None:
        assert barred == 0
        assert [text.drawn for text in texts] == [text.logprobs for text in texts]
    if decoding.top_k == 1:
        assert barred > 0


def test_the_rest_of_the_answer_is_that_of_an_ordinary_request() -> None:
    model = causal(*MODELS["gpt2"])
    ordinary = score(model, *TEXTS)
    asked = score(model, *TEXTS, decoding=PAPER)
    assert all(text.drawn is msgspec.UNSET for text in ordinary)
    assert tuple(msgspec.structs.replace(text, drawn=msgspec.UNSET) for text in asked) == ordinary


def test_an_open_temperature_is_the_models_own() -> None:
    network = deepcopy(gpt2())
    network.generation_config.temperature = 0.5
    cooled = score(causal(network, gpt2_like()), *TEXTS, decoding=Decoding(temperature=None))
    stated = score(causal(*MODELS["gpt2"]), *TEXTS, decoding=Decoding(temperature=0.5))
    assert cooled == stated


def test_an_exact_length_never_draws_the_end() -> None:
    network, tokenizer = MODELS["gpt2"]
    ids = [tokenizer.bos_token_id, *tokenizer(CONTEXT + " she")["input_ids"]]
    ending = logits_of(network, ids).softmax(-1)[-2, tokenizer.eos_token_id]
    open_ended = Decoding(temperature=1.0)
    (free,) = score(causal(network, tokenizer), " she", decoding=open_ended)
    (exact,) = score(
        causal(network, tokenizer),
        " she",
        decoding=msgspec.structs.replace(open_ended, exact_length=True),
    )
    assert isinstance(free.drawn, tuple)
    assert isinstance(exact.drawn, tuple)
    # What the end would have had is shared among the others.
    last = free.drawn[-1]
    assert last is not None
    assert exact.drawn[-1] == pytest.approx(last - math.log1p(-float(ending)), abs=1e-4)


def test_greedy_draws_the_likeliest_that_is_not_barred() -> None:
    logits = torch.tensor([[0.5, 2.0, 1.0], [3.0, 0.0, 3.5]])
    for distribution, expected in {
        SamplingDistribution(0.0): [[0, 1, 0], [0, 0, 1]],
        SamplingDistribution(0.0, banned=(1, 2)): [[1, 0, 0], [1, 0, 0]],
        SamplingDistribution(1.0, banned=(0, 1)): [[0, 0, 1], [0, 0, 1]],
    }.items():
        assert distribution_logprobs(logits, distribution).exp().tolist() == expected
    assert logits.isfinite().all()  # they are the model's, and are read again


@given(st.integers(1, 12), st.sampled_from([None, 0.3, 0.7, 1.0]), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=25)
def test_the_law_is_the_one_that_tokens_are_chosen_by(
    top_k: int, top_p: float | None, temperature: float
) -> None:
    """Each token's share of many even draws is its probability under the law."""
    logits = torch.tensor([[0.5, 2.0, -1.0, 1.0, 0.0, -0.5, 1.5, 0.25]])
    (law,) = (
        distribution_logprobs(logits, SamplingDistribution(temperature, top_k, top_p))
        .exp()
        .tolist()
    )
    assert sum(law) == pytest.approx(1)
    many = 2000
    rows = [
        SamplingParams(b"key", seed=0, sample=n, temperature=temperature, top_k=top_k, top_p=top_p)
        for n in range(many)
    ]
    chosen = sample_tokens(logits.expand(many, -1), rows, step=0).tolist()
    for token, probability in enumerate(law):
        share = chosen.count(token) / many
        assert abs(share - probability) < 5 * math.sqrt(0.25 / many)
        assert (probability == 0) <= (share == 0)


@given(
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4, unique=True),
    st.sampled_from([msgspec.UNSET, PAPER, Decoding(temperature=0.5, top_k=3)]),
)
@settings(max_examples=15)
def test_the_company_in_a_batch_changes_nothing(texts: list[str], other: Any) -> None:
    model = causal(*MODELS["llama"])
    alone = score(model, *texts, decoding=PAPER)
    mine = Score(item="i", texts=tuple(texts), context=CONTEXT, decoding=PAPER)
    neighbour = Score(item="j", texts=TEXTS, context="a b c", decoding=other)
    together, _ = ask(model, [mine, neighbour])
    assert isinstance(together, Scores)
    for one, two in zip(alone, together.texts, strict=True):
        assert isinstance(one.drawn, tuple)
        assert isinstance(two.drawn, tuple)
        assert [p is None for p in one.drawn] == [p is None for p in two.drawn]
        assert one.sum == pytest.approx(two.sum, abs=1e-4)


def test_a_negative_temperature_is_refused() -> None:
    (answer,) = ask(
        causal(*MODELS["gpt2"]),
        [Score(item="i", texts=TEXTS, context=CONTEXT, decoding=Decoding(temperature=-1.0))],
    )
    assert answer == Failed(reason="a temperature cannot be negative")
