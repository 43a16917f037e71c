"""Texts written by rows that come and go: the same texts, for less work."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
import torch
import transformers

from epicene.core.records import Decoding, Failed, Generate, Identity, Texts
from epicene.models import ModelOptions
from epicene.models.hf.causal import HfCausal
from epicene.models.hf.generation.continuous_batching import ContinuousBatching
from epicene.models.hf.generation.kv_cache import check_continuous_batching, check_padded_batches
from epicene.models.hf.generation.stepper import Stepper
from epicene.models.hf.loading import LoadedModel
from models.hf.causal_families import FAMILIES, GROUPED, family
from models.hf.tiny_causal import LONGEST, ask, causal, gpt2, gpt2_like, llama
from models.model_answers import NoFiles

RECURRENT = {"mamba", "lfm2", "qwen3_next"}
TEXTS = (
    "she was tired and late",
    "a",
    "the doctor said that he was late",
    "लड़की ने किताब",
    "the nurse said",
)


def request(prompt: str, room: int, samples: int = 1, item: str = "", **how: Any) -> Generate:
    decoding = Decoding(max_new_tokens=room, **how)
    return Generate(item=item or prompt, prompt=prompt, samples=samples, decoding=decoding)


# Of very different lengths, some greedy, some in several samples, some that may end early.
REQUESTS = [
    request(text, 2 + 5 * number, 1 + number % 3, temperature=float(number % 2))
    for number, text in enumerate(TEXTS)
]


def padded_only(model: HfCausal) -> HfCausal:
    """The model, writing as one padded batch after another."""
    vars(model._generator)["_continuous"] = None
    return model


def notes(model: HfCausal) -> dict[str, Any]:
    texts: Any = model.notes()["texts"]
    return dict(texts)


class Watch:
    """Notes how many rows and columns of tokens each pass reads."""

    def __init__(self, model: HfCausal, monkeypatch: pytest.MonkeyPatch) -> None:
        writer = model._generator
        assert writer._continuous is not None  # proved before anything is counted
        self.shapes: list[tuple[int, int]] = []
        network = writer._loaded.model
        forward = network.forward

        def watched(input_ids: Any, **settings: Any) -> Any:
            self.shapes.append(tuple(input_ids.shape))
            return forward(input_ids=input_ids, **settings)

        monkeypatch.setattr(network, "forward", watched)

    @property
    def read(self) -> list[tuple[int, int]]:
        return [shape for shape in self.shapes if shape[1] > 1]

    @property
    def stepped(self) -> list[int]:
        return [rows for rows, columns in self.shapes if columns == 1]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_texts_are_those_of_each_request_alone_in_a_padded_batch(name: str) -> None:
    alone = padded_only(causal(family(name), gpt2_like()))
    expected = [ask(alone, [each])[0] for each in REQUESTS]
    together = causal(family(name), gpt2_like())
    assert ask(together, REQUESTS) == expected
    in_turn = causal(family(name), gpt2_like(), ModelOptions(batch_size=3))
    assert ask(in_turn, REQUESTS) == expected
    if name in RECURRENT:
        assert notes(in_turn)["path"] == "padded batch"
        assert "layers of" in notes(in_turn)["because"]
    else:
        assert notes(in_turn)["path"] == notes(together)["path"] == "continuous batches"
        assert notes(in_turn)["joined"] > 0
        assert notes(in_turn)["prompts"] == notes(together)["prompts"] == len(TEXTS)


def test_samples_of_one_prompt_cost_one_reading_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = "the nurse said that she was tired"
    tokens = len(gpt2_like()(prompt)["input_ids"])
    model = causal(llama(), gpt2_like())
    watch = Watch(model, monkeypatch)
    ask(model, [request(prompt, 6, samples=5, temperature=1.0, exact_length=True)])
    assert watch.read == [(1, tokens)]
    assert watch.stepped == [5] * 5  # the first token comes of the reading
    assert (notes(model)["prompts"], notes(model)["prompt_tokens"]) == (1, tokens)


def test_a_prompt_is_read_once_even_if_its_samples_cannot_begin_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = [
        request("the nurse said", 6, samples=7, temperature=1.0, exact_length=True),
        request("the nurse said", 5, item="other", exact_length=True),
        request("a b c", 4, exact_length=True),
    ]
    expected = [ask(padded_only(causal(llama(), gpt2_like())), [each])[0] for each in asked]
    model = causal(llama(), gpt2_like(), ModelOptions(batch_size=2))
    watch = Watch(model, monkeypatch)
    assert ask(model, asked) == expected
    assert sum(rows for rows, _ in watch.read) == notes(model)["prompts"] == 2
    assert max(watch.stepped) == 2


@pytest.mark.parametrize(
    ("limit", "read"), [(10_000, [(3, 20), (3, 5)]), (24, [(1, 20), (2, 12), (3, 5)])]
)
def test_prompts_that_are_read_together_are_of_similar_length(
    limit: int, read: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = causal(llama(), gpt2_like())
    watch = Watch(model, monkeypatch)
    continuous = model._generator._continuous
    assert continuous is not None
    means = continuous._setup
    limited = replace(means, limits=means.limits._replace(read=limit))
    vars(model._generator)["_continuous"] = ContinuousBatching(limited)
    prompts = ["z" * count for count in (3, 20, 4, 12, 11, 5)]
    ask(model, [request(prompt, 2, exact_length=True) for prompt in prompts])
    assert watch.read == read


def test_a_finished_text_is_not_computed_further(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = [1, 2, 3, 4, 6, 8, 10, 15, 20, 40]
    asked = [request(f"{room} a", room, exact_length=True) for room in rooms]
    model = causal(llama(), gpt2_like())
    watch = Watch(model, monkeypatch)
    ask(model, asked)
    needed = sum(room - 1 for room in rooms)
    assert len(watch.stepped) == max(rooms) - 1
    assert watch.stepped == sorted(watch.stepped, reverse=True)
    assert needed <= sum(watch.stepped) <= needed * 8 / 7


def test_waiting_texts_join_as_soon_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    # In batches of four, longest first, these would take 39 + 9 + 9 steps. The one long text is
    # written while all the others take turns beside it.
    rooms = [40] + [10] * 11
    asked = [
        request(f"{number} b", room, temperature=1.0, exact_length=True)
        for number, room in enumerate(rooms)
    ]
    expected = [ask(padded_only(causal(llama(), gpt2_like())), [each])[0] for each in asked]
    model = causal(llama(), gpt2_like(), ModelOptions(batch_size=4))
    watch = Watch(model, monkeypatch)
    assert ask(model, asked) == expected
    assert len(watch.stepped) == 39
    assert max(watch.stepped) == 4
    assert notes(model)["joined"] == len(rooms) - 4


def test_answers_come_as_they_are_finished() -> None:
    model = causal(llama(), gpt2_like())
    asked = [request(f"{room} c", room, exact_length=True) for room in (30, 2, 9)]
    parts = list(model.answer(iter([list(enumerate(asked))]), NoFiles()))
    assert [[number for number, _ in part] for part in parts] == [[1], [2], [0]]


def test_a_row_that_ends_at_the_last_position_is_not_carried_past_it() -> None:
    asked = [request("z" * (LONGEST - 2), 3, exact_length=True)]
    asked += [request(f"{number} d", 12, exact_length=True) for number in range(12)]
    expected = [ask(padded_only(causal(gpt2(), gpt2_like())), [each])[0] for each in asked]
    assert ask(causal(gpt2(), gpt2_like()), asked) == expected


def test_a_text_too_large_for_memory_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [request("z" * 30, 4), *(request(f"{number} e", 9, 3) for number in range(4))]
    expected = ask(causal(llama(), gpt2_like()), asked)
    model = causal(llama(), gpt2_like())
    assert model._generator._continuous is not None
    network = model._generator._loaded.model
    forward = network.forward

    def narrow(input_ids: Any, **settings: Any) -> Any:
        if input_ids.numel() > 20:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return forward(input_ids=input_ids, **settings)

    monkeypatch.setattr(network, "forward", narrow)
    answers = ask(model, asked)
    assert isinstance(answers[0], Failed)
    assert "more memory than is available" in answers[0].reason
    assert answers[1:] == expected[1:]
    assert notes(model)["halvings"] > 0


def test_memory_that_runs_out_while_writing_changes_no_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = ask(causal(llama(), gpt2_like()), REQUESTS)
    model = causal(llama(), gpt2_like())
    writer = model._generator._continuous
    assert isinstance(writer, ContinuousBatching)
    step = Stepper.step

    def narrow(self: Stepper, rows: Any, tokens: Any) -> Any:
        if len(tokens) * rows.width > 40:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return step(self, rows, tokens)

    monkeypatch.setattr(Stepper, "step", narrow)
    assert ask(model, REQUESTS) == expected
    assert notes(model)["halvings"] > 0


# --- which models are fit for it ---------------------------------------------------------------


def loaded(network: Any) -> LoadedModel:
    identity = Identity(kind="hf", label="tiny", key={})
    return LoadedModel(network, gpt2_like(), torch.device("cpu"), identity, ModelOptions())


def check(network: Any) -> Any:
    return check_continuous_batching(loaded(network), Stepper(loaded(network)))


def test_a_model_that_counts_padding_as_tokens_is_found_out() -> None:
    network = deepcopy(gpt2())
    forward = network.forward

    def careless(
        input_ids: Any, attention_mask: Any = None, position_ids: Any = None, **settings: Any
    ) -> Any:
        return forward(input_ids=input_ids, attention_mask=attention_mask, **settings)

    network.forward = careless
    assert "nats apart" in check(network).obstacle
    model = causal(gpt2(), gpt2_like())
    model._generator._loaded.model.forward = careless
    ask(model, [request("she", 2)])
    assert notes(model)["path"] == "padded batch"
    assert "nats apart" in notes(model)["because"]


def test_a_window_that_forgets_its_padding_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a cache wider than the window shows it."""
    network = deepcopy(family("mistral"))
    assert check(network).obstacle == ""
    forward = network.forward

    def forgetful(input_ids: Any, attention_mask: Any = None, **settings: Any) -> Any:
        if attention_mask.shape[1] > 12:
            attention_mask = torch.ones_like(attention_mask)
        return forward(input_ids=input_ids, attention_mask=attention_mask, **settings)

    network.config.sliding_window = network.model.config.sliding_window = 12
    for layer in network.model.layers:
        layer.self_attn.sliding_window = 12
    assert check(network).obstacle == ""
    monkeypatch.setattr(network, "forward", forgetful)
    assert "nats apart" in check(network).obstacle


