"""Plain HTTP, for providers whose protocol is a few endpoints; pictures from where they lie."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

import httpx
import msgspec

from epicene.models import pictures
from epicene.models.remote.faults import FaultKind, PassingError, StatusError, brief, words
from epicene.models.remote.shots import from_base64

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.models.remote.address import Address
    from epicene.models.remote.sender import Sender

ReplyT = TypeVar("ReplyT")


class HttpClient:
    """Requests to one server. It never follows a server elsewhere: the key would go along."""

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
        """The reply, read; `StatusError` or `PassingError` where there is none to be read."""
        try:
            response = await self._client.request(method, path, **content)
        except httpx.HTTPError as error:
            raise broken_line(error) from None
        if not response.is_success:
            raise status_error(response, response.content)
        return read(response.content, reply)


class Downloads:
    """Pictures from where a provider says that they lie. The key is not sent there."""

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
            return from_base64(url)
        if not url.startswith(("http://", "https://")):
            raise pictures.BrokenPictureError("the image's address is no web address")
        once = partial(self._sender.once, partial(self._get, url), elsewhere=True)
        return await self._sender.until_answered(once)

    async def _get(self, url: str) -> bytes:
        data = bytearray()
        try:
            async with self._client.stream("GET", url) as response:
                if not response.is_success:
                    raise status_error(response, await response.aread())
                async for block in response.aiter_bytes():
                    data += block
                    pictures.refuse_heavy(len(data))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise PassingError(
                "server", f"the image could not be fetched ({told(error)})"
            ) from None
        return bytes(data)


def broken_line(error: httpx.HTTPError) -> PassingError:
    """What a connection that failed means for the request."""
    kind: FaultKind = "connect" if isinstance(error, httpx.ConnectError) else "server"
    return PassingError(kind, f"the connection failed ({told(error)})")


def told(error: Exception) -> str:
    """A library's words about a failure, or its name for it."""
    return brief(str(error)) or type(error).__name__


def status_error(response: httpx.Response, body: bytes) -> StatusError:
    """An error status with what the server says of it."""
    try:
        content = msgspec.json.decode(body)
    except ValueError:  # not JSON, or not even UTF-8
        content = body.decode(errors="replace")
    return StatusError(response.status_code, **words(content)._asdict(), headers=response.headers)


def read(content: bytes, reply: type[ReplyT]) -> ReplyT:
    """A reply; a fault where it is not JSON or of another shape."""
    try:
        return msgspec.json.decode(content, type=reply)
    except ValueError as error:
        raise PassingError("reply", f"the reply could not be read ({error})") from None
