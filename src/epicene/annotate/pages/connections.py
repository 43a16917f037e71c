"""How long a request may take to arrive, and how much may stand in it besides a body.

The server itself waits without end for the rest of a request, and keeps whatever stands before the
body; whoever says little, slowly, on many connections would hold all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

LARGEST_HEAD = 64_000  # bytes of a request besides its body
PATIENCE = 30.0  # seconds for the whole of it to arrive


class BoundedConnection(HttpToolsProtocol):
    """A connection that is closed when a request takes too long or has too much besides a body."""

    _besides = 0
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody called; they are to say what they want."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """They hung up."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes came."""
        self._besides += len(data)
        super().data_received(data)
        if self._besides > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("Too large")

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._besides = 0
        self._wait()

    def on_body(self, body: bytes) -> None:
        """A part of the body, which the guard measures."""
        self._besides -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """All of a request is there; until the next begins a person may think."""
        self._stop_waiting()
        super().on_message_complete()

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(PATIENCE, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
