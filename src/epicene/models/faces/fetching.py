"""The networks for faces, fetched from the package registry as they are."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from epicene.models import parcels
from epicene.models.embedded import NOTE, Status, cache_folder, placed, unaccepted
from epicene.records import Record, to_json

if TYPE_CHECKING:
    from pathlib import Path


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


def fetched(name: str) -> Path | None:
    """The folder with the files, or None if they are not on this machine."""
    folder = catalogue()[name].folder
    return folder if (folder / NOTE).is_file() else None


def fetch(name: str, *, accept_licence: bool, progress: parcels.Progress) -> Path:
    """Bring a bundle to this machine, unless it is here; its folder."""
    bundle = catalogue()[name]
    if here := fetched(name):
        return here
    if bundle.accept and not accept_licence:
        raise unaccepted(name, bundle.licence, bundle.licence_at)

    def make(made: Path) -> None:
        parcels.take(bundle.package, bundle.version, bundle.files, made, progress)
        (made / NOTE).write_bytes(to_json(bundle) + b"\n")

    return placed(name, bundle.folder, bundle.disk_mb, make)


def status() -> list[Status]:
    """Every bundle, fetched or not."""
    return [
        Status(
            name=bundle.name,
            description=bundle.description,
            languages=(),
            chat=False,
            licence=bundle.licence,
            must_accept=bundle.accept,
            download_mb=bundle.download_mb,
            disk_mb=bundle.disk_mb,
            fetched=(folder := fetched(bundle.name)) is not None,
            where=str(folder or ""),
        )
        for bundle in catalogue().values()
    ]


def files_sha256(name: str) -> dict[str, str]:
    """What the bundle's files hash to, for the identity of the model made of them."""
    return {path.rpartition("/")[2]: sha256 for path, sha256 in catalogue()[name].files.items()}
