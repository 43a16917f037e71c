"""Load a checkpoint's weights, tokenizer and processor, and build the model's identity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError, RunError
from epicene.core.records import Identity
from epicene.models.gguf_conversion import adds_bos
from epicene.models.hf.batching import is_out_of_memory
from epicene.models.hf.checkpoint import (
    Checkpoint,
    LanguageModelType,
    detect_type,
    file_sha256,
    find_checkpoint,
    first_line,
    has_weights,
    quiet_transformers,
    read_config,
    read_pretrained,
    settings_sha256,
    tokenizer_sha256,
    weights_sha256,
)
from epicene.models.hf.fused import FusedLayers
from epicene.models.hf.vision.inputs import LOOKER_VERSION, processor_sha256, read_processor
from epicene.models.hf.warm_up import start_warm_up
from epicene.models.threads import set_torch_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from epicene.models import ModelOptions

# Part of every hf model's key: raised when the same weights would give other numbers.
SCORER_VERSION = "2"

_AUTO_CLASS: dict[LanguageModelType, str] = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "image-text": "AutoModelForImageTextToText",
}


@dataclass(frozen=True)
class LoadedModel:
    """A loaded model with its tokenizer, device and identity."""

    model: Any  # a transformers PreTrainedModel in eval mode
    tokenizer: Any  # a fast one, for its offsets; seq2seq models need none
    device: Any  # the torch.device that inputs go to
    identity: Identity
    options: ModelOptions
    processor: Any = None  # makes tensors of images, if the model reads images

    @cached_property
    def fused(self) -> FusedLayers:
        """The model's layers with fewer kernels, where that is possible."""
        return FusedLayers(self.model, self.device)


def load_detected(name: str, options: ModelOptions) -> tuple[LanguageModelType, LoadedModel]:
    """Load a model according to its configuration."""
    with find_checkpoint(name, options) as checkpoint:
        config = read_config(checkpoint)
        kind = detect_type(checkpoint, config)
        return kind, _load(checkpoint, options, kind, config)


def identify(name: str, options: ModelOptions) -> tuple[LanguageModelType, Any, Identity] | None:
    """The type, the empty model and the identity; None if this requires the weights."""
    with find_checkpoint(name, options) as checkpoint:
        config = read_config(checkpoint)
        kind = detect_type(checkpoint, config)
        if (
            _quantization(options)
            or _stated_dtype(options, config) is None
            or not _weights_are_local(checkpoint)
        ):
            return None
        processor, tokenizer = _processor_and_tokenizer(checkpoint, kind, config)
        empty = _empty_model(checkpoint, kind, config)
        identity = _identity(checkpoint, options, kind, config, empty, tokenizer, processor)
        return kind, empty, identity


def _weights_are_local(checkpoint: Checkpoint) -> bool:
    """Whether the files with the weights are on this machine; those on the Hub are fetched by
    loading.
    """
    return bool(checkpoint.gguf or checkpoint.folder) or has_weights(_checkpoint_folder(checkpoint))


def _empty_model(checkpoint: Checkpoint, kind: LanguageModelType, config: Any) -> Any:
    """The model as configured, without memory for its weights."""
    import torch

    loader = getattr(quiet_transformers(), _AUTO_CLASS[kind])
    trusted = checkpoint.options["trust_remote_code"]
    try:
        with torch.device("meta"):
            return loader.from_config(config, trust_remote_code=trusted)
    except Exception as error:
        raise InputError(
            f"The model {checkpoint.user_name} could not be set up: {first_line(error)}."
        ) from error


def _load(
    checkpoint: Checkpoint, options: ModelOptions, kind: LanguageModelType, config: Any
) -> LoadedModel:
    processor, tokenizer = _processor_and_tokenizer(checkpoint, kind, config)
    set_torch_threads(options.threads)
    wait = _start_warm_up(options, config)
    try:
        model = _load_weights(checkpoint, options, kind, config)
    finally:
        wait()
    identity = _identity(checkpoint, options, kind, config, model, tokenizer, processor)
    return LoadedModel(model, tokenizer, input_device(model), identity, options, processor)


def _start_warm_up(options: ModelOptions, config: Any) -> Callable[[], None]:
    """Prepare the GPU, if the model is to run on one; the returned function waits for it."""
    import torch

    placed = _dtype_and_device(options).get("device_map")
    if placed is None:
        return lambda: None
    device = torch.device("cuda" if placed == "auto" else options.device)
    return start_warm_up(device, _stated_dtype(options, config))


def _processor_and_tokenizer(
    checkpoint: Checkpoint, kind: LanguageModelType, config: Any
) -> tuple[Any, Any]:
    """The processor, if the model reads images, and the tokenizer."""
    processor = read_processor(checkpoint, config) if kind == "image-text" else None
    tokenizer = (
        processor.tokenizer
        if processor
        else read_pretrained("AutoTokenizer", checkpoint, "tokenizer")
    )
    check_tokenizer(tokenizer, checkpoint.user_name, kind)
    if checkpoint.gguf and adds_bos(checkpoint.gguf):
        tokenizer.add_bos_token = True
    return processor, tokenizer


def _identity(
    checkpoint: Checkpoint,
    options: ModelOptions,
    kind: LanguageModelType,
    config: Any,
    model: Any,
    tokenizer: Any,
    processor: Any,
) -> Identity:
    """The identity of a checkpoint. Its weights are hashed by file: `model` may be without them."""
    local = checkpoint.gguf or checkpoint.folder
    return model_identity(
        model,
        tokenizer,
        processor,
        kind=kind,
        label=options.label or Path(checkpoint.user_name).name,
        hashes=_file_hashes(checkpoint, options),
        dtype=_stated_dtype(options, config) or model.dtype,
        quantize=options.quantize,
        about={
            "name": checkpoint.user_name,
            "revision": None if local else _checkpoint_folder(checkpoint).name,
            "family": config.model_type,
        },
    )


