"""Serve the web app with uvicorn in one process, with limits on slow or oversized requests.

uvicorn itself waits forever for the rest of a request and keeps all that precedes the body, so that
slow clients could hold all connections.
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

MAX_HEAD_BYTES = 64_000  # of a request without its body
REQUEST_TIMEOUT = 30.0  # seconds for the whole request to arrive


class BoundedConnection(HttpToolsProtocol):
    """A connection that is closed if a request takes too long or its head is too large."""

    _head_bytes = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of the head."""
        self._head_bytes += len(data)
        super().data_received(data)
        if self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("Too large")

    def on_message_begin(self) -> None:
        """Start counting and waiting for a new request."""
        super().on_message_begin()
        self._head_bytes = 0
        self._wait()

    def on_body(self, body: bytes) -> None:
        """Exclude the body, which the middleware limits."""
        self._head_bytes -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop waiting; there is no limit until the next request begins."""
        self._stop_waiting()
        super().on_message_complete()

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(REQUEST_TIMEOUT, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


_SHUTDOWN_SECONDS = 5  # for requests under way
_BACKLOG = 1024  # connections that may wait to be accepted


def serve(
    folder: StudyFolder,
    *,
    host: str,
    port: int,
    lease: float,
    secure: bool,
    ready: Callable[[int], None],
) -> None:
    """Serve a study until stopped; `ready` is called with the port once it listens."""
    app = make_app(folder, lease=lease, secure=secure)
    with _listen(host, port) as listening:
        ready(listening.getsockname()[1])
        # The study lives as long as the server: garbage collection can skip it.
        gc.collect()
        gc.freeze()
        _Server(uvicorn_config(app)).run(sockets=[listening])


def uvicorn_config(app: FastAPI) -> uvicorn.Config:
    """The settings of the server."""
    return uvicorn.Config(
        app,
        http=BoundedConnection,
        ws="none",
        log_level="warning",
        access_log=False,  # addresses contain links, which are secrets
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        timeout_keep_alive=65,
    )


class _Server(uvicorn.Server):
    """A server that a signal stops normally, without an error."""

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
