"""From a model's name to its weights, tokenizer and identity."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.errors import InputError, RunError
from epicene.models.hf import fingerprint
from epicene.models.hf.memory import halving, out_of_memory
from epicene.models.hf.sources import (
    Kind,
    Source,
    detect,
    found,
    quiet_transformers,
    read_config,
    sentence,
)
from epicene.models.vision.processing import LOOKER, processor_sha256, read_processor
from epicene.records import Identity

if TYPE_CHECKING:
    from epicene.models import ModelOptions

__all__ = ["Kind", "Loaded", "describe", "halving", "load", "load_detected"]

# Part of every hf model's key: raised when the same weights would give other numbers.
SCORER = "2"

_AUTO_CLASS: dict[Kind, str] = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "image-text": "AutoModelForImageTextToText",
}


@dataclass(frozen=True)
class Loaded:
    """What loading gives every hf model: all it needs to answer, and who it is."""

    model: Any  # a transformers PreTrainedModel in eval mode
    tokenizer: Any  # a fast one, for its offsets; seq2seq models need none
    device: Any  # the torch.device that inputs go to
    identity: Identity
    options: ModelOptions
    processor: Any = None  # what makes tensors of pictures, if the model sees


def describe(name: str, options: ModelOptions) -> Kind:
    """Whether the model is causal, masked, sequence-to-sequence or image-text."""
    with found(name, options) as source:
        return detect(source, read_config(source))


def load(name: str, options: ModelOptions, kind: Kind) -> Loaded:
    """Load weights and tokenizer, ready to answer, as a model of that kind."""
    with found(name, options) as source:
        return _load(source, options, kind, read_config(source))


def load_detected(name: str, options: ModelOptions) -> tuple[Kind, Loaded]:
    """Load a model as what its configuration says it is."""
    with found(name, options) as source:
        config = read_config(source)
        kind = detect(source, config)
        return kind, _load(source, options, kind, config)


def foresee(name: str, options: ModelOptions) -> tuple[Kind, Any, Identity] | None:
    """What a model is, itself without weights, and who; None where only the weights can tell."""
    with found(name, options) as source:
        config = read_config(source)
        kind = detect(source, config)
        if _quantization(options) or _stated_dtype(options, config) is None or not _here(source):
            return None
        processor, tokenizer = _readers(source, kind, config)
        empty = _without_weights(source, kind, config)
        identity = _identity(source, options, kind, config, empty, tokenizer, processor)
        return kind, empty, identity


def _here(source: Source) -> bool:
    """Whether the files with the weights are on this machine; a hub's are fetched by loading."""
    return bool(source.gguf or source.folder) or fingerprint.has_weights(_folder(source))


def _without_weights(source: Source, kind: Kind, config: Any) -> Any:
    """The model as its configuration has it, in no memory."""
    import torch

    loader = getattr(quiet_transformers(), _AUTO_CLASS[kind])
    trusted = source.options["trust_remote_code"]
    try:
        with torch.device("meta"):
            return loader.from_config(config, trust_remote_code=trusted)
    except Exception as error:
        raise InputError(
            f"The model {source.given} could not be set up: {sentence(error)}."
        ) from error


def _load(source: Source, options: ModelOptions, kind: Kind, config: Any) -> Loaded:
    processor, tokenizer = _readers(source, kind, config)
    model = _weights(source, options, kind, config)
    identity = _identity(source, options, kind, config, model, tokenizer, processor)
    return Loaded(model, tokenizer, _input_device(model), identity, options, processor)


def _readers(source: Source, kind: Kind, config: Any) -> tuple[Any, Any]:
    """What makes tensors of pictures, if the model sees, and the tokenizer."""
    processor = read_processor(source, config) if kind == "image-text" else None
    return processor, _checked(
        processor.tokenizer if processor else _tokenizer(source), source, kind
    )


def _identity(
    source: Source,
    options: ModelOptions,
    kind: Kind,
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
            **_files(source, options),
            "tokenizer": fingerprint.tokenizer_sha256(tokenizer),
            "dtype": str(dtype).removeprefix("torch."),
            "quantize": options.quantize,
            "scorer": SCORER,
            **_seeing(processor),
        },
        about={
            "name": source.given,
            "revision": None if source.gguf or source.folder else _folder(source).name,
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
    dtype = _placement(options)["dtype"]
    return getattr(config, "dtype", None) if dtype == "auto" else dtype


def _seeing(processor: Any) -> dict[str, str]:
    """What else decides the answers of a model that sees."""
    if processor is None:
        return {}
    return {"processor": processor_sha256(processor), "looker": LOOKER}


def _tokenizer(source: Source) -> Any:
    transformers = quiet_transformers()
    try:
        return transformers.AutoTokenizer.from_pretrained(source.name, **source.options)
    except Exception as error:
        # Broken files raise whatever the first line that trips over them raises.
        raise InputError(
            f"The tokenizer of the model {source.given} could not be read: {sentence(error)}."
        ) from error


def _checked(tokenizer: Any, source: Source, kind: Kind) -> Any:
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
    if source.gguf and _opens_with_bos(source.gguf):
        tokenizer.add_bos_token = True
    return tokenizer


def _opens_with_bos(gguf: Path) -> bool:
    """Whether the file says that texts open with the beginning token; transformers forgets."""
    from gguf import GGUFReader

    field = GGUFReader(gguf).get_field("tokenizer.ggml.add_bos_token")
    return bool(field is not None and field.contents())


def _weights(source: Source, options: ModelOptions, kind: Kind, config: Any) -> Any:
    loader = getattr(quiet_transformers(), _AUTO_CLASS[kind])
    settings = {**source.options, **_placement(options), **_quantization(options)}
    try:
        model, report = loader.from_pretrained(
            source.name, config=config, output_loading_info=True, **settings
        )
    except Exception as error:
        if out_of_memory(error):
            raise RunError(
                f"The model {source.given} does not fit in memory; "
                f"try a smaller --dtype or --quantize."
            ) from error
        raise InputError(
            f"The weights of the model {source.given} could not be loaded: {sentence(error)}."
        ) from error
    if missing := sorted(report["missing_keys"]):
        what = f"{'an' if kind == 'image-text' else 'a'} {kind} language model"
        raise InputError(
            f"The checkpoint {source.given} lacks {len(missing)} of the weights of {what} "
            f"({missing[0]} …), which would have been random."
        )
    return model.eval().requires_grad_(False)


def _placement(options: ModelOptions) -> dict[str, Any]:
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


def _files(source: Source, options: ModelOptions) -> dict[str, str]:
    """What the model's files hash to."""
    if source.gguf:
        return {"weights": fingerprint.file_sha256(source.gguf), "settings": ""}
    folder = _folder(source)
    return {
        "weights": fingerprint.weights_sha256(folder),
        "settings": fingerprint.settings_sha256(folder, options.trust_remote_code),
    }


def _folder(source: Source) -> Path:
    """Where the files lie: a hub id's in the cache, in a folder named by the commit."""
    if source.folder:
        return source.folder
    from transformers.utils import cached_file

    return Path(cached_file(source.name, "config.json", revision=source.options["revision"])).parent
