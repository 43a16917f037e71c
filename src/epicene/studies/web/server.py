"""Serve the web app with uvicorn in one process, with limits on slow or oversized requests.

uvicorn itself waits forever for the rest of a request and keeps all that precedes the body, so that
slow clients could hold all connections.
"""

from __future__ import annotations

import gc
import signal
import socket
from collections import Counter
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, ClassVar

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from epicene.core.errors import RunError
from epicene.studies.web.app import make_app

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator

    from starlette.types import ASGIApp

    from epicene.studies.collection.folder import StudyFolder

MAX_HEAD_BYTES = 64_000  # of a request without its body
REQUEST_TIMEOUT = 30.0  # seconds for the whole request to arrive
# A browser opens up to six, so that about forty people can share an address, as in a classroom.
MAX_CONNECTIONS_PER_ADDRESS = 256


class BoundedConnection(HttpToolsProtocol):
    """A connection that is closed if a request takes too long or its head is too large.

    It is also closed if its address has too many others, unless they are all of one proxy.
    """

    counts_addresses = True
    _open: ClassVar[Counter[str]] = Counter()  # connections by address
    _address = ""
    _head_bytes = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request, unless there are too many connections."""
        super().connection_made(transport)
        self._address = _network(self.client[0]) if self.client and self.counts_addresses else ""
        if self._address:
            self._open[self._address] += 1
            if self._open[self._address] > MAX_CONNECTIONS_PER_ADDRESS:
                transport.abort()
                return
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        if self._address:
            self._open[self._address] -= 1
            if not self._open[self._address]:
                del self._open[self._address]
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


class ProxiedConnection(BoundedConnection):
    """A connection from a proxy, which has the address of the proxy whoever is behind it."""

    counts_addresses = False


def _network(host: str) -> str:
    """The address whose connections are counted together; empty for this machine itself.

    A network may give one computer all addresses of an IPv6 /64.
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            network = str(ip_network((address, 64), strict=False))
            return "" if address.is_loopback else network
        address = address.ipv4_mapped
    return "" if address.is_loopback else str(address)


_SHUTDOWN_SECONDS = 5  # for requests under way
_BACKLOG = 1024  # connections that may wait to be accepted


def serve(
    folder: StudyFolder,
    *,
    host: str,
    port: int,
    secure: bool,
    proxied: bool,
    ready: Callable[[int], None],
    preview: bool = False,
) -> None:
    """Serve a study until stopped; `ready` is called with the port once it listens."""
    app = make_app(folder, secure=secure, preview=preview)
    with _listen(host, port) as listening:
        ready(listening.getsockname()[1])
        # The study lives as long as the server: garbage collection can skip it.
        gc.collect()
        gc.freeze()
        _Server(uvicorn_config(app, proxied=proxied)).run(sockets=[listening])


def uvicorn_config(app: ASGIApp, *, proxied: bool = False) -> uvicorn.Config:
    """The settings of the server; `proxied`: all connections come from a proxy."""
    return uvicorn.Config(
        app,
        http=ProxiedConnection if proxied else BoundedConnection,
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
            f"Could not listen on {host}, port {port}: {error.strerror or error}; choose another "
            "with --port (0: any free port)."
        ) from error
    return listening
