"""What a pipeline's files hash to: the weights of its parts, and all that sets them up."""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any

from epicene.models.hf.fingerprint import file_sha256, weights_sha256

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INDEX = "model_index.json"
# Written by whoever saved the pipeline last; they change no picture.
_VOLATILE = {"_diffusers_version", "transformers_version", "_name_or_path", "name_or_path"}
_SETTINGS = {".json", ".txt", ".model"}
_WEIGHTS_INDEX = ".index.json"


def read_index(folder: Path) -> dict[str, Any]:
    """What the pipeline consists of."""
    return dict(json.loads((folder / INDEX).read_bytes()))


def parts(folder: Path) -> list[Path]:
    """The folders of the parts that the index names, in name order."""
    return sorted(folder / name for name in read_index(folder) if (folder / name).is_dir())


def pipeline_weights_sha256(folder: Path) -> str:
    """A hash of every part's weights, by the part's name."""
    state = hashlib.sha256()
    for part in parts(folder):
        state.update(f"{part.name} {weights_sha256(part)}\n".encode())
    return state.hexdigest()


def pipeline_parameters(folder: Path) -> int | None:
    """How many numbers the weights are, by their files' headers; None where those cannot tell."""
    from safetensors import SafetensorError, safe_open

    total = 0
    try:
        for path in (path for part in parts(folder) for path in part.glob("*.safetensors")):
            with safe_open(path, framework="numpy") as file:
                total += sum(math.prod(file.get_slice(key).get_shape()) for key in file.keys())  # noqa: SIM118
    except SafetensorError:  # loading says what is wrong with it
        return None
    return total or None


def pipeline_settings_sha256(folder: Path) -> str:
    """A hash of the index, configurations, scheduler and tokenizers."""
    state = hashlib.sha256()
    for path in (folder / INDEX, *_settings_files(folder)):
        state.update(f"{path.relative_to(folder).as_posix()} ".encode() + _content(path) + b"\n")
    return state.hexdigest()


def _settings_files(folder: Path) -> Iterator[Path]:
    for part in parts(folder):
        for path in sorted(part.iterdir()):
            if path.suffix in _SETTINGS and not path.name.endswith(_WEIGHTS_INDEX):
                yield path


def _content(path: Path) -> bytes:
    """A file's hash, or a configuration without what changes no picture."""
    if path.name.startswith("tokenizer.") or path.suffix != ".json":
        return file_sha256(path).encode()
    settings = json.loads(path.read_bytes())
    return json.dumps(
        {key: value for key, value in settings.items() if key not in _VOLATILE}, sort_keys=True
    ).encode()
