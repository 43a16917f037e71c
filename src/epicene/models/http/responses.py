"""Read responses within limits: their size, packed and unpacked, their nesting, their redirects.

A response is read as it arrives and abandoned at the limit, so that no server can fill the memory.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
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
    shorten,
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


class UnusableReplyError(UnanswerableError):
    """A reply that cannot be used; another attempt would return the same."""


class TooLargeError(UnusableReplyError):
    """A reply that is larger than the limit."""


class RedirectCircleError(HttpStatusError):
    """A server redirects too often."""


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
    """Only a few large bodies are in memory at once, however many requests are in flight."""

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
            self.release()
            _current.reset(token)

    async def take(self) -> None:
        """Wait for a slot, unless this request has one."""
        holder = _current.get()
        if holder and not holder.taken:
            await _stop_clock(holder.timeout, self._slots.acquire())
            holder.taken = True

    def release(self) -> None:
        """Give the slot back before the end of the block, if this request has one."""
        holder = _current.get()
        if holder and holder.taken:
            holder.taken = False
            self._slots.release()

    @asynccontextmanager
    async def timeout(self, seconds: float) -> AsyncIterator[None]:
        """A time limit that does not count the wait for a slot; for use inside `hold`."""
        holder = _current.get() or _Holder()
        async with asyncio.timeout(seconds) as holder.timeout:
            try:
                yield
            finally:
                holder.timeout = None


@dataclass
class _Holder:
    taken: bool = False
    timeout: asyncio.Timeout | None = None


async def _stop_clock(timeout: asyncio.Timeout | None, waiting: Awaitable[object]) -> None:
    """Wait for something without counting that against the time limit."""
    end = timeout.when() if timeout and not timeout.expired() else None
    if timeout is None or end is None:
        await waiting
        return
    loop = asyncio.get_running_loop()
    left = end - loop.time()
    timeout.reschedule(None)
    await waiting
    timeout.reschedule(loop.time() + left)


_current: ContextVar[_Holder | None] = ContextVar("_current", default=None)


async def read_body(
    response: Response, limit: int, slots: LargeBodySlots, *, cut: bool = False
) -> bytes:
    """The body, unpacked; with `cut` what can be read of it within the limit, without an error."""
    body = bytearray()
    try:
        await _read_into(body, response, limit, slots)
    except (TransientError, UnanswerableError):
        if not cut:
            raise
    return bytes(body[:limit])


async def _read_into(
    body: bytearray, response: Response, limit: int, slots: LargeBodySlots
) -> None:
    unpacker = _find_unpacker(response.headers.get("content-encoding", ""))
    received = 0
    async for block in response.aiter_raw():
        received += len(block)
        for piece in unpacker.unpack(block) if unpacker else (block,):
            body += piece
            if max(received, len(body)) > limit:
                raise TooLargeError(_too_large(limit, packed=unpacker is not None))
            if len(body) > _LARGE_BODY:
                await slots.take()
    if unpacker and received and not unpacker.complete:
        raise TransientError("reply", "the reply's compressed data are incomplete")


def _too_large(limit: int, *, packed: bool) -> str:
    unpacked = " when unpacked" if packed else ""
    return (
        f"the reply is larger than {limit / MIB:.3g} MiB{unpacked}; if this size is expected, "
        "raise the limit with --max-response"
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
    raise UnusableReplyError(
        f"the reply is compressed as {shorten(one_line(encoding))!r}, but only gzip or deflate was "
        "requested"
    )


# --- redirects -----------------------------------------------------------------------------


@asynccontextmanager
async def send_and_follow(
    send: Callable[[Any], Awaitable[Any]], request: Any, follow: Callable[[Any, Any], Any]
) -> AsyncIterator[Any]:
    """The response that redirects lead to, its body still unread.

    `send` streams and follows no redirect; `follow` makes the next request of a request and the
    redirect it got, or raises. Works with httpx and with its successor httpx2.
    """
    for _ in range(_MAX_REDIRECTS + 1):
        response = await send(request)
        try:
            if not response.has_redirect_location:
                yield response
                return
            request = follow(request, response)
        finally:
            await response.aclose()
    details = ErrorDetails("the server redirects in a loop")
    raise RedirectCircleError(response.status_code, details)


async def send_within_limits(
    send: Callable[[Any], Awaitable[Any]],
    request: Any,
    limit: int,
    slots: LargeBodySlots,
    redact: Callable[[bytes], bytes],
) -> Any:
    """The response to a request with its body read; `send` streams and follows no redirect.

    Redirects are followed on the same server, if they keep the request unchanged. To any other
    server, the prompts and perhaps the key would be sent too. The body is redacted before anything
    reads it.
    """
    async with send_and_follow(send, request, _follow_on_server) as response:
        failed = not response.is_success
        most = min(limit, _MAX_ERROR_BODY) if failed else limit
        body = redact(await read_body(response, most, slots, cut=failed))
    headers = [
        (name, value)
        for name, value in response.headers.multi_items()
        if name.lower() not in {"content-encoding", "content-length", "transfer-encoding"}
    ]
    return type(response)(
        response.status_code, headers=headers, content=body, request=response.request
    )


def _follow_on_server(request: Any, response: Any) -> Any:
    """The request that a redirect leads to, on the same server; else `HttpStatusError`."""
    following = response.next_request
    place = redact_url(str(following.url))
    if _origin(following.url) != _origin(request.url):
        reason = (
            f"the server redirects to another server, {place}; if you trust it, name it instead"
        )
    elif following.method != request.method:
        reason = f"the server redirects to {place} but drops the request; name that address instead"
    else:
        return following
    raise HttpStatusError(response.status_code, ErrorDetails(one_line(reason)))


def _origin(url: Any) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


# --- content -------------------------------------------------------------------------------


def decode_json(content: bytes, type_: type[T]) -> T:
    """The decoded body; `TransientError` if it is not JSON, of another shape or nested too deep."""
    if content.count(b"{") + content.count(b"[") > _MAX_CONTAINERS and _has_many(content):
        raise TooLargeError(
            f"the reply contains more than {_MAX_CONTAINERS:,} JSON objects and lists"
        )
    try:
        return msgspec.json.decode(content, type=type_)
    except (ValueError, RecursionError) as error:
        reason = one_line(str(error))
        raise TransientError("reply", f"the reply could not be read ({reason})") from None


# All up to the next object or list that begins; those inside strings are passed over.
_NEXT_CONTAINER = re.compile(
    rb"""(?: [^"{\[]++ | "[^"\\]*+ (?:\\.[^"\\]*+)*+ (?:"|\\?\Z) )*+ (?:[{\[]|\Z)""",
    re.DOTALL | re.VERBOSE,
)


def _has_many(content: bytes) -> bool:
    found = islice(_NEXT_CONTAINER.finditer(content), _MAX_CONTAINERS + 2)
    return sum(1 for _ in found) > _MAX_CONTAINERS + 1  # the last one is the end


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
