"""Contact sheets packed for the page: every text once and compressed, thumbnails line by line.

The page's script unpacks the texts and draws only the sheets in view.
"""

from __future__ import annotations

import base64
import gzip
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.records import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.records import ContactSheet, Pictured
    from epicene.report.thumbnails import Thumbnails

_ABSENT = -1


class PackedSheets(NamedTuple):
    """`data` is base64 of gzipped JSON; `thumbnails` one in base64 per line, by their number.

    The JSON is `{"facets": [names], "sheets": [sheet]}` with the fields of ContactSheet and Strip;
    a picture is `[thumbnail, caption, alt, missing]`, a thumbnail the number of a line or -1.
    """

    data: str
    thumbnails: str
    sheets: int
    pictures: int
    embedded: int


def pack_sheets(sheets: Sequence[ContactSheet], small: Thumbnails) -> PackedSheets:
    """Sheets as the page's script reads them."""
    places = {name: place for place, name in enumerate(small.pictures)}
    document = {
        "facets": list(dict.fromkeys(name for sheet in sheets for name in sheet.facets)),
        "sheets": [_sheet(sheet, places, small) for sheet in sheets],
    }
    # No time stamp, so that the same sheets give the same page.
    packed = gzip.compress(to_json(document), compresslevel=6, mtime=0)
    hashes = {
        picture.sha256
        for sheet in sheets
        for strip in sheet.strips
        for picture in strip.pictures
        if picture.sha256
    }
    return PackedSheets(
        data=base64.b64encode(packed).decode("ascii"),
        thumbnails="\n".join(small.pictures.values()),
        sheets=len(sheets),
        pictures=len(hashes),
        embedded=len(small.pictures),
    )


def _sheet(sheet: ContactSheet, places: Mapping[str, int], small: Thumbnails) -> dict[str, Any]:
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
                "pictures": [_picture(each, places, small) for each in strip.pictures],
            }
            for strip in sheet.strips
        ],
    }


def _picture(
    picture: Pictured, places: Mapping[str, int], small: Thumbnails
) -> tuple[int, str, str, str]:
    missing = picture.missing or small.broken.get(picture.sha256, "")
    return places.get(picture.sha256, _ABSENT), picture.caption, picture.alt, missing
