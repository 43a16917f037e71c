"""Read responses within limits: their size, packed and unpacked, their nesting, their redirects.

A response is read as it arrives and given up at the limit, so that no server can fill the memory.
"""

from __future__ import annotations

import asyncio
import zlib
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from epicene.core.redaction import redact_url
from epicene.models import UnanswerableError
from epicene.models.http.errors import (
    ErrorDetails,
    HttpStatusError,
    TransientError,
    one_line,
    parse_error_details,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping

T = TypeVar("T")
MIB = 1 << 20
# What is asked for: the other encodings are unpacked by libraries that not every machine has.
ACCEPT_ENCODING = {"Accept-Encoding": "gzip, deflate"}
_MAX_ERROR_BODY = MIB  # of an error no more is read
_MAX_CONTAINERS = 200_000  # objects and lists in one JSON document: each takes 30 times its bytes
_MAX_REDIRECTS = 5
_LARGE_BODY = MIB // 2
_LARGE_BODIES = 4
_PIECE = MIB // 4  # what is unpacked at once


class TooLargeError(UnanswerableError):
    """A response that is larger than the limit; another attempt would be as large."""


class Response(Protocol):
    """What httpx and its successor httpx2 have in common."""

    status_code: int
    headers: Any
    extensions: Any

    def aiter_raw(self) -> AsyncIterator[bytes]:
        """The bytes as they come over the network."""

    async def aclose(self) -> None:
        """Close the connection, unless all was read."""


# --- size ----------------------------------------------------------------------------------


class LargeBodySlots:
    """Few large bodies are in memory at once, however many requests are under way."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(_LARGE_BODIES)

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Keep the slot of a large body that is read inside until the end of this block."""
        if _current.get() is not None:  # the outer block keeps it
            yield
            return
        holder = _Holder()
        token = _current.set(holder)
        try:
            yield
        finally:
            _current.reset(token)
            if holder.taken:
                self._slots.release()

    async def take(self) -> None:
        """Wait for a slot, unless this request has one."""
        holder = _current.get()
        if holder and not holder.taken:
            await self._slots.acquire()
            holder.taken = True


@dataclass
class _Holder:
    taken: bool = False


_current: ContextVar[_Holder | None] = ContextVar("_current", default=None)


async def read_body(
    response: Response, limit: int, slots: LargeBodySlots, *, cut: bool = False
) -> bytes:
    """The body, unpacked; beyond the limit it is cut, or else raises `TooLargeError`."""
    unpacker = _find_unpacker(response.headers.get("content-encoding", ""))
    body, received = bytearray(), 0
    async for block in response.aiter_raw():
        received += len(block)
        for piece in unpacker.unpack(block) if unpacker else (block,):
            body += piece
            if max(received, len(body)) > limit:
                if cut:
                    return bytes(body[:limit])
                raise TooLargeError(_too_large(limit, packed=unpacker is not None))
            if len(body) > _LARGE_BODY:
                await slots.take()
    if unpacker and received and not unpacker.complete and not cut:
        raise TransientError("reply", "the reply's compressed data are incomplete")
    return bytes(body)


def _too_large(limit: int, *, packed: bool) -> str:
    unpacked = " when unpacked" if packed else ""
    return (
        f"the reply is larger than {limit / MIB:.3g} MiB{unpacked}; if that is right, allow more "
        "with --max-response"
    )


class _Unpacker:
    """Unpacks gzip or deflate in small pieces."""

    def __init__(self, window: int) -> None:
        self._stream = zlib.decompressobj(window)
        self._begun = False

    @property
    def complete(self) -> bool:
        """Whether the end of the packed data has come."""
        return self._stream.eof

    def unpack(self, block: bytes) -> Iterator[bytes]:
        """What the block adds."""
        full = True
        while (block or full) and not self.complete:
            piece = self._next(block)
            yield piece
            block, full = self._stream.unconsumed_tail, len(piece) == _PIECE

    def _next(self, block: bytes) -> bytes:
        try:
            return self._stream.decompress(block, _PIECE)
        except zlib.error as error:
            if self._begun:
                raise TransientError("reply", f"the reply cannot be unpacked ({error})") from None
        finally:
            self._begun = True
        self._stream = zlib.decompressobj(-zlib.MAX_WBITS)  # deflate without a header
        return self._next(block)


def _find_unpacker(encoding: str) -> _Unpacker | None:
    match encoding.strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return _Unpacker(zlib.MAX_WBITS | 16)
        case "deflate":
            return _Unpacker(zlib.MAX_WBITS)
    raise UnanswerableError(
        f"the reply is packed as {one_line(encoding)!r}; only gzip or deflate was asked for"
    )


# --- redirects -----------------------------------------------------------------------------


async def send_within_limits(
    send: Callable[[Any], Awaitable[Any]], request: Any, limit: int, slots: LargeBodySlots
) -> Any:
    """The response to a request with its body read; `send` streams and follows no redirect.

    Redirects are followed on the same server, if they keep the request as it is. To any other the
    prompts would go too, and perhaps the key. Works with httpx and with its successor httpx2.
    """
    for _ in range(_MAX_REDIRECTS + 1):
        response = await send(request)
        try:
            if response.has_redirect_location:
                request = _follow(request, response)
                continue
            failed = not response.is_success
            most = min(limit, _MAX_ERROR_BODY) if failed else limit
            body = await read_body(response, most, slots, cut=failed)
        finally:
            await response.aclose()
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in {"content-encoding", "content-length", "transfer-encoding"}
        ]
        return type(response)(
            response.status_code, headers=headers, content=body, request=response.request
        )
    raise HttpStatusError(response.status_code, ErrorDetails("the server redirects in a circle"))


def _follow(request: Any, response: Any) -> Any:
    """The request that a redirect leads to, on the same server; else `HttpStatusError`."""
    following = response.next_request
    place = redact_url(str(following.url))
    if _origin(following.url) != _origin(request.url):
        reason = f"the server redirects to another, {place}; if you trust that one, name it instead"
    elif following.method != request.method:
        reason = f"the server redirects to {place} without what was sent; name that address instead"
    else:
        return following
    raise HttpStatusError(response.status_code, ErrorDetails(one_line(reason)))


def _origin(url: Any) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


# --- content -------------------------------------------------------------------------------


def decode_json(content: bytes, type_: type[T]) -> T:
    """The decoded body; `TransientError` if it is not JSON, of another shape or nested too deep."""
    if content.count(b"{") + content.count(b"[") > _MAX_CONTAINERS:
        raise TransientError("reply", f"the reply holds more than {_MAX_CONTAINERS:,} JSON objects")
    try:
        return msgspec.json.decode(content, type=type_)
    except (ValueError, RecursionError) as error:
        reason = one_line(str(error))
        raise TransientError("reply", f"the reply could not be read ({reason})") from None


def status_error(
    status: int, headers: Mapping[str, str], body: bytes, sent: Mapping[str, Any] | None = None
) -> HttpStatusError:
    """The error for a reply with an error status, with the server's message."""
    content: object
    try:
        content = msgspec.json.decode(body)
    except (ValueError, RecursionError):  # not JSON, not even UTF-8, or nested too deep
        content = body.decode(errors="replace")
    return HttpStatusError(status, parse_error_details(content), headers=headers, sent=sent)
