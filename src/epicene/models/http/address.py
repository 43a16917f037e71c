"""Server addresses and API keys, and how they are redacted in messages."""

from __future__ import annotations

import base64
import json
import math
import os
import re
from dataclasses import dataclass, field, replace
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from epicene.core.errors import InputError, OptionError
from epicene.core.redaction import PLACEHOLDER, redact, redact_url, secret_spellings

_SEPARATOR = re.compile(r"[\s,]+(?=https?://)|\s+")
DEFAULT_PORTS = {"http": 80, "https": 443}
_MIN_KEY_LENGTH = 16  # of a key that is looked for in whole replies
_WEIGHTED = re.compile(r"(.+)\*([0-9.]+)")


@dataclass(frozen=True)
class Provider:
    """A provider: its own server, and the settings that name the key or another server."""

    key_variable: str
    url_variable: str
    url_option: str
    name: str  # of its own server, in messages
    default_url: str | None = None  # None where the client library knows it
    several: bool = False  # whether several servers may serve one model


@dataclass(frozen=True)
class Address:
    """A server. `display` is the only part that people may see; the rest never leaves the
    client.
    """

    display: str
    key: str = field(repr=False)
    base_url: str | None = field(repr=False)
    query: dict[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)
    is_default: bool  # the provider's own server, whose prices are known
    weight: float = 1.0  # how much work it takes beside others

    def redact(self, text: str) -> str:
        """The text without the key, what is secret in the address, and all other secrets."""
        return redact(text, self.secrets)

    def redact_body(self, body: bytes) -> bytes:
        """A reply without the key, as it is, in a URL or in JSON; short keys may be words."""
        if len(self.key) >= _MIN_KEY_LENGTH:
            in_json = json.dumps(self.key)[1:-1]
            for spelling in (*secret_spellings([self.key]), in_json, in_json.replace("/", r"\/")):
                body = body.replace(spelling.encode(), PLACEHOLDER.encode())
        return body


def find_addresses(provider: Provider, base_url: str) -> tuple[Address, ...]:
    """The servers named by the option or the environment (default: the provider's own).

    Several are separated by spaces or commas, `URL URL*2`, each with a weight if it is not 1.
    """
    try:
        return _parse_addresses(provider, base_url or os.environ.get(provider.url_variable, ""))
    except InputError as error:
        if base_url:
            raise OptionError("base_url", str(error)) from None
        raise


def _parse_addresses(provider: Provider, text: str) -> tuple[Address, ...]:
    text = text.strip()
    key = os.environ.get(provider.key_variable, "")
    if not text and not key:
        raise InputError(
            f"Set {provider.key_variable} to reach {provider.name}, or name another server with "
            f"{provider.url_variable} or {provider.url_option}."
        )
    found = [_parse_address(provider, url, key) for url in _SEPARATOR.split(text)]
    if len(found) > 1:
        _check_several(provider, found)
    # What is secret in one address must not be said of another either.
    secrets = secret_spellings({secret for each in found for secret in each.secrets})
    return tuple(replace(each, secrets=secrets) for each in found)


def _check_several(provider: Provider, found: list[Address]) -> None:
    if not provider.several:
        raise InputError(
            f"{provider.url_variable} or {provider.url_option} names {len(found)} servers; a "
            f"model of {provider.name} takes only one."
        )
    seen: list[object] = []
    for each in found:
        if (key := _server_key(each)) in seen:
            raise InputError(
                f"The server {each.display} is named twice; name it once, with a weight if it "
                "should take more requests than others: URL*2."
            )
        seen.append(key)


def _server_key(address: Address) -> object:
    """What two addresses of one server have in common, however they are spelt."""
    parts = urlsplit(address.base_url or "")
    userinfo = parts.netloc.rpartition("@")[0]
    port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    return parts.scheme, userinfo, parts.hostname, port, parts.path.rstrip("/"), address.query


def _parse_address(provider: Provider, text: str, key: str) -> Address:
    url, weight = text, 1.0
    if weighted := _WEIGHTED.fullmatch(text):
        url, weight = weighted[1], _parse_weight(weighted[2])
    parts = _split_url(provider, url or provider.default_url or "")
    query = dict(parse_qsl(parts.query))
    userinfo, _, host = parts.netloc.rpartition("@")
    secrets = {key, *query.values(), *userinfo.split(":", 1), parts.fragment}
    secrets |= {unquote(part) for part in userinfo.split(":", 1)}
    if userinfo:
        secrets.add(base64.b64encode(userinfo.encode()).decode())
    known = bool(parts.netloc)
    return Address(
        display=redact_url(urlunsplit((parts.scheme, host, parts.path, "", "")))
        if known
        else provider.name,
        key=key,
        # Clients append paths to the address, so a query has to travel apart from it.
        base_url=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")) if known else None,
        query=query,
        secrets=tuple(secrets),
        is_default=not url,
        weight=weight,
    )


def _parse_weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not 0 < weight < math.inf:
        raise InputError(
            f"The weight {text} of a server is invalid: use a number above 0, as in "
            "http://127.0.0.1:8000/v1*2."
        )
    return weight


def _split_url(provider: Provider, url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        sound = not url or (
            parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        )
    except ValueError:  # a port that is no number, an open bracket
        sound = False
    if not sound:
        # The address itself is not repeated: it may hold a secret.
        raise InputError(
            f"The server's address ({provider.url_variable} or {provider.url_option}) must start "
            "with http:// or https:// and name a host, e.g. http://127.0.0.1:8000/v1."
        )
    return parts
