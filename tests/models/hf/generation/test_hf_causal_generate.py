"""Texts of a causal model: the decoding asked for, row by row, whatever the batch."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.core.records import Decoding, Failed, Generate, Message, Texts
from epicene.models import ModelOptions
from models.hf.tiny_causal import (
    CHATML,
    LONGEST,
    NO_SYSTEM,
    OWN_SYSTEM,
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


def write(model: HfCausal, prompt: Any, samples: int = 1, **decoding: Any) -> Texts:
    request = Generate(item="i", prompt=prompt, samples=samples, decoding=Decoding(**decoding))
    (answer,) = ask(model, [request])
    assert isinstance(answer, Texts), answer
    return answer


def failure(model: HfCausal, prompt: Any, samples: int = 1, **decoding: Any) -> str:
    request = Generate(item="i", prompt=prompt, samples=samples, decoding=Decoding(**decoding))
    (answer,) = ask(model, [request])
    assert isinstance(answer, Failed), answer
    return answer.reason


def greedily(network: Any, ids: list[int], count: int) -> list[int]:
    """The likeliest tokens one after another, each by a full pass: no cache, no library."""
    written: list[int] = []
    for _ in range(count):
        with torch.no_grad():
            logits = network(torch.tensor([ids + written])).logits[0, -1]
        written.append(int(logits.argmax()))
    return written


@both
@pytest.mark.parametrize("prompt", ["she was", "लड़की", "the doctor said that"])
def test_greedy_is_the_likeliest_token_each_time(network: Any, tokenizer: Any, prompt: str) -> None:
    answer = write(causal(network, tokenizer), prompt, max_new_tokens=12, exact_length=True)
    bare = deepcopy(network)
    ids = tokenizer(prompt)["input_ids"]
    end = tokenizer.eos_token_id
    written = greedily(bare, ids, 12)
    assert end not in written  # or this test would need to suppress it too
    whole = tokenizer.decode([*tokenizer("a", add_special_tokens=False)["input_ids"], *written])
    assert answer.only == whole[1:]
    assert answer.texts[0].tokens == 12
    assert answer.temperature == 0.0


REQUESTS = [
    Generate(item="1", prompt="she was", decoding=Decoding(max_new_tokens=6)),
    Generate(item="2", prompt="the doctor said that he", decoding=Decoding(max_new_tokens=3)),
    Generate(
        item="3",
        prompt="a",
        samples=3,
        decoding=Decoding(max_new_tokens=7, temperature=1.0, exact_length=True),
    ),
    Generate(
        item="4",
        prompt="लड़की ने",
        samples=2,
        decoding=Decoding(max_new_tokens=5, temperature=0.7, top_k=20, seed=3),
    ),
    Generate(
        item="5",
        prompt="they",
        decoding=Decoding(max_new_tokens=9, temperature=2.0, top_p=0.8, stop=("e", "ा")),
    ),
    Generate(item="6", prompt="", samples=2, decoding=Decoding(max_new_tokens=1, temperature=None)),
]
ALONE = {
    name: [ask(causal(*parts), [request])[0] for request in REQUESTS]
    for name, parts in MODELS.items()
}


@settings(max_examples=20)
@given(
    name=st.sampled_from(sorted(MODELS)),
    order=st.lists(st.integers(0, len(REQUESTS) - 1), min_size=1, max_size=6),
    batch_size=st.sampled_from(["auto", 1, 2, 5]),
)
def test_a_text_never_depends_on_the_batch(name: str, order: list[int], batch_size: Any) -> None:
    model = causal(*MODELS[name], ModelOptions(batch_size=batch_size))
    answers = ask(model, [REQUESTS[number] for number in order])
    assert answers == [ALONE[name][number] for number in order]


def test_samples_and_seeds_differ_and_greedy_samples_do_not() -> None:
    model = causal(*MODELS["llama"])
    drawn = write(model, "she was", samples=4, temperature=1.0, max_new_tokens=8).texts
    assert len({text.text for text in drawn}) == 4
    again = write(model, "she was", samples=4, temperature=1.0, max_new_tokens=8, seed=1).texts
    assert not {text.text for text in drawn} & {text.text for text in again}
    greedy = write(model, "she was", samples=3, max_new_tokens=8).texts
    assert len(greedy) == 3
    assert len(set(greedy)) == 1
    counted: Any = model.notes()["texts"]
    assert counted["written"] == 4 + 4 + 1


def test_each_requests_noise_is_its_own() -> None:
    model = causal(*MODELS["llama"])
    decoding = Decoding(max_new_tokens=8, temperature=1.0)
    asked = [Generate(item=str(i), prompt="she was", decoding=decoding) for i in range(5)]
    answers = ask(model, asked)
    assert len({msgspec.json.encode(answer) for answer in answers}) == 5


def test_exact_length_ends_never() -> None:
    network = deepcopy(llama())
    # Every token but one is an end token, so nothing else could be written.
    network.generation_config.eos_token_id = list(range(359))
    model = causal(network, metaspace())
    assert write(model, "she", max_new_tokens=5).texts[0].finish == "stop"
    (text,) = write(model, "she", max_new_tokens=5, exact_length=True).texts
    assert (text.tokens, text.finish) == (5, "length")


def ending_at(step: int) -> tuple[Any, Any, list[int]]:
    """A model for whose greedy text a token is an end token, the one of that step."""
    network, tokenizer = llama(), metaspace()
    written = greedily(network, tokenizer("the nurse")["input_ids"], 8)
    assert written[step] not in written[:step]
    return deepcopy(network), tokenizer, written


@pytest.mark.parametrize("where", ["generation_config", "config", "tokenizer"])
def test_any_of_several_end_tokens_ends_a_text(where: str) -> None:
    network, tokenizer, written = ending_at(3)
    if where == "generation_config":
        network.generation_config.eos_token_id = [5, written[3]]
    elif where == "config":
        network.config.eos_token_id = written[3]
    else:
        tokenizer = deepcopy(tokenizer)
        tokenizer.eos_token = tokenizer.convert_ids_to_tokens(written[3])
    (text,) = write(causal(network, tokenizer), "the nurse", max_new_tokens=8).texts
    assert (text.tokens, text.finish) == (3, "stop")
    (cut,) = write(causal(network, tokenizer), "the nurse", max_new_tokens=3).texts
    assert (cut.tokens, cut.finish, cut.text) == (3, "length", text.text)


def test_a_stop_string_ends_a_text_before_it() -> None:
    model = causal(*MODELS["gpt2"])
    whole = write(model, "the nurse", max_new_tokens=30, exact_length=True).only
    mark = whole[5:7]
    (text,) = write(model, "the nurse", max_new_tokens=30, stop=(mark, "never there")).texts
    assert text.text == whole[: whole.index(mark)]
    assert text.finish == "stop"
    assert text.tokens < 30


def test_the_models_own_settings_are_off_but_its_temperature() -> None:
    network = deepcopy(llama())
    network.generation_config.temperature = 0.6
    network.generation_config.top_k = 1
    network.generation_config.repetition_penalty = 50.0
    network.generation_config.do_sample = True
    model = causal(network, metaspace())
    own = write(model, "she was", samples=3, temperature=None, max_new_tokens=10)
    assert own.temperature == 0.6
    plain = write(
        causal(*MODELS["llama"]), "she was", samples=3, temperature=0.6, max_new_tokens=10
    )
    # The request is part of the noise, so only the law can be compared: here, that top-k is off.
    assert len({text.text for text in own.texts}) == len({text.text for text in plain.texts}) == 3
    unset = write(causal(*MODELS["llama"]), "she was", temperature=None, max_new_tokens=2)
    assert unset.temperature == 1.0
    greedy = write(model, "she was", max_new_tokens=10)
    assert greedy.texts == write(causal(*MODELS["llama"]), "she was", max_new_tokens=10).texts


def test_room_runs_out_with_the_models_context() -> None:
    model = causal(*MODELS["gpt2"])
    prompt = "z" * (LONGEST - 3)
    (text,) = write(model, prompt, max_new_tokens=10).texts
    assert (text.tokens, text.finish) == (4, "length")  # the last token is not read again
    assert "exactly 10 new tokens" in failure(model, prompt, max_new_tokens=10, exact_length=True)
    assert "tokens exceed the" in failure(model, "z" * (LONGEST + 1))


def test_what_cannot_be_written_says_why() -> None:
    model = causal(*MODELS["llama"])
    assert "at least one" in failure(model, "she", samples=0)
    assert "at least one" in failure(model, "she", max_new_tokens=0)
    assert "exact length" in failure(model, "she", exact_length=True, stop=(".",))
    assert "at least one turn" in failure(model, ())
    assert "negative" in failure(model, "she", temperature=-1.0)
    nameless = causal(llama(), byte_level(bos=None, eos=None))
    assert "no beginning" in failure(nameless, "")


def test_running_out_of_memory_changes_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ask(causal(*MODELS["llama"]), REQUESTS)
    model = causal(*MODELS["llama"])
    network = model._generator._loaded.model
    forward = network.forward

    def narrow(input_ids: Any, **settings: Any) -> Any:
        if len(input_ids) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return forward(input_ids=input_ids, **settings)

    monkeypatch.setattr(network, "forward", narrow)
    assert ask(model, REQUESTS) == expected


# --- chats -----------------------------------------------------------------------------------

SYSTEM = Message(role="system", content="be brief")
USER = Message(role="user", content="who was late?")


def same_as_plain(model: HfCausal, chat: tuple[Message, ...], rendered: str) -> Texts:
    """The answer to a chat, which must be that to its rendering as plain text."""
    answer = write(model, chat, max_new_tokens=6)
    plain = write(model, rendered, max_new_tokens=6)
    assert answer.texts == plain.texts
    return answer


def test_a_chat_goes_through_the_template() -> None:
    model = causal(llama(), smollm2_like(CHATML))
    rendered = "<|im_start|>system\nbe brief<|im_end|>\n<|im_start|>user\nwho was late?<|im_end|>\n"
    opened = rendered + "<|im_start|>assistant\n"
    assert same_as_plain(model, (SYSTEM, USER), opened).system == "own"
    assert write(model, (USER,), max_new_tokens=2).system == ""
    begun = Message(role="assistant", content="it was")
    same_as_plain(model, (SYSTEM, USER, begun), opened + "it was")


def test_a_system_message_without_a_role_goes_to_the_user() -> None:
    model = causal(llama(), smollm2_like(NO_SYSTEM))
    answer = same_as_plain(
        model, (SYSTEM, USER), "<|im_start|>[user] be brief\n\nwho was late?\n[model] "
    )
    assert answer.system == "user"


@pytest.mark.parametrize(
    "template",
    [
        "{% for m in messages %}{% if m['role'] != 'system' %}{{ '[u] ' + m['content'] }}"
        "{% endif %}{% endfor %}{{ '[m] ' }}",
        "{% if messages[0]['role'] == 'system' %}{{ '[u] ' + messages[0]['content'] + '\n\n'"
        " + messages[1]['content'] }}{% else %}{{ '[u] ' + messages[0]['content'] }}{% endif %}"
        "{{ '[m] ' }}",
    ],
    ids=["drops it", "folds it"],
)
def test_a_template_that_drops_or_folds_a_system_message(template: str) -> None:
    model = causal(llama(), smollm2_like(template))
    answer = same_as_plain(model, (SYSTEM, USER), "[u] be brief\n\nwho was late?[m] ")
    assert answer.system == "user"


def test_a_system_prompt_of_the_templates_own_is_noted() -> None:
    model = causal(llama(), smollm2_like(OWN_SYSTEM))
    rendered = (
        "<|im_start|>system\nYou are tiny.<|im_end|>\n<|im_start|>user\nwho was late?<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert same_as_plain(model, (USER,), rendered).system == ""
    assert model.notes()["chat"] == {"template": "own", "inserted system prompt": "You are tiny."}
    plain = causal(llama(), smollm2_like(CHATML))
    write(plain, (USER,), max_new_tokens=1)
    assert plain.notes()["chat"] == {"template": "own"}


def test_a_chat_without_a_template_is_its_contents() -> None:
    model = causal(llama(), gpt2_like())
    assert model.notes()["chat"] == {}
    answer = same_as_plain(model, (SYSTEM, USER), "be brief\n\nwho was late?\n\n")
    assert answer.system == "user"
    assert model.notes()["chat"] == {"template": "none: contents joined by blank lines"}


def test_the_date_in_a_template_is_always_the_same() -> None:
    template = "{{ 'Today is ' + strftime_now('%d %b %Y') + '.' }}" + CHATML
    model = causal(llama(), smollm2_like(template))
    rendered = "Today is 26 Jul 2024.<|im_start|>user\nwho was late?<|im_end|>\n"
    same_as_plain(model, (USER,), rendered + "<|im_start|>assistant\n")


def test_thinking_is_switched_off_where_the_template_can() -> None:
    template = CHATML + "{% if enable_thinking is false %}{{ '<think></think>' }}{% endif %}"
    model = causal(llama(), smollm2_like(template))
    rendered = "<|im_start|>user\nwho was late?<|im_end|>\n<|im_start|>assistant\n<think></think>"
    same_as_plain(model, (USER,), rendered)
    assert model.notes()["chat"] == {"template": "own", "thinking": "switched off"}


def test_a_chat_the_template_refuses_fails() -> None:
    model = causal(llama(), smollm2_like("{{ raise_exception('turns must alternate') }}"))
    assert "turns must alternate" in failure(model, (USER,))
