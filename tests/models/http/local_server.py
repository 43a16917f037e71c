"""A server on this machine that does as a test tells it, and remembers what it was asked."""

from __future__ import annotations

import email
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from epicene.models.http.retry import RetryPolicy

if TYPE_CHECKING:
    pass

SHORT_WAITS = RetryPolicy(first_wait=0.01, max_wait=5.0)
FAST_RETRIES = RetryPolicy(first_wait=0.001, max_wait=0.01)


@dataclass(frozen=True)
class Asked:
    """A request as it arrived. `number` counts from 0; `active` counts those under way."""

    number: int
    method: str
    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    at: float
    active: int

    @property
    def prompt(self) -> str:
        """The prompt, or the chat's last turn."""
        if "prompt" in self.body:
            return str(self.body["prompt"])
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True)
class Reply:
    """What the server does: a reply, cut short where `shrink`, or none at all where `close`."""

    body: object = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    close: bool = False
    cut: bool = False


Script: TypeAlias = Callable[[Asked], Reply]


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # with the usual 5, many who come at once are turned away


class Server:
    """Serves a script while the `with` block lasts, and remembers what was asked.

    `checks` are the requests for its models, which are not in `asked`; it lists `models`, with the
    status `listing`, or has no list if that is None.
    """

    def __init__(
        self, script: Script, models: Sequence[str] | None = None, *, listing: int = 200
    ) -> None:
        self.asked: list[Asked] = []
        self.checks: list[Asked] = []
        self.listing = listing
        self._models = models
        self.most_active = 0
        self._script = script
        self._lock = threading.Lock()
        self._active = 0
        self._leaving = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # it holds every reply back by 40 ms

            def do_POST(self) -> None:
                outer._serve(self)

            def do_GET(self) -> None:
                outer._serve(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self._http = _Http(("127.0.0.1", 0), Handler)
        self.root = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.url = f"{self.root}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving.set()
        self._http.shutdown()
        self._http.server_close()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = _content(handler)
        with self._lock:
            self._active += 1
            self.most_active = max(self.most_active, self._active)
            headers = {name.lower(): value for name, value in handler.headers.items()}
            asked = Asked(
                len(self.asked),
                handler.command,
                handler.path,
                body,
                headers,
                time.monotonic(),
                self._active,
            )
            is_check = handler.command == "GET" and asked.path.split("?")[0].endswith("/models")
            (self.checks if is_check else self.asked).append(asked)
        try:
            reply = self._list_models() if is_check else self._script(asked)
            self._leaving.wait(reply.delay)
            _send(handler, reply)
        except OSError:
            pass  # the client has gone
        finally:
            with self._lock:
                self._active -= 1

    def _list_models(self) -> Reply:
        if self._models is None:
            return Reply({"detail": "Not Found"}, 404)
        if self.listing != 200:
            return Reply({"error": {"message": "no list for you"}}, self.listing)
        return Reply({"object": "list", "data": [{"id": name} for name in self._models]})


def _content(handler: BaseHTTPRequestHandler) -> dict[str, Any]:
    """What was sent, as JSON or as the fields of a form."""
    data = handler.rfile.read(int(handler.headers["Content-Length"] or 0))
    kind = handler.headers["Content-Type"] or ""
    if not kind.startswith("multipart/form-data"):
        return dict(json.loads(data)) if data else {}
    form = email.message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + data)
    fields: dict[str, Any] = {}
    for part in form.walk():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            fields[name] = content if part.get_filename() else content.decode()
    return fields


def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    handler.close_connection = reply.close or reply.cut
    if reply.close:
        return
    data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
    handler.send_response(reply.status)
    headers = {"Content-Type": "application/json", "Content-Length": str(len(data))}
    for name, value in (headers | dict(reply.headers)).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data[: len(data) // 2] if reply.cut else data)


def first_then(*faults: Reply, rest: Script) -> Script:
    """The first requests get the faults, in turn; all later ones what `rest` says."""
    return lambda asked: faults[asked.number] if asked.number < len(faults) else rest(asked)
