"""NaN and infinite numbers fail their own request, with a reason, on every route.

Stored as null they would read as "not scored", and a broken text would win.
"""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any, get_args

import pytest
import torch

from epicene.core.records import (
    Answer,
    Choice,
    Decoding,
    Fill,
    Generate,
    Look,
    Masking,
    Request,
    Score,
    Scores,
    Translate,
)
from epicene.models import ModelOptions
from epicene.models.hf import open as open_hf
from epicene.models.hf.generation.decoding import sampling_temperature
from epicene.models.hf.masked import HfMasked
from epicene.models.hf.non_finite import NumberFormat, shorten
from epicene.models.hf.scoring.prefix_routes import CachedPrefixRoute, MaskLayout, PackedTreeRoute
from epicene.models.hf.scoring.routes import PaddedRoute
from epicene.models.hf.seq2seq import HfSeq2Seq
from models.hf import tiny_masked, tiny_seq2seq
from models.hf.tiny_causal import ask, causal, gpt2_like, llama
from models.hf.tiny_vision import save_llava
from models.model_answers import assert_alike, batch_answers, reason
from models.sample_images import picture

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.models.hf.causal import HfCausal

BROKEN = " they"  # one token, in none of the other texts
CONTEXT = "the nurse said that"
TEXTS = (" she was tired", " he was late", " she was", " he")
SAMPLED = Decoding(max_new_tokens=6, temperature=1.0, top_k=50)


def token(tokenizer: Any, text: str = BROKEN) -> int:
    (found,) = tokenizer(text, add_special_tokens=False)["input_ids"]
    return int(found)


def with_broken_token(model: Any, number: int, value: float = math.nan) -> Any:
    """A copy whose input embedding of one token is not finite."""
    broken = copy.deepcopy(model)
    broken.get_input_embeddings().weight.data[number] = value
    return broken


def all_nan(model: Any) -> Any:
    broken = copy.deepcopy(model)
    for weight in broken.parameters():
        weight.data.fill_(math.nan)
    return broken


def score(*texts: str, **fields: Any) -> Score:
    return Score(item="i", texts=texts, context=CONTEXT, **fields)


def overflowing() -> Any:
    """In float16, with logits beyond its largest number."""
    model = copy.deepcopy(llama())
    model.lm_head.weight.data *= 1e4 / model.lm_head.weight.data.abs().max()
    model.model.norm.weight.data *= 1e3
    return model.half()


ROUTES = {
    "packed": lambda runner, limits: PackedTreeRoute(runner, limits, MaskLayout(), min_nodes=0),
    "cached": CachedPrefixRoute,
    "padded": PaddedRoute,
    "trial": None,
}


def routed(model: Any, route: str) -> HfCausal:
    """A model whose rows go by that route."""
    opened = causal(model, gpt2_like())
    forward = opened._forward
    if make := ROUTES[route]:
        forward.__dict__["route"] = make(forward._runner, forward._limits)
    return opened


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("route", ROUTES)
def test_a_broken_token_fails_its_own_request_on_every_scoring_route(
    route: str, value: float
) -> None:
    model = with_broken_token(llama(), token(gpt2_like()), value)
    requests: list[Request] = [score(text) for text in TEXTS]
    requests += [score(f"{BROKEN} were late", " she was tired"), score(*TEXTS, decoding=SAMPLED)]
    sound = ask(routed(llama(), route), requests)
    found = ask(routed(model, route), requests)
    assert_alike([*found[:4], found[5]], [*sound[:4], sound[5]])
    assert "of ' they were late' came out as nan in float32; the model's weights" in reason(
        found[4]
    )


def test_a_broken_padding_token_spoils_no_other_row() -> None:
    """Rows are padded with token 0, and a weight of 0 times NaN is NaN."""
    requests: list[Request] = [score(text, first_token="tokenizer-default") for text in TEXTS]
    assert 0 not in gpt2_like()(CONTEXT + "".join(TEXTS))["input_ids"]
    model = with_broken_token(llama(), 0)
    for route in ROUTES:
        # The beginning token is token 0 too, so a text behind it fails.
        found = ask(routed(model, route), [*requests, Score(item="i", texts=("she",))])
        sound = ask(routed(llama(), route), requests)
        assert_alike(found[:4], sound)
        assert "token 1" in reason(found[4])


