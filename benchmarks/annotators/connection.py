"""A minimal HTTP client over one persistent connection."""

from __future__ import annotations

import asyncio
from typing import NamedTuple


class NoReplyError(Exception):
    """The server could not be reached, or stopped before it answered."""


class Reply(NamedTuple):
    """A response of the server."""

    status: int
    headers: dict[str, str]
    body: bytes


class Connection:
    """A connection to the local server, opened when it is needed."""

    def __init__(self, port: int, patience: float) -> None:
        self._port = port
        self._patience = patience
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(
        self, method: str, address: str, headers: dict[str, str], body: bytes = b""
    ) -> Reply:
        """Send one request; after an error the next one uses a new connection."""
        lines = [f"{method} {address} HTTP/1.1", f"Host: 127.0.0.1:{self._port}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines += [f"Content-Length: {len(body)}", "", ""]
        try:
            async with asyncio.timeout(self._patience):
                return await self._exchange("\r\n".join(lines).encode() + body)
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            self.close()
            raise NoReplyError(str(error)) from error

    async def _exchange(self, request: bytes) -> Reply:
        if self._streams is not None and self._streams[0].at_eof():
            self.close()  # the server has closed it; browsers notice that, too
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip("\r\n").split("\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        if headers.get("connection") == "close":
            self.close()
        return Reply(int(first.split(" ", 2)[1]), headers, body)

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