def test_a_model_that_fails_the_trial_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> Any:
        raise IndexError("no such position\nand more")

    monkeypatch.setattr(Stepper, "step", failing)
    assert check(llama()).obstacle == "IndexError: no such position"


def test_a_window_too_wide_to_try_limits_a_row() -> None:
    config = transformers.AutoConfig.for_model("mistral", **GROUPED, sliding_window=5000)
    network = transformers.AutoModelForCausalLM.from_config(config).eval()
    assert check(network) == ("", 5000)
    assert check(llama()) == ("", None)


def test_rotary_positions_that_change_with_length_limit_a_row() -> None:
    """Past 20 tokens every position is another, so nothing cached before is of use."""
    rope = {
        "rope_type": "longrope",
        "rope_theta": 10_000.0,
        "short_factor": [1.0] * 4,
        "long_factor": [3.0] * 4,
        "original_max_position_embeddings": 20,
    }
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(
        "phi3",
        **GROUPED,
        max_position_embeddings=LONGEST,
        original_max_position_embeddings=20,
        rope_parameters=rope,
    )
    network = transformers.AutoModelForCausalLM.from_config(config).eval()
    assert check(network) == ("", 20)
    asked = [request("z" * 8, 30, item="long"), request("z" * 8, 10, item="short")]
    expected = [ask(padded_only(causal(network, gpt2_like())), [each])[0] for each in asked]
    model = causal(network, gpt2_like())
    assert ask(model, asked) == expected
    assert notes(model)["prompts"] == 1  # the other's in a padded batch
    answer = expected[0]
    assert isinstance(answer, Texts)
    assert answer.texts[0].tokens > 12


