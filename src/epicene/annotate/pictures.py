"""The pictures of a study: taken from the runs when it is drawn, and handed out with its sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.errors import InputError
from epicene.runs.files import ImageFolder, write_whole
from epicene.studies import ImagePanel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.annotate.folder import StudyFolder
    from epicene.studies import Study, StudyItem

IMAGES = "images"  # by content, in a run's folder and a study's
HANDED_OUT = "pictures"

_PARTS = ("practice", "checks", "fillers", "items")
SIGNATURES = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpg", b"RIFF": "webp"}


def gather(study: Study, runs: Sequence[Path], folder: Path) -> None:
    """Keep the pictures that a study shows beside it, so that it needs its runs no longer."""
    kept = ImageFolder(folder / IMAGES)
    sources = [ImageFolder(run / IMAGES) for run in runs]
    for item in _shown(study):
        for field in _fields(study):
            name = item.fields[field]
            if kept.path(name).exists():
                continue
            found = next((each.path(name) for each in sources if each.path(name).exists()), None)
            if found is None:
                raise InputError(
                    f"The picture {name[:12]}… of {item.id} is in the images of none of the runs; "
                    "put it back, or draw from runs that have theirs."
                )
            kept.put(found.read_bytes())


def hand_out(folder: StudyFolder, out: Path) -> Study:
    """The study with its pictures as files under OUT that a person can open."""
    study = folder.study
    fields = _fields(study)
    parts = {
        part: tuple(_handed_out(folder, item, fields, out) for item in getattr(study, part))
        for part in _PARTS
    }
    return msgspec.structs.replace(study, **parts)


def _handed_out(
    folder: StudyFolder, item: StudyItem, fields: Sequence[str], out: Path
) -> StudyItem:
    paths = {}
    for field in fields:
        if "." in item.fields[field]:  # a file beside the study, which its owner hands out
            continue
        path = _kept(folder, item, field)
        data = path.read_bytes()
        ending = next((end for head, end in SIGNATURES.items() if data.startswith(head)), "bin")
        # By content: an item's id is anybody's text, and no name for a file.
        paths[field] = f"{HANDED_OUT}/{path.name[:16]}.{ending}"
        write_whole(out / paths[field], data)
    return msgspec.structs.replace(item, fields=item.fields | paths)


def check_pictures(folder: StudyFolder) -> None:
    """Raise for an item whose picture is not there."""
    for item in _shown(folder.study):
        for field in _fields(folder.study):
            if "." not in item.fields[field]:
                _kept(folder, item, field)


def _kept(folder: StudyFolder, item: StudyItem, field: str) -> Path:
    """Where a picture lies that an item names by its content."""
    name = item.fields[field]
    try:
        path = ImageFolder(folder.path / IMAGES).path(name)
    except InputError:
        raise InputError(
            f"The item {item.id} names no picture in {field}: {name!r} is neither a file beside "
            f"the study, such as {name}.png, nor the sha256 of one in {folder.path / IMAGES}."
        ) from None
    if not path.exists():
        raise InputError(f"{folder.path} lacks the picture of {item.id}; draw the study again.")
    return path


def _shown(study: Study) -> Iterator[StudyItem]:
    """Every item that a person may see."""
    for part in _PARTS:
        yield from getattr(study, part)


def _fields(study: Study) -> list[str]:
    """The fields that hold pictures."""
    return [panel.field for panel in study.show if isinstance(panel, ImagePanel)]
