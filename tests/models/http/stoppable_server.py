"""A server on this machine that can die and come back, and that lists the models it serves."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from models.http.local_server import Asked, Reply, Script, Server, _Http

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler


class StoppableServer(Server):
    """Dead, it breaks every line and takes no new one; looks at its models are `looks`.

    `listing` is the status with which it says which models it has.
    """

    def __init__(self, script: Script, *models: str, listing: int = 200) -> None:
        super().__init__(script)
        self.looks: list[Asked] = []
        self._answer = script
        self._models = models or ("toy",)
        self.listing = listing
        self.broken_looks = 0  # how many of the next ones end in a broken line
        self._dead = threading.Event()
        self._script = self._living

    def _living(self, asked: Asked) -> Reply:
        if asked.path.endswith("/models"):
            self.asked.remove(asked)
            self.looks.append(asked)
            if self.broken_looks:
                self.broken_looks -= 1
                return Reply(close=True)
            if self.listing != 200:
                return Reply({"detail": "none of that"}, self.listing)
            return Reply({"object": "list", "data": [{"id": name} for name in self._models]})
        return self._answer(asked)

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        if self._dead.is_set():
            handler.close_connection = True
            return
        super()._serve(handler)

    def stop(self) -> None:
        """Break off what is under way and be gone; callable from within a reply."""
        self._dead.set()
        threading.Thread(target=self._http.shutdown, daemon=True).start()
        self._http.server_close()

    def restart(self) -> None:
        """Be there again, at the same address."""
        self._http = _Http(self._http.server_address[:2], self._http.RequestHandlerClass)
        self._dead.clear()
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self._leaving.set()
        if not self._dead.is_set():
            self._http.shutdown()
            self._http.server_close()
