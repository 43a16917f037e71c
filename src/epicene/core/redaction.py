"""Remove secrets from text before it is written.

A secret is the value of a secret environment variable, or a part of a URL that may contain one: its
user and password, its query, its fragment. Host and path are kept, so that a reader still sees
which server it was.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

PLACEHOLDER = "[secret]"
_SECRET_NAME = regex.compile(
    r"(?i)(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(?:$|_)"
)
# Shorter values are no secrets, and to redact them would garble ordinary words.
_MIN_VARIABLE_LENGTH = 6
_MIN_SECRET_LENGTH = 4

# A URL up to a blank or the next URL, also percent-encoded, as in a model spec.
_SCHEME = r"[a-z][a-z0-9+.-]{0,20}(?:://|%(?:25)*3A%(?:25)*2F%(?:25)*2F)"
_URL = regex.compile(rf"{_SCHEME}(?:(?!{_SCHEME})[^\s?#])*(?:[?#]\S*)?", regex.IGNORECASE)
_QUERY_OR_FRAGMENT = regex.compile(r"[?#]|%(?:25)*(?:3F|23)", regex.IGNORECASE)
# A host, perhaps with a port, and what may follow it in a sentence or, as a weight, in an option.
_HOST = regex.compile(r"(?:\[[^\]@]*\]|[^:@]*)(?::\d*)?\W*(?:\*[\d.]+)?\W*")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without these secrets, the values of secret variables, and secrets inside URLs."""
    variables = (
        value
        for name, value in os.environ.items()
        if len(value) >= _MIN_VARIABLE_LENGTH and _SECRET_NAME.search(name)
    )
    if spellings := secret_spellings([*secrets, *variables]):
        # In one pass, longest first: one secret may begin with another.
        text = regex.sub("|".join(map(regex.escape, spellings)), PLACEHOLDER, text)
    return _URL.sub(_redact_found, text)


def redact_all(value: Any) -> Any:
    """Redact every text inside lists and mappings."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: redact_all(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [redact_all(each) for each in value]
    return value


def secret_spellings(secrets: Iterable[str]) -> tuple[str, ...]:
    """Each secret as it is and as spelt in a URL, longest first, because one may contain
    another.
    """
    long = {secret for secret in secrets if len(secret) >= _MIN_SECRET_LENGTH}
    both = long | {quote(secret, safe="") for secret in long}
    return tuple(sorted(both, key=lambda secret: (-len(secret), secret)))


def _redact_found(found: regex.Match[str]) -> str:
    shown = redact_url(found.group())
    return shown if PLACEHOLDER in shown else str(found.group())  # as it is written


def redact_url(url: str) -> str:
    """A URL with its scheme, host and path only."""
    while "://" not in url:
        url = unquote(url)
    scheme, _, rest = url.partition("://")
    place, *query = _QUERY_OR_FRAGMENT.split(rest, maxsplit=1)
    if not _HOST.fullmatch(place.partition("/")[0]):  # a user, whose password may hold a slash
        _, at, host = place.rpartition("@")
        place = PLACEHOLDER + at + host if at else PLACEHOLDER
    return f"{scheme}://{place}" + (f"?{PLACEHOLDER}" if query else "")
