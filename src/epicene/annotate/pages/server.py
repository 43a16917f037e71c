"""Running the pages: one process, stopped in good order by SIGTERM or SIGINT."""

from __future__ import annotations

import gc
import signal
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from epicene.annotate.pages.app import make_app
from epicene.annotate.pages.connections import BoundedConnection
from epicene.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastapi import FastAPI

    from epicene.annotate.folder import StudyFolder

_STOPPING = 5  # seconds for what is under way
_QUEUE = 1024  # connections that may wait to be taken


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
        _Server(configured(app)).run(sockets=[listening])


def configured(app: FastAPI) -> uvicorn.Config:
    """How the application is served."""
    return uvicorn.Config(
        app,
        http=BoundedConnection,
        ws="none",
        log_level="warning",
        access_log=False,  # addresses hold links, which are secrets
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_STOPPING,
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
        listening.listen(_QUEUE)
    except OSError as error:
        listening.close()
        raise RunError(
            f"Could not listen on {host}, port {port}: {error.strerror or error}; name another "
            "with --port, or 0 for any."
        ) from error
    return listening
