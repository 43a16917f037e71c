"""Sessions, rate limits, body limits and security headers for every request.

Without a valid link every address gives the same answer.
"""

from __future__ import annotations

import html
import logging
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)

from epicene.core.errors import RunError
from epicene.studies.collection.owners import SESSION_SECONDS
from epicene.studies.design.interface_texts import interface_text
from epicene.studies.web.assets import asset_url
from epicene.studies.web.translations import interface_language, page_direction

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from epicene.studies.collection.links import LinkSigner, User
    from epicene.studies.collection.owners import OwnerSessions

_MAX_LINKS = 20_000  # that are remembered


class RateLimiter:
    """A token bucket for each name, filled at a steady rate."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allow(self, name: str) -> bool:
        """Whether one more request is within the limit."""
        now = self._clock()
        level, then = self._levels.pop(name, (self._burst, now))
        level = min(self._burst, level + (now - then) * self._rate)
        allowed = level >= 1
        self._levels[name] = (level - allowed, now)
        if len(self._levels) > _MAX_LINKS:  # the longest unused bucket is full again by now
            self._levels.popitem(last=False)
        return allowed


MAX_BODY_BYTES = 1_000_000
PARTICIPANT_SECONDS = 180 * 24 * 3600  # for which a participant can resume in the same browser
_OWNER_SESSION = "owner session"  # the purpose of a signature

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
# In the form that ASGI sends
_RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
_NO_STORE = (b"cache-control", b"no-store")
# For as long as a cookie lasts, which must not be sent unencrypted
_HTTPS_ONLY = (b"strict-transport-security", f"max-age={PARTICIPANT_SECONDS}".encode())


@dataclass(frozen=True)
class WebSession:
    """The user of a request, and the token that their forms must contain.

    `owner_session` is the id of an owner's session.
    """

    user: User
    csrf: str
    owner_session: str = ""


class Sessions:
    """Sessions in cookies; names differ by study, as cookies do not distinguish ports.

    A participant's cookie is their link, so that they can resume. The owner's is a session that the
    server can end, signed so that only the server's own are looked up.
    """

    def __init__(
        self, signer: LinkSigner, owner_sessions: OwnerSessions, *, secure: bool = False
    ) -> None:
        self.signer = signer
        self.secure = secure
        self._owner_sessions = owner_sessions
        mark = signer.sign("cookie")[:8]
        self._names = {"person": f"epicene-person-{mark}", "owner": f"epicene-owner-{mark}"}

    def find(self, headers: Headers, role: str) -> WebSession | None:
        """The session of a request in this role."""
        wanted = self._names[role]
        for part in headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == wanted:
                session = self._read_owner(value) if role == "owner" else self._read_person(value)
                if session is not None:
                    return session
        return None

    def _read_person(self, cookie: str) -> WebSession | None:
        user = self.signer.read(cookie)
        if user is None or user.role != "person":
            return None
        return WebSession(user, self.signer.sign("csrf", *user))

    def _read_owner(self, cookie: str) -> WebSession | None:
        session, _, signature = cookie.partition(".")
        if not self.signer.is_signed(signature, _OWNER_SESSION, session):
            return None
        user = self._owner_sessions.user(session)
        if user is None:
            return None
        return WebSession(user, self.signer.sign("csrf", "owner", session), session)

    def is_current(self, session: WebSession) -> bool:
        """Whether an owner's session has not ended; a participant's ends with their link."""
        return session.user.role != "owner" or self._owner_sessions.is_current(
            session.owner_session
        )

    def begin(self, response: Response, user: User, *, secure: bool) -> None:
        """Start a session and store it in a cookie."""
        value, seconds = self.signer.token(user), PARTICIPANT_SECONDS
        if user.role == "owner":
            session = self._owner_sessions.start(user)
            value = f"{session}.{self.signer.sign(_OWNER_SESSION, session)}"
            seconds = SESSION_SECONDS
        response.set_cookie(
            self._names[user.role],
            value,
            max_age=seconds,
            httponly=True,
            # A participant may return by a link on another site and must be recognised; forms
            # are protected by a token of their own.
            samesite="lax" if user.role == "person" else "strict",
            secure=secure or self.secure,
        )

    def end(self, response: Response, user: User) -> None:
        """Delete the cookie."""
        response.delete_cookie(self._names[user.role])

    def log_out(self, response: Response, session: WebSession, *, everywhere: bool) -> None:
        """End an owner's session, or all sessions of this owner."""
        if everywhere:
            self._owner_sessions.end_all(session.user)
        else:
            self._owner_sessions.end(session.owner_session)
        self.end(response, session.user)


