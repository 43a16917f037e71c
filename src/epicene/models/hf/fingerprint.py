"""What a model's files hash to, so that an answer is never taken for another model's.

Weights are gigabytes, so a file's hash is remembered in the user's cache folder under its path,
size and time of change.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from epicene.models.embedded import NOTE, cache_folder
from epicene.records import digest

# Written by whoever saved the model last; they change no answer.
_VOLATILE = {"transformers_version", "_name_or_path", "name_or_path"}
_BLOCK = 1 << 22


def hash_folder() -> Path:
    """Where hashes are remembered."""
    return cache_folder() / "sha256"


def file_sha256(path: Path) -> str:
    """A file's sha256, remembered. A hub cache names large files by theirs already."""
    real = path.resolve()
    if re.fullmatch(r"[0-9a-f]{64}", real.name) and real.parent.name == "blobs":
        return real.name
    facts = real.stat()
    remembered = hash_folder() / digest(str(real), facts.st_size, facts.st_mtime_ns).hex()
    with suppress(OSError):
        return remembered.read_text("ascii")
    with real.open("rb") as file:
        found = hashlib.file_digest(file, "sha256", _bufsize=_BLOCK).hexdigest()
    with suppress(OSError):  # a cache that cannot be written costs time, not the run
        remembered.parent.mkdir(parents=True, exist_ok=True)
        partial = remembered.with_suffix(f".{os.getpid()}")
        partial.write_text(found, "ascii")
        partial.replace(remembered)
    return found


def weights_sha256(folder: Path) -> str:
    """A hash of the weights: of the safetensors files, or else the pickled ones, in name order.

    An embedded model is known by the file it was converted from.
    """
    note = folder / NOTE
    if note.is_file() and folder.resolve().is_relative_to(cache_folder().resolve()):
        return str(json.loads(note.read_bytes())["weights"])
    files = sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.bin"))
    hashes = [file_sha256(path) for path in files]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def has_weights(folder: Path) -> bool:
    """Whether all files with weights are there, as far as an index names them."""
    for index in folder.glob("*.index.json"):
        named = set(json.loads(index.read_bytes())["weight_map"].values())
        return all((folder / name).exists() for name in named)
    return any(folder.glob("*.safetensors")) or any(folder.glob("*.bin"))


def settings_sha256(folder: Path, with_code: bool) -> str:
    """A hash of the configuration, the generation defaults and, if it is run, the model's code."""
    state = hashlib.sha256()
    for name in ("config.json", "generation_config.json"):
        path = folder / name
        if path.exists():
            kept = {k: v for k, v in json.loads(path.read_bytes()).items() if k not in _VOLATILE}
            state.update(json.dumps({name: kept}, sort_keys=True).encode())
    for path in sorted(folder.glob("*.py")) if with_code else ():
        state.update(path.name.encode() + b"\0" + path.read_bytes())
    return state.hexdigest()


def tokenizer_sha256(tokenizer: Any) -> str:
    """A hash of what the tokenizer does: its whole pipeline, special tokens, chat template."""
    facts = {"special": tokenizer.special_tokens_map, "chat": tokenizer.chat_template}
    state = hashlib.sha256(_pipeline(tokenizer))
    state.update(json.dumps(facts, sort_keys=True, default=str).encode())
    return state.hexdigest()


def _pipeline(tokenizer: Any) -> bytes:
    """All that a fast tokenizer does, or the files behind another (Marian, M2M100)."""
    if tokenizer.is_fast:
        return bytes(tokenizer.backend_tokenizer.to_str(), "utf-8")
    with tempfile.TemporaryDirectory() as folder:
        files = sorted(Path(name) for name in tokenizer.save_vocabulary(folder))
        return b"\0".join([type(tokenizer).__name__.encode(), *(f.read_bytes() for f in files)])
