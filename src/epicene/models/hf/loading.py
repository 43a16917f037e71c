"""Load a checkpoint's weights, tokenizer and processor, and build the model's identity."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError, RunError
from epicene.core.records import Identity
from epicene.models.hf import checkpoint
from epicene.models.hf.batching import is_out_of_memory, run_halving_on_oom
from epicene.models.hf.checkpoint import (
    Checkpoint,
    LanguageModelType,
    detect_type,
    find_checkpoint,
    first_line,
    quiet_transformers,
    read_config,
)
from epicene.models.hf.vision.inputs import LOOKER_VERSION, processor_sha256, read_processor

if TYPE_CHECKING:
    from epicene.models import ModelOptions

__all__ = [
    "LanguageModelType",
    "LoadedModel",
    "load",
    "load_detected",
    "model_type_of",
    "run_halving_on_oom",
]

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
    """What loading gives every hf model: all it needs to answer, and who it is."""

    model: Any  # a transformers PreTrainedModel in eval mode
    tokenizer: Any  # a fast one, for its offsets; seq2seq models need none
    device: Any  # the torch.device that inputs go to
    identity: Identity
    options: ModelOptions
    processor: Any = None  # what makes tensors of pictures, if the model sees


def model_type_of(name: str, options: ModelOptions) -> LanguageModelType:
    """Whether the model is causal, masked, sequence-to-sequence or image-text."""
    with find_checkpoint(name, options) as source:
        return detect_type(source, read_config(source))


def load(name: str, options: ModelOptions, kind: LanguageModelType) -> LoadedModel:
    """Load weights and tokenizer, ready to answer, as a model of that kind."""
    with find_checkpoint(name, options) as source:
        return _load(source, options, kind, read_config(source))


def load_detected(name: str, options: ModelOptions) -> tuple[LanguageModelType, LoadedModel]:
    """Load a model as what its configuration says it is."""
    with find_checkpoint(name, options) as source:
        config = read_config(source)
        kind = detect_type(source, config)
        return kind, _load(source, options, kind, config)


def identify(name: str, options: ModelOptions) -> tuple[LanguageModelType, Any, Identity] | None:
    """What a model is, itself without weights, and who; None where only the weights can tell."""
    with find_checkpoint(name, options) as source:
        config = read_config(source)
        kind = detect_type(source, config)
        if (
            _quantization(options)
            or _stated_dtype(options, config) is None
            or not _weights_are_local(source)
        ):
            return None
        processor, tokenizer = _processor_and_tokenizer(source, kind, config)
        empty = _empty_model(source, kind, config)
        identity = _identity(source, options, kind, config, empty, tokenizer, processor)
        return kind, empty, identity


def _weights_are_local(source: Checkpoint) -> bool:
    """Whether the files with the weights are on this machine; a hub's are fetched by loading."""
    return bool(source.gguf or source.folder) or checkpoint.has_weights(_checkpoint_folder(source))


def _empty_model(source: Checkpoint, kind: LanguageModelType, config: Any) -> Any:
    """The model as its configuration has it, in no memory."""
    import torch

    loader = getattr(quiet_transformers(), _AUTO_CLASS[kind])
    trusted = source.options["trust_remote_code"]
    try:
        with torch.device("meta"):
            return loader.from_config(config, trust_remote_code=trusted)
    except Exception as error:
        raise InputError(
            f"The model {source.given} could not be set up: {first_line(error)}."
        ) from error


def _load(
    source: Checkpoint, options: ModelOptions, kind: LanguageModelType, config: Any
) -> LoadedModel:
    processor, tokenizer = _processor_and_tokenizer(source, kind, config)
    model = _load_weights(source, options, kind, config)
    identity = _identity(source, options, kind, config, model, tokenizer, processor)
    return LoadedModel(model, tokenizer, _input_device(model), identity, options, processor)


def _processor_and_tokenizer(
    source: Checkpoint, kind: LanguageModelType, config: Any
) -> tuple[Any, Any]:
    """What makes tensors of pictures, if the model sees, and the tokenizer."""
    processor = read_processor(source, config) if kind == "image-text" else None
    return processor, _checked_tokenizer(
        processor.tokenizer if processor else _load_tokenizer(source), source, kind
    )


def _identity(
    source: Checkpoint,
    options: ModelOptions,
    kind: LanguageModelType,
    config: Any,
    model: Any,
    tokenizer: Any,
    processor: Any,
) -> Identity:
    """Who a model is. Its weights are known by their files: `model` may be without them."""
    dtype = _stated_dtype(options, config) or model.dtype
    return Identity(
        kind="hf",
        label=options.label or Path(source.given).name,
        key={
            **_file_hashes(source, options),
            "tokenizer": checkpoint.tokenizer_sha256(tokenizer),
            "dtype": str(dtype).removeprefix("torch."),
            "quantize": options.quantize,
            "scorer": SCORER_VERSION,
            **_vision_key(processor),
        },
        about={
            "name": source.given,
            "revision": None if source.gguf or source.folder else _checkpoint_folder(source).name,
            "family": config.model_type,
            "architecture": type(model).__name__,
            "reads": kind,
            "parameters": model.num_parameters(),
            "attention": getattr(model.config, "_attn_implementation", None),
        },
    )