def model_identity(
    model: Any,
    tokenizer: Any,
    processor: Any,
    *,
    kind: LanguageModelType,
    label: str,
    hashes: Mapping[str, str],
    dtype: Any,
    quantize: str,
    about: Mapping[str, str | None],
) -> Identity:
    """The identity of a model whose weights and settings have these hashes."""
    return Identity(
        kind="hf",
        label=label,
        key={
            **hashes,
            "tokenizer": tokenizer_sha256(tokenizer),
            "dtype": str(dtype).removeprefix("torch."),
            "quantize": quantize,
            "scorer": SCORER_VERSION,
            **_vision_key(processor),
        },
        about={
            **about,
            "architecture": type(model).__name__,
            "reads": kind,
            "parameters": model.num_parameters(),
            "attention": getattr(model.config, "_attn_implementation", None),
        },
    )


def _stated_dtype(options: ModelOptions, config: Any) -> Any:
    """The dtype that options and configuration ask for; None if this requires the weights."""
    if options.quantize:
        return None
    dtype = _dtype_and_device(options)["dtype"]
    return getattr(config, "dtype", None) if dtype == "auto" else dtype


def _vision_key(processor: Any) -> dict[str, str]:
    """What else the answers of an image-text model depend on."""
    if processor is None:
        return {}
    return {"processor": processor_sha256(processor), "looker": LOOKER_VERSION}


def check_tokenizer(tokenizer: Any, name: str, kind: LanguageModelType) -> None:
    """Raise if the tokenizer of the model of that name cannot be used."""
    if kind != "seq2seq" and not tokenizer.is_fast:
        raise InputError(
            f"The tokenizer of the model {name} gives no character offsets; save it once as a "
            "fast tokenizer (a tokenizer.json next to the weights)."
        )
    if len(tokenizer) <= len(tokenizer.all_special_ids):
        raise InputError(f"The model {name} has no tokenizer; put its files next to the weights.")


def _load_weights(
    checkpoint: Checkpoint, options: ModelOptions, kind: LanguageModelType, config: Any
) -> Any:
    loader = getattr(quiet_transformers(), _AUTO_CLASS[kind])
    settings = {**checkpoint.options, **_dtype_and_device(options), **_quantization(options)}
    try:
        model, report = loader.from_pretrained(
            checkpoint.name, config=config, output_loading_info=True, **settings
        )
    except Exception as error:
        if is_out_of_memory(error):
            raise RunError(
                f"The model {checkpoint.user_name} does not fit in memory; "
                f"try a smaller --dtype or --quantize."
            ) from error
        raise InputError(
            f"The weights of the model {checkpoint.user_name} could not be loaded: "
            f"{first_line(error)}."
        ) from error
    if missing := sorted(report["missing_keys"]):
        what = f"{'an' if kind == 'image-text' else 'a'} {kind} language model"
        raise InputError(
            f"The checkpoint {checkpoint.user_name} lacks {len(missing)} of the weights of {what} "
            f"({missing[0]} …), which would be replaced by random numbers."
        )
    return model.eval().requires_grad_(False)


def _dtype_and_device(options: ModelOptions) -> dict[str, Any]:
    """The dtype, and where the weights are placed."""
    import torch

    on_cpu = options.device == "cpu" or (options.device == "auto" and not torch.cuda.is_available())
    if options.dtype == "auto":
        dtype = torch.float32 if on_cpu else "auto"
    else:
        dtype = getattr(torch, options.dtype)
    if on_cpu:
        return {"dtype": dtype}
    if options.device == "auto":
        return {"dtype": dtype, "device_map": "auto"}
    try:
        return {"dtype": dtype, "device_map": {"": torch.device(options.device)}}
    except RuntimeError as error:
        raise InputError(
            f"There is no device {options.device!r}; use auto, cpu, cuda or cuda:N."
        ) from error


def _quantization(options: ModelOptions) -> dict[str, Any]:
    if not options.quantize:
        return {}
    if find_spec("bitsandbytes") is None:
        raise InputError(
            f"--quantize {options.quantize} needs the package bitsandbytes; run `pip install "
            "bitsandbytes`."
        )
    import transformers

    four = options.quantize == "4bit"
    chosen = transformers.BitsAndBytesConfig(load_in_4bit=four, load_in_8bit=not four)
    return {"quantization_config": chosen}


def input_device(model: Any) -> Any:
    """The first layer's device; the first GPU if its weights are offloaded to disk."""
    import torch

    device = model.get_input_embeddings().weight.device
    return torch.device("cuda", 0) if device.type == "meta" else device


def _file_hashes(checkpoint: Checkpoint, options: ModelOptions) -> dict[str, str]:
    """The hashes of the model's files."""
    if checkpoint.gguf:
        return {"weights": file_sha256(checkpoint.gguf), "settings": ""}
    folder = _checkpoint_folder(checkpoint)
    return {
        "weights": weights_sha256(folder),
        "settings": settings_sha256(folder, options.trust_remote_code),
    }


def _checkpoint_folder(checkpoint: Checkpoint) -> Path:
    """The folder with the files: a hub ID's is in the hub cache, named by the commit."""
    if checkpoint.folder:
        return checkpoint.folder
    from transformers.utils import cached_file

    return Path(
        cached_file(checkpoint.name, "config.json", revision=checkpoint.options["revision"])
    ).parent
