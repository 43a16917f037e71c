"""Contact sheets for the HTML page: thumbnails within a size limit, texts packed and compressed.

Every strip of every sheet gets its first image before any gets its second, so that the page of a
large run shows some of everything.
"""

from __future__ import annotations

import base64
import gzip
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.errors import EpiceneError
from epicene.core.files import ImageFolder
from epicene.core.records import to_json
from epicene.models.images import ImageError, make_thumbnail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import ContactSheet, SheetImage

THUMBNAIL_SIDE = 96  # pixels
DEFAULT_MEGABYTES = 12.0  # of a page, as text

_BATCH = 64
_THREADS = 4


class Thumbnails(NamedTuple):
    """WebP thumbnails in base64 by the hash of their image, and why others cannot be shown."""

    images: dict[str, str]
    broken: dict[str, str]


def make_thumbnails(
    sheets: Iterable[ContactSheet], folders: Sequence[Path], megabytes: float = DEFAULT_MEGABYTES
) -> Thumbnails:
    """Thumbnails of what the sheets show, from the images of these folders."""
    made = Thumbnails({}, {})
    room = megabytes * 1e6
    wanted = round_robin(sheets)
    shrink = partial(_thumbnail, [ImageFolder(folder) for folder in folders])
    with ThreadPoolExecutor(_THREADS) as pool:  # Pillow unpacks outside Python's lock
        while room > 0 and (some := list(islice(wanted, _BATCH))):
            for name, small in zip(some, pool.map(shrink, some), strict=True):
                if isinstance(small, Exception):
                    made.broken[name] = str(small).rstrip(".")
                elif len(small) <= room:
                    made.images[name] = small
                    room -= len(small)
                else:
                    return made
    return made


def round_robin(sheets: Iterable[ContactSheet]) -> Iterator[str]:
    """The images' hashes, each once: the first of every strip, then the second of every strip."""
    strips = [
        [image.sha256 for image in strip.images if image.sha256]
        for sheet in sheets
        for strip in sheet.strips
    ]
    seen: set[str] = set()
    for together in zip_longest(*strips):
        for name in together:
            if name is not None and name not in seen:
                seen.add(name)
                yield name


def _thumbnail(files: Sequence[ImageFolder], name: str) -> str | Exception:
    """A small copy, or why there is none."""
    try:
        found = next((each for each in files if each.path(name).exists()), None)
        if found is None:
            return ImageError("the image is missing from the run's files")
        return base64.b64encode(make_thumbnail(found.read(name), THUMBNAIL_SIDE)).decode("ascii")
    except (ImageError, EpiceneError, OSError) as error:
        return error


_NO_THUMBNAIL = -1


class PackedSheets(NamedTuple):
    """`data` is base64 of gzipped JSON; `thumbnails` one in base64 per line, by their number.

    The JSON is `{"facets": [names], "sheets": [sheet]}` with the fields of ContactSheet and
    ImageStrip; an image is `[thumbnail, caption, alt, missing]`, where `thumbnail` is the number of
    a line or -1.
    """

    data: str
    thumbnails: str
    sheets: int
    images: int
    embedded: int


def pack_sheets(sheets: Sequence[ContactSheet], small: Thumbnails) -> PackedSheets:
    """Sheets as the page's script reads them."""
    lines = {name: line for line, name in enumerate(small.images)}
    document = {
        "facets": list(dict.fromkeys(name for sheet in sheets for name in sheet.facets)),
        "sheets": [_packed_sheet(sheet, lines, small) for sheet in sheets],
    }
    # No time stamp, so that the same sheets give the same page.
    packed = gzip.compress(to_json(document), compresslevel=6, mtime=0)
    hashes = {
        image.sha256
        for sheet in sheets
        for strip in sheet.strips
        for image in strip.images
        if image.sha256
    }
    return PackedSheets(
        data=base64.b64encode(packed).decode("ascii"),
        thumbnails="\n".join(small.images.values()),
        sheets=len(sheets),
        images=len(hashes),
        embedded=len(small.images),
    )


def _packed_sheet(
    sheet: ContactSheet, lines: Mapping[str, int], small: Thumbnails
) -> dict[str, Any]:
    return {
        "name": sheet.name,
        "language": sheet.language,
        "about": sheet.about,
        "legend": sheet.legend,
        "value": sheet.value,
        "facets": sheet.facets,
        "strips": [
            {
                "heading": strip.heading,
                "summary": strip.summary,
                "language": strip.language,
                "prompts": strip.prompts,
                "images": [_packed_image(each, lines, small) for each in strip.images],
            }
            for strip in sheet.strips
        ],
    }


def _packed_image(
    image: SheetImage, lines: Mapping[str, int], small: Thumbnails
) -> tuple[int, str, str, str]:
    missing = image.missing or small.broken.get(image.sha256, "")
    return lines.get(image.sha256, _NO_THUMBNAIL), image.caption, image.alt, missing
