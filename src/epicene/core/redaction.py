"""Remove secrets from text before it is written.

A secret is the value of a secret environment variable, or a part of a URL that may contain one: its
user and password, the values of its query, its fragment. Host and path are kept, so that a reader
still sees which server it was.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus, unquote, unquote_plus

import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PLACEHOLDER = "[secret]"
_SECRET_NAME = regex.compile(
    r"(?i)(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(?:$|_)"
)
# Shorter values are no secrets, and to redact them would garble ordinary words.
_MIN_VARIABLE_LENGTH = 6
_MIN_SECRET_LENGTH = 4

_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]{0,20}"
# A model spec's base_url, up to its next option or the next spec; any URL, up to a blank; one that
# is percent-encoded, perhaps more than once.
_URLS = regex.compile(
    r"(?<=[?&]base_url=)(?P<option>(?:(?!,[A-Za-z][\w-]*[:?])[^&\s])+)"
    rf"|(?P<url>{_SCHEME}://\S+)"
    rf"|(?P<encoded>{_SCHEME}%(?:25)*3A%(?:25)*2F%(?:25)*2F\S+)",
    regex.IGNORECASE,
)
_NEXT_URL = regex.compile(rf"{_SCHEME}://")
_QUERY_OR_FRAGMENT = regex.compile(r"[?#]|%(?:25)*(?:3F|23)", regex.IGNORECASE)
_BETWEEN = ("", "&", ";", "#")
_PARAMETERS = regex.compile(r"([&;#])")
_NAME = regex.compile(r"[\w.\[\]-]{1,40}")
# A port, with what may follow a URL in a sentence or, as its weight, in an option.
_PORT = regex.compile(r"\d*\W*(?:\*[\d.]+)?\W*")
_READABLE = ":/@[]*,"  # what need not be encoded in the value of base_url


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
    return _URLS.sub(_redact_match, text)


def redact_all(value: Any) -> Any:
    """Redact every text inside lists and mappings."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: redact_all(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [redact_all(each) for each in value]
    return value


def redacted_command(words: Sequence[str]) -> str:
    """A command to record, redacted word by word because some passwords contain quotes."""
    return shlex.join(map(redact, words))


def secret_spellings(secrets: Iterable[str]) -> tuple[str, ...]:
    """Each secret as it is and as spelt in a URL, longest first, because one may contain
    another.
    """
    long = {secret for secret in secrets if len(secret) >= _MIN_SECRET_LENGTH}
    both = long | {quote(secret, safe="") for secret in long}
    return tuple(sorted(both, key=lambda secret: (-len(secret), secret)))


def redact_url(url: str) -> str:
    """A URL with its scheme, host, path and the names of its parameters only."""
    split = _QUERY_OR_FRAGMENT.search(url)
    if split is None:
        return _redact_users(url)
    head = _redact_users(url[: split.start()])
    return head + split.group() + _redact_parameters(url[split.end() :])


def _redact_match(found: regex.Match[str]) -> str:
    text: str = found.group()
    if found["url"]:
        return redact_url(text)
    decoded = unquote_plus(text) if found["option"] else _decode_fully(text)
    redacted = redact_url(decoded) if found["encoded"] else _URLS.sub(_redact_match, decoded)
    # What holds no secret stays as it is written.
    return text if redacted == decoded else quote_plus(redacted, safe=_READABLE)


def _decode_fully(text: str) -> str:
    while "://" not in text:
        text = unquote(text)
    return text


def _redact_users(text: str) -> str:
    """The part before a query: scheme, user, host and path, perhaps of several URLs."""
    scheme = _NEXT_URL.match(text)
    start = scheme.end() if scheme else 0
    following = _NEXT_URL.search(text, start)
    end = following.start() if following else len(text)
    authority, slash, path = text[start:end].partition("/")
    users, at, host = authority.rpartition("@")
    if not at and not _is_host(authority):
        # No host ends like that: it is a user with part of a password that holds a slash.
        _, found, rest = path.rpartition("@")
        shown = f"{PLACEHOLDER}@{rest}" if found else f"{PLACEHOLDER}{slash}{path}"
    else:
        shown = f"{PLACEHOLDER}@{host}{slash}{path}" if users else text[start:end]
    return text[:start] + shown + (_redact_users(text[end:]) if following else "")


def _is_host(authority: str) -> bool:
    """Whether it is a host, with or without a numeric port."""
    _, colon, port = authority.rpartition("]")[2].rpartition(":")
    return not colon or _PORT.fullmatch(port) is not None


def _redact_parameters(query: str) -> str:
    """A query and fragment with the names of its parameters only."""
    shown = []
    for part in _PARAMETERS.split(query):
        name, _, value = part.partition("=")
        named = _NAME.fullmatch(name) and value.strip("=")  # else it may be base64
        secret = f"{name}={PLACEHOLDER}" if named else PLACEHOLDER
        shown.append(part if part in _BETWEEN else secret)
    return "".join(shown)
