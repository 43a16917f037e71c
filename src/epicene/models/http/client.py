"""A plain HTTP client for services with few endpoints, and downloads of the images they link to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

import httpx
import msgspec

from epicene.models import images
from epicene.models.http.errors import (
    HttpStatusError,
    TransientError,
    connection_error,
    one_line,
    parse_error_details,
)
from epicene.models.http.image_samples import decode_base64_image

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.models.http.address import Address
    from epicene.models.http.sender import Sender

ReplyT = TypeVar("ReplyT")


class HttpClient:
    """Requests to one server. Redirects are not followed: the key would be sent along."""

    def __init__(self, address: Address, headers: Mapping[str, str]) -> None:
        self._client = httpx.AsyncClient(
            base_url=address.base_url or "",
            headers=dict(headers) if address.key else {},
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
        try:
            response = await self._client.request(method, path, **content)
        except httpx.HTTPError as error:
            raise connection_error(error, type(error).__name__) from None
        if not response.is_success:
            raise status_error(response, response.content)
        return decode_reply(response.content, reply)


class ImageDownloader:
    """Downloads of images from the addresses that a provider sends, without its key."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        # Its own time limits are off: the sender's is over the whole request.
        self._client = httpx.AsyncClient(timeout=None, follow_redirects=True)  # noqa: S113

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def fetch(self, url: str) -> bytes:
        """The bytes at an address, or in a data URL."""
        if url.startswith("data:"):
            return decode_base64_image(url)
        if not url.startswith(("http://", "https://")):
            raise images.BrokenImageError("the image's address is no web address")
        once = partial(self._sender.send_once, partial(self._get, url), elsewhere=True)
        return await self._sender.send_with_retries(once)

    async def _get(self, url: str) -> bytes:
        data = bytearray()
        try:
            async with self._client.stream("GET", url) as response:
                if not response.is_success:
                    raise status_error(response, await response.aread())
                async for block in response.aiter_bytes():
                    data += block
                    images.check_byte_size(len(data))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise TransientError(
                "server", f"the image could not be fetched ({describe_exception(error)})"
            ) from None
        return bytes(data)


def describe_exception(error: Exception) -> str:
    """An exception's message, or else its class."""
    return one_line(str(error)) or type(error).__name__


def status_error(response: httpx.Response, body: bytes) -> HttpStatusError:
    """The error for a reply with an error status, with the server's message."""
    try:
        content = msgspec.json.decode(body)
    except ValueError:  # not JSON, or not even UTF-8
        content = body.decode(errors="replace")
    return HttpStatusError(
        response.status_code, parse_error_details(content), headers=response.headers
    )


def decode_reply(content: bytes, reply: type[ReplyT]) -> ReplyT:
    """The decoded reply; `TransientError` if it is not JSON or of another shape."""
    try:
        return msgspec.json.decode(content, type=reply)
    except ValueError as error:
        raise TransientError("reply", f"the reply could not be read ({error})") from None
