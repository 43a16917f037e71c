"""Small copies of a run's images, as many as a page may carry.

Every strip of every sheet gets its first picture before any gets its second, so that a large run
shows something of everything.
"""

from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from epicene.errors import InputError
from epicene.models.pictures import PictureError, shrunk
from epicene.runs.files import ImageFolder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from epicene.records import ContactSheet

SIDE = 96  # pixels
MEGABYTES = 12.0  # of a page, as text

_AT_A_TIME = 64
_THREADS = 4


class Thumbnails(NamedTuple):
    """WebP pictures in base64 by the hash of their image, and why others cannot be shown."""

    pictures: dict[str, str]
    broken: dict[str, str]


def thumbnails(
    sheets: Iterable[ContactSheet], folders: Sequence[Path], megabytes: float = MEGABYTES
) -> Thumbnails:
    """Thumbnails of what the sheets show, from the images of these folders."""
    made = Thumbnails({}, {})
    room = megabytes * 1e6
    wanted = in_turn(sheets)
    shrink = partial(_small, [ImageFolder(folder) for folder in folders])
    with ThreadPoolExecutor(_THREADS) as pool:  # Pillow unpacks outside Python's lock
        while room > 0 and (some := list(islice(wanted, _AT_A_TIME))):
            for name, small in zip(some, pool.map(shrink, some), strict=True):
                if isinstance(small, Exception):
                    made.broken[name] = str(small).rstrip(".")
                elif len(small) <= room:
                    made.pictures[name] = small
                    room -= len(small)
                else:
                    return made
    return made


def in_turn(sheets: Iterable[ContactSheet]) -> Iterator[str]:
    """The images' hashes, each once: the first of every strip, then the second of every strip."""
    strips = [
        [picture.sha256 for picture in strip.pictures if picture.sha256]
        for sheet in sheets
        for strip in sheet.strips
    ]
    seen: set[str] = set()
    for together in zip_longest(*strips):
        for name in together:
            if name is not None and name not in seen:
                seen.add(name)
                yield name


def _small(files: Sequence[ImageFolder], name: str) -> str | Exception:
    """A small copy, or why there is none."""
    try:
        found = next((path for each in files if (path := each.path(name)).exists()), None)
        if found is None:
            return PictureError("the image is not among the run's files")
        return base64.b64encode(shrunk(found.read_bytes(), SIDE)).decode("ascii")
    except (PictureError, InputError, OSError) as error:
        return error