def test_padded_batches_never_read_past_the_last_position() -> None:
    """Rows are read on until the last is finished: these two together would need 112 positions."""
    asked = [request("z" * 60, 4, item="long"), request("zz", LONGEST - 4, item="short")]
    alone = [ask(padded_only(causal(gpt2(), gpt2_like())), [each])[0] for each in asked]
    assert not any(isinstance(each, Failed) for each in alone)
    assert ask(padded_only(causal(gpt2(), gpt2_like())), asked) == alone


def test_a_model_that_mixes_up_the_rows_of_a_batch_writes_one_by_one() -> None:
    """The state that this family's code hands on is that of no row, if there are two."""
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(
        "rwkv", vocab_size=360, hidden_size=32, num_hidden_layers=2, context_length=128
    )
    network = transformers.AutoModelForCausalLM.from_config(config).eval()
    asked = [request(text, 6, item=text) for text in ("zz", "zzzzzz", "yy", "z")]
    expected = [ask(causal(network, gpt2_like()), [each])[0] for each in asked]
    model = causal(network, gpt2_like())
    assert ask(model, asked) == expected
    assert notes(model)["batches"] == "one by one"


def test_a_model_that_looks_at_its_padding_has_prompts_of_one_length_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = padded_only(causal(llama(), gpt2_like()))
    loaded = model._generator._loaded
    assert check_padded_batches(loaded) == "padded"
    own = loaded.model.forward

    def unmasked(attention_mask: Any = None, **settings: Any) -> Any:
        del attention_mask
        return own(**settings)

    monkeypatch.setattr(loaded.model, "forward", unmasked)
    asked = [request(text, 6, item=text) for text in ("zz", "zzzzzz", "yy", "z")]
    expected = [ask(model, [each])[0] for each in asked]
    assert ask(model, asked) == expected
    assert notes(model)["batches"] == "of prompts of one length"


