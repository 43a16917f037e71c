"""From files to a model: what it is, who it is, and what is wrong with the files."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
import torch

from epicene.core.errors import InputError
from epicene.core.records import Decoding, Generate, Score
from epicene.models import ModelOptions, ModelSpec, hf, open_model, parse_spec
from epicene.models.hf import checkpoint
from epicene.models.hf.causal import HfCausal
from epicene.models.hf.checkpoint import Checkpoint, detect_type, find_checkpoint, read_config
from epicene.models.hf.loading import load_detected
from models.hf.tiny_causal import ask, causal, gpt2, gpt2_like, llama, metaspace, save, smollm2_like
from models.hf.tiny_gguf import write_gguf

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OPTIONS = ModelOptions()
QUESTION = Score(item="i", texts=("she was tired", "he was late"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder that no test changes."""
    return save(tmp_path_factory.mktemp("models") / "tiny-llama", llama(), metaspace())


@pytest.fixture
def copied(folder: Path, tmp_path: Path) -> Path:
    """One that a test may change."""
    return shutil.copytree(folder, tmp_path / "tiny-llama")


def opened(folder: Path, options: ModelOptions = OPTIONS) -> HfCausal:
    model = hf.open(str(folder), options)
    assert isinstance(model, HfCausal)
    return model


def rewrite(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


# --- what it is --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"model_type": "llama", "architectures": ["LlamaForCausalLM"]}, "causal"),
        ({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}, "causal"),
        ({"model_type": "gpt2"}, "causal"),
        ({"model_type": "bert", "architectures": ["BertForMaskedLM"]}, "masked"),
        ({"model_type": "bert", "architectures": ["BertModel"]}, "masked"),
        ({"model_type": "bert", "architectures": ["BertLMHeadModel"]}, "causal"),
        ({"model_type": "xlm-roberta", "architectures": ["XLMRobertaForMaskedLM"]}, "masked"),
        ({"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]}, "seq2seq"),
        ({"model_type": "marian", "architectures": ["MarianMTModel"]}, "seq2seq"),
        ({"model_type": "mbart", "architectures": ["MBartForConditionalGeneration"]}, "seq2seq"),
    ],
)
def test_the_kind_is_read_from_the_configuration(
    config: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    with find_checkpoint(str(tmp_path), OPTIONS) as found:
        assert detect_type(found, read_config(found)) == kind


def test_code_of_the_checkpoints_own_is_known_by_its_name() -> None:
    from transformers import PreTrainedConfig

    config = PreTrainedConfig(architectures=["OurOwnForCausalLM"])
    assert detect_type(Checkpoint("x", "x", {}), config) == "causal"


def test_an_image_model_is_no_language_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "vit"}')
    with pytest.raises(InputError, match="not a causal, masked, "):
        load_detected(str(tmp_path), OPTIONS)


def test_a_folder_opens_as_a_causal_model_and_answers(folder: Path) -> None:
    model = opened(folder)
    assert ask(model, [QUESTION]) == ask(causal(llama(), metaspace()), [QUESTION])
    about = model.identity.about
    assert model.identity.label == "tiny-llama"
    assert about["family"] == "llama"
    assert about["architecture"] == "LlamaForCausalLM"
    assert about["parameters"] == sum(p.numel() for p in llama().parameters())
    assert about["name"] == str(folder)
    assert model.identity.key["dtype"] == "float32"


def test_opening_and_asking_print_nothing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = opened(folder)
    ask(model, [QUESTION])
    ask(model, [Generate(item="i", prompt="she", decoding=Decoding(max_new_tokens=3))])
    assert capfd.readouterr() == ("", "")


def test_naming_the_kind_imports_nothing_heavy() -> None:
    program = "import sys, epicene.models.hf; print({'torch', 'transformers'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert run.stdout.strip() == b"set()"


def test_the_kind_is_found_through_its_entry_point(folder: Path) -> None:
    model = open_model(parse_spec(f"hf:{folder}?label=mine"))
    assert isinstance(model, HfCausal)
    assert model.identity.label == "mine"


def test_batches_are_as_large_as_asked(folder: Path) -> None:
    assert opened(folder, ModelOptions(batch_size=3)).batch_limit.requests == 3
    assert opened(folder).batch_limit.requests > 3


def test_half_precision_on_request(folder: Path) -> None:
    model = opened(folder, ModelOptions(dtype="bfloat16"))
    assert model.identity.key["dtype"] == "bfloat16"


# --- who it is ---------------------------------------------------------------------------------


def change_weights(folder: Path) -> None:
    save(folder, llama(seed=1), metaspace())


def change_template(folder: Path) -> None:
    (folder / "chat_template.jinja").write_text("{{ messages }}")


def change_tokenizer(folder: Path) -> None:
    rewrite(folder / "tokenizer.json", normalizer={"type": "NFC"})


def change_configuration(folder: Path) -> None:
    rewrite(folder / "config.json", rms_norm_eps=0.5)


def change_defaults(folder: Path) -> None:
    rewrite(folder / "generation_config.json", temperature=0.3, do_sample=True)


@pytest.mark.parametrize(
    "change",
    [change_weights, change_template, change_tokenizer, change_configuration, change_defaults],
)
def test_whatever_could_change_an_answer_changes_the_identity(
    change: Callable[[Path], None], folder: Path, copied: Path
) -> None:
    assert opened(copied).identity.digest == opened(folder).identity.digest
    change(copied)
    assert opened(copied).identity.digest != opened(folder).identity.digest


def test_precision_changes_the_identity_and_transport_does_not(folder: Path) -> None:
    usual = opened(folder).identity.digest
    assert opened(folder, ModelOptions(dtype="bfloat16")).identity.digest != usual
    other = ModelOptions(batch_size=1, device="cpu", dtype="float32", label="x", concurrency=3)
    assert opened(folder, other).identity.digest == usual


def test_settings_of_the_saving_library_do_not_matter(folder: Path, copied: Path) -> None:
    rewrite(copied / "config.json", transformers_version="9.9", _name_or_path="/elsewhere")
    assert opened(copied).identity.digest == opened(folder).identity.digest


def test_weights_in_several_files_have_one_hash_in_name_order(tmp_path: Path) -> None:
    for name, data in (("b", b"2"), ("a", b"1")):
        (tmp_path / f"model-{name}.safetensors").write_bytes(data)
    (tmp_path / "pytorch_model.bin").write_bytes(b"not read beside safetensors")
    parts = "\n".join(hashlib.sha256(data).hexdigest() for data in (b"1", b"2"))
    assert checkpoint.weights_sha256(tmp_path) == hashlib.sha256(parts.encode()).hexdigest()


def test_a_hash_is_remembered_until_the_file_changes(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    path.write_bytes(b"one")
    first = checkpoint.file_sha256(path)
    assert first == hashlib.sha256(b"one").hexdigest()
    facts = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert checkpoint.file_sha256(path) == first  # same size, same time: not read again
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns + 1))
    assert checkpoint.file_sha256(path) == hashlib.sha256(b"two").hexdigest()