@pytest.mark.parametrize("broken", [all_nan(llama()), overflowing()], ids=["nan", "float16"])
def test_nothing_is_answered_by_a_model_without_finite_numbers(broken: Any) -> None:
    requests: list[Request] = [
        score(*TEXTS),
        score(*TEXTS, decoding=SAMPLED),
        Fill(item="i", before=f"{CONTEXT} ", after=" was late", top=3, max_tokens=2),
        Fill(item="i", before=CONTEXT, choices=(" she", " he")),
        Generate(item="i", prompt=CONTEXT, decoding=Decoding(max_new_tokens=4)),
        Generate(item="i", prompt=CONTEXT, samples=2, decoding=SAMPLED),
    ]
    model = causal(broken, gpt2_like())
    dtype = str(broken.dtype).removeprefix("torch.")
    advice = "try --dtype float32" if dtype == "float16" else "weights are broken"
    for request in requests:
        (answer,) = ask(model, [request])
        assert f" in {dtype}; " in reason(answer)
        assert advice in reason(answer)


@pytest.mark.parametrize("route", ROUTES)
def test_a_broken_token_fails_its_own_gap(route: str) -> None:
    model = with_broken_token(llama(), token(gpt2_like()))
    requests: list[Request] = [
        Fill(item="i", before="the nurse said ", top=4, max_tokens=2),
        Fill(item="i", before=f"{BROKEN} said ", top=4),
        Fill(item="i", before=CONTEXT, after=" was late", choices=(" she", " he")),
        Fill(item="i", before=CONTEXT, after=" was late", choices=(" she", BROKEN)),
    ]
    found = ask(routed(model, route), requests)
    sound = ask(routed(llama(), route), requests)
    if not any(BROKEN.strip() in each.text for each in getattr(sound[0], "completions", ())):
        assert_alike(found[:1], sound[:1])
    assert_alike(found[2:3], sound[2:3])
    assert "token 1 of the gap after ' they said ' came out as nan" in reason(found[1])
    assert "of ' they was late' came out as nan" in reason(found[3])


def test_a_gap_is_not_filled_where_one_logit_is_infinite() -> None:
    """The token itself may not be among those allowed."""
    model = copy.deepcopy(llama())
    model.lm_head.weight.data[gpt2_like().eos_token_id] = math.inf
    (answer,) = ask(causal(model, gpt2_like()), [Fill(item="i", before="the nurse said ", top=4)])
    assert "came out as nan" in reason(answer)


@pytest.mark.parametrize("decoding", [Decoding(max_new_tokens=6), SAMPLED])
@pytest.mark.parametrize("continuous", [True, False])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_broken_prompt_fails_beside_texts_that_are_not_changed(
    continuous: bool, decoding: Decoding, value: float
) -> None:
    """The run ended with an internal error in sampling."""
    prompts = [CONTEXT, f"the doctor said that{BROKEN}", "a b c", "la maîtresse est arrivée"]
    requests: list[Request] = [
        Generate(item="i", prompt=prompt, samples=2, decoding=decoding) for prompt in prompts
    ]

    def generated(model: Any) -> list[Answer]:
        opened = causal(model, gpt2_like())
        if not continuous:
            opened._generator.__dict__["_continuous"] = None
        return ask(opened, requests)

    sound, found = generated(llama()), generated(with_broken_token(llama(), token(gpt2_like())))
    assert [found[0], *found[2:]] == [sound[0], *sound[2:]]
    assert "new token 1 for the prompt 'the doctor said that they'" in reason(found[1])


