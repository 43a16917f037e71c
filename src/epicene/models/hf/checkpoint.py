"""Find a checkpoint (folder, GGUF file or Hub ID), detect its model type, and hash its files.

Answers are stored under these hashes, so they are never mistaken for another model's. Weights are
gigabytes, so a file's hash is cached in the user's cache folder by path, size and change time.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from epicene.core.errors import InputError
from epicene.core.records import digest
from epicene.models.downloads import cache_folder, stated_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from epicene.models import ModelOptions

LanguageModelType: TypeAlias = Literal["causal", "masked", "seq2seq", "image-text"]


@dataclass(frozen=True)
class Checkpoint:
    """Where transformers finds a model: its `from_pretrained` name and the options it takes."""

    user_name: str  # the name as the user wrote it
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
def find_checkpoint(name: str, options: ModelOptions) -> Iterator[Checkpoint]:
    """Find the checkpoint that a name refers to."""
    if not name:
        raise InputError("The model kind 'hf' needs a folder, a GGUF file or a Hub ID: hf:NAME.")
    common: dict[str, Any] = {"trust_remote_code": options.trust_remote_code}
    path = Path(name).expanduser()
    if options.revision and path.exists():
        raise InputError(f"A revision applies only to Hub IDs; {name} is a local path.")
    if path.is_file():
        if path.suffix.lower() != ".gguf":
            raise InputError(f"{name} is a file but not a GGUF file; name the model's folder.")
        # Files beside a GGUF are another model's, and transformers would read them.
        with tempfile.TemporaryDirectory() as alone:
            (Path(alone) / path.name).symlink_to(path.resolve())
            yield Checkpoint(name, alone, {**common, "gguf_file": path.name}, gguf=path)
    elif path.is_dir():
        if not (path / "config.json").is_file():
            raise InputError(f"The folder {name} has no config.json, so it is not a model folder.")
        yield Checkpoint(name, str(path), common, folder=path)
    elif _can_only_be_a_path(name):
        raise InputError(f"There is no file or folder {name}.")
    else:
        yield Checkpoint(name, name, {**common, "revision": options.revision or None})


def _can_only_be_a_path(name: str) -> bool:
    """Hub ids are NAME or OWNER/NAME."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or name.endswith(".gguf")


def first_line(error: BaseException) -> str:
    """The first line of another library's message, without its full stop."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")


def read_config(checkpoint: Checkpoint) -> Any:
    """The model's configuration."""
    return read_pretrained("AutoConfig", checkpoint, "configuration")


def read_pretrained(auto_class: str, checkpoint: Checkpoint, part: str) -> Any:
    """A part of a checkpoint, read by a class of transformers; `part` names it in errors."""
    reader = getattr(quiet_transformers(), auto_class)
    try:
        return reader.from_pretrained(checkpoint.name, **checkpoint.options)
    except Exception as error:
        # Broken files raise whatever the first line that trips over them raises.
        name, folder = checkpoint.user_name, checkpoint.folder
        source, reason = "", first_line(error)
        if part == "tokenizer" and folder and not (folder / "tokenizer.json").is_file():
            reason = (
                "the folder has no tokenizer.json; save the model's tokenizer in it with "
                f"`tokenizer.save_pretrained({name!r})`"
            )
        elif part == "configuration" and folder is None and checkpoint.gguf is None:
            source = f"from the Hugging Face Hub (there is no folder {name} here) "
        raise InputError(
            f"The {part} of the model {name} could not be read {source}".rstrip() + f": {reason}."
        ) from error


def detect_type(checkpoint: Checkpoint, config: Any) -> LanguageModelType:
    """The model's type, by the class its configuration names."""
    return type_of_classes(
        config.architectures or (),
        config,
        lambda: _has_image_settings(checkpoint),
        checkpoint.user_name,
    )


def type_of_classes(
    classes: Iterable[str], config: Any, has_image_settings: Callable[[], bool], name: str
) -> LanguageModelType:
    """The type of a model of one of these classes; `name` is the model's in errors."""
    from transformers.models.auto import modeling_auto as auto

    architectures = set(classes)
    seeing = architectures & set(auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES.values())
    # Some of these are text models if they come without settings for images.
    reading = config.model_type in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    if seeing and (not reading or has_image_settings()):
        return "image-text"
    if config.is_encoder_decoder:
        return "seq2seq"
    heads: dict[LanguageModelType, Any] = {
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
        f"The model {name} ({config.model_type}: "
        f"{', '.join(sorted(architectures)) or 'no class'}) is not a causal, masked, "
        "sequence-to-sequence or image-text language model."
    )


