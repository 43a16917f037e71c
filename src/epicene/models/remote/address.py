"""Where the server is, and what of the way there is secret."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit, urlunsplit

from epicene.errors import InputError

BLOT = "[secret]"
_SHORTEST = 4  # a shorter value is no secret, and blotting it out would garble every sentence


@dataclass(frozen=True)
class Provider:
    """Whose protocol a kind speaks: its own server, and what names the key or another server."""

    key_variable: str
    url_variable: str
    url_option: str
    own: str  # its own server, as people are told of it
    own_url: str | None = None  # None where the client library knows it


@dataclass(frozen=True)
class Address:
    """A server. `shown` is all that people may see of it; the rest never leaves the client."""

    shown: str
    key: str = field(repr=False)
    base_url: str | None = field(repr=False)
    query: dict[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)
    own: bool  # the provider's own server, whose prices are known

    def redact(self, text: str) -> str:
        """The text without the key and without what is secret in the address."""
        for secret in self.secrets:
            text = text.replace(secret, BLOT)
        return text


def find(provider: Provider, base_url: str) -> Address:
    """The server of the option, else of the environment, else the provider's own."""
    url = base_url or os.environ.get(provider.url_variable, "")
    key = os.environ.get(provider.key_variable, "")
    if not url and not key:
        raise InputError(
            f"Set {provider.key_variable} to reach {provider.own}, or name another server with "
            f"{provider.url_variable} or {provider.url_option}."
        )
    parts = _split(provider, url or provider.own_url or "")
    query = dict(parse_qsl(parts.query))
    userinfo, _, host = parts.netloc.rpartition("@")
    secrets = {key, *query.values(), *userinfo.split(":", 1)}
    if userinfo:
        secrets.add(base64.b64encode(userinfo.encode()).decode())
    known = bool(parts.netloc)
    return Address(
        shown=urlunsplit((parts.scheme, host, parts.path, "", "")) if known else provider.own,
        key=key,
        # Clients append paths to the address, so a query has to travel apart from it.
        base_url=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")) if known else None,
        query=query,
        secrets=_spellings(secrets),
        own=not url,
    )


def _split(provider: Provider, url: str) -> SplitResult:
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
            f"The server's address ({provider.url_variable} or {provider.url_option}) must begin "
            "with http:// or https:// and name a host, e.g. http://127.0.0.1:8000/v1."
        )
    return parts


def _spellings(secrets: set[str]) -> tuple[str, ...]:
    """Each secret as it is and as an address spells it, longest first: one may hold another."""
    long = {secret for secret in secrets if len(secret) >= _SHORTEST}
    both = long | {quote(secret, safe="") for secret in long}
    return tuple(sorted(both, key=lambda secret: (-len(secret), secret)))
