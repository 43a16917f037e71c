"""The static files of the pages, with addresses that browsers may cache."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

_ASSETS = {
    "icon.svg": ("image/svg+xml", (("epicene.studies.web", "static/icon.svg"),)),
    "pages.css": (
        "text/css",
        (("epicene.show", "templates/colours.css"), ("epicene.studies.web", "static/pages.css")),
    ),
    "owner.js": (
        "text/javascript",
        (
            ("epicene.show", "templates/word_diff.js"),
            ("epicene.studies.web", "static/words.js"),
            ("epicene.studies.web", "static/keys.js"),
            ("epicene.studies.web", "static/owner.js"),
        ),
    ),
    "pages.js": (
        "text/javascript",
        (
            ("epicene.show", "templates/word_diff.js"),
            ("epicene.studies.web", "static/words.js"),
            ("epicene.studies.web", "static/keys.js"),
            ("epicene.studies.web", "static/saving.js"),
        ),
    ),
}


@cache
def read_asset(name: str) -> tuple[bytes, str] | None:
    """The bytes and media type of a static file; None if there is none of this name."""
    if name not in _ASSETS:
        return None
    media_type, parts = _ASSETS[name]
    data = b"\n".join((files(package) / path).read_bytes() for package, path in parts)
    return data, media_type


@cache
def asset_url(name: str) -> str:
    """The address of a static file, with a content hash so that browsers can cache it."""
    found = read_asset(name)
    assert found is not None
    return f"/static/{hashlib.sha256(found[0]).hexdigest()[:12]}/{name}"