def test_a_text_fails_at_the_token_that_cannot_be_chosen() -> None:
    """A token that was written and then read back is broken."""
    logits = llama()(torch.tensor([gpt2_like()(CONTEXT)["input_ids"]])).logits
    written = int(logits[0, -1].argmax())
    model = causal(with_broken_token(llama(), written), gpt2_like())
    (failed,) = ask(
        model, [Generate(item="i", prompt=CONTEXT, decoding=Decoding(max_new_tokens=3))]
    )
    assert "new token 2 for the prompt" in reason(failed)


@pytest.mark.parametrize("temperature", [math.nan, math.inf, 1e-40])
def test_nothing_is_drawn_at_a_temperature_that_is_no_number(temperature: float) -> None:
    request = Generate(item="i", prompt=CONTEXT, decoding=Decoding(temperature=temperature))
    (answer,) = ask(causal(llama(), gpt2_like()), [request])
    assert "nothing can be sampled at a temperature" in reason(answer)
    assert sampling_temperature(Decoding(temperature=1e-20), None) == 1e-20


# --- masked ----------------------------------------------------------------------------------


@pytest.mark.parametrize("masking", get_args(Masking))
@pytest.mark.parametrize("family", ["bert", "fnet"])
def test_a_broken_token_fails_its_own_request_under_every_masking(
    family: str, masking: Masking
) -> None:
    own, tokenizer = tiny_masked.model_and_tokenizer(family)
    number = tokenizer.convert_tokens_to_ids("teach" if family == "bert" else "▁teach")
    requests: list[Request] = [
        Score(item="i", texts=("she is happy", "he"), masking=masking),
        Score(item="i", texts=("the teacher is happy", "he is"), masking=masking),
        Score(item="i", texts=("he is",), masking=masking),
    ]
    sound = batch_answers(HfMasked(tiny_masked.loaded(family)), *requests)
    broken = HfMasked(tiny_masked.loaded(family, with_broken_input(own, number)))
    found = batch_answers(broken, *requests)
    assert [found[0], found[2]] == [sound[0], sound[2]]
    assert "of 'the teacher is happy' came out as nan in float32" in reason(found[1])


def with_broken_input(model: Any, number: int) -> Any:
    """A broken input embedding, where the output embedding is the same matrix and is not broken."""
    broken = copy.deepcopy(model)
    inputs = broken.get_input_embeddings()
    inputs.weight = torch.nn.Parameter(inputs.weight.data.clone())
    inputs.weight.data[number] = math.nan
    return broken


def test_a_broken_padding_token_spoils_no_masked_row() -> None:
    own, tokenizer = tiny_masked.model_and_tokenizer("bert")
    requests: list[Request] = [
        Score(item="i", texts=("she is happy", "he")),
        Fill(item="i", before="she ", after=" happy", top=3),
        Fill(item="i", before="she ", after=" happy", choices=("is", "teacher")),
    ]
    sound = batch_answers(HfMasked(tiny_masked.loaded("bert")), *requests)
    model = HfMasked(tiny_masked.loaded("bert", with_broken_input(own, tokenizer.pad_token_id)))
    model._forward.__dict__["_may_pad"] = True
    assert_alike(batch_answers(model, *requests), sound)


def test_no_gap_is_filled_by_a_masked_model_without_finite_numbers() -> None:
    own, _ = tiny_masked.model_and_tokenizer("bert")
    found = batch_answers(
        HfMasked(tiny_masked.loaded("bert", all_nan(own))),
        Fill(item="i", before="she ", after=" happy", top=3, max_tokens=2),
        Fill(item="i", before="she ", after=" happy", choices=("is", "teacher")),
        Score(item="i", texts=("she is happy",)),
    )
    assert "token 1 of the gap after 'she ' came out as nan" in reason(found[0])
    assert "of 'is' came out as nan" in reason(found[1])
    assert "of 'she is happy' came out as nan" in reason(found[2])


# --- sequence to sequence --------------------------------------------------------------------


