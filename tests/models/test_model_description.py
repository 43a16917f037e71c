"""The identity of a local model before its weights are loaded is the one it has afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epicene.core.errors import InputError
from epicene.models import ModelOptions, describe_model, diffusion, hf, open_model, parse_spec
from models.hf.tiny_causal import gpt2, gpt2_like, llama, metaspace, save, smollm2_like
from models.hf.tiny_gguf import write_gguf
from models.hf.tiny_masked import model_and_tokenizer
from models.hf.tiny_seq2seq import t5
from models.hf.tiny_vision import save_blip2, save_llava, save_qwen
from models.tiny_diffusion import save_pipeline


def pair(folder: Path, made: tuple[Any, Any]) -> Path:
    return save(folder, *made)


MAKERS: dict[str, Callable[[Path], Path]] = {
    "llama": lambda folder: pair(folder, (llama(), metaspace())),
    "gpt2": lambda folder: pair(folder, (gpt2(), gpt2_like())),
    "bert": lambda folder: pair(folder, model_and_tokenizer("bert")),
    "t5": lambda folder: pair(folder, t5()),
    "gguf": lambda folder: write_gguf(
        folder / "tiny.gguf", llama(), smollm2_like(""), add_bos=True
    ),
    "llava": save_llava,
    "qwen": save_qwen,
    "blip-2": save_blip2,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_model_is_what_was_foreseen(kind: str, tmp_path: Path) -> None:
    tmp_path.joinpath("m").mkdir()
    path = MAKERS[kind](tmp_path / "m")
    for options in (ModelOptions(), ModelOptions(dtype="bfloat16", label="x")):
        foreseen = hf.describe(str(path), options)
        assert foreseen is not None
        model = hf.open(str(path), options)
        assert (foreseen.identity, foreseen.verbs) == (model.identity, model.verbs)
        model.close()


def test_a_pipeline_is_as_described(tmp_path: Path) -> None:
    folder = save_pipeline(tmp_path)
    foreseen = describe_model(parse_spec(f"diffusers:{folder}"))
    assert foreseen is not None
    model = diffusion.open(str(folder), ModelOptions())
    assert (foreseen.identity, foreseen.verbs) == (model.identity, model.verbs)


def test_a_description_reads_no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import PreTrainedModel

    folder = save(tmp_path / "m", llama(), metaspace())
    drawn = save_pipeline(tmp_path / "d")

    def loaded(*_: Any, **__: Any) -> None:
        raise AssertionError("weights were loaded")

    monkeypatch.setattr(PreTrainedModel, "from_pretrained", loaded)
    assert hf.describe(str(folder), ModelOptions()) is not None
    assert diffusion.describe(str(drawn), ModelOptions()) is not None


def test_what_files_show_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    folder = save(tmp_path / "m", llama(), metaspace())
    for options, words in (
        (ModelOptions(device="moon"), "There is no device 'moon'"),
        (ModelOptions(quantize="4bit"), "bitsandbytes"),
    ):
        with pytest.raises(InputError, match=words):
            hf.describe(str(folder), options)
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(InputError, match="could not be read"):
        hf.describe(str(folder), ModelOptions())


def test_a_hub_model_is_foreseen_once_its_weights_are_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    commit = "0123456789abcdef0123456789abcdef01234567"
    snapshot = tmp_path / "models--tiny--llama" / "snapshots" / commit
    save(snapshot, llama(), metaspace())
    refs = tmp_path / "models--tiny--llama" / "refs"
    refs.mkdir()
    (refs / "main").write_text(commit)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    foreseen = hf.describe("tiny/llama", ModelOptions())
    assert foreseen is not None
    assert foreseen.identity == hf.open("tiny/llama", ModelOptions()).identity
    weights = snapshot / "model.safetensors"
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (snapshot / "model.safetensors.index.json").write_text(json.dumps(index))
    weights.rename(snapshot / "model-1.safetensors")
    assert hf.describe("tiny/llama", ModelOptions()) is None
    (snapshot / "model.safetensors.index.json").unlink()
    (snapshot / "model-1.safetensors").unlink()
    assert hf.describe("tiny/llama", ModelOptions()) is None


def test_other_kinds_foresee_nothing() -> None:
    assert describe_model(parse_spec("random")) is None
    assert describe_model(parse_spec("nobody-knows-it")) is None
    with pytest.raises(InputError, match="does not take dtype"):
        describe_model(parse_spec("random?dtype=float16"))
    assert open_model(parse_spec("random")).identity.kind == "random"