def _has_image_settings(checkpoint: Checkpoint) -> bool:
    """Whether the model comes with settings for images."""
    from transformers.utils import cached_file

    return any(
        cached_file(
            checkpoint.name,
            name,
            revision=checkpoint.options.get("revision"),
            _raise_exceptions_for_missing_entries=False,
            _raise_exceptions_for_connection_errors=False,
        )
        for name in ("preprocessor_config.json", "processor_config.json")
    )


SETTINGS_FILES = ("config.json", "generation_config.json")
# Written when a model is saved; they change no answer.
IGNORED_SETTINGS = {"transformers_version", "_name_or_path", "name_or_path"}
_READ_SIZE = 1 << 22


def hash_cache_folder() -> Path:
    """The folder with cached hashes."""
    return cache_folder() / "sha256"


def file_sha256(path: Path) -> str:
    """A file's SHA-256, cached. A Hub cache already names large files by theirs."""
    real = path.resolve()
    if re.fullmatch(r"[0-9a-f]{64}", real.name) and real.parent.name == "blobs":
        return real.name
    facts = real.stat()
    cached = hash_cache_folder() / digest(str(real), facts.st_size, facts.st_mtime_ns).hex()
    with suppress(OSError):
        return cached.read_text("ascii")
    with real.open("rb") as file:
        found = hashlib.file_digest(file, "sha256", _bufsize=_READ_SIZE).hexdigest()
    with suppress(OSError):  # a cache that cannot be written costs time, not the run
        cached.parent.mkdir(parents=True, exist_ok=True)
        partial = cached.with_suffix(f".{os.getpid()}")
        partial.write_text(found, "ascii")
        partial.replace(cached)
    return found


def weights_sha256(folder: Path) -> str:
    """A hash of the weights: of the safetensors files, or else the pickled ones, in name order.

    An embedded model is identified by the file it was converted from.
    """
    if (stated := stated_weights(folder)) is not None:
        return stated
    files = sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.bin"))
    hashes = [file_sha256(path) for path in files]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def has_weights(folder: Path) -> bool:
    """Whether all files with weights exist, as far as an index names them."""
    for index in folder.glob("*.index.json"):
        named = set(json.loads(index.read_bytes())["weight_map"].values())
        return all((folder / name).exists() for name in named)
    return any(folder.glob("*.safetensors")) or any(folder.glob("*.bin"))


def settings_sha256(folder: Path, with_code: bool) -> str:
    """A hash of the configuration, the generation defaults and, if it is run, the model's code."""
    files = (folder / name for name in SETTINGS_FILES)
    state = settings_hash({f.name: json.loads(f.read_bytes()) for f in files if f.exists()})
    for path in sorted(folder.glob("*.py")) if with_code else ():
        state.update(path.name.encode() + b"\0" + path.read_bytes())
    return state.hexdigest()


def settings_hash(files: Mapping[str, Mapping[str, Any]]) -> hashlib._Hash:
    """A hash of the settings in the files of a model, by the files' names."""
    state = hashlib.sha256()
    for name, settings in files.items():
        kept = {key: value for key, value in settings.items() if key not in IGNORED_SETTINGS}
        state.update(json.dumps({name: kept}, sort_keys=True).encode())
    return state


def tokenizer_sha256(tokenizer: Any) -> str:
    """A hash of what the tokenizer does: its whole pipeline, special tokens, chat template."""
    facts = {"special": tokenizer.special_tokens_map, "chat": tokenizer.chat_template}
    state = hashlib.sha256(_tokenizer_bytes(tokenizer))
    state.update(json.dumps(facts, sort_keys=True, default=str).encode())
    return state.hexdigest()


def _tokenizer_bytes(tokenizer: Any) -> bytes:
    """Everything that a fast tokenizer does, or the files behind other tokenizers (Marian,
    M2M100).
    """
    if tokenizer.is_fast:
        return bytes(tokenizer.backend_tokenizer.to_str(), "utf-8")
    with tempfile.TemporaryDirectory() as folder:
        files = sorted(Path(name) for name in tokenizer.save_vocabulary(folder))
        return b"\0".join([type(tokenizer).__name__.encode(), *(f.read_bytes() for f in files)])
