"""Where a model is (a folder, a GGUF file, a hub id) and what its configuration says it is."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from epicene.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.models import ModelOptions

Kind: TypeAlias = Literal["causal", "masked", "seq2seq", "image-text"]


@dataclass(frozen=True)
class Source:
    """Where transformers finds a model: its `from_pretrained` name and the options it takes."""

    given: str  # the name as the user wrote it
    name: str
    options: dict[str, Any]
    gguf: Path | None = None
    folder: Path | None = None


def quiet_transformers() -> Any:
    """The transformers module, with its progress bars and warnings off."""
    import transformers

    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    return transformers


@contextmanager
def found(name: str, options: ModelOptions) -> Iterator[Source]:
    """Find the model a name means."""
    if not name:
        raise InputError("The model kind 'hf' needs a folder, a GGUF file or a hub id: hf:NAME.")
    common: dict[str, Any] = {"trust_remote_code": options.trust_remote_code}
    path = Path(name).expanduser()
    if options.revision and path.exists():
        raise InputError(f"A revision is for hub ids; {name} is on this machine as it is.")
    if path.is_file():
        if path.suffix.lower() != ".gguf":
            raise InputError(f"{name} is a file but not a GGUF one; name the model's folder.")
        # Files beside a GGUF are another model's, and transformers would read them.
        with tempfile.TemporaryDirectory() as alone:
            (Path(alone) / path.name).symlink_to(path.resolve())
            yield Source(name, alone, {**common, "gguf_file": path.name}, gguf=path)
    elif path.is_dir():
        if not (path / "config.json").is_file():
            raise InputError(f"The folder {name} holds no config.json, so it is no model folder.")
        yield Source(name, str(path), common, folder=path)
    elif _can_only_be_a_path(name):
        raise InputError(f"There is no file or folder {name}.")
    else:
        yield Source(name, name, {**common, "revision": options.revision or None})


def _can_only_be_a_path(name: str) -> bool:
    """Hub ids are NAME or OWNER/NAME."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or name.endswith(".gguf")


def sentence(error: BaseException) -> str:
    """The first line of another library's message, without its full stop."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")


def read_config(source: Source) -> Any:
    """The model's configuration."""
    transformers = quiet_transformers()
    try:
        return transformers.AutoConfig.from_pretrained(source.name, **source.options)
    except Exception as error:
        # Broken files raise whatever the first line that trips over them raises.
        raise InputError(
            f"The configuration of the model {source.given} could not be read: {sentence(error)}."
        ) from error


def detect(source: Source, config: Any) -> Kind:
    """What the model is, by the class its configuration names."""
    from transformers.models.auto import modeling_auto as auto

    architectures = set(config.architectures or ())
    seeing = architectures & set(auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES.values())
    # Some of these are read as text models where nothing says how they take pictures.
    reading = config.model_type in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    if seeing and (not reading or _sees(source)):
        return "image-text"
    if config.is_encoder_decoder:
        return "seq2seq"
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
        f"The model {source.given} ({config.model_type}: "
        f"{', '.join(sorted(architectures)) or 'no class'}) is neither a causal, a masked, a "
        f"sequence-to-sequence nor an image-text language model."
    )


def _sees(source: Source) -> bool:
    """Whether the model comes with settings for its pictures."""
    from transformers.utils import cached_file

    return any(
        cached_file(
            source.name,
            name,
            revision=source.options.get("revision"),
            _raise_exceptions_for_missing_entries=False,
            _raise_exceptions_for_connection_errors=False,
        )
        for name in ("preprocessor_config.json", "processor_config.json")
    )
