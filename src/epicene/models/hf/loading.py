"""From a name (a folder, a GGUF file or a hub id) to weights, tokenizer and identity."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from epicene.errors import InputError, RunError
from epicene.models.hf import fingerprint
from epicene.models.hf.memory import halving, out_of_memory
from epicene.records import Identity

if TYPE_CHECKING:
    from epicene.models import ModelOptions

__all__ = ["Kind", "Loaded", "describe", "halving", "load"]

Kind: TypeAlias = Literal["causal", "masked", "seq2seq"]

# Part of every hf model's key: raised when the same weights would give other numbers.
SCORER = "1"

_AUTO_CLASS: dict[Kind, str] = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
}


@dataclass(frozen=True)
class Loaded:
    """What loading gives every hf model: all it needs to answer, and who it is."""

    model: Any  # a transformers PreTrainedModel in eval mode
    tokenizer: Any  # a fast tokenizer: offsets are needed
    device: Any  # the torch.device that inputs go to
    identity: Identity
    options: ModelOptions


@dataclass(frozen=True)
class _Source:
    """Where transformers finds a model: its `from_pretrained` name and the options it takes."""

    name: str
    options: dict[str, Any]
    gguf: Path | None = None
    folder: Path | None = None


def describe(name: str, options: ModelOptions) -> Kind:
    """Whether the model is causal, masked or sequence-to-sequence, from its configuration."""
    return _kind(name, _config(name, _source(name, options)))


def load(name: str, options: ModelOptions, kind: Kind) -> Loaded:
    """Load weights and tokenizer, ready to answer."""
    source = _source(name, options)
    config = _config(name, source)
    tokenizer = _tokenizer(name, source)
    model = _weights(name, source, options, kind)
    identity = _identity(name, source, options, kind, config, model, tokenizer)
    return Loaded(model, tokenizer, _input_device(model), identity, options)


def _quiet() -> Any:
    """The transformers module, with its progress bars and warnings off."""
    import transformers

    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    return transformers


def _source(name: str, options: ModelOptions) -> _Source:
    if not name:
        raise InputError("The model kind 'hf' needs a folder, a GGUF file or a hub id: hf:NAME.")
    common: dict[str, Any] = {"trust_remote_code": options.trust_remote_code}
    path = Path(name).expanduser()
    if path.is_file():
        if path.suffix.lower() != ".gguf":
            raise InputError(f"{name} is a file but not a GGUF one; name the model's folder.")
        parent = str(path.parent.absolute())
        return _Source(parent, {**common, "gguf_file": path.name}, gguf=path)
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise InputError(f"The folder {name} holds no config.json, so it is no model folder.")
        return _Source(str(path), common, folder=path)
    if _looks_like_a_path(name):
        raise InputError(f"There is no file or folder {name}.")
    return _Source(name, {**common, "revision": options.revision or None})


def _looks_like_a_path(name: str) -> bool:
    """Hub ids are NAME or OWNER/NAME; anything else can only have meant a path."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or name.endswith(".gguf")


def _sentence(error: BaseException) -> str:
    """The first line of another library's message, without its full stop."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")


def _config(name: str, source: _Source) -> Any:
    transformers = _quiet()
    try:
        return transformers.AutoConfig.from_pretrained(source.name, **source.options)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"The configuration of the model {name} could not be read: {_sentence(error)}."
        ) from error


def _kind(name: str, config: Any) -> Kind:
    from transformers.models.auto import modeling_auto as auto

    if config.is_encoder_decoder:
        return "seq2seq"
    architectures = set(config.architectures or ())
    heads: dict[Kind, Any] = {
        "causal": auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        "masked": auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    }
    for kind, names in heads.items():
        if architectures & set(names.values()):
            return kind
    # Code that comes with the checkpoint names its own classes, by the same endings.
    if any(name.endswith(("ForCausalLM", "LMHeadModel")) for name in architectures):
        return "causal"
    if any(name.endswith("ForMaskedLM") for name in architectures):
        return "masked"
    # Encoders are often published under their headless name with the head inside; loading
    # refuses those whose head is missing.
    if config.model_type in heads["masked"]:
        return "masked"
    if config.model_type in heads["causal"]:
        return "causal"
    raise InputError(
        f"The model {name} ({config.model_type}: {', '.join(sorted(architectures)) or 'no class'}) "
        f"is neither a causal, a masked nor a sequence-to-sequence language model."
    )


def _tokenizer(name: str, source: _Source) -> Any:
    transformers = _quiet()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(source.name, **source.options)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ImportError) as error:
        raise InputError(
            f"The tokenizer of the model {name} could not be read: {_sentence(error)}."
        ) from error
    if not tokenizer.is_fast:
        raise InputError(
            f"The tokenizer of the model {name} gives no character offsets; "
            f"save it once as a fast tokenizer (a tokenizer.json beside the weights)."
        )
    if len(tokenizer) <= len(tokenizer.all_special_ids):
        raise InputError(f"The model {name} comes without a tokenizer; put its files beside it.")
    return tokenizer


def _weights(name: str, source: _Source, options: ModelOptions, kind: Kind) -> Any:
    transformers = _quiet()
    loader = getattr(transformers, _AUTO_CLASS[kind])
    settings = {**source.options, **_placement(options), **_quantization(options)}
    try:
        model, report = loader.from_pretrained(source.name, output_loading_info=True, **settings)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ImportError) as error:
        raise InputError(
            f"The weights of the model {name} could not be loaded: {_sentence(error)}."
        ) from error
    except RuntimeError as error:
        if out_of_memory(error):
            raise RunError(
                f"The model {name} does not fit in memory; try a smaller dtype or --quantize."
            ) from error
        raise InputError(
            f"The weights of the model {name} do not fit its configuration: {_sentence(error)}."
        ) from error
    if missing := sorted(report["missing_keys"]):
        raise InputError(
            f"The checkpoint {name} lacks {len(missing)} of the weights of a {kind} language "
            f"model ({missing[0]} …), which would have been random."
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


def _identity(
    name: str,
    source: _Source,
    options: ModelOptions,
    kind: Kind,
    config: Any,
    model: Any,
    tokenizer: Any,
) -> Identity:
    key = {
        "weights": "",
        "settings": "",
        "tokenizer": fingerprint.tokenizer_sha256(tokenizer),
        "dtype": str(model.dtype).removeprefix("torch."),
        "quantize": options.quantize,
        "scorer": SCORER,
    }
    if source.gguf:
        key["weights"] = fingerprint.file_sha256(source.gguf)
    else:
        folder = source.folder or _snapshot(source)
        key["weights"] = fingerprint.weights_sha256(fingerprint.weight_files(folder))
        key["settings"] = fingerprint.settings_sha256(folder, options.trust_remote_code)
    return Identity(
        kind="hf",
        label=options.label or Path(name).name,
        key=key,
        about={
            "name": name,
            "revision": getattr(config, "_commit_hash", None) or options.revision or None,
            "family": config.model_type,
            "architecture": type(model).__name__,
            "reads": kind,
            "parameters": model.num_parameters(),
            "attention": getattr(model.config, "_attn_implementation", None),
        },
    )


def _snapshot(source: _Source) -> Path:
    """The folder of the hub cache that a hub id was loaded from."""
    from transformers.utils import cached_file

    found = cached_file(source.name, "config.json", revision=source.options["revision"])
    return Path(str(found)).parent
