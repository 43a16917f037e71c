"""The pages' style and script, under addresses that change when they do."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

_ASSETS = {
    "icon.svg": ("image/svg+xml", (("epicene.annotate.pages", "static/icon.svg"),)),
    "pages.css": (
        "text/css",
        (("epicene", "colours.css"), ("epicene.annotate.pages", "static/pages.css")),
    ),
    "pages.js": (
        "text/javascript",
        (
            ("epicene.languages", "differences.js"),
            ("epicene.annotate.pages", "static/words.js"),
            ("epicene.annotate.pages", "static/keys.js"),
            ("epicene.annotate.pages", "static/saving.js"),
        ),
    ),
}


@cache
def asset(name: str) -> tuple[bytes, str] | None:
    """The bytes of a style or script and what they are; None where there is no such."""
    if name not in _ASSETS:
        return None
    media_type, parts = _ASSETS[name]
    data = b"\n".join((files(package) / path).read_bytes() for package, path in parts)
    return data, media_type


@cache
def asset_address(name: str) -> str:
    """Where it is, with what changes when it does, so that browsers may keep it."""
    found = asset(name)
    assert found is not None
    return f"/static/{hashlib.sha256(found[0]).hexdigest()[:12]}/{name}"
