"""What stands before every page: who may come in, how much they may send, what browsers may do.

Without a link there is no page: whoever has none gets the same answer for every address.
"""

from __future__ import annotations

from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response

from epicene.annotate.pages.limits import Buckets

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from epicene.annotate.tokens import Keys, Pass

LARGEST_BODY = 1_000_000  # bytes

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
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Session:
    """Who asks, and what their forms must carry to be believed."""

    entrant: Pass
    csrf: str


class Sessions:
    """Passes in cookies, each study's under names of its own: cookies know no ports."""

    def __init__(self, keys: Keys) -> None:
        self.keys = keys
        mark = keys.sign("cookie")[:8]
        self._names = {"person": f"epicene-person-{mark}", "owner": f"epicene-owner-{mark}"}

    def find(self, headers: Headers, role: str) -> Session | None:
        """The session of a request in a role."""
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return None
        found = cookies.get(self._names[role])
        entrant = None if found is None else self.keys.read(found.value)
        if entrant is None or entrant.role != role:
            return None
        return Session(entrant, self.keys.sign("csrf", *entrant))

    def begin(self, response: Response, entrant: Pass, *, secure: bool) -> None:
        """Put the pass into a cookie, so that it leaves the address."""
        response.set_cookie(
            self._names[entrant.role],
            self.keys.token(entrant),
            max_age=180 * 24 * 3600,
            httponly=True,
            samesite="strict",
            secure=secure,
        )


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, *, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions
        self._by_link = Buckets(rate=10, burst=60)
        # The open link is many people's, and whoever has none is nobody in particular.
        self._entering = Buckets(rate=50, burst=600)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        guarded = _with_headers(send, scope["path"])
        headers = Headers(scope=scope)
        refusal = self._admit(scope, headers) or _too_large(headers)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        body = _Body(receive)
        try:
            await self._app(scope, body.receive, body.unless_too_large(guarded))
        except _TooLargeError:
            pass
        if body.too_large:
            await _too_much()(scope, receive, guarded)

    def _admit(self, scope: Scope, headers: Headers) -> Response | None:
        """None where the request may go on; its session is then in the scope."""
        path = scope["path"]
        if path.startswith("/static/"):
            return None
        if path.startswith("/enter/"):
            return None if self._entering.take("") else _later()
        role = "owner" if path.startswith(("/owner", "/api/owner")) else "person"
        session = self._sessions.find(headers, role)
        if session is None:
            return not_found() if self._entering.take("none") else _later()
        scope.setdefault("state", {})["session"] = session
        return None if self._by_link.take("/".join(session.entrant)) else _later()


class _TooLargeError(Exception):
    """A body went on for longer than it may."""


def _too_large(headers: Headers) -> Response | None:
    """The answer to a body that says itself that it is too large; nothing of it is read."""
    length = headers.get("content-length", "0")
    return None if length.isdecimal() and int(length) <= LARGEST_BODY else _too_much()


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


def _with_headers(send: Send, path: str) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                if name != "Cache-Control" or not path.startswith("/static/"):
                    headers[name] = value
        await send(message)

    return guarded


def not_found() -> Response:
    """The one answer for whatever is not there, or not for who asks."""
    return PlainTextResponse("Not found\n", 404)


def _later() -> Response:
    return PlainTextResponse("Too many requests\n", 429, {"Retry-After": "1"})


def _too_much() -> Response:
    return PlainTextResponse("Too large\n", 413, {"Connection": "close"})
