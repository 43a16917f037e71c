"""The pictures of a study, by their content: addresses tell nothing and lead nowhere else."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from epicene.annotate.pictures import IMAGES, SIGNATURES
from epicene.errors import InputError
from epicene.runs.files import ImageFolder
from epicene.studies import ImagePanel
from epicene.studies.response_files import every_item

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.annotate.folder import StudyFolder

_TYPES = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}


class Picture(NamedTuple):
    """A picture, and the items that show it."""

    path: Path
    media_type: str
    items: tuple[str, ...]


class Images:
    """All pictures that a study shows."""

    def __init__(self, folder: StudyFolder) -> None:
        fields = [panel.field for panel in folder.study.show if isinstance(panel, ImagePanel)]
        self._names: dict[str, str] = {}
        self._pictures: dict[str, Picture] = {}
        for item in every_item(folder.study) if fields else ():
            for field in fields:
                value = item.fields[field]
                name = self._names.get(value) or self._add(folder.path, value)
                known = self._pictures[name]
                self._pictures[name] = known._replace(items=(*known.items, item.id))

    def _add(self, folder: Path, value: str) -> str:
        """Look a picture up: by its hash, or a file beside the study."""
        path = folder / value if "." in value else ImageFolder(folder / IMAGES).path(value)
        if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            raise InputError(f"{folder} has no picture {value}; draw the study again, or add it.")
        data = path.read_bytes()
        ending = next((end for head, end in SIGNATURES.items() if data.startswith(head)), "")
        if not ending:
            raise InputError(f"{path} is no picture that pages show: PNG, JPEG or WebP.")
        name = hashlib.sha256(data).hexdigest()
        self._names[value] = name
        self._pictures.setdefault(name, Picture(path, _TYPES[ending], ()))
        return name

    def addresses(self, page: str) -> dict[str, str]:
        """Where the pages under an address find each picture, by what items call it."""
        return {value: f"{page}/{name}" for value, name in self._names.items()}

    def find(self, name: str) -> Picture | None:
        """The picture of that content."""
        return self._pictures.get(name)