@pytest.mark.parametrize("name", sorted(RECURRENT))
def test_recurrent_families_bear_padded_batches(name: str) -> None:
    assert check_padded_batches(causal(family(name), gpt2_like())._generator._loaded) == "padded"


@pytest.mark.parametrize("at", range(6))
def test_memory_that_runs_out_while_rows_join_changes_no_answer(
    at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ModelOptions(batch_size=3)
    expected = ask(causal(family("llama"), gpt2_like(), options), REQUESTS)
    model = causal(family("llama"), gpt2_like(), options)
    assert model._generator._continuous is not None  # tried before memory runs out
    own, calls = Stepper.rows, iter(range(1000))

    def rows(*args: Any, **settings: Any) -> Any:
        if next(calls) == at:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return own(*args, **settings)

    monkeypatch.setattr(Stepper, "rows", rows)
    batches = iter([list(enumerate(REQUESTS))])
    found = [pair for part in model.answer(batches, NoFiles()) for pair in part]
    assert len(found) == len(REQUESTS)  # each is answered once
    assert [answer for _, answer in sorted(found, key=lambda pair: pair[0])] == expected


def test_a_text_whose_rows_never_fit_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    model = causal(family("llama"), gpt2_like())
    assert model._generator._continuous is not None
    error = torch.OutOfMemoryError("CUDA out of memory")
    monkeypatch.setattr(Stepper, "rows", mock.Mock(side_effect=error))
    (found,) = ask(model, [REQUESTS[0]])
    assert isinstance(found, Failed)
    assert "more memory than is available" in found.reason