def test_a_cache_that_cannot_be_written_costs_only_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    monkeypatch.setattr(checkpoint, "hash_cache_folder", lambda: blocked / "below")
    assert checkpoint.file_sha256(blocked) == hashlib.sha256(b"").hexdigest()


def test_a_hub_blob_is_known_by_its_name(tmp_path: Path) -> None:
    blob = tmp_path / "blobs" / ("ab" * 32)
    blob.parent.mkdir()
    blob.write_bytes(b"gigabytes, never read")
    link = tmp_path / "model.safetensors"
    link.symlink_to(blob)
    assert checkpoint.file_sha256(link) == "ab" * 32


# --- what is wrong -----------------------------------------------------------------------------


def refusal(name: object, options: ModelOptions = OPTIONS) -> str:
    with pytest.raises(InputError) as caught:
        hf.open(str(name), options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


def test_no_name_and_no_such_path(tmp_path: Path) -> None:
    assert "needs a folder, a GGUF file or a Hub ID" in refusal("")
    assert "There is no file or folder" in refusal(tmp_path / "nowhere")
    assert "There is no file or folder" in refusal("./nowhere")


def test_not_a_model_folder(tmp_path: Path) -> None:
    assert "has no config.json" in refusal(tmp_path)
    (tmp_path / "notes.txt").write_text("")
    assert "not a GGUF file" in refusal(tmp_path / "notes.txt")


@pytest.mark.parametrize("content", ["{", "[]", '{"model_type": "no-such-type"}', "{}", "\0"])
def test_a_broken_configuration(content: str, copied: Path) -> None:
    (copied / "config.json").write_text(content)
    assert f"The configuration of the model {copied} could not be read" in refusal(copied)


def test_no_weights(copied: Path) -> None:
    (copied / "model.safetensors").unlink()
    assert f"The weights of the model {copied} could not be loaded" in refusal(copied)


@pytest.mark.parametrize("size", [0, 100, 20_000])
def test_weights_cut_short(size: int, copied: Path) -> None:
    path = copied / "model.safetensors"
    path.write_bytes(path.read_bytes()[:size])
    assert "could not be loaded" in refusal(copied)


def test_weights_of_another_shape(copied: Path) -> None:
    rewrite(copied / "config.json", hidden_size=64)
    assert "could not be loaded" in refusal(copied)


def test_a_missing_head_is_not_made_up(tmp_path: Path) -> None:
    folder = save(tmp_path / "headless", llama().model, metaspace())
    rewrite(folder / "config.json", architectures=["LlamaForCausalLM"])
    assert "lacks 1 of the weights of a causal language model (lm_head.weight" in refusal(folder)


def test_no_tokenizer(copied: Path) -> None:
    for path in copied.glob("tokenizer*"):
        path.unlink()
    told = "the folder has no tokenizer.json; save the model's tokenizer in it with"
    assert told in refusal(copied)


def test_a_broken_tokenizer(copied: Path) -> None:
    (copied / "tokenizer.json").write_text("{")
    assert f"The tokenizer of the model {copied} could not be read" in refusal(copied)


def test_a_tokenizer_without_offsets(tmp_path: Path) -> None:
    from transformers import ByT5Tokenizer

    folder = save(tmp_path / "slow", llama(400), ByT5Tokenizer())
    assert "gives no character offsets" in refusal(folder)


@pytest.mark.skipif(find_spec("bitsandbytes") is not None, reason="bitsandbytes is installed")
@pytest.mark.parametrize("quantize", ["4bit", "8bit"])
def test_quantising_says_what_it_needs(quantize: Any, folder: Path) -> None:
    assert "pip install bitsandbytes" in refusal(folder, ModelOptions(quantize=quantize))


def test_a_device_that_is_none(folder: Path) -> None:
    assert "There is no device 'moon'" in refusal(folder, ModelOptions(device="moon"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there(folder: Path) -> None:
    refusal(folder, ModelOptions(device="cuda"))


# --- GGUF --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny Llama as a GGUF file, beside another model's files."""
    folder = save(tmp_path_factory.mktemp("gguf"), gpt2(), gpt2_like())
    return write_gguf(folder / "tiny.gguf", llama(), smollm2_like(""), add_bos=True)


def test_a_gguf_file_gives_the_same_scores(gguf: Path) -> None:
    model = opened(gguf)
    (answer,), (expected,) = (
        ask(subject, [QUESTION]) for subject in (model, causal(llama(), smollm2_like("")))
    )
    for one, other in zip(answer.texts, expected.texts, strict=True):  # type: ignore[union-attr]
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)
        assert (one.starts, one.ends) == (other.starts, other.ends)
    assert model.identity.key["weights"] == hashlib.sha256(gguf.read_bytes()).hexdigest()
    assert model.identity.key["dtype"] == "float32"


def test_a_gguf_file_says_whether_texts_open_with_the_beginning_token(
    gguf: Path, tmp_path: Path
) -> None:
    silent = write_gguf(tmp_path / "silent.gguf", llama(), smollm2_like(""), add_bos=False)
    asked = Score(item="i", texts=("she was",), first_token="tokenizer-default")
    for path, opening in ((gguf, "<|im_start|>"), (silent, "")):
        (answer,) = ask(opened(path), [asked])
        assert answer.conditioned_on == opening  # type: ignore[union-attr]


# --- the hub -----------------------------------------------------------------------------------


def test_a_hub_id_is_found_in_the_local_cache(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "models--tiny--llama"
    snapshot = repository / "snapshots" / commit
    (repository / "blobs").mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    snapshot.mkdir(parents=True)
    for path in folder.iterdir():
        name = hashlib.sha256(path.read_bytes()).hexdigest()
        shutil.copy(path, repository / "blobs" / name)
        (snapshot / path.name).symlink_to(repository / "blobs" / name)
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    for options in (OPTIONS, ModelOptions(revision=commit)):
        model = hf.open("tiny/llama", options)
        assert model.identity.digest == opened(folder).identity.digest
        assert model.identity.about["revision"] == commit
    told = "could not be read from the Hugging Face Hub (there is no folder tiny/other here)"
    assert told in refusal("tiny/other")
    assert "could not be read" in refusal("tiny/llama", ModelOptions(revision="no-such-branch"))


def test_a_spec_can_be_opened_without_the_registry(folder: Path) -> None:
    _, loaded = load_detected(str(folder), ModelSpec(kind="hf").options)
    assert not loaded.model.training
    assert not any(p.requires_grad for p in loaded.model.parameters())