@pytest.mark.parametrize("beams", [1, 3])
@pytest.mark.parametrize("verb", ["translate", "generate"])
def test_a_broken_source_fails_beside_translations_that_are_not_changed(
    verb: str, beams: int
) -> None:
    model, tokenizer = tiny_seq2seq.t5()
    broken = copy.deepcopy(model)
    broken.encoder.embed_tokens = copy.deepcopy(broken.encoder.embed_tokens)
    broken.encoder.embed_tokens.weight = torch.nn.Parameter(broken.shared.weight.data.clone())
    broken.encoder.embed_tokens.weight.data[tokenizer.convert_tokens_to_ids("z")] = math.nan
    sources = ["she is late", "a zebra", "he", "they are here and not there"]
    decoding = Decoding(max_new_tokens=6)

    def request(text: str) -> Request:
        if verb == "generate":
            return Generate(item="i", prompt=text, samples=2, decoding=SAMPLED)
        return Translate(item="i", text=text, language="en", into="fr", decoding=decoding)

    def answered(some: Any) -> list[Answer]:
        some = copy.deepcopy(some)
        some.generation_config.num_beams = beams
        opened = HfSeq2Seq(tiny_seq2seq.loaded(some, tokenizer))
        return batch_answers(opened, *map(request, sources))

    sound, found = answered(model), answered(broken)
    assert [found[0], *found[2:]] == [sound[0], *sound[2:]]
    assert "new token 1 for the prompt" in reason(found[1])
    assert "came out as nan in float32" in reason(found[1])


# --- looking ---------------------------------------------------------------------------------


def test_a_broken_question_fails_beside_looks_that_are_not_changed(tmp_path: Path) -> None:
    """The log-probabilities of its choices were null, and the run could not be read any more."""
    from epicene.core.files import ImageFolder

    files = ImageFolder(tmp_path / "files")
    image = files.put(picture())
    opened, broken = (
        open_hf(str(save_llava(tmp_path / name)), ModelOptions()) for name in ("a", "b")
    )
    loaded = broken._looker._loaded  # type: ignore[attr-defined]
    number = loaded.processor.tokenizer("~", add_special_tokens=False)["input_ids"][0]
    loaded.model.get_input_embeddings().weight.data[number] = math.nan
    requests = [
        Look(item="i", image=image, question=question, choices=("male", "female"))
        for question in ("who is this?", "who ~ this?", "who?")
    ]
    sound = batch_answers(opened, *requests, files=files)
    found = batch_answers(broken, *requests, files=files)
    assert isinstance(sound[0], Choice)
    assert [found[0], found[2]] == [sound[0], sound[2]]
    assert "('male') of 'male' came out as nan" in reason(found[1]).replace("' male'", "'male'")


# --- messages --------------------------------------------------------------------------------


def test_the_advice_depends_on_the_number_format() -> None:
    assert NumberFormat("bfloat16").advice(math.nan) == "try --dtype float32"
    assert NumberFormat("float16", "4bit").advice(math.inf) == "try without --quantize"
    assert "weights are broken" in NumberFormat("float32").advice(math.inf)
    assert "zero probability" in NumberFormat("float32").advice(-math.inf)
    assert str(NumberFormat("float16", "8bit")) == "float16, 8bit"


def test_a_token_without_any_probability_cannot_be_scored() -> None:
    """There is no number for it: null would read as not scored."""
    model = copy.deepcopy(llama())
    number = token(gpt2_like())
    head = model.lm_head.forward

    def without(states: Any) -> Any:
        logits = head(states)
        logits[..., number] = -math.inf
        return logits

    model.lm_head.forward = without
    opened = causal(llama(), gpt2_like())
    opened._forward._runner.model.lm_head.forward = without
    found = ask(opened, [score(BROKEN), score(" she was"), score(BROKEN, decoding=SAMPLED)])
    assert "(' they') of ' they' came out as -inf" in reason(found[0])
    assert "zero probability" in reason(found[2])
    assert isinstance(found[1], Scores)


def test_long_texts_are_shortened() -> None:
    assert shorten("a" * 61) == repr("a" * 60) + "…"
    assert shorten("b" + "a" * 60, end=True) == "…" + repr("a" * 60)
    assert shorten("short") == "'short'"
