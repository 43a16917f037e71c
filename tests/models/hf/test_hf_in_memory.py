"""A loaded transformers model answers as the same weights in a folder do, and stays as it was."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch

from epicene.core.errors import InputError, RunError
from epicene.core.files import ImageFolder
from epicene.core.records import (
    Decoding,
    Failed,
    Fill,
    Generate,
    Look,
    Message,
    Request,
    Score,
    Translate,
    to_json,
)
from epicene.models import Model, ModelOptions, hf
from epicene.models.hf.in_memory import InMemoryModel
from models.hf.tiny_causal import gpt2, gpt2_like, llama, metaspace, save, smollm2_like
from models.hf.tiny_masked import model_and_tokenizer
from models.hf.tiny_seq2seq import marian, nllb, t5
from models.hf.tiny_vision import save_llava
from models.model_answers import batch_answers
from models.sample_images import picture

CHAT = (Message(role="system", content="Be brief."), Message(role="user", content="she was"))
SAMPLED = Decoding(max_new_tokens=6, temperature=0.9, top_k=20, top_p=0.9, seed=3)
CAUSAL: list[Request] = [
    Score(texts=("she was tired", "he was late"), context="the nurse said that "),
    Score(texts=("लड़की ने किताब पढ़ी", "a b"), first_token="tokenizer-default"),
    Score(texts=("the doctor",), context=CHAT, decoding=SAMPLED),
    Fill(before="the nurse said that ", after=" was tired", choices=("she", "he")),
    Fill(before="the nurse said", max_tokens=2, top=4),
    Generate(prompt="the nurse", decoding=Decoding(max_new_tokens=8)),
    Generate(prompt=CHAT, samples=3, decoding=SAMPLED),
    Generate(prompt="", decoding=Decoding(max_new_tokens=3, temperature=None)),
]
MASKED: list[Request] = [
    Score(texts=("the teacher said she is happy.", "the teacher is."), masking="within-word"),
    Score(texts=("she is",), masking="whole-word", context="the teacher said "),
    Fill(before="the teacher said ", after=" is", choices=("she", "he")),
    Fill(before="the", after=" is", max_tokens=2, top=3),
]
SEQ2SEQ: list[Request] = [
    Translate(text="he reads.", language="en", into="fr", decoding=Decoding(max_new_tokens=8)),
    Generate(prompt="he reads a book", samples=2, language="en", decoding=SAMPLED),
]
MARIAN: list[Request] = [
    Translate(text="he reads.", language="en", into="de", decoding=Decoding(max_new_tokens=8)),
]

PAIRS: dict[str, tuple[Callable[[Path], tuple[Any, Any]], list[Request]]] = {
    "llama": (lambda _: (llama(), metaspace()), CAUSAL),
    "llama-bytes": (lambda _: (llama(), smollm2_like()), CAUSAL),
    "gpt2": (lambda _: (gpt2(), gpt2_like()), CAUSAL),
    "bert": (lambda _: model_and_tokenizer("bert"), MASKED),
    "deberta": (lambda _: model_and_tokenizer("deberta"), MASKED),
    "t5": (lambda _: t5(), SEQ2SEQ),
    "nllb": (lambda _: nllb(), SEQ2SEQ),
    "marian": (marian, MARIAN),
}


def by_verb(model: Model, requests: list[Request]) -> list[bytes]:
    """The answers as they would be stored; the batches of a run hold requests of one verb."""
    found = []
    for kind in {type(request): None for request in requests}:
        found += batch_answers(model, *[each for each in requests if type(each) is kind])
    assert not [answer for answer in found if isinstance(answer, Failed)]
    return [to_json(answer) for answer in found]


def state_of(model: Any) -> tuple[Any, ...]:
    """What a user would see change."""
    own = getattr(model, "generation_config", None)
    return (
        [(name, module.training) for name, module in model.named_modules()],
        [
            (name, p.requires_grad, p.grad, p.device, p.dtype, p.is_inference())
            for name, p in model.named_parameters()
        ],
        model.state_dict().keys(),
        model.config.to_dict(),
        id(own),
        own and own.to_dict(),
    )


@pytest.mark.parametrize("name", PAIRS)
def test_the_answers_are_those_of_the_folder(name: str, tmp_path: Path) -> None:
    make, requests = PAIRS[name]
    made, made_tokenizer = make(tmp_path)
    folder = save(tmp_path / "m", made, made_tokenizer)
    opened = hf.open(str(folder), ModelOptions())
    expected = by_verb(opened, requests)
    opened.close()

    # As a user loads it. Weights that were made in memory are aligned differently there, and
    # kernels then round differently in the last digit.
    model = type(made).from_pretrained(folder)
    tokenizer = type(made_tokenizer).from_pretrained(folder)
    model.train()
    next(iter(model.children())).eval()  # a mode of its own, which must come back
    before, weights = state_of(model), deepcopy(model.state_dict())
    for _ in range(2):
        held = InMemoryModel(model, tokenizer, ModelOptions())
        assert held.verbs == opened.verbs
        assert by_verb(held, requests) == expected
        held.close()
    assert state_of(model) == before
    assert all(torch.equal(values, weights[key]) for key, values in model.state_dict().items())


def test_an_image_text_model_answers_as_its_folder_does(tmp_path: Path) -> None:
    from transformers import AutoModelForImageTextToText, AutoProcessor
    from transformers.models.auto.image_processing_auto import AutoImageProcessor

    folder = save_llava(tmp_path)
    images = ImageFolder(tmp_path / "images")
    shown = images.put(picture(20, 12, shade=180))
    look = Look(image=shown, question="Who is it?", choices=("male", "female"))
    score = Score(texts=("a male", "a female"))
    opened = hf.open(str(folder), ModelOptions())
    processor = AutoProcessor.from_pretrained(folder)
    processor.image_processor = AutoImageProcessor.from_pretrained(folder, backend="pil")
    model = AutoModelForImageTextToText.from_pretrained(folder)
    held = InMemoryModel(model, processor, ModelOptions())
    assert held.verbs == opened.verbs
    for request in (look, score):
        assert batch_answers(held, request, files=images) == batch_answers(
            opened, request, files=images
        )
    with pytest.raises(InputError, match="pass its processor"):
        InMemoryModel(model, processor.tokenizer, ModelOptions())


def test_the_tokenizer_stays_as_it_was() -> None:
    model, tokenizer = deepcopy(nllb())
    tokenizer(["a", "a b c"], padding=True, truncation=True, max_length=5)
    before = tokenizer.backend_tokenizer.to_str(), tokenizer.src_lang
    batch_answers(InMemoryModel(model, tokenizer, ModelOptions()), *SEQ2SEQ[:1])
    assert (tokenizer.backend_tokenizer.to_str(), tokenizer.src_lang) == before


def test_what_the_user_last_tokenised_does_not_matter() -> None:
    model, tokenizer = deepcopy((llama(), metaspace()))
    first = InMemoryModel(model, tokenizer, ModelOptions())
    expected = by_verb(first, CAUSAL)
    tokenizer(["a", "a b c"], truncation=True, max_length=2)
    second = InMemoryModel(model, tokenizer, ModelOptions())
    assert second.identity == first.identity
    assert by_verb(second, CAUSAL) == expected


def test_the_identity_follows_weights_settings_tokenizer_and_dtype(tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = deepcopy((llama(), metaspace()))
    first = InMemoryModel(model, tokenizer, ModelOptions()).identity
    assert first.label == "LlamaForCausalLM (in memory)"

    save(tmp_path / "m", model, tokenizer)
    again = AutoModelForCausalLM.from_pretrained(tmp_path / "m")
    its_tokenizer = AutoTokenizer.from_pretrained(tmp_path / "m")
    assert InMemoryModel(again, its_tokenizer, ModelOptions()).identity.digest == first.digest

    def differs(version: str = "", **changes: Any) -> list[str]:
        changed = {"model": model, "tokenizer": tokenizer, **changes}
        made = InMemoryModel(changed["model"], changed["tokenizer"], ModelOptions(), version)
        return first.differs_in(made.identity)

    assert differs(version="2") == ["version"]
    assert differs(tokenizer=metaspace(adds=False)) == ["tokenizer"]
    assert differs(model=deepcopy(model).to(torch.bfloat16)) == ["dtype", "weights"]
    other = deepcopy(model)
    other.config.rms_norm_eps *= 2
    assert differs(model=other) == ["settings"]
    other = deepcopy(model)
    other.generation_config.temperature = 0.5
    assert differs(model=other) == ["settings"]
    with torch.no_grad():
        model.lm_head.weight.data[3, 2] += 1e-6
    assert differs() == ["weights"]


def test_a_model_is_asked_with_the_weights_it_has_now() -> None:
    """Keys and values of a long shared beginning are kept for a run, and must not outlive it."""
    model, tokenizer = deepcopy((llama(), smollm2_like()))
    context = "she he they " * 13
    requests = [
        Score(texts=(" ".join([*some, "a"]),), context=context)
        for some in product(("she", "he", "they", "a", "b", "c", "was"), repeat=3)
    ]
    held = InMemoryModel(model, tokenizer, ModelOptions())
    before = batch_answers(held, *requests)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.data.mul_(1.3)  # which the counters of autograd do not see
    after = batch_answers(held, *requests)
    fresh = batch_answers(InMemoryModel(model, tokenizer, ModelOptions()), *requests)
    assert after == fresh
    assert after != before


def test_training_goes_on_after_answers() -> None:
    model, tokenizer = deepcopy((llama(), metaspace()))
    model.train()
    held = InMemoryModel(model, tokenizer, ModelOptions())
    by_verb(held, CAUSAL)
    ids = torch.tensor([[3, 5, 7, 9]])
    model(input_ids=ids, labels=ids).loss.backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


def test_the_mode_comes_back_when_the_caller_stops_half_way() -> None:
    model, tokenizer = deepcopy((llama(), metaspace()))
    own = model.train().generation_config
    answering = InMemoryModel(model, tokenizer, ModelOptions()).answer(
        iter([[(0, CAUSAL[0])], [(1, CAUSAL[0])]]), ImageFolder(Path())
    )
    next(iter(answering))
    assert not model.training
    answering.close()  # type: ignore[attr-defined]
    assert model.training
    assert model.generation_config is own


def test_a_model_that_was_moved_is_refused() -> None:
    model, tokenizer = deepcopy((llama(), metaspace()))
    held = InMemoryModel(model, tokenizer, ModelOptions())
    model.to(torch.bfloat16)
    with pytest.raises(RunError, match="another device or dtype after it was opened"):
        batch_answers(held, CAUSAL[0])


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: (llama().model, metaspace()), "no language-model head; load it with AutoModelFor"),
        (lambda: (llama(), None), "needs its tokenizer"),
        (lambda: (t5()[0].get_encoder(), t5()[1]), "no language-model head"),
    ],
)
def test_what_cannot_be_asked_is_refused(make: Callable[[], tuple[Any, Any]], match: str) -> None:
    with pytest.raises(InputError, match=match):
        InMemoryModel(*make(), ModelOptions())