class AccessMiddleware:
    """Admits or refuses every request, and adds security headers to every response."""

    def __init__(
        self, app: ASGIApp, *, sessions: Sessions, is_revoked: Callable[[User], bool]
    ) -> None:
        self._app = app
        self._sessions = sessions
        self._is_revoked = is_revoked
        self._by_link = RateLimiter(rate=10, burst=60)
        self._by_open_link = RateLimiter(rate=50, burst=600)  # shared by many
        self._without_link = RateLimiter(rate=50, burst=600)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        https = self._sessions.secure or scope["scheme"] == "https"
        sender = _HeaderSender(send, scope["path"], https=https)
        try:
            await self._answer(scope, receive, sender.send)
        except Exception as error:
            if sender.started:
                raise
            await _internal_error(scope["path"], error)(scope, receive, sender.send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        refusal = self._admit(scope, headers) or _refuse_large_body(headers, scope["path"])
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        body = _LimitedBody(receive)
        with suppress(_BodyTooLargeError, ClientDisconnect):
            await self._app(scope, body.receive, body.limit_send(send))
        if body.too_large:
            await _body_too_large(scope["path"])(scope, receive, send)

    def _admit(self, scope: Scope, headers: Headers) -> Response | None:
        """None if the request may pass, with its session in the scope; else the refusal."""
        path = scope["path"]
        if path.startswith("/static/"):
            return None
        if path.startswith("/enter/"):
            user = self._sessions.signer.read(path.removeprefix("/enter/"))
        else:
            role = "owner" if path.startswith(("/owner", "/api/owner")) else "person"
            session = self._sessions.find(headers, role)
            scope.setdefault("state", {})["session"] = session
            user = None if session is None else session.user
        if user is None or self._is_revoked(user):
            accepted = headers.get("accept-language", "")
            if path == "/" and self._sessions.find(headers, "owner"):
                return RedirectResponse("/owner", 303)
            allowed = self._without_link.allow("")
            return not_found(path, accepted) if allowed else _too_many_requests(path)
        limiter = self._by_open_link if user.role == "open" else self._by_link
        return None if limiter.allow("/".join(user)) else _too_many_requests(path)


def _refuse_large_body(headers: Headers, path: str) -> Response | None:
    """The refusal of a body whose declared length is too large; it is not read."""
    length = headers.get("content-length", "0")
    short = length.isdecimal() and len(length) <= len(str(MAX_BODY_BYTES))
    return None if short and int(length) <= MAX_BODY_BYTES else _body_too_large(path)


class _BodyTooLargeError(Exception):
    """A body exceeded the limit while it was read."""


class _LimitedBody:
    """The body of a request up to the limit."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._read = 0

    @property
    def too_large(self) -> bool:
        return self._read > MAX_BODY_BYTES

    async def receive(self) -> Message:
        message = await self._receive()
        self._read += len(message.get("body", b""))
        if self.too_large:
            raise _BodyTooLargeError
        return message

    def limit_send(self, send: Send) -> Send:
        """Suppress what the application replies to an incomplete body."""

        async def limited(message: Message) -> None:
            if not self.too_large:
                await send(message)

        return limited


class _HeaderSender:
    """Adds the security headers to a response."""

    def __init__(self, send: Send, path: str, *, https: bool) -> None:
        self._send = send
        self._added = [
            *_RAW_HEADERS,
            *([] if path.startswith("/static/") else [_NO_STORE]),
            *([_HTTPS_ONLY] if https else []),
        ]
        self.started = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            message["headers"] = [*message["headers"], *self._added]
        await self._send(message)


def message_response(
    path: str, status: int, sentence: str, headers: dict[str, str] | None = None
) -> Response:
    """A response with one sentence: JSON for the API, else plain text."""
    if path.startswith("/api/"):
        return JSONResponse({"detail": sentence}, status, headers)
    return PlainTextResponse(f"{sentence}\n", status, headers)


def not_found(path: str, accepted: str = "") -> Response:
    """The response for everything that does not exist or is not for this user.

    A page in a language that the browser `accepted`, which says nothing of the study.
    """
    if path.startswith("/api/"):
        return message_response(path, 404, "Not found")
    language = interface_language(accepted)
    title, text = (
        html.escape(interface_text(name, language)) for name in ("bad_link_title", "bad_link")
    )
    page = (
        f'<!doctype html><html lang="{language}" dir="{page_direction(language)}"><head>'
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>{title}</title><link rel="stylesheet" href="{asset_url("pages.css")}"></head>'
        f'<body><main id="main" data-stage="bad_link"><h1 id="bad-link">{title}</h1><p>{text}</p>'
        "</main></body></html>\n"
    )
    return HTMLResponse(page, 404)


def unavailable(path: str, error: Exception) -> Response:
    """The response while the database cannot be used; the reason is only logged."""
    _log.error("%s", error)
    sentence = "The answers are not available at the moment; try again later."
    return message_response(path, 503, sentence, {"Retry-After": "1"})


def _internal_error(path: str, error: Exception) -> Response:
    """The response to an unexpected error, which reveals no details."""
    if isinstance(error, RunError):
        return unavailable(path, error)
    _log.error("A request failed.", exc_info=error)
    return message_response(path, 500, "Something went wrong; try again.")


def _too_many_requests(path: str) -> Response:
    return message_response(path, 429, "Too many requests", {"Retry-After": "1"})


def _body_too_large(path: str) -> Response:
    return message_response(path, 413, "Too large", {"Connection": "close"})
