"""Gaps filled by a causal model: choices against scores, beams against every possibility."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.core.records import Completions, Failed, Fill, Score, Scores
from epicene.models import ModelOptions
from models.hf.tiny_causal import (
    LONGEST,
    ask,
    byte_level,
    causal,
    gpt2,
    gpt2_like,
    llama,
    metaspace,
)

if TYPE_CHECKING:
    from epicene.models.hf.causal import HfCausal

MODELS = {"llama": (llama(), metaspace()), "gpt2": (gpt2(), gpt2_like())}
both = pytest.mark.parametrize(("network", "tokenizer"), MODELS.values(), ids=MODELS)


def fill(model: HfCausal, before: str, after: str = "", **settings: Any) -> Completions:
    (answer,) = ask(model, [Fill(item="i", before=before, after=after, **settings)])
    assert isinstance(answer, Completions), answer
    assert answer.method == "causal"
    return answer


def failure(model: HfCausal, before: str, after: str = "", **settings: Any) -> str:
    (answer,) = ask(model, [Fill(item="i", before=before, after=after, **settings)])
    assert isinstance(answer, Failed), answer
    return answer.reason


def total(model: HfCausal, context: str, text: str) -> float:
    (answer,) = ask(model, [Score(item="i", texts=(text,), context=context)])
    assert isinstance(answer, Scores)
    return answer.texts[0].sum


@both
@pytest.mark.parametrize("before", ["the nurse said that ", "the nurse said that", ""])
def test_choices_are_scored_as_texts(network: Any, tokenizer: Any, before: str) -> None:
    model = causal(network, tokenizer)
    choices = ("she", "he", "they were", "लड़की")
    found = fill(model, before, " was tired", choices=choices).completions
    assert {completion.text for completion in found} == set(choices)
    for completion in found:
        assert completion.logprob == pytest.approx(total(model, before, completion.text), abs=1e-4)
        assert completion.with_after == pytest.approx(
            total(model, before, completion.text + " was tired"), abs=1e-4
        )
    assert [(c.tokens, -c.logprob) for c in found] == sorted((c.tokens, -c.logprob) for c in found)


def test_an_empty_choice_is_certain_and_ranked_by_what_follows() -> None:
    model = causal(*MODELS["llama"])
    found = {c.text: c for c in fill(model, "she", " was", choices=("", " said")).completions}
    assert (found[""].logprob, found[""].tokens) == (0.0, 0)
    assert found[""].with_after == pytest.approx(total(model, "she", " was"), abs=1e-4)


def test_with_nothing_after_both_scores_agree() -> None:
    model = causal(*MODELS["llama"])
    for completion in fill(model, "she ", choices=("was", "said")).completions:
        assert completion.with_after == completion.logprob


def every_continuation(network: Any, ids: list[int], length: int, allowed: list[int]) -> Any:
    """All sequences of that many allowed tokens with their log-probabilities, best first."""
    found = []
    for tokens in product(allowed, repeat=length):
        with torch.no_grad():
            spread = network(torch.tensor([[*ids, *tokens]])).logits[0].log_softmax(-1)
        logprob = sum(float(spread[len(ids) - 1 + k, token]) for k, token in enumerate(tokens))
        found.append((logprob, tokens))
    return sorted(found, reverse=True)


def small() -> tuple[Any, Any, list[int]]:
    """A model that can say so little that everything it could say can be tried."""
    tokenizer = gpt2_like()
    words = [tokenizer.convert_tokens_to_ids(t) for t in ("a", "b", "Ġa", "Ġb", "Ġhe", "Ġshe")]
    assert None not in words
    network = gpt2()
    return network, tokenizer, words


@pytest.mark.parametrize(
    ("before", "base", "spaced"),
    [("the nurse ", "the nurse", True), ("the nurse", "the nurse", False)],
    ids=["space before the gap", "no space"],
)
def test_a_wide_beam_finds_the_best_of_all(
    before: str, base: str, spaced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, tokenizer, words = small()
    model = causal(network, tokenizer)
    monkeypatch.setattr(model._encoder, "special", frozenset(range(360)) - set(words))
    ids = [tokenizer.bos_token_id, *tokenizer(base)["input_ids"]]
    found = fill(model, before, max_tokens=2, top=100).completions
    for length in (1, 2):
        expected: dict[str, float] = {}
        for logprob, tokens in every_continuation(network, ids, length, words):
            text = tokenizer.decode(tokens)
            if not spaced:
                expected.setdefault(text, logprob)
            elif text.startswith(" "):
                expected.setdefault(text[1:], logprob)
        shown = [c for c in found if c.tokens == length]
        assert [c.text for c in shown] == list(expected)
        assert [c.logprob for c in shown] == pytest.approx(list(expected.values()), abs=1e-4)


@both
def test_each_length_is_ranked_by_itself(network: Any, tokenizer: Any) -> None:
    model = causal(network, tokenizer)
    found = fill(model, "the nurse said that ", " was", max_tokens=3, top=4).completions
    assert [c.tokens for c in found] == sorted(c.tokens for c in found)
    for length in (1, 2, 3):
        shown = [c for c in found if c.tokens == length]
        assert 0 < len(shown) <= 4
        assert [c.logprob for c in shown] == sorted((c.logprob for c in shown), reverse=True)
        assert len({c.text for c in shown}) == len(shown)
    for completion in found:
        assert "\ufffd" not in completion.text
        assert completion.text
        whole = total(model, "the nurse said that ", completion.text + " was")
        assert completion.with_after == pytest.approx(whole, abs=1e-4)


REQUESTS = [
    Fill(item="1", before="the nurse said that ", after=" was late", max_tokens=2, top=3),
    Fill(item="2", before="she", top=5),
    Fill(item="3", before="", after=" was", choices=("she", "he")),
    Fill(item="4", before="लड़की ", max_tokens=3, top=2),
]
ALONE = {
    name: [ask(causal(*parts), [request])[0] for request in REQUESTS]
    for name, parts in MODELS.items()
}


@settings(max_examples=20)
@given(
    name=st.sampled_from(sorted(MODELS)),
    order=st.lists(st.integers(0, len(REQUESTS) - 1), min_size=1, max_size=5),
    batch_size=st.sampled_from(["auto", 1, 3]),
)
def test_a_gap_never_depends_on_the_batch(name: str, order: list[int], batch_size: Any) -> None:
    model = causal(*MODELS[name], ModelOptions(batch_size=batch_size))
    for number, answer in zip(order, ask(model, [REQUESTS[n] for n in order]), strict=True):
        expected = ALONE[name][number]
        assert isinstance(answer, Completions)
        assert isinstance(expected, Completions)
        for one, other in zip(answer.completions, expected.completions, strict=True):
            assert (one.text, one.tokens) == (other.text, other.tokens)
            assert one.logprob == pytest.approx(other.logprob, abs=2e-5)
            assert one.with_after == pytest.approx(other.with_after, abs=2e-5)


def test_what_cannot_be_filled_says_why() -> None:
    model = causal(*MODELS["llama"])
    assert "no score" in failure(model, "", choices=("she", "he"), first_token="none")
    assert "no token to start from" in failure(model, "", first_token="none")
    assert "at least one" in failure(model, "she", top=0)
    assert "tokens exceed" in failure(model, "she " * LONGEST)
    nameless = causal(llama(), byte_level(bos=None, eos=None))
    assert "no beginning" in failure(nameless, "she")
