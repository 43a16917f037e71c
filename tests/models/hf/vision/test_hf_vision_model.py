"""Local image-text models look: the words they write, and how likely each choice is."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image as Pillow

from epicene.core.errors import InputError
from epicene.core.files import ImageFolder
from epicene.core.records import (
    Answer,
    Choice,
    Failed,
    Generate,
    Look,
    Request,
    Score,
    Scores,
    Texts,
)
from epicene.models import Model, ModelOptions, open_model, parse_spec
from epicene.models.hf import open as open_hf
from epicene.models.hf.loading import load_detected
from models.hf.tiny_vision import LLAVA_CHAT, QUERIES, WORDS, save_blip2, save_llava, save_qwen
from models.model_answers import batch_answers
from models.sample_images import claiming, picture

QUESTION = "who is the person in this picture? male, female, neither."
FAMILIES: dict[str, Callable[[Path], Path]] = {
    "blip2": save_blip2,
    "blip2-t5": partial(save_blip2, encodes=True),
    "llava": save_llava,
    "llava-plain": partial(save_llava, chat=False),
    "qwen2": save_qwen,
    "qwen2.5": partial(save_qwen, newer=True),
}
# What each family is to be asked with, where one mark stands for the picture.
PROMPTS = {
    "blip2": f"Question: {QUESTION} Answer:",
    "blip2-t5": f"Question: {QUESTION} Answer:",
    "llava": f"USER: <image>\n{QUESTION} ASSISTANT:",
    "llava-plain": f"USER: <image>\n{QUESTION} ASSISTANT:",
    "qwen2": (
        f"<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>{QUESTION}<|im_end|>\n"
        "<|im_start|>assistant\n"
    ),
}
PROMPTS["qwen2.5"] = PROMPTS["qwen2"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    under = tmp_path_factory.mktemp("vision")
    return {name: save(under / name) for name, save in FAMILIES.items()}


@pytest.fixture(scope="module")
def models(folders: dict[str, Path]) -> dict[str, Model]:
    return {name: open_hf(str(folder), ModelOptions()) for name, folder in folders.items()}


@pytest.fixture
def files(tmp_path: Path) -> ImageFolder:
    return ImageFolder(tmp_path / "images")


def noise(seed: int, width: int = 40, height: int = 30) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    made = io.BytesIO()
    Pillow.fromarray(pixels).save(made, "PNG")
    return made.getvalue()


def look(image: str, **fields: Any) -> Look:
    return Look(item=image, image=image, **{"question": QUESTION, "choices": WORDS, **fields})


def answers(model: Model, files: ImageFolder, *requests: Request) -> list[Answer]:
    return batch_answers(model, *requests, files=files)


def choice(model: Model, files: ImageFolder, data: bytes, **fields: Any) -> Choice:
    (answer,) = answers(model, files, look(files.put(data), **fields))
    assert isinstance(answer, Choice), answer
    return answer


# --- the same by the library's own means -----------------------------------------------------


class ByHand:
    """A model as a person would run it: the parts of its folder, put together without Epicene."""

    def __init__(self, name: str, folder: Path) -> None:
        import transformers
        from transformers.models.auto.image_processing_auto import AutoImageProcessor

        self.name = name
        self.model = transformers.AutoModelForImageTextToText.from_pretrained(folder)
        self.words = transformers.AutoTokenizer.from_pretrained(folder)
        self.eyes = AutoImageProcessor.from_pretrained(folder, backend="pil")

    def inputs(self, data: bytes, after: str = "") -> dict[str, Any]:
        with Pillow.open(io.BytesIO(data)) as opened:
            seen = dict(self.eyes(opened.convert("RGB"), return_tensors="pt"))
        prompt = PROMPTS[self.name] + after
        if self.name.startswith("blip2"):
            marks = [self.words.convert_tokens_to_ids("<image>")] * QUERIES
            ids = marks + self.words(prompt)["input_ids"]
        else:
            mark = "<|image_pad|>" if self.name.startswith("qwen") else "<image>"
            count = 4  # of patches of 8 × 8 in 16 × 16
            if "image_grid_thw" in seen:
                count = int(seen["image_grid_thw"][0].prod()) // 4
            ids = self.words(prompt.replace(mark, mark * count))["input_ids"]
        tensor = torch.tensor([ids])
        typed = {"mm_token_type_ids": (tensor == self.model.config.image_token_id).long()}
        return {
            **seen,
            "input_ids": tensor,
            "attention_mask": torch.ones_like(tensor),
            **(typed if "image_grid_thw" in seen else {}),
        }

    def text(self, data: bytes) -> str:
        inputs = self.inputs(data)
        made = self.model.generate(**inputs, max_new_tokens=32, do_sample=False)[0].tolist()
        prompt = inputs["input_ids"][0].tolist()
        new = made[len(prompt) :] if made[: len(prompt)] == prompt else made
        return str(self.words.decode(new, skip_special_tokens=True)).strip()

    def logprobs(self, data: bytes) -> list[float]:
        return [self._logprob(data, word) for word in WORDS]

    def _logprob(self, data: bytes, word: str) -> float:
        before = self.inputs(data)
        length = before["input_ids"].shape[1]
        if self.name == "blip2-t5":
            own = self.words(word)["input_ids"]
            begun = torch.tensor([[self.words.bos_token_id, *own[:-1]]])
            logits = self.model(**before, decoder_input_ids=begun).logits[0]
        else:
            space = "" if self.name.startswith("qwen") else " "
            whole = self.inputs(data, f"{space}{word}")
            own = whole["input_ids"][0, length:].tolist()
            logits = self.model(**whole).logits[0, length - 1 : -1]
        table = logits.detach().log_softmax(-1)
        return sum(float(table[step, token]) for step, token in enumerate(own))


@pytest.mark.parametrize("name", FAMILIES)
def test_words_and_likelihoods_are_those_of_the_library(
    name: str, folders: dict[str, Path], models: dict[str, Model], files: ImageFolder
) -> None:
    by_hand = ByHand(name, folders[name])
    for seed in range(3):
        found = choice(models[name], files, noise(seed))
        assert found.text == by_hand.text(noise(seed))
        assert found.logprobs == pytest.approx(by_hand.logprobs(noise(seed)), abs=2e-4)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "blip2-t5"])
def test_a_word_that_is_a_choice_is_the_choice(
    name: str, models: dict[str, Model], files: ImageFolder
) -> None:
    found = choice(models[name], files, noise(1))
    assert found.choice == found.text
    assert found.choice in WORDS


@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_seen_tells(name: str, models: dict[str, Model], files: ImageFolder) -> None:
    dark, bright = (choice(models[name], files, picture(40, 30, shade=s)) for s in (0, 255))
    assert dark.logprobs != bright.logprobs


@pytest.mark.parametrize("name", FAMILIES)
def test_an_answer_depends_on_no_other_in_the_batch(
    name: str, models: dict[str, Model], files: ImageFolder
) -> None:
    """Of unlike sizes and questions, and more than go through the model at once."""
    requests = [look(files.put(noise(seed))) for seed in range(5)]
    requests += [look(files.put(noise(9, 90, 20))), look(files.put(noise(3, 28, 56)))]
    requests.append(look(requests[0].image, question="male, female or neither?"))
    together = answers(models[name], files, *requests)
    for request, given in zip(requests, together, strict=True):
        (alone,) = answers(models[name], files, request)
        assert isinstance(given, Choice)
        assert isinstance(alone, Choice)
        assert given.text == alone.text
        assert given.logprobs == pytest.approx(alone.logprobs, abs=1e-3)


def test_choices_of_many_tokens_and_of_one_are_scored_alike(
    folders: dict[str, Path], models: dict[str, Model], files: ImageFolder
) -> None:
    """As a sum over tokens; a choice that begins another is read in the same row."""
    choices = ("male", "male person", "son", "a male person here")
    found = choice(models["llava"], files, noise(4), choices=choices, question="a?")
    by_hand = ByHand("llava", folders["llava"])
    question = "a?\nAnswer with one of these only: " + ", ".join(choices) + "."
    prompt = f"USER: <image>\n{question} ASSISTANT:".replace("<image>", "<image>" * 4)
    expected = []
    for each in choices:
        ids = by_hand.words(f"{prompt} {each}")["input_ids"]
        length = len(by_hand.words(prompt)["input_ids"])
        seen = by_hand.inputs(noise(4))["pixel_values"]
        with torch.inference_mode():
            table = by_hand.model(input_ids=torch.tensor([ids]), pixel_values=seen).logits[0]
        steps = table[length - 1 : -1].log_softmax(-1)
        expected.append(sum(float(s[t]) for s, t in zip(steps, ids[length:], strict=True)))
    assert found.logprobs == pytest.approx(expected, abs=2e-4)


# --- what cannot be looked at ----------------------------------------------------------------


def test_a_temperature_makes_words_vary_and_not_likelihoods(
    models: dict[str, Model], files: ImageFolder
) -> None:
    seen = [noise(seed) for seed in range(4)]
    greedy = [choice(models["llava"], files, data) for data in seen]
    warm = [choice(models["llava"], files, data, temperature=5.0) for data in seen]
    assert [each.text for each in warm] != [each.text for each in greedy]
    assert [each.logprobs for each in warm] == [each.logprobs for each in greedy]
    again = [choice(models["llava"], files, data, temperature=5.0) for data in seen]
    assert again == warm


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"#!/bin/sh", "not a PNG, JPEG or WebP image"),
        (claiming(60_000, 60_000), "far too many pixels"),
        (picture(5000, 4000), "16 megapixels"),
        (noise(0)[:200], "broken"),
    ],
)
def test_what_is_no_image_is_refused_and_the_others_are_seen(
    data: bytes, words: str, models: dict[str, Model], files: ImageFolder
) -> None:
    bad, good = answers(models["llava"], files, look(files.put(data)), look(files.put(noise(1))))
    assert isinstance(bad, Failed)
    assert words in bad.reason
    assert "\n" not in bad.reason
    assert isinstance(good, Choice)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (look("0" * 64), "is missing from the run's files"),
        (look("../../etc/passwd"), "not a SHA-256"),
        (look("0" * 64, choices=()), "no choices"),
    ],
)
def test_a_request_without_image_or_choices_fails(
    request_: Look, words: str, models: dict[str, Model], files: ImageFolder
) -> None:
    (answer,) = answers(models["qwen2"], files, request_)
    assert isinstance(answer, Failed)
    assert words in answer.reason


def test_a_template_without_a_place_for_the_image_fails(
    folders: dict[str, Path], files: ImageFolder, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(folders["llava"], tmp_path / "blind"))
    template = LLAVA_CHAT.replace("<image>", "")
    (copy / "chat_template.jinja").write_text(template)
    model = open_hf(str(copy), ModelOptions())
    (answer,) = answers(model, files, look(files.put(noise(0))))
    assert answer == Failed(reason="the model's prompt has no place for an image")


def test_a_question_that_is_too_long_fails(models: dict[str, Model], files: ImageFolder) -> None:
    request = look(files.put(noise(0)), question=f"{QUESTION} " + "?!" * 120)
    (answer,) = answers(models["llava"], files, request)
    assert isinstance(answer, Failed)
    assert "exceed the 256 tokens that the model can read" in answer.reason


def test_images_are_brought_to_a_bounded_size(
    models: dict[str, Model], files: ImageFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epicene.models.hf.vision import model
    from epicene.models.hf.vision.inputs import make_vision_input

    sizes = []

    def spying(processor: Any, seen: Any, *rest: Any) -> Any:
        sizes.append(seen.size)
        return make_vision_input(processor, seen, *rest)

    monkeypatch.setattr(model, "make_vision_input", spying)
    choice(models["blip2"], files, picture(3000, 1500))
    choice(models["blip2"], files, picture(30, 20))
    assert sizes == [(1024, 512), (30, 20)]


# --- opening ---------------------------------------------------------------------------------


def test_a_folder_says_that_it_sees(folders: dict[str, Path], models: dict[str, Model]) -> None:
    for name, folder in folders.items():
        kind, _ = load_detected(str(folder), ModelOptions())
        assert kind == "image-text"
        assert "look" in models[name].verbs
    assert models["blip2"].verbs == models["blip2-t5"].verbs == {"look"}


def test_a_spec_opens_one(folders: dict[str, Path]) -> None:
    model = open_model(parse_spec(f"hf:{folders['llava']}?label=judge&dtype=bfloat16"))
    assert model.identity.label == "judge"
    assert model.identity.key["dtype"] == "bfloat16"
    assert model.identity.about["reads"] == "image-text"


def test_half_precision_looks(folders: dict[str, Path], files: ImageFolder) -> None:
    for name in ("blip2", "llava", "qwen2"):
        model = open_hf(str(folders[name]), ModelOptions(dtype="float16", batch_size=2))
        found = answers(model, files, *(look(files.put(noise(seed))) for seed in range(3)))
        assert all(isinstance(each, Choice) for each in found)


def test_identity_holds_what_becomes_of_images(
    folders: dict[str, Path], models: dict[str, Model], tmp_path: Path
) -> None:
    def changed(name: str, edit: Callable[[dict[str, Any]], None]) -> bytes:
        copy = Path(shutil.copytree(folders["llava"], tmp_path / name))
        path = copy / "processor_config.json"
        settings = json.loads(path.read_bytes())
        edit(settings)
        path.write_text(json.dumps(settings))
        return open_hf(str(copy), ModelOptions()).identity.digest

    here = models["llava"].identity
    assert changed("moved", lambda _: None) == here.digest
    assert (
        changed("mean", lambda s: s["image_processor"].update(image_mean=[0, 0, 0])) != here.digest
    )
    assert changed("strategy", lambda s: s.update(num_additional_image_tokens=0)) != here.digest


@pytest.mark.parametrize(
    ("name", "unsaid"),
    [
        ("blip2", ("num_query_tokens",)),
        ("llava", ("patch_size", "vision_feature_select_strategy", "num_additional_image_tokens")),
    ],
)
def test_an_older_checkpoint_that_leaves_an_images_tokens_to_the_model_looks_alike(
    name: str,
    unsaid: tuple[str, ...],
    folders: dict[str, Path],
    models: dict[str, Model],
    files: ImageFolder,
    tmp_path: Path,
) -> None:
    copy = Path(shutil.copytree(folders[name], tmp_path / "copy"))
    path = copy / "processor_config.json"
    settings = json.loads(path.read_bytes())
    path.write_text(json.dumps({k: v for k, v in settings.items() if k not in unsaid}))
    older = open_hf(str(copy), ModelOptions())
    assert choice(older, files, noise(2)) == choice(models[name], files, noise(2))


def test_a_model_without_settings_for_its_images_is_refused(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(folders["blip2"], tmp_path / "copy"))
    (copy / "processor_config.json").unlink()
    with pytest.raises(InputError, match=r"image processor of the model .* could not be read"):
        open_hf(str(copy), ModelOptions())


def test_images_never_go_through_torchvision(folders: dict[str, Path]) -> None:

    for folder in folders.values():
        processor = load_detected(str(folder), ModelOptions())[1].processor
        assert type(processor.image_processor).__name__.endswith("Pil")


# --- as text models --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["llava", "qwen2"])
def test_one_that_needs_no_image_is_a_text_model_too(
    name: str, folders: dict[str, Path], models: dict[str, Model], files: ImageFolder
) -> None:
    by_hand = ByHand(name, folders[name])
    scored, written = answers_by_verb(
        models[name],
        files,
        [Score(item="s", texts=("who is male",), first_token="none")],
        [Generate(item="g", prompt="who is")],
    )
    ids = by_hand.words("who is male")["input_ids"]
    with torch.inference_mode():
        table = by_hand.model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
    expected = [float(table[step, token]) for step, token in enumerate(ids[1:])]
    assert isinstance(scored, Scores)
    assert scored.texts[0].logprobs[1:] == pytest.approx(expected, abs=2e-4)
    assert isinstance(written, Texts)
    assert written.only.strip() in WORDS


def answers_by_verb(model: Model, files: ImageFolder, *batches: Sequence[Request]) -> list[Answer]:
    return [answer for batch in batches for answer in answers(model, files, *batch)]
