"""What stands before every page: who may come in, how much they may send, what browsers may do.

Without a link there is no page: whoever has none gets the same answer for every address.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, PlainTextResponse, Response

from epicene.annotate.pages.limits import Buckets
from epicene.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from epicene.annotate.tokens import Keys, Pass

LARGEST_BODY = 1_000_000  # bytes

_log = logging.getLogger(__name__)

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
# As they are sent.
_RAW = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
_NOT_KEPT = (b"cache-control", b"no-store")


@dataclass(frozen=True)
class Session:
    """Who asks, and what their forms must carry to be believed."""

    entrant: Pass
    csrf: str


class Sessions:
    """Passes in cookies, each study's under names of its own: cookies know no ports."""

    def __init__(self, keys: Keys, *, secure: bool = False) -> None:
        self.keys = keys
        self._secure = secure
        mark = keys.sign("cookie")[:8]
        self._names = {"person": f"epicene-person-{mark}", "owner": f"epicene-owner-{mark}"}

    def find(self, headers: Headers, role: str) -> Session | None:
        """The session of a request in a role."""
        wanted = self._names[role]
        for part in headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == wanted:
                entrant = self.keys.read(value)
                if entrant is not None and entrant.role == role:
                    return Session(entrant, self.keys.sign("csrf", *entrant))
        return None

    def begin(self, response: Response, entrant: Pass, *, secure: bool) -> None:
        """Put the pass into a cookie, so that it leaves the address."""
        response.set_cookie(
            self._names[entrant.role],
            self.keys.token(entrant),
            max_age=180 * 24 * 3600,
            httponly=True,
            # A person may follow the link from another site again, and is then still the same;
            # what they do is a form with a token of its own.
            samesite="lax" if entrant.role == "person" else "strict",
            secure=secure or self._secure,
        )

    def end(self, response: Response, entrant: Pass) -> None:
        """Let the browser forget who it was."""
        response.delete_cookie(self._names[entrant.role])


class Guard:
    """The outermost layer of the application."""

    def __init__(
        self, app: ASGIApp, *, sessions: Sessions, is_revoked: Callable[[Pass], bool]
    ) -> None:
        self._app = app
        self._sessions = sessions
        self._is_revoked = is_revoked
        self._by_link = Buckets(rate=10, burst=60)
        self._by_open_link = Buckets(rate=50, burst=600)  # it is many people's
        self._without_link = Buckets(rate=50, burst=600)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        guarded = _Reply(send, scope["path"])
        try:
            await self._answer(scope, receive, guarded.send)
        except Exception as error:
            if guarded.begun:
                raise
            await _failed(scope["path"], error)(scope, receive, guarded.send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        refusal = self._admit(scope, headers) or _too_large(headers, scope["path"])
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        body = _Body(receive)
        with suppress(_TooLargeError, ClientDisconnect):
            await self._app(scope, body.receive, body.unless_too_large(send))
        if body.too_large:
            await _too_much(scope["path"])(scope, receive, send)

    def _admit(self, scope: Scope, headers: Headers) -> Response | None:
        """None where the request may go on; its session is then in the scope."""
        path = scope["path"]
        if path.startswith("/static/"):
            return None
        if path.startswith("/enter/"):
            entrant = self._sessions.keys.read(path.removeprefix("/enter/"))
        else:
            role = "owner" if path.startswith(("/owner", "/api/owner")) else "person"
            session = self._sessions.find(headers, role)
            scope.setdefault("state", {})["session"] = session
            entrant = None if session is None else session.entrant
        if entrant is None or self._is_revoked(entrant):
            allowed = self._without_link.take("")
            return not_found(path) if allowed else _later(path)
        buckets = self._by_open_link if entrant.role == "open" else self._by_link
        return None if buckets.take("/".join(entrant)) else _later(path)


def _too_large(headers: Headers, path: str) -> Response | None:
    """The answer to a body that says itself that it is too large; nothing of it is read."""
    length = headers.get("content-length", "0")
    short = length.isdecimal() and len(length) <= len(str(LARGEST_BODY))
    return None if short and int(length) <= LARGEST_BODY else _too_much(path)


class _TooLargeError(Exception):
    """A body went on for longer than it may."""


class _Body:
    """What is sent with a request, as far as it may go."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._read = 0

    @property
    def too_large(self) -> bool:
        return self._read > LARGEST_BODY

    async def receive(self) -> Message:
        message = await self._receive()
        self._read += len(message.get("body", b""))
        if self.too_large:
            raise _TooLargeError
        return message

    def unless_too_large(self, send: Send) -> Send:
        """Whatever the application makes of half a body is not said."""

        async def limited(message: Message) -> None:
            if not self.too_large:
                await send(message)

        return limited


class _Reply:
    """What is sent back, with the headers that every answer has."""

    def __init__(self, send: Send, path: str) -> None:
        self._send = send
        self._added = _RAW if path.startswith("/static/") else [*_RAW, _NOT_KEPT]
        self.begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            message["headers"] = [*message["headers"], *self._added]
        await self._send(message)


def said(path: str, status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """A sentence, for people or for programs."""
    if path.startswith("/api/"):
        return JSONResponse({"detail": sentence}, status, headers)
    return PlainTextResponse(f"{sentence}\n", status, headers)


def not_found(path: str) -> Response:
    """The one answer for whatever is not there, or not for who asks."""
    return said(path, 404, "Not found")


def not_now(path: str, error: Exception) -> Response:
    """The answer while the database cannot be used; why is for the owner alone."""
    _log.error("%s", error)
    sentence = "The answers cannot be reached just now; try again."
    return said(path, 503, sentence, {"Retry-After": "1"})


def _failed(path: str, error: Exception) -> Response:
    """The answer to what nobody foresaw; it shows nothing of the inside."""
    if isinstance(error, RunError):
        return not_now(path, error)
    _log.error("A request failed.", exc_info=error)
    return said(path, 500, "Something went wrong here; try again.")


def _later(path: str) -> Response:
    return said(path, 429, "Too many requests", {"Retry-After": "1"})


def _too_much(path: str) -> Response:
    return said(path, 413, "Too large", {"Connection": "close"})
