"""Connect to public addresses only.

The addresses of images come from a server. If one named a machine on the user's own network, this
program would read what the server itself cannot (server-side request forgery). A name is resolved
here, its addresses are checked, and the connection goes to a checked address, so that the name
cannot refer to another machine a moment later.
"""

from __future__ import annotations

import asyncio
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from epicene.models.http.address import DEFAULT_PORTS
from epicene.models.http.errors import one_line, shorten
from epicene.models.images import UnusableImageError

if TYPE_CHECKING:
    from collections.abc import Collection

Host: TypeAlias = tuple[str, int]  # and its port
_NAT64 = IPv6Network("64:ff9b::/96")
_LOCAL_NAMES = ("localhost", ".localhost", ".local", ".internal", ".lan", ".home.arpa")


def host_of(url: str) -> Host:
    """The host and port of a URL."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)


def is_public(address: str) -> bool:
    """Whether an IP address is public, including one that wraps an IPv4 address."""
    found = ip_address(address.partition("%")[0])
    inner = _inner(found) if isinstance(found, IPv6Address) else None
    return (
        found.is_global
        and not (found.is_multicast or found.is_reserved or found.is_unspecified)
        and not (isinstance(found, IPv6Address) and found.is_site_local)
        and (inner is None or is_public(str(inner)))
    )


def _inner(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]


class PublicTransport(httpx.AsyncHTTPTransport):
    """Connects to public addresses, and to `own` hosts whatever their address."""

    def __init__(self, own: Collection[Host]) -> None:
        # A kept connection would be shared by all hosts of one address.
        super().__init__(limits=httpx.Limits(max_keepalive_connections=0))
        self._own = own

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to a checked address of its host."""
        host, port = host_of(str(request.url))
        if (host, port) in self._own:
            return await super().handle_async_request(request)
        failure: httpx.ConnectError | None = None
        for address in await _find_public_addresses(host, port):
            checked = httpx.Request(
                request.method,
                request.url.copy_with(host=address),
                headers=request.headers,
                stream=request.stream,
                # The certificate must be the host's, not the address's.
                extensions={**request.extensions, "sni_hostname": host},
            )
            try:
                return await super().handle_async_request(checked)
            except httpx.ConnectError as error:
                failure = error
        raise failure or httpx.ConnectError("the host has no address")


async def _find_public_addresses(host: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpx.ConnectError(f"the host {host} is unknown ({error})") from None
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    if not all(map(is_public, addresses)):
        raise not_public(host)
    return addresses


def find_proxy(url: str) -> str:
    """The proxy that the environment names for a URL, which then resolves its host; "" if none."""
    proxies = getproxies()
    proxy = proxies.get(urlsplit(url).scheme) or proxies.get("all") or ""
    if not proxy or proxy_bypass(host_of(url)[0]):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def check_name(host: str) -> None:
    """Raise for a host whose name is not public, which is all that can be checked when a proxy
    is used.
    """
    name = host.rstrip(".")
    try:
        public = is_public(name)
    except ValueError:  # a name
        public = "." in name and not name.endswith(_LOCAL_NAMES) and not _is_number(name)
    if not public:
        raise not_public(host)


def _is_number(name: str) -> bool:
    """Whether a name is another spelling of an IPv4 address, such as 127.1 or 0x7f.0.0.1."""
    try:
        socket.inet_aton(name)
    except (OSError, UnicodeError):
        return False
    return True


def not_public(host: str) -> UnusableImageError:
    """The error for an image on a machine that is not public."""
    return UnusableImageError(
        f"the image is not fetched from {shorten(one_line(host))}: it is neither a public address "
        "nor the server that the request was sent to"
    )
