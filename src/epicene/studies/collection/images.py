"""The images of a study: copied from runs, exported with sheets, served by content hash."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.core.errors import InputError
from epicene.core.files import IMAGES_FOLDER, ImageFolder, write_atomically
from epicene.studies.design.schema import ITEM_PARTS, ImagePanel, all_items

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.design.schema import Study, StudyItem

EXPORT_FOLDER = "pictures"

IMAGE_SIGNATURES = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpg", b"RIFF": "webp"}
_MEDIA_TYPES = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}


def copy_images(study: Study, runs: Sequence[Path], folder: Path, own: Path | None = None) -> None:
    """Copy the images of a study into its folder: its `own`, and those of its runs."""
    kept = ImageFolder(folder / IMAGES_FOLDER)
    for picture in sorted(own.iterdir()) if own else ():
        kept.put(picture.read_bytes())
    sources = [ImageFolder(run / IMAGES_FOLDER) for run in runs]
    for item in all_items(study):
        for field in _image_fields(study):
            name = item.fields[field]
            if kept.path(name).exists():
                continue
            found = next((each for each in sources if each.path(name).exists()), None)
            if found is None:
                raise InputError(
                    f"The image {name[:12]}… of {item.id} is not in any of the runs; "
                    "restore it, or sample from runs that have their images."
                )
            kept.put(found.read(name))


def export_images(folder: StudyFolder, out: Path) -> Study:
    """Export the images as files under `out`, and return the study with their names."""
    study = folder.study
    fields = _image_fields(study)
    parts = {
        part: tuple(_export_item_images(folder, item, fields, out) for item in getattr(study, part))
        for part in ITEM_PARTS
    }
    return msgspec.structs.replace(study, **parts)


def _export_item_images(
    folder: StudyFolder, item: StudyItem, fields: Sequence[str], out: Path
) -> StudyItem:
    paths = {}
    for field in fields:
        if "." in item.fields[field]:  # a file beside the study, which the owner distributes
            continue
        path = _stored_path(folder, item, field)
        data = path.read_bytes()
        # Named by content, as an item's id may be no valid file name.
        paths[field] = f"{EXPORT_FOLDER}/{path.name[:16]}.{_extension(data) or 'bin'}"
        write_atomically(out / paths[field], data)
    return msgspec.structs.replace(item, fields=item.fields | paths)


def check_images(folder: StudyFolder) -> None:
    """Raise InputError for an item whose image is missing."""
    for item in all_items(folder.study):
        for field in _image_fields(folder.study):
            if "." not in item.fields[field]:
                _stored_path(folder, item, field)


def _stored_path(folder: StudyFolder, item: StudyItem, field: str) -> Path:
    """The file of an image that an item names by its hash."""
    name = item.fields[field]
    try:
        path = ImageFolder(folder.path / IMAGES_FOLDER).path(name)
    except InputError:
        raise InputError(
            f"The item {item.id} has no image in {field}: {name!r} is neither a file next to the "
            f"study, such as {name}.png, nor the SHA-256 of one in "
            f"{folder.path / IMAGES_FOLDER}."
        ) from None
    if not path.exists():
        raise InputError(
            f"{folder.path} does not contain the image of {item.id}; sample the study again."
        )
    return path


def _image_fields(study: Study) -> list[str]:
    return [panel.field for panel in study.show if isinstance(panel, ImagePanel)]


def _extension(data: bytes) -> str:
    """The file extension of an image; empty if its format is not known."""
    return next((end for head, end in IMAGE_SIGNATURES.items() if data.startswith(head)), "")


class ServedImage(NamedTuple):
    """An image, and the items that show it."""

    path: Path
    media_type: str
    items: tuple[str, ...]


class StudyImages:
    """All images that a study shows, by content hash."""

    def __init__(self, folder: StudyFolder) -> None:
        fields = _image_fields(folder.study)
        self._names: dict[str, str] = {}
        self._images: dict[str, ServedImage] = {}
        for item in all_items(folder.study) if fields else ():
            for field in fields:
                value = item.fields[field]
                name = self._names.get(value) or self._add(folder.path, value)
                known = self._images[name]
                self._images[name] = known._replace(items=(*known.items, item.id))

    def _add(self, folder: Path, value: str) -> str:
        """Add the image that an item names by hash or path, and return its hash."""
        path = folder / value if "." in value else ImageFolder(folder / IMAGES_FOLDER).path(value)
        if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            raise InputError(
                f"{folder} has no image {value}; sample the study again, or add the image."
            )
        data = path.read_bytes()
        extension = _extension(data)
        if not extension:
            raise InputError(
                f"{path} is not an image that the pages can show; use PNG, JPEG or WebP."
            )
        name = hashlib.sha256(data).hexdigest()
        self._names[value] = name
        self._images.setdefault(name, ServedImage(path, _MEDIA_TYPES[extension], ()))
        return name

    def addresses(self, page: str) -> dict[str, str]:
        """The address of each image under a page, by the value that items have."""
        return {value: f"{page}/{name}" for value, name in self._names.items()}

    def find(self, name: str) -> ServedImage | None:
        """The image with this hash."""
        return self._images.get(name)
