"""A plain HTTP client for services with few endpoints, and downloads of the images they link to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

import httpx

from epicene.models import images
from epicene.models.http.errors import (
    ErrorDetails,
    HttpStatusError,
    TransientError,
    connection_error,
    is_transient_status,
    one_line,
)
from epicene.models.http.image_samples import decode_base64_image
from epicene.models.http.public_addresses import PublicTransport, check_name, find_proxy, host_of
from epicene.models.http.responses import (
    ACCEPT_ENCODING,
    RedirectCircleError,
    TooLargeError,
    UnusableReplyError,
    decode_json,
    read_body,
    send_and_follow,
    send_within_limits,
    status_error,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.models.http.sender import Sender

ReplyT = TypeVar("ReplyT")


class HttpClient:
    """Requests to one server, with its key."""

    def __init__(self, sender: Sender, headers: Mapping[str, str]) -> None:
        address = sender.address
        self._sender = sender
        self._client = httpx.AsyncClient(
            base_url=address.base_url or "",
            headers={**ACCEPT_ENCODING, **(headers if address.key else {})},
            params=address.query,
            timeout=None,  # noqa: S113 - the sender's is over the whole request
            follow_redirects=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def call(self, method: str, path: str, reply: type[ReplyT], **content: Any) -> ReplyT:
        """The decoded reply; raises `HttpStatusError` or `TransientError` if there is none."""
        send = partial(self._client.send, stream=True)
        sender = self._sender
        try:
            request = self._client.build_request(method, path, **content)
            response = await send_within_limits(
                send, request, sender.max_response, sender.large_bodies, sender.address.redact_body
            )
        except httpx.HTTPError as error:
            raise connection_error(error, type(error).__name__) from None
        if not response.is_success:
            raise status_error(response.status_code, response.headers, response.content)
        return decode_json(response.content, reply)


class ImageDownloader:
    """Downloads of images from the addresses that a provider sends, without its key.

    They are fetched from public addresses and from the provider's own server only.
    """

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        servers = sender.load_balancer.servers
        self._own = {host_of(server.address.base_url or "") for server in servers}
        self._direct = _open_client(PublicTransport(self._own))
        self._by_proxy: dict[str, httpx.AsyncClient] = {}  # opened when they are needed

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in (self._direct, *self._by_proxy.values()):
            await client.aclose()

    async def fetch(self, url: str) -> bytes:
        """The bytes at an address, or in a data URL."""
        if url.startswith("data:"):
            return decode_base64_image(url)
        if not url.startswith(("http://", "https://")):
            raise images.BrokenImageError("the image's address is not a web address")
        once = partial(self._sender.send_once, partial(self._get, url), elsewhere=True)
        return await self._sender.send_with_retries(once)

    async def _get(self, url: str) -> bytes:
        try:
            request = self._direct.build_request("GET", url)
            async with send_and_follow(self._send, request, _follow_anywhere) as response:
                return await self._read(response)
        except RedirectCircleError:
            raise images.UnusableImageError(
                "the image could not be fetched (its address redirects in a loop)"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            reason = one_line(str(error)) or type(error).__name__
            raise TransientError("server", f"the image could not be fetched ({reason})") from None

    async def _send(self, request: httpx.Request) -> httpx.Response:
        return await self._client_for(str(request.url)).send(request, stream=True)

    def _client_for(self, url: str) -> httpx.AsyncClient:
        """The client that uses the environment's proxy, or connects directly, and then only to
        checked addresses.
        """
        if not (proxy := find_proxy(url)):
            return self._direct
        if (host := host_of(url)) not in self._own:
            check_name(host[0])
        if proxy not in self._by_proxy:
            self._by_proxy[proxy] = _open_client(httpx.AsyncHTTPTransport(proxy=proxy))
        return self._by_proxy[proxy]

    async def _read(self, response: httpx.Response) -> bytes:
        status = response.status_code
        if is_transient_status(status):
            details = ErrorDetails("from the image's server")
            raise HttpStatusError(status, details, headers=response.headers)
        if not response.is_success:  # what it says may be of no concern to whoever reads the run
            raise images.UnusableImageError(f"the image could not be fetched (HTTP {status})")
        try:
            return await read_body(response, images.MAX_BYTES, self._sender.large_bodies)
        except TooLargeError:
            raise images.OversizedImageError(
                f"the image is larger than the limit of {images.MAX_BYTES >> 20} MB"
            ) from None
        except UnusableReplyError as error:
            raise images.UnusableImageError(str(error)) from None


def _open_client(transport: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    """A client that uses only this route, whatever proxy the environment names."""
    # Its own time limit is off: the sender's is over the whole request.
    return httpx.AsyncClient(timeout=None, headers=ACCEPT_ENCODING, transport=transport)  # noqa: S113


def _follow_anywhere(_: httpx.Request, response: httpx.Response) -> httpx.Request:
    following = response.next_request
    if following is None or following.url.scheme not in {"http", "https"}:
        raise images.UnusableImageError(
            "the image's address redirects to something that is not a web address"
        )
    return following