def _stated_dtype(options: ModelOptions, config: Any) -> Any:
    """The dtype that options and configuration ask for; None where only the weights can tell."""
    if options.quantize:
        return None
    dtype = _dtype_and_device(options)["dtype"]
    return getattr(config, "dtype", None) if dtype == "auto" else dtype


def _vision_key(processor: Any) -> dict[str, str]:
    """What else decides the answers of a model that sees."""
    if processor is None:
        return {}
    return {"processor": processor_sha256(processor), "looker": LOOKER_VERSION}


def _load_tokenizer(source: Checkpoint) -> Any:
    transformers = quiet_transformers()
    try:
        return transformers.AutoTokenizer.from_pretrained(source.name, **source.options)
    except Exception as error:
        # Broken files raise whatever the first line that trips over them raises.
        raise InputError(
            f"The tokenizer of the model {source.given} could not be read: {first_line(error)}."
        ) from error


def _checked_tokenizer(tokenizer: Any, source: Checkpoint, kind: LanguageModelType) -> Any:
    """The tokenizer, if it can be worked with."""
    if kind != "seq2seq" and not tokenizer.is_fast:
        raise InputError(
            f"The tokenizer of the model {source.given} gives no character offsets; "
            f"save it once as a fast tokenizer (a tokenizer.json beside the weights)."
        )
    if len(tokenizer) <= len(tokenizer.all_special_ids):
        raise InputError(
            f"The model {source.given} comes without a tokenizer; put its files beside it."
        )
    if source.gguf and _adds_bos(source.gguf):
        tokenizer.add_bos_token = True
    return tokenizer


def _adds_bos(gguf: Path) -> bool:
    """Whether the file says that texts open with the beginning token; transformers forgets."""
    from gguf import GGUFReader

    field = GGUFReader(gguf).get_field("tokenizer.ggml.add_bos_token")
    return bool(field is not None and field.contents())


def _load_weights(
    source: Checkpoint, options: ModelOptions, kind: LanguageModelType, config: Any
) -> Any:
    loader = getattr(quiet_transformers(), _AUTO_CLASS[kind])
    settings = {**source.options, **_dtype_and_device(options), **_quantization(options)}
    try:
        model, report = loader.from_pretrained(
            source.name, config=config, output_loading_info=True, **settings
        )
    except Exception as error:
        if is_out_of_memory(error):
            raise RunError(
                f"The model {source.given} does not fit in memory; "
                f"try a smaller --dtype or --quantize."
            ) from error
        raise InputError(
            f"The weights of the model {source.given} could not be loaded: {first_line(error)}."
        ) from error
    if missing := sorted(report["missing_keys"]):
        what = f"{'an' if kind == 'image-text' else 'a'} {kind} language model"
        raise InputError(
            f"The checkpoint {source.given} lacks {len(missing)} of the weights of {what} "
            f"({missing[0]} …), which would have been random."
        )
    return model.eval().requires_grad_(False)


def _dtype_and_device(options: ModelOptions) -> dict[str, Any]:
    """The dtype and where the weights go."""
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
            f"There is no device {options.device!r}; write auto, cpu, cuda or cuda:N."
        ) from error


def _quantization(options: ModelOptions) -> dict[str, Any]:
    if not options.quantize:
        return {}
    if find_spec("bitsandbytes") is None:
        raise InputError(
            f"--quantize {options.quantize} needs the package bitsandbytes: "
            f"pip install bitsandbytes."
        )
    import transformers

    four = options.quantize == "4bit"
    chosen = transformers.BitsAndBytesConfig(load_in_4bit=four, load_in_8bit=not four)
    return {"quantization_config": chosen}


def _input_device(model: Any) -> Any:
    """Where the first layer lies; weights that were put off to disk are met on the first GPU."""
    import torch

    device = model.get_input_embeddings().weight.device
    return torch.device("cuda", 0) if device.type == "meta" else device


def _file_hashes(source: Checkpoint, options: ModelOptions) -> dict[str, str]:
    """What the model's files hash to."""
    if source.gguf:
        return {"weights": checkpoint.file_sha256(source.gguf), "settings": ""}
    folder = _checkpoint_folder(source)
    return {
        "weights": checkpoint.weights_sha256(folder),
        "settings": checkpoint.settings_sha256(folder, options.trust_remote_code),
    }


def _checkpoint_folder(source: Checkpoint) -> Path:
    """Where the files lie: a hub id's in the cache, in a folder named by the commit."""
    if source.folder:
        return source.folder
    from transformers.utils import cached_file

    return Path(cached_file(source.name, "config.json", revision=source.options["revision"])).parent
