"""Serve the web app with uvicorn in one process, with limits on slow or oversized requests.

uvicorn by itself waits forever for the rest of a request and keeps whatever precedes the body, so
that slow clients could hold all connections.
"""

from __future__ import annotations

import gc
import signal
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from epicene.core.errors import RunError
from epicene.studies.web.app import make_app

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator

    from fastapi import FastAPI

    from epicene.studies.collection.folder import StudyFolder

MAX_HEAD_BYTES = 64_000  # bytes of a request besides its body
REQUEST_TIMEOUT = 30.0  # seconds for the whole of it to arrive


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
        if self._besides > MAX_HEAD_BYTES and not self.transport.is_closing():
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
            self._waiting = self.loop.call_later(REQUEST_TIMEOUT, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


_SHUTDOWN_SECONDS = 5  # seconds for what is under way
_BACKLOG = 1024  # connections that may wait to be taken


def serve(
    folder: StudyFolder,
    *,
    host: str,
    port: int,
    lease: float,
    secure: bool,
    ready: Callable[[int], None],
) -> None:
    """Serve a study until told to stop; `ready` is called with the port once people may come."""
    app = make_app(folder, lease=lease, secure=secure)
    with _listen(host, port) as listening:
        ready(listening.getsockname()[1])
        # The study stays as long as the server does: no need to look through it again and again.
        gc.collect()
        gc.freeze()
        _Server(uvicorn_config(app)).run(sockets=[listening])


def uvicorn_config(app: FastAPI) -> uvicorn.Config:
    """How the application is served."""
    return uvicorn.Config(
        app,
        http=BoundedConnection,
        ws="none",
        log_level="warning",
        access_log=False,  # addresses hold links, which are secrets
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        timeout_keep_alive=65,
    )


class _Server(uvicorn.Server):
    """Takes a signal for what it is here, the way to stop, and not for a failure."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {
            sign: signal.signal(sign, self.handle_exit) for sign in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for sign, handler in before.items():
                signal.signal(sign, handler)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise RunError(
            f"Could not listen on {host}, port {port}: {error.strerror or error}; name another "
            "with --port, or 0 for any."
        ) from error
    return listening
