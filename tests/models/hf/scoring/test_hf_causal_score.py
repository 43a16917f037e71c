"""Scores of a causal model: against a plain computation, and whatever the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.core.records import Failed, Message, Score, Scores, TextScore
from epicene.languages.tokenisation import count_words
from epicene.models import ModelOptions
from epicene.models.hf.scoring import routes
from models.hf.tiny_causal import (
    CHATML,
    LONGEST,
    NO_SYSTEM,
    ask,
    byte_level,
    causal,
    gpt2,
    gpt2_like,
    llama,
    metaspace,
    smollm2_like,
)

if TYPE_CHECKING:
    from epicene.models.hf.causal import HfCausal

MODELS = {"llama": (llama(), metaspace()), "gpt2": (gpt2(), gpt2_like())}
both = pytest.mark.parametrize(("network", "tokenizer"), MODELS.values(), ids=MODELS)

TEXTS = (
    "she was tired",
    " he was late",
    "लड़की ने किताब पढ़ी",
    "كتبت الطالبة",
    "a",
    "the doctor said that the nurse said that she was late",
)


def score(model: HfCausal, *texts: str, **settings: Any) -> Scores:
    (answer,) = ask(model, [Score(item="i", texts=texts, **settings)])
    assert isinstance(answer, Scores), answer
    return answer


def failure(model: HfCausal, *texts: str, **settings: Any) -> str:
    (answer,) = ask(model, [Score(item="i", texts=texts, **settings)])
    assert isinstance(answer, Failed), answer
    return answer.reason


def plainly(network: Any, ids: list[int]) -> list[float]:
    """Log-probabilities of all tokens but the first, by one full pass over the sequence alone."""
    with torch.no_grad():
        spread = network(torch.tensor([ids])).logits[0].float().log_softmax(-1)
    return [float(spread[position - 1, token]) for position, token in enumerate(ids) if position]


@both
@pytest.mark.parametrize("context", ["", "the nurse said that"])
def test_log_probabilities_equal_a_plain_computation(
    network: Any, tokenizer: Any, context: str
) -> None:
    answer = score(causal(network, tokenizer), *TEXTS, context=context)
    for text, scored in zip(TEXTS, answer.texts, strict=True):
        ids = [
            tokenizer.bos_token_id,
            *tokenizer(context + text, add_special_tokens=False)["input_ids"],
        ]
        expected = plainly(network, ids)[-len(scored.logprobs) :]
        assert scored.logprobs == pytest.approx(expected, abs=1e-4)
        assert scored.characters == len(text)
        assert scored.words == count_words(text)
    assert answer.method == "causal"
    assert answer.conditioned_on == tokenizer.bos_token


def rows(answer: Any) -> list[float | None]:
    assert isinstance(answer, Scores)
    return [p for text in answer.texts for p in text.logprobs]


REQUESTS = [
    Score(item="1", texts=TEXTS[:2]),
    Score(item="2", texts=TEXTS[2:4], first_token="none"),
    Score(item="3", texts=("she", "he"), context="the nurse said that "),
    Score(item="4", texts=TEXTS[4:]),
    Score(
        item="5",
        texts=(TEXTS[5], TEXTS[5]),
        context="the nurse said that ",
        first_token="tokenizer-default",
    ),
    Score(item="6", texts=(" tired", " late"), context="she was", first_token="none"),
]
ALONE = {
    name: [rows(ask(causal(*parts), [request])[0]) for request in REQUESTS]
    for name, parts in MODELS.items()
}


@settings(max_examples=40)
@given(
    name=st.sampled_from(sorted(MODELS)),
    order=st.lists(st.integers(0, len(REQUESTS) - 1), min_size=1, max_size=8),
    batch_size=st.sampled_from(["auto", 1, 2, 3, 7]),
)
def test_a_score_never_depends_on_the_batch(name: str, order: list[int], batch_size: Any) -> None:
    model = causal(*MODELS[name], ModelOptions(batch_size=batch_size))
    answers = ask(model, [REQUESTS[number] for number in order])
    for number, answer in zip(order, answers, strict=True):
        assert rows(answer) == pytest.approx(ALONE[name][number], abs=2e-5)


def test_equal_sequences_are_run_once() -> None:
    model = causal(llama(), metaspace())
    same = Score(item="i", texts=("she was", "he was"))
    answers = ask(model, [same, msgspec.structs.replace(same, item="j")])
    passes: Any = model.notes()["passes"]
    assert passes["rows"] == 2
    assert answers[0] == answers[1]


def test_the_first_token_has_no_score_under_none() -> None:
    model = causal(llama(), metaspace())
    bare = score(model, "she was tired", first_token="none")
    (text,) = bare.texts
    assert text.logprobs[0] is None
    assert text.tokens == len(text.logprobs) - 1 > 0
    assert bare.conditioned_on == ""
    ids = metaspace()("she was tired", add_special_tokens=False)["input_ids"]
    assert text.logprobs[1:] == pytest.approx(plainly(llama(), ids), abs=1e-4)


def test_a_pair_that_differs_in_an_unscored_token_alone_is_refused() -> None:
    model = causal(llama(), metaspace())
    reason = failure(model, "she said so", "a b", "he said so", first_token="none")
    assert "'he said so' and 'she said so' differ only in their first token" in reason
    # The same pair is fine where that token is scored, and so are texts that are the same.
    score(model, "she said so", "he said so")
    score(model, "she said so", "she said so", first_token="none")
    score(model, " said so", " was so", first_token="none", context="she")


def test_what_cannot_be_scored_says_why() -> None:
    model = causal(llama(), metaspace())
    assert "empty" in failure(model, "she", "")
    assert "no text" in failure(model)
    assert "a single token" in failure(model, "she", first_token="none")
    assert f"exceed the {LONGEST}" in failure(model, "she " * LONGEST)
    nameless = causal(llama(), byte_level(bos=None, eos=None))
    assert "no beginning or end token" in failure(nameless, "she")


def test_a_refused_request_takes_no_other_with_it() -> None:
    model = causal(llama(), metaspace())
    good = Score(item="good", texts=("she was",))
    bad = Score(item="bad", texts=("",))
    first, second, third = ask(model, [good, bad, good])
    assert isinstance(second, Failed)
    assert first == third == score(model, "she was")


CHAT = (
    Message(role="system", content="be brief"),
    Message(role="user", content="who was late?"),
)


@pytest.mark.parametrize(
    ("template", "rendered", "opening"),
    [
        (
            CHATML,
            "<|im_start|>system\nbe brief<|im_end|>\n<|im_start|>user\nwho was late?<|im_end|>\n"
            "<|im_start|>assistant\n",
            "",
        ),
        (NO_SYSTEM, "<|im_start|>[user] be brief\n\nwho was late?\n[model] ", ""),
        ("", "be brief\n\nwho was late?\n\n", "<|im_start|>"),
    ],
    ids=["system role", "no system role", "no template"],
)
def test_a_chat_context_is_rendered_and_not_counted(
    template: str, rendered: str, opening: str
) -> None:
    tokenizer = smollm2_like(template)
    answer = score(causal(llama(), tokenizer), "she was", context=CHAT)
    (text,) = answer.texts
    ids = tokenizer(opening + rendered + "she was", add_special_tokens=False)["input_ids"]
    assert text.logprobs == pytest.approx(plainly(llama(), ids)[-len(text.logprobs) :], abs=1e-4)
    assert text.ends[-1] == text.characters == len("she was")
    assert text.starts[0] == 0
    assert answer.conditioned_on == opening


def test_scores_survive_running_out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "_PACK_WIDTHS", (16,))  # so that there are several packs
    model = causal(llama(), metaspace())
    expected = rows(score(model, *TEXTS))
    limited = causal(llama(), metaspace())
    body = limited._forward._runner.model.model
    forward = body.forward

    def narrow(input_ids: Any, **settings: Any) -> Any:
        if len(input_ids) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
        return forward(input_ids=input_ids, **settings)

    assert limited._forward.route.name == "packed trees"
    monkeypatch.setattr(body, "forward", narrow)
    assert rows(score(limited, *TEXTS)) == pytest.approx(expected, abs=2e-5)
    passes: Any = limited.notes()["passes"]
    assert passes["halvings"] > 0


@pytest.mark.parametrize("tried_before", [True, False])
def test_a_text_too_large_for_memory_fails_alone(
    monkeypatch: pytest.MonkeyPatch, tried_before: bool
) -> None:
    model = causal(llama(), metaspace())
    body = model._forward._runner.model.model
    forward = body.forward

    def short(input_ids: Any, **settings: Any) -> Any:
        if input_ids.shape[1] > 10:
            raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")
        return forward(input_ids=input_ids, **settings)

    if tried_before:
        assert model._forward.route.name == "packed trees"
    monkeypatch.setattr(body, "forward", short)
    requests = [Score(item=text, texts=(text,)) for text in (*TEXTS[:2], TEXTS[5])]
    answers = ask(model, requests)
    assert isinstance(answers[2], Failed)
    assert "memory" in answers[2].reason
    assert all(isinstance(answer, Scores) for answer in answers[:2])


def test_a_model_without_a_separate_head_is_read_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = rows(score(causal(llama(), metaspace()), *TEXTS))
    model = causal(llama(), metaspace())
    network = model._forward._runner.model
    monkeypatch.setattr(network, "get_decoder", lambda: network)
    monkeypatch.setattr(type(network), "base_model", property(lambda self: self))
    assert rows(score(model, *TEXTS)) == pytest.approx(expected, abs=2e-5)
    passes: Any = model.notes()["passes"]
    assert passes["head"] == "all positions"


def test_passes_keep_to_their_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "_PACK_WIDTHS", (16,))
    model = causal(llama(), metaspace())
    expected = rows(score(model, *TEXTS))
    network = model._forward._runner
    body, head = network.model.model, network.model.lm_head
    shapes, heads = [], []
    body.register_forward_pre_hook(
        lambda _, __, given: shapes.append(given["input_ids"].shape), with_kwargs=True
    )
    head.register_forward_pre_hook(lambda _, given: heads.append(given[0].shape[1]))
    monkeypatch.setattr(model._forward._limits, "tokens", 40)
    monkeypatch.setattr(network, "max_positions", 7)
    assert rows(score(model, *TEXTS)) == pytest.approx(expected, abs=2e-5)
    run = [shape for shape in shapes if tuple(shape) != (1, 1)]  # the head's turn reads one token
    assert len(run) > 2
    assert all(lines == 1 or lines * width <= 40 for lines, width in run)
    assert max(heads) == 7


def test_words_follow_the_requests_language() -> None:
    model = causal(llama(), metaspace())
    text: TextScore = score(model, "l'amie", language="fr").texts[0]
    assert text.words == count_words("l'amie", "fr")


def test_a_closed_model_keeps_its_name_and_notes() -> None:
    model = causal(llama(), metaspace())
    score(model, "she was")
    before = model.notes()
    model.close()
    assert model.notes() == before
    assert model.identity.label == "tiny"
